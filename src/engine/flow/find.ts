// Finds what a pattern asks for: tests with their values bound, rows read in pages, related rows in a fixed number of statements.

import { error, type Fault, invalid, unreachable } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { ComparisonOperator } from '../../model/pattern.ts';
import { columnsCondition, comparisonOf, isEquality } from '../../plan/flow/conditions.ts';
import type { ColumnPlan, Find, Test } from '../../plan/flow/flow.ts';
import type { EntityPlan, LinkEnd, LinkPlan } from '../../plan/plan.ts';
import { both, type Condition, everything, nothing, type Search } from '../../plan/query/condition.ts';
import { placeNamed, standsAt } from '../../plan/query/path-condition.ts';
import { mostValues } from '../../plan/query/query-object.ts';
import type { Select } from '../../plan/query/shape.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { type EndReference, endReference, pointsAt, type Read } from '../../plan/rows/link-references.ts';
import type { PathPlace } from '../../plan/rows/path.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { isNumeric, wholeNumber } from '../../values/arithmetic.ts';
import { patternFault } from '../../values/like.ts';
import type { Value } from '../../values/value.ts';
import { searchWords } from '../../values/words.ts';
import { pathOf } from '../address/address.ts';
import { checkDeadline, spend } from '../budget.ts';
import { mapAwaitable, mapInOrder } from '../context.ts';
import { isTrue } from '../eval/eval.ts';
import { type QueryValue, queryValue, type ValueComparison } from '../eval/query-value.ts';
import { type Bound, rowCondition, unbound } from '../instances/guard.ts';
import { seenBy } from '../instances/seen.ts';
import { holdMore } from '../memory.ts';
import { cacheQueryShape } from '../shape-cache.ts';
import { refuseHiddenIn } from './hidden.ts';
import { inPages, type Paged, pageSizes } from './pages.ts';
import { evaluateNow, instanceOrigin, single, toInstance } from './run.ts';
import type { Fields, Run, Scopes } from './state.ts';
import { resolve } from './values.ts';

const none: Bound = Object.freeze({ condition: nothing, values: [], key: '0' });

export function bindTests(tests: readonly Test[], run: Run, scopes: Scopes): Awaitable<Bound> {
  const faults: Fault[] = [];
  return mapAwaitable(
    mapInOrder(tests, (each) => bind(each, run, scopes, faults)),
    (bound) => {
      if (faults.length > 0) throw invalid(faults);
      const all = bound.reduce(alsoBound, unbound);
      if (all.values.length > mostValues)
        throw error('dataflow-failed', { detail: `A query compares with more than ${mostValues} values.` });
      return all;
    },
  );
}

export function alsoBound(first: Bound, second: Bound): Bound {
  if (first === unbound) return second;
  if (second === unbound) return first;
  return {
    condition: both(first.condition, second.condition),
    values: [...first.values, ...second.values],
    key: `${first.key}&${second.key}`,
  };
}

function bind(test: Test, run: Run, scopes: Scopes, faults: Fault[]): Awaitable<Bound> {
  const inside = (each: Test) => bind(each, run, scopes, faults);
  switch (test.kind) {
    case 'compare':
      return mapAwaitable(resolve(test.value, run, scopes), (value) => bindCompare(test.column, test.operator, value, run, faults));
    case 'columns':
      return { condition: columnsCondition(test), values: [], key: '=' };
    case 'and':
    case 'or':
      return mapAwaitable(mapInOrder(test.tests, inside), (parts) => ({
        condition: { kind: test.kind, conditions: parts.map((each) => each.condition) },
        values: parts.flatMap((each) => each.values),
        key: `(${parts.map((each) => each.key).join()})`,
      }));
    case 'not':
      return mapAwaitable(inside(test.test), (inner) => ({
        ...inner,
        condition: { kind: 'not', condition: inner.condition },
        key: `!${inner.key}`,
      }));
    case 'search':
      return mapAwaitable(resolve(test.value, run, scopes), (value) => bindSearch(test.search, value, faults));
    case 'value':
      return mapAwaitable(resolve(test.value, run, scopes), (value) => (isTrue(value) ? { ...unbound, key: '1' } : none));
    case 'filter':
      return unbound;
    default:
      return unreachable(test);
  }
}

function bindSearch(search: Search, value: Value, faults: Fault[]): Bound {
  const asked = searchWords(typeof value === 'string' ? value : '');
  if ('words' in asked) return { condition: { kind: 'search', ...search }, values: [asked.words.join(' ')], key: 'w' };
  faults.push(fault('', asked.isLong ? 'limit' : 'value', `a search ${asked.fault}`));
  return none;
}

