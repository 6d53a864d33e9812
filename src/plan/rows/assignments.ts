// The tables that say which user owns, or was granted something on, which instance: what they hold besides their attributes.

import type { Entity } from '../../model/model.ts';
import type { Column } from './table.ts';

/** The names that these tables go by. */
export const ownerType = 'platform.rbac/OwnershipAssignment';
export const grantType = 'platform.rbac/InstancePrivilegeAssignment';
export const roleType = 'platform.rbac/RoleAssignment';

/**
 * The key of the instance, in the form in which the keys of everything below it begin: no two instances of the model have the same, and those
 * below one are a range.
 */
export const targetColumn = '__target';

/** Whether each of its rows is about one instance of the model. */
export function isInstanceAssignment({ system }: Pick<Entity, 'system'>): boolean {
  return system !== undefined && (system.stored === ownerType || system.stored === grantType);
}

/** Whether whoever makes an instance does not own it: `@meta {"creatorOwns": false}`. Then its maker may be somebody who may not read it. */
export function isUnowned(plan: { readonly kind: 'link' } | { readonly kind: 'entity'; readonly entity: Pick<Entity, 'meta'> }): boolean {
  return plan.kind === 'entity' && plan.entity.meta['creatorOwns'] === false;
}

export function assignmentColumns(entity: Entity): readonly Column[] {
  return isInstanceAssignment(entity) ? [{ name: targetColumn, kind: 'text', required: true }] : [];
}

/** A user owns an instance once. */
export function assignmentUniques({ system }: Entity): readonly (readonly string[])[] {
  return system?.stored === ownerType ? [byCaller] : [];
}

/** By who is asking, for each type and each instance; and by the instance, which takes its assignments along. */
export function assignmentIndexes(entity: Entity): readonly (readonly string[])[] {
  if (!isInstanceAssignment(entity)) return [];
  return entity.system?.stored === ownerType ? [[targetColumn]] : [byCaller, [targetColumn]];
}

const byCaller: readonly string[] = ['assignee', 'resource', 'resourceId'];

/** Whether what it begins with is what others begin with that there are in any case. */
export function isAssignmentIndex(entity: Entity, [first]: readonly string[]): boolean {
  return isInstanceAssignment(entity) && first === byCaller[0];
}
