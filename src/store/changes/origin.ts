// Whether the log was written where it is read: a database that was put back elsewhere counts transactions otherwise.

import type { SchemaSession } from '../migration/ddl.ts';
import { quote } from '../sql/names.ts';
import { changesTable, pruneState, watchedTable } from './tables.ts';

/**
 * Gives what begins the names of generations here. Where some of the log is of another origin, its order means nothing here: it is emptied, and another
 * generation of each table begins when it is watched. Within a transaction that has the log to itself.
 */
export async function checkOrigin({ executor, ddl }: SchemaSession, format: string): Promise<string> {
  const begins = `${format} ${await ddl.changes.origin(executor)} `;
  const watched = await executor.rows(`SELECT "generation" AS g FROM ${quote(watchedTable)}`);
  const isMoved = watched.some(({ g }) => String(g).startsWith(`${format} `) && !String(g).startsWith(begins));
  if (!isMoved && (await executor.rows(ddl.changes.ahead)).length === 0) return begins;
  await executor.run(`DELETE FROM ${quote(changesTable.name)}`);
  await executor.run(`UPDATE ${quote(pruneState)} SET "tx" = 0, "seq" = 0`);
  await executor.run(`UPDATE ${quote(watchedTable)} SET "generation" = ''`);
  return begins;
}
