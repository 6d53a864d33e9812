// What somebody tried to do with recorded data and was not allowed to: with which instance, as far as that is known.

import { locate } from '../engine/address/address.ts';
import type { Context, Operation } from '../engine/operation.ts';
import { type Denial, PlatformError } from '../errors.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan/plan.ts';
import { both } from '../plan/query/condition.ts';
import type { Select } from '../plan/query/shape.ts';
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

/** The same where the caller was told that there is no such instance: nothing where that is so. */
export async function hiddenAction(
  operation: Operation,
  audited: ReadonlyMap<string, AuditedType>,
  { store, guard, caller }: Context,
): Promise<Action | undefined> {
  if (operation.kind !== 'update' && operation.kind !== 'delete') return undefined;
  const { at, kind } = operation;
  const { plan } = at.in;
  if (!audited.has(plan.table.name)) return undefined;
  const { exists } = plan.shapes;
  const verdict = guard.rows('read', plan, caller);
  const visible: Select | undefined = verdict.allowed ? { ...exists, where: both(exists.where, verdict.condition) } : undefined;
  const instance = await store.read(async (reader) => {
    const found = await located(at, reader);
    if (found === undefined || (await reader.one(exists, [found.key])) === undefined) return undefined;
    // Something else was not there.
    return visible !== undefined && (await reader.one(visible, [found.key])) !== undefined ? undefined : found.instance;
  });
  return instance === undefined ? undefined : { operation: kind, type: plan.type, instance, before: null, after: null };
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
  return (await located(operation.at, reader))?.instance;
}

type Address = Parameters<typeof locate>[0];

async function located(at: Address, reader: Reader): Promise<{ readonly instance: string; readonly key: Value } | undefined> {
  try {
    const { id, path, key } = await locate(at, reader);
    return { instance: path ?? idText(id), key };
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
