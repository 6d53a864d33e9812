// Whether the rows that fulfil a condition of a rule are few and found by an index: what is related to them is then found by them.

import type { Condition } from '../query/condition.ts';
import type { Table } from '../rows/table.ts';

export function isFoundFirst(condition: Condition, table: Table): boolean {
  switch (condition.kind) {
    case 'compare': {
      const isOfRow = condition.outer === undefined && condition.inLower === undefined && condition.inside === undefined;
      return isOfRow && condition.operator === 'eq' && condition.value !== undefined && beginsIndex(condition.column, table);
    }
    case 'and':
      return condition.conditions.some((each) => isFoundFirst(each, table));
    case 'or':
      return condition.conditions.every((each) => isFoundFirst(each, table));
    case 'exists':
      return condition.isSelective === true && condition.on?.is.outer === undefined && beginsIndex(condition.on?.is.column ?? '', table);
    default:
      return false;
  }
}

/** Whether other rows are asked for. */
export function asksOthers(condition: Condition): boolean {
  switch (condition.kind) {
    case 'exists':
      return true;
    case 'and':
    case 'or':
      return condition.conditions.some(asksOthers);
    case 'not':
      return asksOthers(condition.condition);
    default:
      return false;
  }
}

/** Whether rows of this table are asked for, at any depth. */
export function asksTable(condition: Condition, table: Table): boolean {
  switch (condition.kind) {
    case 'exists':
      return condition.table === table || asksTable(condition.where, table);
    case 'and':
    case 'or':
      return condition.conditions.some((each) => asksTable(each, table));
    case 'not':
      return asksTable(condition.condition, table);
    default:
      return false;
  }
}

function beginsIndex(column: string, { primaryKey, uniques, indexes }: Table): boolean {
  return [primaryKey, ...uniques, ...indexes].some(([first]) => first === column);
}
