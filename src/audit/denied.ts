// What somebody tried to do with recorded data and was not allowed to: with which instance, as far as that is known.

import { locate } from '../engine/address/address.ts';
import type { Context, Operation } from '../engine/operation.ts';
import { type Denial, PlatformError } from '../errors.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan/plan.ts';
import type { Reader } from '../store/store.ts';
import { parseStored } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { type AuditedType, idText, instanceOf } from './audited.ts';
import type { Action } from './entry.ts';

/** Nothing where it was no change, or is not recorded. */
export async function deniedAction(
  operation: Operation,
  denial: Denial | undefined,
  audited: ReadonlyMap<string, AuditedType>,
  context: Context,
): Promise<Action | undefined> {
  const action = denial?.action ?? operation.kind;
  if (action !== 'create' && action !== 'update' && action !== 'delete') return undefined;
  const plan = denial === undefined ? planOf(operation) : planNamed(denial.type, context.plan);
  if (plan === undefined || !audited.has(plan.table.name)) return undefined;
  const key = denial?.key;
  const find = (reader: Reader) => (key === undefined ? instanceAt(operation, plan, reader) : instanceWith(plan, key, reader));
  return { operation: action, type: plan.type, instance: await context.store.read(find), before: null, after: null };
}

function planNamed(type: string, { entities, links }: Plan): EntityPlan | LinkPlan | undefined {
  return entities.get(type) ?? links.get(type);
}

function planOf(operation: Operation): EntityPlan | LinkPlan | undefined {
  switch (operation.kind) {
    case 'create':
    case 'list':
      return operation.at.plan;
    case 'invoke':
      return undefined;
    default:
      return operation.at.in.plan;
  }
}

/** Where the address leads, whether or not something is there. */
async function instanceAt(operation: Operation, plan: EntityPlan | LinkPlan, reader: Reader): Promise<string | undefined> {
  if ((operation.kind !== 'update' && operation.kind !== 'delete') || operation.at.in.plan !== plan) return undefined;
  try {
    const { id, path } = await locate(operation.at, reader);
    return path ?? idText(id);
  } catch (thrown) {
    if (thrown instanceof PlatformError) return undefined;
    throw thrown;
  }
}

/** What was to be made is gone again: of an instance under a parent nothing is left that says which it was to be. */
async function instanceWith(plan: EntityPlan | LinkPlan, key: Value, reader: Reader): Promise<string | undefined> {
  if (plan.key === plan.identifier.column) return idText(key);
  const row = await reader.one(plan.shapes.byKey, [key]);
  return row === undefined ? undefined : instanceOf(plan, parseStored(row.json));
}
