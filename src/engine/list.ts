// Reads collections in pages: the first is read at once, the rest while the answer is being sent.

import type { Value } from '../model/types/attribute-type.ts';
import { both, type Condition, equal, everything } from '../plan/condition.ts';
import { below } from '../plan/keys.ts';
import type { RowPlan } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import type { Awaitable, Page, Reader } from '../store/store.ts';
import { keep } from './kept.ts';
import { keyText, locateExisting } from './locate.ts';
import type { Collection, List, ListQuery, Operation, Reading, Result } from './operation.ts';
import type { Handler } from './seams.ts';

type ListOperation = Extract<Operation, { kind: 'list' }>;

export const list: Handler<ListOperation> = ({ at, query }, context) => ({
  transaction: 'read',
  run: (tx) =>
    at.under === undefined ? listIn(at.plan, '', everything, [], query, { ...context, tx }) : listUnder(at, query, { ...context, tx }),
});

interface Range {
  readonly plan: RowPlan;
  readonly key: string;
  readonly where: Condition;
  readonly values: readonly Value[];
  readonly query: ListQuery;
}

/** A page should be about this many characters: large enough to be quick, small enough to be held. */
const pageSize = 262_144;
const fewestRows = 8;
const mostRows = 2_000;
const assumedRowSize = 512;

async function listUnder(at: Collection, query: ListQuery, context: Reading): Promise<Result> {
  if (at.under === undefined || at.plan.kind === 'link') throw new Error('only entities stand under others');
  const { step } = at.under;
  const parent = await locateExisting(at.under.parent, context.tx);
  if (step.kind === 'contains') {
    // The range of a type that contains itself holds more than the children.
    const { column, parent: owner, child } = step.contains;
    if (owner === child) return listIn(at.plan, `children ${column}`, equal(column), [parent.key], query, context);
    const { from, to } = below(`${keyText(parent)}\u0001${step.contains.contains.name}`);
    const where: Condition = { kind: 'and', conditions: [compareKey(at.plan, 'gt'), compareKey(at.plan, 'lt')] };
    return listIn(at.plan, 'children', where, [from, to], query, context);
  }
  const { link, from, to } = step;
  const where: Condition = { kind: 'linked', table: link.table.name, from: from.column, to: to.column, key: to.entity.key };
  return listIn(at.plan, `${link.type}.${to.attribute}`, where, [parent.key], query, context);
}

function compareKey(plan: RowPlan, operator: 'gt' | 'lt'): Condition {
  return { kind: 'compare', column: plan.key, operator };
}

/** `place` tells apart the where-clauses that come from the address. */
async function listIn(
  plan: RowPlan,
  place: string,
  where: Condition,
  values: readonly Value[],
  query: ListQuery,
  context: Reading,
): Promise<Result> {
  const range: Range = { plan, key: `${place} ${query.key}`, where: both(where, query.where), values: [...values, ...query.values], query };
  const rows = Math.min(query.limit ?? mostRows, rowsFor(assumedRowSize));
  const first = query.limit === 0 ? emptyPage : await pageOf(range, query.after, rows, query.offset, context.tx);
  const total = query.count ? await context.tx.count(selectOf(range, undefined), range.values) : undefined;
  return { kind: 'list', list: { ...(await rest(range, first, rows, context)), total } };
}

/** What comes behind the first page, and where the whole list was cut. */
async function rest(range: Range, first: Page, rows: number, context: Reading): Promise<Omit<List, 'total'>> {
  const { limit, offset = 0 } = range.query;
  if (first.count < rows || limit === 0) return { first, rest: undefined, next: undefined };
  if (limit !== undefined && first.count >= limit) {
    const more = await pageOf(range, first.last, 1, undefined, context.tx);
    return { first, rest: undefined, next: more.count > 0 ? first.last : undefined };
  }
  const next = limit === undefined ? undefined : await cutAt(range, offset + limit, context.tx);
  return { first, rest: following(range, first, context), next };
}

/** The place behind which a list longer than one page goes on, known before it is sent. */
async function cutAt(range: Range, end: number, reader: Reader): Promise<readonly Value[] | undefined> {
  const keys: Select = {
    ...selectOf(range, range.query.after, true),
    output: { fields: [], columns: range.query.order.map((term) => term.column) },
  };
  const found = await reader.rows(keys, [...parameters(range, range.query.after), 2, end - 1]);
  return found.length === 2 ? found[0]?.columns : undefined;
}

function following(range: Range, first: Page, context: Reading): List['rest'] {
  const { store } = context;
  let left = range.query.limit === undefined ? Number.POSITIVE_INFINITY : range.query.limit - first.count;
  let previous = first;
  return async (after) => {
    if (left <= 0) return undefined;
    const wanted = Math.min(left, rowsFor(previous.json.length / Math.max(1, previous.count)));
    const page = await store.read((reader) => pageOf(range, after, wanted, undefined, reader));
    left = page.count < wanted ? 0 : left - page.count;
    previous = page;
    return page.count === 0 ? undefined : page;
  };
}

function pageOf(
  range: Range,
  after: readonly Value[] | undefined,
  limit: number,
  offset: number | undefined,
  reader: Reader,
): Awaitable<Page> {
  const skip = offset ?? 0;
  const values = [...parameters(range, after), limit];
  return skip > 0 ? reader.page(selectOf(range, after, true), [...values, skip]) : reader.page(selectOf(range, after), values);
}

function selectOf(range: Range, after: readonly Value[] | undefined, offset = false): Select {
  const key = `${range.key} ${after === undefined ? '-' : after.map((value) => (value === null ? 0 : 1)).join('')}${offset ? '+' : ''}`;
  const kept = range.plan.kept.get(key);
  if (kept?.kind === 'select') return kept;
  const { plan, where, query } = range;
  const behind: Condition =
    after === undefined ? everything : { kind: 'after', order: query.order, nulls: after.map((value) => value === null) };
  return keep(plan, key, {
    kind: 'select',
    table: plan.table,
    output: { fields: query.output.fields, columns: query.order.map((term) => term.column) },
    where: both(where, behind),
    order: query.order,
    limit: true,
    offset,
  });
}

function parameters({ values }: Range, after: readonly Value[] | undefined): readonly Value[] {
  return after === undefined ? values : [...values, ...after];
}

function rowsFor(rowSize: number): number {
  return Math.max(fewestRows, Math.min(mostRows, Math.floor(pageSize / Math.max(1, rowSize))));
}

const emptyPage: Page = Object.freeze({ json: '', count: 0, last: [] });
