// Owners and grants beside the instances that they are about: whoever makes an instance becomes its owner, and what is assigned goes where the
// instance goes.

import { error, invalid } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { Delete } from '../../plan/query/shape.ts';
import { isInstanceAssignment, isUnowned, targetColumn } from '../../plan/rows/assignments.ts';
import { fault } from '../../plan/rows/attribute.ts';
import { isPath } from '../../plan/rows/keys.ts';
import type { Awaitable, Reader } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { findFlat, keyText, locatedRow, prefixBelow, rootOf } from '../address/address.ts';
import { followPath } from '../address/path.ts';
import { isSystem, rolesOf, userOf } from '../caller.ts';
import type { Rights, Service, WriteContext } from '../operation.ts';
import type { Draft, Located } from '../row.ts';
import { insertRow, moveAssigned, removeRows } from '../rows/rows.ts';
import { openGuard } from '../seams.ts';
import { rangeOf } from './below.ts';
import { readable } from './readable.ts';
import { version } from './row-values.ts';

/** Whoever makes an instance owns it, unless its entity says otherwise. What the system makes is nobody's, and so the admin's. */
export function addMaker(made: Located, context: WriteContext): Awaitable<unknown> {
  return isOwned(made.plan, context) ? addOwner(made, context) : undefined;
}

export function addOwner(made: Located, context: WriteContext): Awaitable<unknown> {
  const { access } = context.plan;
  const user = userOf(context.caller);
  if (access === undefined || user === undefined || !hasOwners(made)) return;
  const values = [context.clock.uuid(), made.plan.type, resourceIdOf(made), user, version(context), keyText(made)];
  return insertRow(access.owners, values, context, access.addOwner);
}

/** Whether an owner is written down beside a new row of this type. */
export function isOwned(plan: EntityPlan | LinkPlan, { plan: { access }, caller }: Rights & Pick<Service, 'plan'>): boolean {
  return access !== undefined && !isSystem(caller) && userOf(caller) !== undefined && hasOwners({ plan }) && !isUnowned(plan);
}

/** Links are made and removed by the owners of their ends, and what the service keeps has none. */
function hasOwners({ plan }: Pick<Located, 'plan'>): boolean {
  return plan.kind === 'entity' && plan.entity.system === undefined;
}

/** The identifier as a text, or the path where the instance stands under a parent. */
function resourceIdOf({ id, path }: Located): string {
  return path ?? String(id);
}

/** With an instance go the owners and grants of it, and of everything below it. */
export async function removeAssignments(gone: Located, context: WriteContext): Promise<void> {
  const { access } = context.plan;
  if (access === undefined || !hasOwners(gone)) return;
  const key = keyText(gone);
  for (const { table } of [access.owners, access.grants]) {
    const shape: Delete = {
      kind: 'delete',
      table,
      where: {
        kind: 'and',
        conditions: [
          { kind: 'compare', column: targetColumn, operator: 'gte' },
          { kind: 'compare', column: targetColumn, operator: 'lt' },
        ],
      },
    };
    await removeRows(shape, [key, rangeOf(key)[1]], context);
  }
}

/** They go with what moves, and show where it stands now. */
export async function moveAssignments(from: Located, to: Located, context: WriteContext): Promise<void> {
  const { access } = context.plan;
  if (access === undefined || !hasOwners(from)) return;
  for (const plan of [access.owners, access.grants])
    await moveAssigned(plan, prefixBelow(from), prefixBelow(to), resourceIdOf(to), context);
}

/**
 * What an owner or a grant is about, found by the name of its type and its identifier or path; the draft then holds both as they are stored.
 * Nothing for drafts of anything else.
 */
export async function assignmentTarget(draft: Draft, context: WriteContext): Promise<string | undefined> {
  const { plan, values } = draft;
  if (plan.kind === 'link' || !isInstanceAssignment(plan.entity)) return undefined;
  const at = (column: string): number => plan.attributes.findIndex((each) => each.column === column);
  const [resource, resourceId, assignee] = [at('resource'), at('resourceId'), at('assignee')];
  const named = String(values[resource] ?? '').replace(/^:/, '');
  const about = context.plan.entities.get(named);
  const nameOf = (index: number): string => `${draft.prefix}${plan.attributes[index]?.name ?? ''}`;
  if (about === undefined || about.entity.system !== undefined)
    throw invalid([fault(nameOf(resource), 'reference', 'must be the name of an entity of the model, with its module')]);
  const found = await instanceNamed(about, String(values[resourceId] ?? ''), readable(context.tx, context));
  if (found === undefined) throw missing(nameOf(resourceId), about, context);
  values[resource] = named;
  values[resourceId] = resourceIdOf(found);
  // One mailbox is one user.
  values[assignee] = String(values[assignee] ?? '')
    .normalize('NFC')
    .toLowerCase();
  return keyText(found);
}

/** For whoever does not see all instances, one that is hidden is like one that is not there. */
function missing(name: string, { type }: EntityPlan, { guard, caller }: Rights): Error {
  if (guard !== openGuard && !rolesOf(caller).includes('admin')) return error('instance-not-found');
  return invalid([fault(name, 'reference', `must be the identifier, or the path, of an existing ${type}`)]);
}

async function instanceNamed(plan: EntityPlan, text: string, reader: Reader): Promise<Located | undefined> {
  const located = isPath(text) ? await atPath(plan, text, reader) : await withIdentifier(plan, text, reader);
  const row = located && (await reader.one(plan.shapes.byKey, [located.key]));
  return row && locatedRow(plan, parseStored(row.json)[plan.identifier.name] ?? null, row);
}

async function atPath(plan: EntityPlan, path: string, reader: Reader): Promise<Located | undefined> {
  const end = await followPath(plan, path, reader);
  return end.kind === 'found' ? end.located : undefined;
}

async function withIdentifier(plan: EntityPlan, text: string, reader: Reader): Promise<Located | undefined> {
  const id: Value | undefined = plan.identifier.parseText(text);
  const guid = plan.guid?.parseText(text);
  if (id === undefined && guid === undefined) return undefined;
  if (plan.contained) return findFlat(plan, { id: id ?? null, guid }, reader);
  return id === undefined ? undefined : rootOf(plan, id);
}
