// Finds what a pattern asks for: tests with their values bound, rows read in pages, related rows in a fixed number of statements.

import { error, type Fault, invalid } from '../errors.ts';
import { ExactNumber } from '../exact-number.ts';
import type { ComparisonOperator } from '../model/pattern.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { fault } from '../plan/attribute.ts';
import { both, type Comparison, type Condition, everything, nothing } from '../plan/condition.ts';
import type { ColumnPlan, Find, Test } from '../plan/dataflow.ts';
import type { Select } from '../plan/shape.ts';
import { kindOf, pathColumn } from '../plan/tables.ts';
import type { Row } from '../store/store.ts';
import { locatePath } from './dataflow-paths.ts';
import { type RunAction, resolve } from './dataflow-values.ts';
import { isTrue } from './expression.ts';
import { plainNumber } from './numbers.ts';
import { breathe, evaluateNow, type Fields, instanceMeta, type Own, type Run, single, spend, toInstance } from './run.ts';

/** A condition with its values; `key` tells apart the conditions that one pattern can become. */
export interface Bound {
  readonly condition: Condition;
  readonly values: readonly Value[];
  readonly key: string;
}

export const unbound: Bound = Object.freeze({ condition: everything, values: [], key: '' });
const none: Bound = Object.freeze({ condition: nothing, values: [], key: '0' });

