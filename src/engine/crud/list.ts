// Reads collections in pages: the first is read at once, the rest while the answer is being sent.

import { error, isError } from '../../errors.ts';
import { countedFrom } from '../../memory-budget.ts';
import type { Step } from '../../plan/plan.ts';
import { both, type Condition, equal, everything, inRange } from '../../plan/query/condition.ts';
import { conditionKey, keyOfCondition, termKey } from '../../plan/query/condition-key.ts';
import { linkedFrom } from '../../plan/query/exists.ts';
import { filterCondition } from '../../plan/query/filter.ts';
import { allRows, type RowsOf } from '../../plan/query/rows-of.ts';
import { includedValues, outputKey } from '../../plan/query/selection.ts';
import type { Select } from '../../plan/query/shape.ts';
import { largest } from '../../plan/query/sized.ts';
import { orderOf } from '../../plan/query/sort.ts';
import { below } from '../../plan/rows/keys.ts';
import { type Awaitable, largestPart, type Page, type Reader, TooLarge } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { isLookedUp, keyText } from '../address/address.ts';
import { mapAwaitable as afterwards, inTransaction } from '../context.ts';
import { listedRows, rowCondition, visibleRows } from '../instances/guard.ts';
import { reachExisting, readableRows } from '../instances/readable.ts';
import { heldRows, holdBytes, nothingHeld } from '../memory.ts';
import type { Address, Collection, Context, List, ListQuery, Operation, ReadContext, RequestInfo, Result } from '../operation.ts';
import type { Prepare } from '../seams.ts';
import { refuseHiddenNames } from './hidden-names.ts';
import { isReadByKeys, type KeysAhead, keysBehind, rangeOfKeys } from './keys-ahead.ts';
import { keysOf, parameters, type Range, selectOf } from './range.ts';
import { tooLarge } from './read.ts';
import { withRights } from './rights.ts';

type ListOperation = Extract<Operation, { kind: 'list' }>;

export const list: Prepare<ListOperation> = ({ at, query }, context) => ({
  transaction: 'read',
  run(tx) {
    rowCondition('read', at.plan, context);
    refuseHiddenNames(at.plan, query, context);
    const asked = query.selection.asksRights ? { ...query, selection: withRights(at.plan, query.selection, context) } : query;
    if (at.under === undefined)
      return listIn(at.plan, anywhere, [], asked, inTransaction(context, readableRows(tx, context, rowsOf(context))));
    return listUnder(at, asked, inTransaction(context, readableRows(tx, context)));
  },
});

/** Of a whole collection. */
function rowsOf(context: Context): RowsOf {
  return (plan) => listedRows(plan, context);
}

/** A page should be about this many characters: large enough to be quick, small enough to be held. */
const pageSize = 262_144;
/** Where an order is not that of the key, each page may cost as much as sorting all of them: there are few of them, and large ones. */
const largestPage = 1_048_576;
/** Where a page is more than a request may hold, a part of its rows is tried. */
const fewer = 16;
const fewerKeys = 4;
const mostRows = 2_000;
/** What a first part may be, which is held by whoever does not read. */
const largestFirst = 2 * pageSize;
/** Characters of a row before one was read, and of one with those that it includes. */
const assumedRowSize = 512;
const assumedWithOthers = 8192;

/** A parent that is moved between being looked up and being listed has left its keys, and all below it too: then it is asked once more, at one state. */
async function listUnder(at: Collection, query: ListQuery, context: ReadContext): Promise<Result> {
  if (at.under === undefined || !isLookedUp(at.under.parent)) return listBelow(at, query, context);
  const found = await listBelow(at, query, context).catch((thrown: unknown) => {
    if (!isError(thrown, 'instance-not-found')) throw thrown;
    return undefined;
  });
  if (found !== undefined && !lacksRows(found)) return found;
  const one = { consistent: true, repeatable: () => true };
  return context.store.read((tx) => listBelow(at, query, inTransaction(context, readableRows(tx, context))), one, context.request);
}

async function listBelow(at: Collection, query: ListQuery, context: ReadContext): Promise<Result> {
  const { placed, values, parent } = await placeBelow(at, context);
  const found = await listIn(at.plan, placed, values, query, context);
  if (found.kind !== 'list' || found.list.rest === undefined || !isLookedUp(parent.address)) return found;
  return { kind: 'list', list: { ...found.list, rest: untilMoved(found.list.rest, parent, context) } };
}