function bindCompare(column: ColumnPlan, operator: ComparisonOperator, value: Value, run: Run, faults: Fault[]): Bound {
  const { end, path } = column;
  // Nothing is in a list that there is not: only one that holds nothing asks for what is absent.
  if (operator === 'in' && value === null) return none;
  if (isEquality(operator)) {
    if (end !== undefined) return bindEnd(column, end, operator, value, run);
    if (path !== undefined) return bindPath(column, path, operator, value, run);
  } else if (path !== undefined && column.column !== pathColumn) {
    // Only of what is contained the path itself is stored.
    faults.push(fault(column.name, 'operator', 'is compared by being equal, or in a list'));
    return none;
  }
  const comparison = comparisonOf[operator];
  switch (comparison) {
    case 'in':
      return bindList(column, Array.isArray(value) ? value : [value], run, faults);
    case 'between': {
      const bounds = Array.isArray(value) ? value : [value];
      if (bounds.length !== 2) faults.push(fault(column.name, 'value', 'is compared with a list of two bounds'));
      const [low = null, high = null] = bounds;
      return bounds.length === 2 ? bindBetween(column, low, high, run, faults) : none;
    }
    case 'like':
      return bindLike(column, value, faults);
    default:
      return bindValue(column, comparison, value, run, faults);
  }
}

function bindLike(column: ColumnPlan, value: Value, faults: Fault[]): Bound {
  if (typeof value !== 'string') return none;
  const wrong = patternFault(value);
  if (wrong !== undefined) faults.push(fault(column.name, 'limit', wrong));
  if (!holdsText(column)) return none;
  const place = { kind: 'compare', column: column.column, source: column.source, lookup: column.lookup } as const;
  return { condition: { ...place, operator: 'like' }, values: [value], key: '~' };
}

/** An instance at the end of a link goes by itself, its path, its guid or its identifier. */
function bindEnd(column: ColumnPlan, end: LinkEnd, operator: '==' | '!=' | 'in', given: Value, run: Run): Bound {
  const { source } = column;
  const items = operator === 'in' && Array.isArray(given) ? given : [single(given)];
  const references: EndReference[] = [];
  for (const item of items) {
    const found = item === null ? undefined : endNamed(end, item, run);
    // What is neither a path nor an identifier is at the end of no link.
    if (found !== undefined) references.push(found);
  }
  return orAbsent(column, operator, items.includes(null), pointsAt(end, references, source), references.length > 0);
}

/** By the path, or the identifier of what stands under no parent. What is neither is the path of nothing. */
function bindPath(column: ColumnPlan, plan: EntityPlan | LinkPlan, operator: '==' | '!=' | 'in', given: Value, run: Run): Bound {
  const items = operator === 'in' && Array.isArray(given) ? given : [single(given)];
  const places = items.flatMap((item): readonly PathPlace[] => {
    const origin = instanceOrigin(item, run);
    const place = item === null ? undefined : placeNamed(plan, origin === undefined ? item : pathOf(origin.located), asCompared);
    return place === undefined || place === 'unread' ? [] : [place];
  });
  return orAbsent(column, operator, items.includes(null), standsAt(plan, places, column.source), places.length > 0);
}

/** An identifier, as one is compared with any value. */
const asCompared: Read = (attribute, given) => {
  const asked = queryValue('eq', columnKind(attribute.attribute), given);
  return typeof asked === 'string' ? undefined : asked.value;
};

/** An equality, or its opposite, where the column may also be asked for by being absent. */
function orAbsent(column: ColumnPlan, operator: '==' | '!=' | 'in', isNull: boolean, asked: Bound, isAsked: boolean): Bound {
  const { condition, values } = asked;
  const key = `e${asked.key}`;
  const absent: Condition = { kind: 'compare', column: column.column, source: column.source, operator: 'null' };
  const equals: Bound = isNull
    ? { condition: isAsked ? { kind: 'or', conditions: [condition, absent] } : absent, values, key: `${key}n` }
    : { condition, values, key };
  return operator === '!=' ? { ...equals, condition: { kind: 'not', condition: equals.condition }, key: `!${equals.key}` } : equals;
}

function endNamed(end: LinkEnd, given: Value, run: Run): EndReference | undefined {
  const value = single(given);
  const origin = instanceOrigin(value, run);
  if (origin === undefined) return endReference(end, value);
  // Of what was created below another instance, only the path is known.
  return origin.located.key === null
    ? endReference(end, origin.located.path ?? origin.located.id)
    : { kind: 'key', key: origin.located.key };
}

