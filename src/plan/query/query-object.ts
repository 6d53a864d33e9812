// Query objects, `{"from": "C/E", "where": ["=", "Attr", 1], "order-by": [["Attr", "desc"]], "limit": 10}`: read once, with the same limits wherever they come from.

import type { Fault } from '../../errors.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan.ts';
import { fault, isObject } from '../rows/attribute.ts';

const deepest = 20;
/** As many as the filters of a URL. */
const mostComparisons = 20;
/** As many as every store takes in one statement. */
export const mostValues = 30_000;

export interface QueryObject {
  readonly from: EntityPlan | LinkPlan;
  readonly where: QueryCondition | undefined;
  readonly order: readonly { readonly name: string; readonly isDescending: boolean }[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

export type QueryCondition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly QueryCondition[] }
  | { readonly kind: 'not'; readonly condition: QueryCondition }
  | QueryComparison;

/** The operator, the name and the values as they were given. */
export interface QueryComparison {
  readonly kind: 'compare';
  readonly operator: string;
  readonly name: Value;
  readonly given: readonly Value[];
}

/** `undefined` where it is from nothing that is stored; other faults are added to `faults`. */
export function readQueryObject(
  query: Value,
  { entities, links }: Pick<Plan, 'entities' | 'links'>,
  faults: Fault[],
): QueryObject | undefined {
  if (!isObject(query)) return undefined;
  const { from: type, where = null, 'order-by': order = null, limit = null, offset = null, ...others } = query;
  for (const name of Object.keys(others)) faults.push(fault(name, 'unknown', 'is not part of a query'));
  const from = typeof type === 'string' ? (entities.get(type) ?? links.get(type)) : undefined;
  if (from === undefined) return undefined;
  return {
    from,
    where: where === null ? undefined : conditionOf(where, { faults, comparisons: 0, values: 0 }, 1),
    order: orderOf(order, faults),
    limit: countOf('limit', limit, faults),
    offset: countOf('offset', offset, faults),
  };
}

interface Reading {
  readonly faults: Fault[];
  comparisons: number;
  values: number;
}

/** `["=", "Attr", value]`, nested in `["and", …]`, `["or", …]`, `["not", …]`; nothing where it is refused. */
function conditionOf(input: Value, reading: Reading, depth: number): QueryCondition | undefined {
  const refuse = (code: Fault['code'], message: string): undefined => {
    reading.faults.push(fault('where', code, message));
  };
  const [operator, ...operands] = Array.isArray(input) ? input : [];
  if (typeof operator !== 'string') return refuse('operator', 'must be a list that begins with an operator');
  if (depth > deepest) return refuse('limit', `has at most ${deepest} levels`);
  if (operator === 'and' || operator === 'or' || operator === 'not') {
    if (operator === 'not' && operands.length !== 1) return refuse('operator', 'not needs one condition');
    if (operands.length === 0) return refuse('operator', `${operator} needs conditions`);
    const conditions: QueryCondition[] = [];
    for (const each of operands) {
      const condition = conditionOf(each, reading, depth + 1);
      if (condition === undefined) return undefined;
      conditions.push(condition);
    }
    const [only] = conditions;
    return operator !== 'not' ? { kind: operator, conditions } : only && { kind: 'not', condition: only };
  }
  const [name = null, ...given] = operands;
  reading.comparisons += 1;
  reading.values += given.reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 1), 0);
  if (reading.comparisons > mostComparisons) return refuse('limit', `has at most ${mostComparisons} comparisons`);
  if (reading.values > mostValues) return refuse('limit', `compares with at most ${mostValues} values`);
  return { kind: 'compare', operator, name, given };
}

/** `["Name", ["Age", "desc"]]`. */
function orderOf(input: Value, faults: Fault[]): QueryObject['order'] {
  return (Array.isArray(input) ? input : input === null ? [] : [input]).flatMap((each) => {
    const [name = null, direction = 'asc'] = Array.isArray(each) ? each : [each];
    const isDirection = direction === 'asc' || direction === 'desc';
    if (typeof name === 'string' && isDirection) return [{ name, isDescending: direction === 'desc' }];
    faults.push(
      fault('order-by', 'unknown', isDirection ? `${shownName(name)} cannot be sorted by` : 'goes in the direction `asc` or `desc`'),
    );
    return [];
  });
}

/** Whatever stands where a name is expected. */
export function shownName(name: Value): string {
  return typeof name === 'string' ? name : writeJson(name);
}

function countOf(name: string, input: Value, faults: Fault[]): number | undefined {
  if (input === null) return undefined;
  const count = input instanceof ExactNumber ? Number(input.text) : input instanceof Double ? input.value : input;
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count;
  faults.push(fault(name, 'value', 'must be a whole number, 0 or more'));
  return undefined;
}
