// Whether the log was written where it is read: a database that was put back elsewhere counts transactions otherwise.

import type { SchemaSession } from '../sql/ddl.ts';
import { quote } from '../sql/names.ts';
import { changesTable, pruneState, watchedTable } from './tables.ts';

/**
 * Gives what begins the names of generations here. Where some of the log is of another origin, or was written in another format, its order means nothing here: it is
 * emptied, and another generation of each table begins when it is watched. Within a transaction that has the log to itself.
 */
export async function checkOrigin({ executor, ddl: { changes } }: SchemaSession): Promise<string> {
  const begins = `${changes.format} ${await changes.origin(executor)} `;
  const watched = await executor.rows(`SELECT "source" AS s, "generation" AS g FROM ${quote(watchedTable)} WHERE "generation" <> ''`);
  const foreign = watched.filter(({ g }) => !String(g).startsWith(begins));
  if (foreign.length === 0 && (await executor.rows(changes.ahead)).length === 0) return begins;
  // Those of another format would go on writing it.
  for (const { s, g } of foreign)
    if (!String(g).startsWith(`${changes.format} `)) for (const sql of changes.dropTriggers(String(s))) await executor.run(sql);
  await executor.run(`DELETE FROM ${quote(changesTable.name)}`);
  await executor.run(`UPDATE ${quote(pruneState)} SET "tx" = 0, "seq" = 0`);
  await executor.run(`UPDATE ${quote(watchedTable)} SET "generation" = ''`);
  return begins;
}
