// Reads rows page by page, so that long lists hold up nobody, and ends a run that would read more than it may before it has read them.

import type { Value } from '../model/types/attribute-type.ts';
import { both, type Condition, type OrderTerm } from '../plan/condition.ts';
import type { Select } from '../plan/shape.ts';
import type { Table } from '../plan/table.ts';
import type { Awaitable, Row } from '../store/store.ts';
import { look, type Run, spend, stepsLeft, tooMany } from './run.ts';
import { after } from './within.ts';

/** What is read: rows come with their values of the order, behind which the next page begins. */
export interface Paged {
  readonly table: Table;
  /** The order of an index that tells all rows apart. */
  readonly key: readonly OrderTerm[];
  readonly where: Condition;
  readonly values: readonly Value[];
  select(behind: readonly Value[] | undefined, skips: boolean): Select;
  /** Where the values of the order stand among the further columns: from, and up to. */
  readonly order: readonly [number, number];
  /** Rows of each page behind the first. */
  readonly further: number;
}

/** What most queries find comes in one page; pages of those that find more hold up others only shortly. */
export const pageRows = { first: 1024, further: 256, sorted: 8192 } as const;

/** Rows that are skipped at once by who only counts them. */
const counted = 5000;

export function inPages(paged: Paged, most: number, offset: number, run: Run): Awaitable<readonly Row[]> {
  if (most === 0) return [];
  const wanted = Math.min(pageRows.first, most);
  const page = run.reading.tx.rows(paged.select(undefined, offset > 0), [...paged.values, wanted, ...(offset > 0 ? [offset] : [])]);
  return after(page, (rows) => {
    spend(run, rows.length);
    return rows.length < wanted || rows.length === most ? after(look(run), () => rows) : furtherPages(paged, rows, most, run);
  });
}

async function furtherPages(paged: Paged, first: readonly Row[], most: number, run: Run): Promise<readonly Row[]> {
  await refuseTooMany(paged, most, run);
  const rows = [...first];
  for (;;) {
    await look(run);
    const wanted = Math.min(paged.further, most - rows.length);
    const behind = rows.at(-1)?.columns.slice(...paged.order) ?? [];
    const page = await run.reading.tx.rows(paged.select(behind, false), [...paged.values, ...behind, wanted]);
    spend(run, page.length);
    rows.push(...page);
    if (page.length < wanted || rows.length >= most) return rows;
  }
}

/** Counting costs a hundredth of reading. */
async function refuseTooMany({ table, key, where, values }: Paged, most: number, run: Run): Promise<void> {
  const left = stepsLeft(run) + pageRows.first;
  if (most <= left) return;
  const output = { fields: [], columns: key.map((each) => each.column) };
  const start: Select = { kind: 'select', table, output, where, order: key, limit: true, offset: true };
  const further: Select = { ...start, where: both(where, { kind: 'after', order: key, nulls: key.map(() => false) }) };
  let last = await run.reading.tx.one(start, [...values, 1, counted - 1]);
  for (let seen = counted; last !== undefined; seen += counted) {
    if (seen > left) throw tooMany(run.reading);
    await look(run);
    last = await run.reading.tx.one(further, [...values, ...last.columns, 1, counted - 1]);
  }
}
