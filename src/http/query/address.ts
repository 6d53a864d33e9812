// Values that name an instance, or a parent → its address: the identifier, or the path.

import type { Address, Collection } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import type { ContainsPlan, EntityPlan, LinkPlan, Step } from '../../plan/plan.ts';
import { isPath, segment } from '../../plan/rows/keys.ts';
import { stepsOf } from '../../plan/rows/path.ts';
import type { Value } from '../../values/value.ts';

type Row = EntityPlan | LinkPlan;

export interface AddressArguments {
  readonly id: string;
  readonly path: string | undefined;
}

/** What an instance is named by beside `others`. An identifier that is called as one of them gets an underscore behind its name. */
export function addressArguments(plan: Row, name: string, others: readonly string[]): AddressArguments {
  const isContained = plan.kind === 'entity' && plan.contained;
  const taken = isContained ? ['path', ...others] : others;
  return { id: freeName(name, (each) => taken.includes(each)), path: isContained || name !== 'path' ? 'path' : undefined };
}

/** The name with as many underscores behind it as it needs. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  return isTaken(name) ? freeName(`${name}_`, isTaken) : name;
}

/** One of both. */
export function addressOf(plan: Row, path: Value, id: Value): Address {
  if (typeof path === 'object' && path !== null) throw invalid('path', 'must be a text');
  if ((path === null) === (id === null)) throw invalid('path', 'either the path or the identifier is given');
  if (path !== null && plan.kind === 'entity') return addressAt(plan, String(path));
  return addressById(plan, id);
}

export function addressById(plan: Row, id: Value): Address {
  if (typeof id === 'object') throw error('instance-not-found');
  const text = String(id);
  const value = plan.identifier.parseText(text) ?? null;
  const guid = (plan.kind === 'entity' ? plan.guid?.parseText(text) : undefined) ?? undefined;
  if (value === null && guid === undefined) throw error('instance-not-found');
  return { in: { plan, under: undefined }, id: value, guid };
}

export function addressAt(plan: EntityPlan, path: string): Address {
  const steps = stepsOf(plan, path);
  if (steps.kind === 'wrong') throw error('instance-not-found');
  let address: Address = { in: { plan: steps.root.entity, under: undefined }, id: steps.root.id };
  for (const { entity, id, contains } of steps.below)
    address = { in: { plan: entity, under: { parent: address, step: stepDown(contains) } }, id };
  return address;
}

function stepDown(contains: ContainsPlan): Step {
  for (const steps of contains.parent.steps.values()) {
    const step = steps.find((each) => each.kind === 'contains' && each.contains.contains.name === contains.contains.name);
    if (step !== undefined) return step;
  }
  throw new Error(`nothing leads from ${contains.parent.type} to ${contains.child.type}`);
}

/** Where an instance is created: under the parent that is named, else at the top. `relationship` is needed where several join the two. */
export function collectionOf(plan: Row, parent: Value, relationship: Value): Collection {
  if (parent === null || plan.kind === 'link') return { plan, under: undefined };
  if (typeof parent === 'object' || (typeof relationship === 'object' && relationship !== null))
    throw invalid('parent', 'must be a path or an identifier');
  const text = String(parent);
  const named = plan.parents.filter(
    ({ contains: { local, name } }) => relationship === null || [local, name, segment(name)].includes(String(relationship)),
  );
  const fitting = isPath(text) ? named.filter((each) => stepsOf(each.parent, text).kind === 'steps') : named;
  const [contains, other] = fitting;
  if (contains === undefined) throw invalid('parent', `is no parent of a ${plan.local}`);
  if (other !== undefined) throw invalid('relationship', `is needed: there are ${fitting.map((each) => each.contains.local).join(', ')}`);
  const address = isPath(text) ? addressAt(contains.parent, text) : addressById(contains.parent, parent);
  return { plan, under: { parent: address, step: stepDown(contains) } };
}

function invalid(attribute: string, message: string) {
  return error('query-invalid', { errors: [{ attribute, code: 'value', message }] });
}