export async function bindTests(tests: readonly Test[], run: Run, own: Own, runAction: RunAction): Promise<Bound> {
  const faults: Fault[] = [];
  const bound: Bound[] = [];
  for (const each of tests) bound.push(await bind(each, run, own, runAction, faults));
  if (faults.length > 0) throw invalid(faults);
  return bound.reduce(alsoBound, unbound);
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

async function bind(test: Test, run: Run, own: Own, runAction: RunAction, faults: Fault[]): Promise<Bound> {
  switch (test.kind) {
    case 'compare':
      return bindCompare(
        test.column,
        test.operator,
        await keyed(test.column, await resolve(test.value, run, own, runAction), run),
        run,
        faults,
      );
    case 'columns': {
      const { left, right, operator } = test;
      const comparison = comparisons[operator];
      if (comparison === 'in' || comparison === 'like' || comparison === 'between') return none;
      return { condition: { kind: 'columns', left, operator: comparison, right }, values: [], key: '=' };
    }
    case 'and':
    case 'or': {
      const parts: Bound[] = [];
      for (const each of test.tests) parts.push(await bind(each, run, own, runAction, faults));
      return {
        condition: { kind: test.kind, conditions: parts.map((each) => each.condition) },
        values: parts.flatMap((each) => each.values),
        key: `(${parts.map((each) => each.key).join()})`,
      };
    }
    case 'not': {
      const inner = await bind(test.test, run, own, runAction, faults);
      return { ...inner, condition: { kind: 'not', condition: inner.condition }, key: `!${inner.key}` };
    }
    case 'value':
      return isTrue(await resolve(test.value, run, own, runAction)) ? { ...unbound, key: '1' } : none;
    case 'filter':
      return unbound;
  }
}

/** An end that stands under a parent is kept by its key, and told by its path. */
async function keyed({ end }: ColumnPlan, value: Value, run: Run): Promise<Value> {
  if (end?.entity.contained !== true || typeof value !== 'string' || !value.startsWith('path://')) return value;
  return (await locatePath(end.entity, value, run))?.key ?? '';
}

const comparisons = {
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  in: 'in',
  like: 'like',
  between: 'between',
} as const satisfies Record<ComparisonOperator, Comparison>;

function bindCompare(column: ColumnPlan, operator: ComparisonOperator, value: Value, run: Run, faults: Fault[]): Bound {
  const place = { kind: 'compare', column: column.column, source: column.source } as const;
  const comparison = comparisons[operator];
  if (operator === 'in' || operator === 'between') {
    const items = Array.isArray(value) ? value : [value];
    if (operator === 'between' && items.length !== 2) {
      faults.push(fault(column.name, 'value', 'is compared with a list of two bounds'));
      return none;
    }
    const parsed = items.filter((each) => each !== null).map((each) => parameter(column, each, run, faults));
    if (parsed.length === 0 || (operator === 'between' && parsed.length < 2)) return none;
    if (operator === 'between') return { condition: { ...place, operator: comparison }, values: parsed, key: 'b' };
    const padded = paddedTo(parsed);
    return { condition: { ...place, operator: comparison, count: padded.length }, values: padded, key: `i${padded.length}` };
  }
  if (value === null) {
    if (operator === '==') return { condition: { ...place, operator: 'null' }, values: [], key: 'n' };
    return operator === '!=' ? { condition: { ...place, operator: 'not-null' }, values: [], key: 'N' } : none;
  }
  if (operator === 'like') return { condition: { ...place, operator: comparison }, values: [String(value)], key: '~' };
  return { condition: { ...place, operator: comparison }, values: [parameter(column, value, run, faults)], key: '=' };
}

/** Lists of nearly the same length ask the same question: the last value fills them up. */
export function paddedTo(values: readonly Value[]): readonly Value[] {
  let length = 1;
  while (length < values.length) length *= 2;
  const last = values.at(-1) ?? null;
  return [...values, ...Array.from({ length: length - values.length }, () => last)];
}

/** A value as the column keeps it; one of the wrong type is told (decisions 3.6). */
function parameter(column: ColumnPlan, given: Value, run: Run, faults: Fault[]): Value {
  const value = single(given);
  const meta = instanceMeta(value, run);
  if (column.end !== undefined) {
    if (meta !== undefined) return meta.located.key;
    return column.end.entity.contained ? value : column.end.entity.identifier.parse(value, column.name, faults);
  }
  if (column.name === pathColumn && column.column !== pathColumn) return identifierIn(value);
  const { attribute } = column;
  if (attribute === undefined) return value;
  const kind = kindOf(attribute.attribute);
  if (meta !== undefined) return attribute.parse(meta.located.id, column.name, faults);
  const plain = value instanceof ExactNumber && kind !== 'decimal' ? plainNumber(value) : value;
  // A fraction lies between whole numbers, and equals none.
  if (kind === 'integer' && typeof plain === 'number' && Number.isFinite(plain)) return plain;
  return attribute.parse(plain, column.name, faults);
}

/** `path://m$Post/1` of what is contained nowhere. */
function identifierIn(value: Value): Value {
  return typeof value === 'string' && value.startsWith('path://') ? decodeURIComponent(value.slice(value.lastIndexOf('/') + 1)) : value;
}

const pageRows = 2000;

/** `within` narrows it further; `column` is a further column that comes back with each row. */
export async function findRows(
  find: Find,
  within: Bound,
  run: Run,
  own: Own,
  runAction: RunAction,
  column?: string,
): Promise<readonly { readonly value: Fields; readonly row: Row }[]> {
  const bound = alsoBound(within, await bindTests(find.tests, run, own, runAction));
  const filters = find.tests.filter((each) => each.kind === 'filter');
  const limit = await countOf(find.limit, 'limit', run, own, runAction);
  const offset = (await countOf(find.offset, 'offset', run, own, runAction)) ?? 0;
  // What is decided on the rows themselves, or is asked of each parent, is cut afterwards.
  const cutsHere = filters.length > 0 || column !== undefined;
  const found = await pages(find, bound, cutsHere ? undefined : limit, cutsHere ? 0 : offset, run, column);
  const values = found.map((row) => ({ value: toInstance(find.plan, row, run), row }));
  if (!cutsHere) return values;
  const kept = column !== undefined ? values : values.filter(({ value }) => passes(find, value, run, own));
  return column !== undefined ? kept : kept.slice(offset, limit === undefined ? undefined : offset + limit);
}

/** Whether a row fulfils what was not asked of the store. */
export function passes(find: Find, value: Fields, run: Run, own: Own): boolean {
  const inside: Own = [{ type: find.plan.type, values: value }, ...own];
  return find.tests.every((test) => test.kind !== 'filter' || isTrue(evaluateNow(test.value, run, inside)));
}

export async function countOf(
  expression: Find['limit'],
  name: string,
  run: Run,
  own: Own,
  runAction: RunAction,
): Promise<number | undefined> {
  if (expression === undefined) return undefined;
  const value = await resolve(expression, run, own, runAction);
  if (value === null) return undefined;
  const count = typeof value === 'bigint' ? Number(value) : value;
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  throw error('dataflow-failed', { detail: `The ${name} of a query must be a whole number, 0 or more.` });
}

async function pages(
  find: Find,
  bound: Bound,
  limit: number | undefined,
  offset: number,
  run: Run,
  column: string | undefined,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const { order, plan } = find;
  const first = plan.output.columns.length;
  let after: readonly Value[] | undefined;
  let left = limit ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const wanted = Math.min(pageRows, left);
    const skips = after === undefined && offset > 0;
    const select = selectOf(find, bound, after, skips, column);
    const values = [...bound.values, ...(after ?? []), wanted, ...(skips ? [offset] : [])];
    const page = await run.reading.tx.rows(select, values);
    spend(run, page.length);
    rows.push(...page);
    left -= page.length;
    if (page.length < wanted) break;
    after = page.at(-1)?.columns.slice(first, first + order.length);
    await breathe(run);
  }
  return rows;
}

function selectOf(find: Find, bound: Bound, after: readonly Value[] | undefined, offset: boolean, column: string | undefined): Select {
  const mask = after === undefined ? '' : after.map((each) => (each === null ? 0 : 1)).join('');
  const key = `${bound.key} ${mask}${offset ? '+' : ''}${column ?? ''}`;
  const kept = find.kept.get(key);
  if (kept !== undefined) return kept;
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
  if (find.kept.size >= mostKept) find.kept.clear();
  find.kept.set(key, select);
  return select;
}

const mostKept = 100;
