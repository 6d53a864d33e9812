// The columns of a row that have to be known to tell whether a condition holds of it.

import { unreachable } from '../../errors.ts';
import type { ColumnOf, Condition } from './condition.ts';

/** Those of the row itself, wherever in the condition they are named. */
export function askedColumns(condition: Condition): readonly string[] {
  return [...new Set(columnsIn(condition, 0))];
}

/** `depth` is how many scopes stand between the row and the condition. */
function columnsIn(condition: Condition, depth: number): readonly string[] {
  const own = ({ column, outer = 0 }: ColumnOf): readonly string[] => (outer === depth ? [column] : []);
  switch (condition.kind) {
    case 'all':
      return [];
    case 'compare':
    case 'holds':
      return own(condition);
    case 'columns':
      return [...own(condition.left), ...own(condition.right)];
    case 'below':
      return [...own(condition.key), ...own(condition.above)];
    case 'among':
      return [...own(condition), ...condition.keys.flatMap(({ where }) => columnsIn(where, depth + 1))];
    case 'and':
    case 'or':
      return condition.conditions.flatMap((each) => columnsIn(each, depth));
    case 'not':
    case 'stored':
      return columnsIn(condition.condition, depth);
    case 'exists':
      return [...(condition.on === undefined ? [] : own(condition.on.is)), ...columnsIn(condition.where, depth + 1)];
    case 'search':
      return depth === 0 ? condition.columns : [];
    case 'row':
      return columnsIn(condition.condition, depth);
    case 'after':
      return depth === 0 ? condition.order.map(({ column }) => column) : [];
    default:
      return unreachable(condition);
  }
}