/** A list below a parent that was moved while it was read is cut: it is not all that stands there. */
function untilMoved(rest: NonNullable<List['rest']>, { address, key }: Parent, context: ReadContext): List['rest'] {
  const { store, request } = context;
  return async (after) => {
    const part = await rest(after);
    if (!part.isLast) return part;
    const now = await store.read((tx) => reachExisting(address, tx, context), undefined, request);
    if (now.key !== key)
      throw error('store-busy', { detail: 'What the list stands below was moved while it was read; try again.', retryAfter: 1 });
    return part;
  };
}

function lacksRows(found: Result): boolean {
  if (found.kind !== 'list') return false;
  const { first, total = first.count } = found.list;
  return first.count === 0 || total < first.count;
}

/** Which rows stand under the parent, who must exist for the caller. */
async function placeBelow(at: Collection, context: ReadContext): Promise<Below> {
  if (at.under === undefined || at.plan.kind === 'link') throw new Error('only entities stand under others');
  const { step, parent: address } = at.under;
  const located = await reachExisting(address, context.tx, context);
  const parent = { address, key: located.key };
  const placed = placeUnder(step, visibleRows(context));
  const isRange = step.kind === 'contains' && step.contains.parent !== step.contains.child;
  if (!isRange) return { placed, values: [located.key], parent };
  const { from, to } = below(`${keyText(located)}\u0001${step.contains.contains.name}`);
  return { placed, values: [from, to], parent };
}

/** The rows of a list, for whoever reads them in a way of their own: the guard's condition is still to be added. */
export async function listedRange(at: Collection, query: ListQuery, context: ReadContext): Promise<Range> {
  refuseHiddenNames(at.plan, query, context);
  const { placed, values } = at.under === undefined ? { placed: anywhere, values: [] } : await placeBelow(at, context);
  return rangeOf(at.plan, placed, values, query, visibleRows(context));
}

interface Parent {
  readonly address: Address;
  readonly key: Value;
}

/** The rows below a parent, and where it stood. */
interface Below {
  readonly placed: Placed;
  readonly values: readonly Value[];
  readonly parent: Parent;
}

/** Which rows an address means; the name tells apart those of one type. */
interface Placed {
  readonly name: string;
  readonly where: Condition;
}

const anywhere: Placed = Object.freeze({ name: '', where: everything });

function placeUnder(step: Step, rows: RowsOf): Placed {
  if (step.kind === 'link') {
    const { link, from, to } = step;
    const ofLink = rows(link);
    const where = linkedFrom(link, from.column, to.column, to.entity.key, ofLink);
    return { name: `${link.type}.${to.attribute} ${keyOfCondition(ofLink)}`, where };
  }
  // The range of a type that contains itself holds more than the children.
  const { column, parent, child } = step.contains;
  if (parent === child) return { name: `children ${column}`, where: equal(column) };
  return { name: 'children', where: inRange(child.key) };
}

/** How the first rows of a list are asked for by somebody who may read all of them: for people. */
export function listShape({ plan, under }: Collection, query: ListQuery): Select {
  const range = rangeOf(plan, under === undefined ? anywhere : placeUnder(under.step, allRows), [], query, allRows);
  return selectOf(range, query.after, (query.offset ?? 0) > 0);
}

function rangeOf(plan: Collection['plan'], placed: Placed, values: readonly Value[], query: ListQuery, rows: RowsOf): Range {
  const asked = filterCondition(query.filter, plan, rows);
  const order = orderOf(query.order, plan, rows);
  // What the caller may read of others is part of an order that goes along relationships.
  const orderKey = order === query.order ? query.key : order.map(termKey).join(' ');
  return {
    plan,
    key: `${placed.name} ${conditionKey(asked.condition)} ${orderKey} ${outputKey(plan, query.selection, rows)}`,
    where: both(placed.where, asked.condition),
    values: values.length === 0 ? asked.values : [...values, ...asked.values],
    included: includedValues(query.selection),
    query,
    order,
    rows,
  };
}

function listIn(
  plan: Collection['plan'],
  placed: Placed,
  values: readonly Value[],
  query: ListQuery,
  context: ReadContext,
): Awaitable<Result> {
  const range = rangeOf(plan, placed, values, query, visibleRows(context));
  const select = selectOf(range, query.after);
  if (query.places === true) return withPlaces(range, context);
  // What is not sent before all of it is there comes in one part, unless that is too large.
  const most = query.ends === true ? largestPart : largestFirst;
  const assumed = rowsFor(query.selection.includes.length > 0 ? assumedWithOthers : assumedRowSize);
  const rows = Math.min(query.limit ?? mostRows, query.ends === true ? mostRows : assumed);
  const page = query.limit === 0 ? emptyPage : pageOf(range, query.after, rows, query.offset, context.tx, most, select);
  return afterwards(page, (first) => {
    if (first.json.length > countedFrom) holdBytes(first.json.length, context);
    return afterwards(query.count ? context.tx.count(selectOf(range, undefined), range.values) : undefined, (total) =>
      rest(range, first, rows, total, context),
    );
  });
}

