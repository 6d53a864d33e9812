// Cursors: the place in an order behind which a list goes on, as an opaque text.

import type { Fault } from '../../errors.ts';
import { isInteger64 } from '../../model/types/number/int.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { SortTerm } from '../../plan/query/sort.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

export function writeCursor(order: readonly SortTerm[], values: readonly Value[]): string {
  return Buffer.from(writeJson([orderName(order), ...values])).toString('base64url');
}

/** Only a cursor that was given for this order, with a value for each of its columns, fits. `parameter` is where it stands, for faults. */
export function readCursor(
  text: string,
  order: readonly SortTerm[],
  plan: EntityPlan | LinkPlan,
  parameter: string,
  faults: Fault[],
): readonly Value[] | undefined {
  const [name, ...values] = decoded(text);
  const fits = values.every((value, index) => isComparable(value) || (typeof value === 'boolean' && isScalar(order[index], plan)));
  if (name === orderName(order) && values.length === order.length && fits) return values.map(comparable);
  faults.push(fault(parameter, 'value', 'is not a cursor of this list'));
  return undefined;
}

/** Whether truth values stand among its values as they are. */
function isScalar(term: SortTerm | undefined, plan: EntityPlan | LinkPlan): boolean {
  const last = term?.steps?.at(-1);
  const { table } = last === undefined ? plan : last.kind === 'link' && last.way.kind === 'link' ? last.way.link : last.way.target;
  return table.columns.some((each) => each.name === term?.column && each.kind === 'scalar');
}

function isComparable(value: Value): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
}

/** A large double is written with all its digits; no integer column holds a number of more than 64 bits. */
function comparable(value: Value): Value {
  return typeof value === 'bigint' && !isInteger64(value) ? Number(value) : value;
}

function decoded(text: string): readonly Value[] {
  try {
    const value = parseJson(Buffer.from(text, 'base64url').toString('utf8'), { depth: 2, keys: 0, items: 100 });
    return Array.isArray(value) ? value : [];
  } catch (thrown) {
    // Anything that is not a cursor is told so by the caller.
    if (thrown instanceof Error) return [];
    throw thrown;
  }
}

/** Tells apart orders of one list. */
export function orderName(order: readonly SortTerm[]): string {
  return order.map(({ name, column, descending }) => `${descending ? '-' : ''}${name ?? column}`).join(',');
}
