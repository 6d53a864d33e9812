// Indexes, triggers and views that others have made in the file of the embedded store: set aside for a moment, and made again as they were.

import type { Table } from '../../plan/rows/table.ts';
import { refused } from '../migration/diff/refusal.ts';
import type { Executor } from '../sql/executor.ts';
import { type ForeignObject, type ForeignObjects, heldWays } from '../sql/foreign-objects.ts';
import { quote } from '../sql/names.ts';
import { isOfChanges } from './changes.ts';
import { isOfSearch } from './search/search-index.ts';

export const sqliteForeignObjects: ForeignObjects = { list, quietly, replacing, remaking, release: async () => {} };

interface Made {
  readonly type: 'index' | 'trigger' | 'view';
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

async function list(executor: Executor, tables: readonly Table[]): Promise<readonly ForeignObject[]> {
  const all = tables.length === 0 ? [] : await madeByOthers(executor);
  return tables.flatMap((table) =>
    all
      .filter((each) => concerns(each, table.name))
      .flatMap((each) =>
        table.columns
          .filter(({ name }) => mentions(each.sql, name))
          .map(({ name }): ForeignObject => {
            const hold = each.type === 'index' ? 'carried' : 'speaks';
            return { what: `${each.type} ${each.name}`, table: table.name, column: name, hold };
          }),
      ),
  );
}

async function quietly(executor: Executor, { name }: Table, work: () => Promise<void>): Promise<void> {
  await aside(executor, (each) => each.type === 'trigger' && each.table === name, work);
}

/** They say the name of the column, and so mean the one that has it then. */
async function replacing(executor: Executor, table: Table, column: string, work: () => Promise<void>): Promise<void> {
  await aside(executor, (each) => concerns(each, table.name) && (each.type === 'trigger' || mentions(each.sql, column)), work);
}

async function remaking(executor: Executor, table: Table, work: () => Promise<void>): Promise<void> {
  const others = await madeByOthers(executor);
  const views = others.some((each) => each.type === 'view' || (each.type === 'trigger' && each.table !== table.name));
  // Else a table is given no name while a view speaks of one that is not there for a moment.
  if (views) await executor.run('PRAGMA legacy_alter_table = ON');
  try {
    await aside(executor, (each) => each.type !== 'view' && each.table === table.name, work);
  } finally {
    // No transaction takes it back, and a service that watches its model migrates on the same connection again.
    if (views) await executor.run('PRAGMA legacy_alter_table = OFF');
  }
}

async function aside(executor: Executor, which: (each: Made) => boolean, work: () => Promise<void>): Promise<void> {
  const others = await madeByOthers(executor);
  const chosen = others.filter(which);
  const views = new Set(chosen.filter((each) => each.type === 'view').map((each) => each.name));
  // A trigger goes with the view it stands on.
  const set = others.filter((each) => chosen.includes(each) || (each.type === 'trigger' && views.has(each.table)));
  for (const { type, name } of set.toReversed()) await executor.run(`DROP ${type.toUpperCase()} ${quote(name)}`);
  await work();
  for (const each of set) await again(executor, each);
}

async function again(executor: Executor, { type, name, table, sql }: Made): Promise<void> {
  try {
    await executor.run(sql);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw refused([{ what: `${type} ${name} on ${table} is not the platform’s, and cannot be kept: ${reason}`, ways: heldWays }]);
  }
}

/** Views first: triggers may stand on them. */
async function madeByOthers(executor: Executor): Promise<readonly Made[]> {
  const sql = `SELECT "type" AS t, "name" AS n, "tbl_name" AS o, "sql" AS s FROM sqlite_schema WHERE "sql" IS NOT NULL AND "type" IN ('view', 'trigger', 'index') ORDER BY "type" = 'trigger', "rowid"`;
  const rows = await executor.rows(sql);
  return rows.flatMap((row): readonly Made[] => {
    const [type, name, table, text] = [types.find((each) => each === row['t']), String(row['n']), String(row['o']), String(row['s'])];
    return type === undefined || isOurs(name, table) ? [] : [{ type, name, table, sql: text }];
  });
}

const types = ['index', 'trigger', 'view'] as const;

function isOurs(index: string, table: string): boolean {
  return (
    isOfSearch(index, table) ||
    isOfChanges(index, table) ||
    (index.startsWith(`${table}|`) && /\|(unique|index|unique\|moment)$/.test(index))
  );
}

function concerns({ type, table, sql }: Made, name: string): boolean {
  return table === name || (type !== 'index' && mentions(sql, name));
}

/** More than meant is set aside, and made again unchanged. */
function mentions(sql: string, name: string): boolean {
  const [text, word] = [sql.toLowerCase(), name.toLowerCase()];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isOfName.test(text.charAt(at - 1)) && !isOfName.test(text.charAt(at + word.length))) return true;
  }
  return false;
}

const isOfName = /[\p{L}\p{N}_$]/u;