/** One statement for all of them, each with its place. */
function withPlaces(range: Range, context: ReadContext): Awaitable<Result> {
  const { after, limit = 0, offset = 0 } = range.query;
  const values = [...parameters(range, after), limit, ...(offset > 0 ? [offset] : []), ...range.included];
  const select = selectOf(range, after, offset > 0);
  const held = heldRows((most) => context.tx.rows(select, values, undefined, most), nothingHeld(), context);
  return afterwards(held, (rows) => {
    const json = rows.map((each) => each.json).join(',');
    const places = rows.map(({ columns }) => columns);
    const first = { json, count: rows.length, last: places.at(-1) ?? [] };
    return { kind: 'list', list: { first, rest: undefined, total: undefined, next: undefined, places } };
  });
}

/** What comes behind the first page, and where the whole list was cut. */
function rest(range: Range, first: Part, rows: number, total: number | undefined, context: ReadContext): Awaitable<Result> {
  const { limit, ends = false } = range.query;
  const listed = (next: readonly Value[] | undefined, more: List['rest']): Result => ({
    kind: 'list',
    list: { first, rest: more, total, next },
  });
  if (isLast(first, rows) || limit === 0) return listed(undefined, undefined);
  if (limit === undefined || (ends && first.count < limit)) return listed(undefined, following(range, first, context));
  if (ends) return listed(undefined, undefined);
  if (first.count >= limit) {
    // Looked for in the text of the page each time that it is asked for.
    const place = first.last;
    return afterwards(isMore(range, place, context.tx), (more) => listed(more ? place : undefined, undefined));
  }
  return afterwards(cutAt(range, first, limit - first.count, context.tx), (next) => listed(next, following(range, first, context)));
}

/** Whether anything comes behind a place. */
function isMore(range: Range, place: readonly Value[], reader: Reader): Awaitable<boolean> {
  return afterwards(reader.one(keysOf(range, place, false), [...parameters(range, place), 1]), (row) => row !== undefined);
}

/** The place behind which a list goes on that has so many rows more than its first page, known before it is sent. */
function cutAt(range: Range, { last }: Page, further: number, reader: Reader): Awaitable<readonly Value[] | undefined> {
  const found = reader.rows(keysOf(range, last, true), [...parameters(range, last), 2, further - 1]);
  return afterwards(found, (rows) => (rows.length === 2 ? rows[0]?.columns : undefined));
}

function following(range: Range, first: Page, context: ReadContext): List['rest'] {
  const { store, request } = context;
  let left = range.query.limit === undefined ? Number.POSITIVE_INFINITY : range.query.limit - first.count;
  // Not the page itself, which would be held for as long as the caller does not read.
  let rowSize = rowSizeOf(first);
  let size = pageSize;
  let ahead: KeysAhead | undefined;
  const reading: Reading = (read) => store.read((reader) => read(readableRows(reader, context)), undefined, request);
  return async (after) => {
    // Whoever reads to the end gets larger ones; nobody holds them who does not read.
    if (range.query.order.length > 1) size = Math.min(largestPage, size * 2);
    // Where there is no room for larger ones, they stay as large as those before.
    if (request?.memory?.grow(size) === false) size = Math.max(countedFrom, request.memory.bytes);
    const select = selectOf(range, after);
    const wanted = Math.min(left, rowsFor(rowSize, size));
    if (isReadByKeys(range, wanted)) ahead ??= await reading((reader) => keysBehind(range, after, rowSize, reader));
    const page = await (ahead === undefined
      ? heldPage((rows) => reading((reader) => pageOf(range, after, rows, undefined, reader, largestPart, select)), wanted, request)
      : pageOfKeys(range, ahead.keys.slice(0, wanted), reading, request));
    const isEnd = ahead === undefined ? isLast(page, wanted) : ahead.place === undefined && page.taken === ahead.keys.length;
    left = isEnd ? 0 : left - page.count;
    rowSize = page.count === 0 ? rowSize : rowSizeOf(page);
    const place = ahead?.place ?? page.last;
    ahead = ahead === undefined || page.taken === ahead.keys.length ? undefined : { ...ahead, keys: ahead.keys.slice(page.taken) };
    return { json: page.json, count: page.count, last: place, isLast: left <= 0 };
  };
}

