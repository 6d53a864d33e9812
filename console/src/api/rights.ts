// What the caller may do with an instance: as the instance says it (`@rights`), else as its type does.

import type { Row } from './instances.ts';
import type { EntityDescription } from './model.ts';

export type RowOperation = 'update' | 'delete';

/** Whether it depends on the instance, so that it has to be asked for with it. */
export function needsRights({ operations }: EntityDescription): boolean {
  return operations.update === 'some' || operations.delete === 'some';
}

export function mayDo(operation: RowOperation, entity: EntityDescription, row: Row): boolean {
  const extent = entity.operations[operation];
  if (extent !== 'some') return extent === 'all';
  const rights: unknown = row['@rights'];
  return Array.isArray(rights) && rights.includes(operation);
}

/** Why a button cannot be used; nothing where it can. */
export function missingRight(operation: RowOperation, entity: EntityDescription, row: Row): string | undefined {
  if (mayDo(operation, entity, row)) return undefined;
  return entity.operations[operation] === 'none'
    ? `You may not ${operation} instances of ${entity.name}: no rule gives you the right to ${operation}.`
    : `You may not ${operation} this one: no rule, ownership or grant gives you the right to ${operation}.`;
}
