// Reads rows page by page, so that long lists hold up nobody, and ends a run that would read more than it may before it has read them.

import { both, type Condition, type OrderTerm } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { checkDeadline, inTime, spend, stepLimitExceeded, stepsLeft, yieldToOthers } from '../budget.ts';
import { mapAwaitable } from '../context.ts';
import { seenBy } from '../instances/seen.ts';
import { heldRows } from '../memory.ts';
import type { Run } from './state.ts';

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
  /** Rows of the first page, and of each behind it. */
  readonly size: PageSize;
}

interface PageSize {
  readonly first: number;
  readonly further: number;
}

/** What most queries find comes in one page; pages of those that find more hold up others only shortly. */
export const pageSizes = {
  plain: { first: 256, further: 256 },
  /** In another order than that of the keys, each page costs a sort of all rows. */
  sorted: { first: 1024, further: 8192 },
  /** What is reached from many instances at once comes in few statements. */
  related: { first: 1024, further: 1024 },
} as const satisfies Record<string, PageSize>;

/** Rows that are skipped at once by who only counts them. */
const counted = 5000;

export function inPages(paged: Paged, most: number, offset: number, run: Run): Awaitable<readonly Row[]> {
  if (most === 0) return [];
  // Before rows are sorted, too: that takes longest.
  if (paged.size === pageSizes.sorted && most > stepsLeft(run))
    return refuseTooMany(paged, run, 0).then(() => firstPage(paged, most, offset, run));
  return firstPage(paged, most, offset, run);
}

function firstPage(paged: Paged, most: number, offset: number, run: Run): Awaitable<readonly Row[]> {
  const wanted = Math.min(paged.size.first, most);
  const page = pageIn(paged.select(undefined, offset > 0), [...paged.values, wanted, ...(offset > 0 ? [offset] : [])], run);
  return mapAwaitable(page, (rows) => {
    spend(run, rows.length);
    return rows.length < wanted || rows.length === most
      ? mapAwaitable(checkDeadline(run), () => rows)
      : furtherPages(paged, rows, most, run);
  });
}

async function furtherPages(paged: Paged, first: readonly Row[], most: number, run: Run): Promise<readonly Row[]> {
  if (paged.size !== pageSizes.sorted && most > stepsLeft(run)) await refuseTooMany(paged, run, first.length);
  const rows = [...first];
  for (;;) {
    await checkDeadline(run);
    const wanted = Math.min(paged.size.further, most - rows.length);
    const behind = rows.at(-1)?.columns.slice(...paged.order) ?? [];
    const values = [...paged.values, ...behind, wanted];
    const page = await pageIn(paged.select(behind, false), values, run);
    spend(run, page.length);
    rows.push(...page);
    if (page.length < wanted || rows.length >= most) return rows;
  }
}

function pageIn(select: Select, values: readonly Value[], run: Run): Awaitable<readonly Row[]> {
  const { reading, budget } = run;
  return inTime((until) => heldRows((bytes) => reading.tx.rows(seenBy(select, reading), values, until, bytes), budget.held, reading), run);
}

/** Counting costs a hundredth of reading. */
async function refuseTooMany({ table, key, where, values }: Paged, run: Run, read: number): Promise<void> {
  const left = stepsLeft(run) + read;
  const output = { fields: [], columns: key.map((each) => each.column) };
  const start: Select = { kind: 'select', table, output, where, order: key, limit: true, offset: true };
  const further: Select = { ...start, where: both(where, { kind: 'after', order: key, nulls: key.map(() => false) }) };
  const one = async (select: Select, after: readonly Value[]): Promise<Row | undefined> => {
    const asked = [...values, ...after, 1, counted - 1];
    return (await inTime((until) => run.reading.tx.rows(seenBy(select, run.reading), asked, until), run))[0];
  };
  let last = await one(start, []);
  for (let seen = counted; last !== undefined; seen += counted) {
    if (seen > left) throw stepLimitExceeded(run.reading);
    await yieldToOthers(run);
    last = await one(further, last.columns);
  }
}