type Reading = <T>(read: (reader: Reader) => Awaitable<T>) => Awaitable<T>;

/** As many of these as a part holds. */
async function pageOfKeys(range: Range, keys: readonly Value[], reading: Reading, request: RequestInfo | undefined): Promise<Part> {
  let taken = Math.min(keys.length, largest);
  const read = async (rows: number): Promise<Part> => {
    taken = rows;
    if (rows === 0) return emptyPage;
    const own = rangeOfKeys(range, keys.slice(0, rows));
    const page = await reading((reader) => pageOf(own, undefined, rows, undefined, reader));
    // Which of them are missing is not known where some may be gone meanwhile.
    return page.isCut === true && rows > 1 ? read(Math.max(1, Math.floor(rows / fewerKeys))) : page;
  };
  const { json, count, last, isCut = false } = await heldPage(read, taken, request);
  return { json, count, last, isCut, taken };
}

/** A page for which there is no room is given up, and read again: as much of it as there is room for, or one row when there is. */
async function heldPage(read: (rows: number) => Awaitable<Part>, rows: number, request: RequestInfo | undefined): Promise<Part> {
  let page: Part | undefined = await read(rows);
  const [bytes, count] = [page.json.length, page.count];
  if (bytes <= countedFrom || request?.memory === undefined || request.memory.grow(bytes)) return page;
  page = undefined;
  const fitting = Math.max(1, Math.floor((count * request.memory.bytes) / bytes));
  if (fitting < count) return cut(await heldPage(read, fitting, request));
  await request.memory.wait(bytes, request.signal);
  return read(rows);
}

/** A page, which holds fewer rows than `limit` where so many are too large for one. */
interface Part extends Page {
  readonly isCut?: boolean;
  /** How many keys it was read by. */
  readonly taken?: number;
}

/** Whether nothing comes behind it. */
function isLast({ count, isCut }: Part, wanted: number): boolean {
  return count < wanted && isCut !== true;
}

/** A row that alone is larger than a page comes alone. */
function pageOf(
  range: Range,
  after: readonly Value[] | undefined,
  limit: number,
  offset: number | undefined,
  reader: Reader,
  most = largestPart,
  select = selectOf(range, after),
): Awaitable<Part> {
  const skip = offset ?? 0;
  const values = [...parameters(range, after), limit];
  const again = (rows: number): Awaitable<Part> => afterwards(pageOf(range, after, rows, offset, reader, most, select), cut);
  const read = (): Awaitable<Page> =>
    skip > 0
      ? reader.page(selectOf(range, after, true), [...values, skip, ...range.included])
      : reader.page(select, range.included.length === 0 ? values : [...values, ...range.included]);
  const fits = (page: Page): Awaitable<Part> =>
    page.count <= 1 || page.json.length <= most ? page : again(rowsFor(Math.max(rowSizeOf(page), (2 * pageSize) / page.count)));
  const fails = (thrown: unknown): Awaitable<Part> => {
    if (!(thrown instanceof TooLarge)) throw thrown;
    return limit > 1 ? again(Math.max(1, Math.floor(limit / fewer))) : alone(range, after, skip, reader, thrown);
  };
  try {
    const page = read();
    return page instanceof Promise ? page.then(fits, fails) : fits(page);
  } catch (thrown) {
    return fails(thrown);
  }
}

function cut(page: Part): Part {
  if (page.isCut === true) return page;
  // Not spread: the place may be a getter of a class.
  const { json, count, last } = page;
  return { json, count, last, isCut: true };
}

/** One row that is more than a request may hold: given where it is that large by itself, and not by what it includes. */
function alone(range: Range, after: readonly Value[] | undefined, skip: number, reader: Reader, thrown: TooLarge): Awaitable<Page> {
  const { plan, query } = range;
  if (query.selection.includes.length > 0) throw tooLarge(plan, query.selection, thrown);
  const values = [...parameters(range, after), 1];
  const found = skip > 0 ? reader.rows(selectOf(range, after, true), [...values, skip]) : reader.rows(selectOf(range, after), values);
  return afterwards(found, ([row]) => (row === undefined ? emptyPage : { json: row.json, count: 1, last: row.columns }));
}

function rowSizeOf({ json, count }: Page): number {
  return json.length / Math.max(1, count);
}

function rowsFor(rowSize: number, size = pageSize): number {
  const most = (mostRows * size) / pageSize;
  return Math.max(1, Math.min(most, Math.floor(size / Math.max(1, rowSize))));
}

const emptyPage: Page = Object.freeze({ json: '', count: 0, last: [] });
