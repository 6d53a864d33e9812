// Gives rows the key and the `__path__` that follow from their parents, where they have others, and says which ones these were.

import type { Table } from '../../plan/rows/table.ts';
import { keyColumn, pathColumn, versionColumn } from '../../plan/rows/tables.ts';
import type { SchemaSession } from '../sql/ddl.ts';
import { quote } from '../sql/names.ts';
import { StartRefused } from '../store.ts';
import { addressingOf, keyReferences } from './diff/schema.ts';
import { containedTables, misplacedIn, type WrongPath } from './wrong-paths.ts';

/** How many rows of a type stand where their parents are not, and the first of them. */
export interface MendedTable {
  readonly type: string;
  readonly rows: number;
  readonly first: WrongPath;
}

/** Under this name a database says that all of its rows were looked at, with the form of keys and paths that they have. */
export const placesChecked = 'places';
export const placesFormat = '2';

/** So many rows are looked at in less time than the rest of a start takes. */
const quicklyChecked = 20_000;

/** The contained tables that are looked through at every start. */
export async function smallTables({ executor }: SchemaSession, tables: readonly Table[]): Promise<readonly Table[]> {
  const small: Table[] = [];
  for (const table of containedTables(tables)) {
    const rows = await executor.rows(`SELECT 1 AS n FROM ${quote(table.name)} LIMIT 1 OFFSET ${quicklyChecked}`);
    if (rows.length === 0) small.push(table);
  }
  return small;
}

/**
 * What is found in some of the tables, without changing anything. A row below one of these may be astray too, and be found only when that
 * one is mended.
 */
export async function findAstray(session: SchemaSession, some: readonly Table[], tables = some): Promise<readonly MendedTable[]> {
  const found: MendedTable[] = [];
  for (const table of containedTables(some)) {
    let rows = 0;
    let first: WrongPath | undefined;
    for await (const page of misplacedIn(session, table, tables)) {
      rows += page.length;
      first ??= page[0];
    }
    if (first !== undefined) found.push({ type: addressingOf(table).type, rows, first });
  }
  return found;
}

/** In the caller's transaction. Parents first: what stands below a row that is mended follows it. */
export async function mendPaths(session: SchemaSession, tables: readonly Table[]): Promise<readonly MendedTable[]> {
  const mended: MendedTable[] = [];
  for (const table of containedTables(tables)) {
    let rows = 0;
    let first: WrongPath | undefined;
    // In a type that contains itself, what is mended may have children of that type before it.
    for (let before = -1; before !== rows; ) {
      before = rows;
      for await (const page of misplacedIn(session, table, tables)) {
        for (const each of page) await mend(session, table, tables, each);
        rows += page.length;
        first ??= page[0];
      }
    }
    if (first !== undefined) mended.push({ type: addressingOf(table).type, rows, first });
  }
  return mended;
}

export function inWords({ type, rows, first: { stored, right } }: MendedTable): string {
  const shown = stored.path === right.path ? 'another key than' : `${stored.path ?? 'no path'} instead of`;
  return `${rows} ${rows === 1 ? 'row' : 'rows'} of ${type} not at the path of ${rows === 1 ? 'its parent' : 'their parents'}: ${shown} ${right.path ?? 'none'}${rows === 1 ? '' : ', …'}`;
}

async function mend(session: SchemaSession, table: Table, tables: readonly Table[], { stored, right }: WrongPath): Promise<void> {
  const { executor, ddl } = session;
  const [first, second, third] = [1, 2, 3].map((each) => ddl.dialect.parameter(each));
  if (right.key !== stored.key) await refuseTaken(session, table, { stored, right });
  const [key, path, version] = [keyColumn, pathColumn, versionColumn].map(quote);
  await executor.run(
    `UPDATE ${quote(table.name)} SET ${key} = ${first}, ${path} = ${second}, ${version} = ${version} + 1 WHERE ${key} = ${third}`,
    [right.key, right.path, stored.key],
  );
  if (right.key === stored.key) return;
  // Foreign keys that carry the change on have done so; during a migration not every database minds them.
  for (const other of tables) {
    for (const reference of keyReferences(other).filter((each) => each.table === table.name)) {
      const column = quote(reference.columns[0] ?? '');
      await executor.run(`UPDATE ${quote(other.name)} SET ${column} = ${first} WHERE ${column} = ${second}`, [right.key, stored.key]);
    }
  }
}

async function refuseTaken({ executor, ddl }: SchemaSession, table: Table, { stored, right }: WrongPath): Promise<void> {
  const sql = `SELECT 1 AS n FROM ${quote(table.name)} WHERE ${quote(keyColumn)} = ${ddl.dialect.parameter(1)}`;
  if ((await executor.rows(sql, [right.key])).length === 0) return;
  const where = right.path ?? 'under no parent';
  throw new StartRefused(
    `Two rows of ${addressingOf(table).type} belong at the same place, ${where}: one of them is kept as ${JSON.stringify(stored.key)}. Give one of them another identifier.`,
  );
}
