// What a statement asks of the rows of its table, as far as a query handler can be told: what it is not told, the statement still asks of its answer.

import { columnKind } from '../model/model.ts';
import type { EntityPlan } from '../plan/plan.ts';
import { type Comparison, type Condition, isOwnColumn, type OrderTerm } from '../plan/query/condition.ts';
import { keyColumn } from '../plan/rows/tables.ts';
import type { AskedRows } from '../store/supplied-store.ts';
import { objectOf } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { parentAt, placedAt } from './contained.ts';

const operators: Readonly<Partial<Record<Comparison, string>>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: 'in',
  like: 'like',
  between: 'between',
};

/** `{where}` without conditions where nothing can be told. */
export function questionOf(plan: EntityPlan, asked: AskedRows | undefined): Value {
  if (asked === undefined) return objectOf([]);
  const { select, values } = asked;
  const reading: Reading = { plan, values, next: 0, isLost: false, isPartial: false };
  const where = termOf(select.where, reading);
  const order = orderOf(select.order, plan);
  // Fewer rows than there are would be wrong where not all that is asked of them is told.
  const isWhole = !reading.isPartial && !reading.isLost && order.length === select.order.length;
  const limit = isWhole && select.limit ? sumOf(values.slice(reading.next, reading.next + (select.offset ? 2 : 1))) : undefined;
  return objectOf([
    ...(where === undefined ? [] : [['where', where] as const]),
    ...(order.length === 0 ? [] : [['orderBy', order] as const]),
    ...(limit === undefined ? [] : [['limit', limit] as const]),
  ]);
}

/** As far as it goes by attributes. */
function orderOf(terms: readonly OrderTerm[], plan: EntityPlan): readonly Value[] {
  const isTold = (each: OrderTerm): boolean => isOwnColumn(each) && plan.attributes.some(({ column }) => column === each.column);
  const end = terms.findIndex((each) => !isTold(each));
  return terms.slice(0, end === -1 ? terms.length : end).map(({ column, descending }) => [column, descending ? 'desc' : 'asc']);
}

function sumOf(values: readonly Value[]): number | undefined {
  const sum = values.reduce((all: number, each) => all + Number(each ?? Number.NaN), 0);
  return Number.isSafeInteger(sum) && sum >= 0 ? sum : undefined;
}

/** Conditions take the values of their statement one after the other. */
interface Reading {
  readonly plan: EntityPlan;
  readonly values: readonly Value[];
  next: number;
  /** Whether it is no longer known which value is whose: what comes then is left out. */
  isLost: boolean;
  /** Whether something is asked that is not told. */
  isPartial: boolean;
}

/** Nothing where it cannot be said: it then holds of whatever comes back, or not. */
function termOf(condition: Condition, reading: Reading): Value | undefined {
  if (reading.isLost) return undefined;
  switch (condition.kind) {
    case 'and': {
      const terms = condition.conditions.map((each) => termOf(each, reading)).filter((each) => each !== undefined);
      return terms.length < 2 ? terms[0] : ['and', ...terms];
    }
    case 'or': {
      const terms = condition.conditions.map((each) => termOf(each, reading));
      return terms.every((each) => each !== undefined) ? ['or', ...terms] : undefined;
    }
    case 'compare': {
      const term = comparison(condition, reading);
      if (term === undefined) reading.isPartial = true;
      return term;
    }
    case 'after':
      return afterTerm(condition, reading);
    case 'all':
      return undefined;
    default:
      reading.isLost = true;
      return undefined;
  }
}

/** Rows behind a place in the order, so that a page is not looked for among all of them; absent values come first. */
function afterTerm({ order }: Extract<Condition, { kind: 'after' }>, reading: Reading): Value | undefined {
  const given = taken(order.length, reading);
  const terms = order.map((each, index) => ({ ...each, value: given[index] ?? null }));
  if (terms.length === 0 || !terms.every((each) => isOwnColumn(each) && isSorted(each.column, reading))) {
    reading.isPartial = true;
    return undefined;
  }
  return terms.reduceRight<Value | undefined>((rest, { column, descending, value }) => {
    const isNull: Value = ['null', column, true];
    const same: Value = value === null ? isNull : ['=', column, value];
    const ahead: readonly Value[] =
      value === null
        ? descending
          ? []
          : [['null', column, false]]
        : descending
          ? [['<', column, value], ...(isOptional(column, reading) ? [isNull] : [])]
          : [['>', column, value]];
    const all: readonly Value[] = [...ahead, ...(rest === undefined ? [] : [['and', same, rest]])];
    return all.length < 2 ? all[0] : ['or', ...all];
  }, undefined);
}

/** Whose values are the same in a place of an order as in a condition. */
function isSorted(name: string, { plan }: Reading): boolean {
  const found = plan.attributes.find((each) => each.column === name);
  return found !== undefined && !found.attribute.list && sortedKinds.has(columnKind(found.attribute));
}

const sortedKinds: ReadonlySet<string> = new Set(['text', 'integer', 'uuid']);

function isOptional(name: string, { plan }: Reading): boolean {
  return plan.attributes.find((each) => each.column === name)?.attribute.optional === true;
}

function comparison(condition: Extract<Condition, { kind: 'compare' }>, reading: Reading): Value | undefined {
  const { operator, column, count = 1, value, inside, lookup, outer, source, asText } = condition;
  const isOwn = inside === undefined && lookup === undefined && outer === undefined && source === undefined && asText === undefined;
  if (inside?.kind === 'map') reading.isLost = true;
  if (reading.isLost) return undefined;
  if (operator === 'null' || operator === 'not-null')
    return isOwn && isTold(column, reading) ? ['null', column, operator === 'null'] : undefined;
  const given = value === undefined ? taken(operator === 'in' ? count : operator === 'between' ? 2 : 1, reading) : constants(value);
  if (column === keyColumn && isOwn && given !== undefined) return placeTerm(operator, given[0] ?? null, reading);
  const name = operators[operator];
  if (!isOwn || given === undefined || name === undefined || !isTold(column, reading)) return undefined;
  return [name, column, operator === 'in' || operator === 'between' ? given : (given[0] ?? null)];
}

/** Of what is contained: by its own identifier and its parent's path, or by the path alone where a list begins below it. */
function placeTerm(operator: Comparison, value: Value, { plan }: Reading): Value | undefined {
  if (operator === 'gt') {
    const parent = parentAt(plan, value);
    return parent === undefined ? undefined : ['=', parentName, parent];
  }
  const placed = operator === 'eq' ? placedAt(plan, value) : undefined;
  if (placed === undefined) return undefined;
  const own: Value = ['=', plan.identifier.name, placed.id];
  return placed.parent === undefined ? own : ['and', own, ['=', parentName, placed.parent]];
}

/** What handlers know the path of a parent by. */
export const parentName = '__parent__';

function taken(count: number, reading: Reading): readonly Value[] {
  const given = reading.values.slice(reading.next, reading.next + count);
  reading.next += count;
  return given;
}

/** What belongs to the caller is not told: rights are the service's affair. */
function constants(value: NonNullable<Extract<Condition, { kind: 'compare' }>['value']>): readonly Value[] | undefined {
  return 'constants' in value ? value.constants : undefined;
}

/** The service's own columns mean nothing elsewhere. */
function isTold(column: string, { plan }: Reading): boolean {
  return plan.attributes.some((each) => each.column === column);
}
