// `POST /q`: a query object of the earlier surface → what a list asks for.

import type { Collection, ListQuery } from '../../../engine/operation.ts';
import { error, FaultList } from '../../../errors.ts';
import type { Plan } from '../../../plan/plan.ts';
import { noFilter } from '../../../plan/query/filter.ts';
import { readQueryObject } from '../../../plan/query/query-object.ts';
import { type View, wholeSelection } from '../../../plan/query/selection.ts';
import { fault, isObject } from '../../../plan/rows/attribute.ts';
import type { Value } from '../../../values/value.ts';
import { orderName } from '../../query/cursor.ts';
import { sortOf } from '../../query/sort.ts';
import { conditionFilter } from '../../query/typed-filter.ts';
import type { QueryLimits } from '../query/query.ts';
import { queryInvalid } from '../query/query-string.ts';

export function queryBody(
  plan: Plan,
  body: Value,
  limits: QueryLimits,
  view: View,
): { readonly at: Collection; readonly query: ListQuery } {
  const query = isObject(body) ? body['Query'] : undefined;
  if (!isObject(query)) throw error('body-invalid', { detail: 'The body must be an object keyed Query.' });
  const faults = new FaultList();
  const read = readQueryObject(query, plan, faults);
  if (read === undefined) throw queryInvalid([...faults, fault('from', 'unknown', 'must be the qualified name of an entity')]);
  const { from, where, limit = limits.page, offset } = read;
  const filter = where === undefined ? noFilter : conditionFilter(where, from, faults);
  const order = sortOf(from, read.order, 'order-by', faults);
  if (faults.length > 0) throw queryInvalid(faults);
  const key = `order-by ${orderName(order)}`;
  const result = { filter, key, order, selection: wholeSelection(view), limit, offset, after: undefined, count: false };
  return { at: { plan: from, under: undefined }, query: result };
}
