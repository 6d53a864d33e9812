// A condition on the caller, asked for many users at once: where it compares with the name of the caller, it compares with a column of the row that is joined.

import type { ColumnOf, Condition } from '../../plan/query/condition.ts';

/** The row of the user is the second of a join, so many scopes further out. Nothing where it asks for the caller in another way. */
export function forEachUser(condition: Condition, depth = 0): Condition | undefined {
  switch (condition.kind) {
    case 'compare': {
      const { value, operator, kind, count, ...column } = condition;
      if (value === undefined || !('ambient' in value) || value.ambient !== 'caller.user')
        return isWithoutUser(condition) ? condition : undefined;
      if (operator !== 'eq' || column.inside !== undefined || !isWithoutUser(column)) return undefined;
      return { kind: 'columns', left: column satisfies ColumnOf, operator, right: { column: 'user', source: 1, outer: depth } };
    }
    case 'and':
    case 'or': {
      const conditions = condition.conditions.map((each) => forEachUser(each, depth)).filter((each) => each !== undefined);
      return conditions.length === condition.conditions.length ? { ...condition, conditions } : undefined;
    }
    case 'not':
    case 'stored': {
      const inner = forEachUser(condition.condition, depth);
      return inner === undefined ? undefined : { ...condition, condition: inner };
    }
    case 'exists': {
      const where = forEachUser(condition.where, depth + 1);
      return where === undefined || !isWithoutUser(condition.on) ? undefined : { ...condition, where };
    }
    default:
      return isWithoutUser(condition) ? condition : undefined;
  }
}

/** Conditions are data: whatever asks for the caller names it. Tables do not. */
function isWithoutUser(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || 'primaryKey' in part) return true;
  if ('ambient' in part && (part.ambient === 'caller.user' || part.ambient === 'caller.id')) return false;
  return Object.values(part).every(isWithoutUser);
}