function bindValue(column: ColumnPlan, operator: ValueComparison, value: Value, run: Run, faults: Fault[]): Bound {
  const place = { kind: 'compare', column: column.column, source: column.source, lookup: column.lookup } as const;
  const present: Bound = { condition: { ...place, operator: 'not-null' }, values: [], key: 'N' };
  if (value === null) {
    if (operator === 'eq') return { condition: { ...place, operator: 'null' }, values: [], key: 'n' };
    return operator === 'ne' ? present : none;
  }
  const asked = askedOf(column, operator, value, run, faults);
  if (asked === 'none') return operator === 'ne' ? { ...unbound, key: '1' } : none;
  return asked === 'all' ? present : { condition: { ...place, operator }, values: [asked.value], key: '=' };
}

function bindBetween(column: ColumnPlan, low: Value, high: Value, run: Run, faults: Fault[]): Bound {
  const [from, to] = [bindValue(column, 'gte', low, run, faults), bindValue(column, 'lte', high, run, faults)];
  if (from === none || to === none) return none;
  if (from.values.length + to.values.length < 2) return alsoBound(from, to);
  const condition: Condition = {
    kind: 'compare',
    column: column.column,
    source: column.source,
    lookup: column.lookup,
    operator: 'between',
  };
  return { condition, values: [...from.values, ...to.values], key: 'b' };
}

/** What is a text in an expression too: only that is like another. */
function holdsText({ attribute, end }: ColumnPlan): boolean {
  const told = attribute ?? (end?.entity.contained === true ? undefined : end?.entity.identifier);
  return told === undefined || ['text', 'uuid', 'datetime', 'date', 'time'].includes(columnKind(told.attribute));
}

/** Being in a list is being equal to one of its elements: nothing is in it too, where it holds nothing. */
function bindList(column: ColumnPlan, items: readonly Value[], run: Run, faults: Fault[]): Bound {
  const place = { kind: 'compare', column: column.column, source: column.source } as const;
  const present = items.flatMap((each): readonly Value[] => {
    const asked = each === null ? 'none' : askedOf(column, 'eq', each, run, faults);
    return typeof asked === 'string' ? [] : [asked.value];
  });
  const absent: Bound = items.includes(null) ? { condition: { ...place, operator: 'null' }, values: [], key: 'n' } : none;
  if (present.length === 0) return absent;
  const values = paddedTo(present);
  const condition: Condition = { ...place, operator: 'in', count: values.length };
  if (absent === none) return { condition, values, key: `i${values.length}` };
  return { condition: { kind: 'or', conditions: [condition, absent.condition] }, values, key: `n${values.length}` };
}

/** Lists of nearly the same length ask the same question: the last value fills them up. */
export function paddedTo(values: readonly Value[]): readonly Value[] {
  let length = 1;
  while (length < values.length) length += Math.min(length, 4096);
  const last = values.at(-1) ?? null;
  return [...values, ...Array.from({ length: length - values.length }, () => last)];
}

/** A value as the column keeps it. */
function askedOf(column: ColumnPlan, operator: ValueComparison, given: Value, run: Run, faults: Fault[]): QueryValue {
  const value = single(given);
  const origin = instanceOrigin(value, run);
  const { attribute, end } = column;
  if (end !== undefined) {
    const { entity, guid } = end;
    if (origin !== undefined) return { value: origin.located.path ?? origin.located.id };
    if (guid === undefined && entity.contained) return queryValue(operator, 'text', value);
    return queryValue(operator, columnKind((guid ?? entity.identifier).attribute), value);
  }
  const kind = attribute === undefined ? 'text' : columnKind(attribute.attribute);
  if (kind === 'json' || (kind === 'scalar' && operator !== 'eq' && operator !== 'ne'))
    faults.push(fault(column.name, 'type', 'is compared with what is known beforehand only'));
  return queryValue(operator, kind, attribute !== undefined && origin !== undefined ? origin.located.id : value);
}

/** The rows alone, where nothing is to be decided on them. */
export function plainRows(find: Find, run: Run, scopes: Scopes): Awaitable<readonly Row[]> {
  const { key } = find;
  const seen = rowCondition('read', find.plan, run.reading);
  refuseHiddenIn(find, run.reading);
  if (key !== undefined && seen === unbound)
    return mapAwaitable(resolve(key.value, run, scopes), (value) => rowWithKey(key.column, value, find, run));
  return mapAwaitable(bindTests(find.tests, run, scopes), (bound) =>
    mapAwaitable(cutOf(find, run, scopes), ({ limit, offset }) => pages(find, alsoBound(seen, bound), limit, offset, run, undefined)),
  );
}

function rowWithKey(column: ColumnPlan, value: Value, { plan }: Find, run: Run): Awaitable<readonly Row[]> {
  const faults: Fault[] = [];
  if (value === null) return [];
  const key = askedOf(column, 'eq', value, run, faults);
  if (faults.length > 0) throw invalid(faults);
  spend(run, 1);
  return typeof key === 'string'
    ? []
    : mapAwaitable(run.reading.tx.one(seenBy(plan.shapes.byKey, run.reading), [key.value]), (row) => {
        if (row === undefined) return [];
        holdMore(run.budget.held, [row], run.reading);
        return [row];
      });
}

/** `within` narrows it further; `column` is a further column that comes back with each row. */
export async function findRows(
  find: Find,
  within: Bound,
  run: Run,
  scopes: Scopes,
  column?: string,
): Promise<readonly { readonly value: Fields; readonly row: Row }[]> {
  const seen = rowCondition('read', find.plan, run.reading);
  refuseHiddenIn(find, run.reading);
  const bound = alsoBound(seen, alsoBound(within, await bindTests(find.tests, run, scopes)));
  const { limit, offset } = await cutOf(find, run, scopes);
  // What is decided on the rows themselves, or is asked of each parent, is cut afterwards.
  const cutsHere = column !== undefined || find.tests.some((each) => each.kind === 'filter');
  const found = await pages(find, bound, cutsHere ? undefined : limit, cutsHere ? 0 : offset, run, column);
  const decides = cutsHere && column === undefined;
  const matching: { readonly value: Fields; readonly row: Row }[] = [];
  for (const row of found) {
    const value = toInstance(find.plan, row, run);
    if (!decides || passes(find, value, run, scopes)) matching.push({ value, row });
    if (matching.length % looksAfter === 0) await checkDeadline(run);
  }
  return decides ? matching.slice(offset, limit === undefined ? undefined : offset + limit) : matching;
}

const looksAfter = 256;

/** Whether a row fulfils what was not asked of the store. */
export function passes(find: Find, value: Fields, run: Run, scopes: Scopes): boolean {
  const inside: Scopes = [{ type: find.plan.type, values: value }, ...scopes];
  return find.tests.every((test) => test.kind !== 'filter' || isTrue(evaluateNow(test.value, run, inside)));
}

interface Cut {
  readonly limit: number | undefined;
  readonly offset: number;
}

const uncut: Cut = Object.freeze({ limit: undefined, offset: 0 });

export function cutOf({ limit, offset }: Pick<Find, 'limit' | 'offset'>, run: Run, scopes: Scopes): Awaitable<Cut> {
  if (limit === undefined && offset === undefined) return uncut;
  return mapAwaitable(countOf(limit, 'limit', run, scopes), (most) =>
    mapAwaitable(countOf(offset, 'offset', run, scopes), (skipped) => ({ limit: most, offset: skipped ?? 0 })),
  );
}

function countOf(expression: Find['limit'], name: string, run: Run, scopes: Scopes): Awaitable<number | undefined> {
  if (expression === undefined) return undefined;
  return mapAwaitable(resolve(expression, run, scopes), (value) => {
    if (value === null) return undefined;
    const count = isNumeric(value) ? wholeNumber(value) : value;
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
    throw error('dataflow-failed', { detail: `The ${name} of a query must be a whole number, 0 or more.` });
  });
}

function pages(
  find: Find,
  bound: Bound,
  limit: number | undefined,
  offset: number,
  run: Run,
  column: string | undefined,
): Awaitable<readonly Row[]> {
  const { plan, order } = find;
  const paged: Paged = {
    table: plan.table,
    key: [{ column: plan.key, descending: false }],
    where: bound.condition,
    values: bound.values,
    select: (behind, skips) => selectOf(find, bound, behind, skips, column),
    order: [plan.output.columns.length, plan.output.columns.length + order.length],
    size: order.length > 1 ? pageSizes.sorted : column === undefined ? pageSizes.plain : pageSizes.related,
  };
  return inPages(paged, limit ?? Number.POSITIVE_INFINITY, offset, run);
}

function selectOf(find: Find, bound: Bound, after: readonly Value[] | undefined, offset: boolean, column: string | undefined): Select {
  const mask = after === undefined ? '' : after.map((each) => (each === null ? 0 : 1)).join('');
  const key = `${bound.key} ${mask}${offset ? '+' : ''}${column ?? ''}`;
  const cached = find.cached.get(key);
  if (cached !== undefined) return cached;
  const { plan, order } = find;
  const behind: Condition = after === undefined ? everything : { kind: 'after', order, nulls: after.map((each) => each === null) };
  const columns = [...plan.output.columns, ...order.map((term) => term.column), ...(column === undefined ? [] : [column])];
  const select: Select = {
    kind: 'select',
    table: plan.table,
    output: { fields: plan.output.fields, columns },
    where: both(bound.condition, behind),
    order,
    limit: true,
    offset,
  };
  return cacheQueryShape(find.cached, key, select);
}
