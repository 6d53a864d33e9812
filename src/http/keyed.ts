// Bodies keyed by qualified type names → the flat bodies that the engine takes.

import type { Collection } from '../engine/operation.ts';
import { error } from '../errors.ts';
import type { Agent, EventType } from '../model/model.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { isObject } from '../plan/attribute.ts';
import { segment } from '../plan/keys.ts';
import type { EntityPlan, LinkPlan, Step } from '../plan/plan.ts';

type Flat = Record<string, Value>;

/** `{"C/E": {...}, "C/R": [{"C/K": {...}}, ...]}`, at any depth. */
export function flatCreate(body: Value, { plan }: Collection): Value {
  return flatten(body, plan);
}

/** `{"C/E": {...}}` and `{"Data": {...}}` alike (decisions 4.3). */
export function flatUpdate(body: Value, plan: EntityPlan | LinkPlan): Value {
  if (isObject(body) && Object.keys(body).length === 1) {
    const values = body[plan.type] ?? body['Data'];
    if (isObject(values)) return values;
  }
  throw wrongKey(`${plan.type} or Data`);
}

export function callAttributes(body: Value, target: EventType | Agent): Value {
  const values = isObject(body) ? body[target.name] : undefined;
  if (isObject(values)) return values;
  throw wrongKey(target.name);
}

function flatten(body: Value, plan: EntityPlan | LinkPlan): Flat {
  const attributes = isObject(body) ? body[plan.type] : undefined;
  if (!isObject(body) || !isObject(attributes)) throw wrongKey(plan.type);
  const flat: Flat = Object.assign(Object.create(null), attributes);
  if (plan.kind === 'entity') {
    for (const { name } of plan.entity.extensions) {
      const given = flat[name];
      if (given !== undefined) flat[name] = extended(given, name, plan);
    }
  }
  for (const [name, value] of Object.entries(body)) {
    if (name === plan.type) continue;
    const step = plan.kind === 'entity' ? plan.steps.get(segment(name))?.[0] : undefined;
    if (step === undefined) throw error('body-invalid', { detail: `${name} is not a relationship of ${plan.type}.` });
    flat[shortName(plan, name, step)] = Array.isArray(value)
      ? value.map((each) => flatten(each, step.target))
      : flatten(value, step.target);
  }
  return flat;
}

/** What a name for a relationship holds may be keyed by its type, like everything else. */
function extended(value: Value, name: string, plan: EntityPlan): Value {
  const way = plan.linkNames.get(name);
  const target = way === undefined ? plan.steps.get(name)?.[0]?.target : way.link;
  const one = (each: Value): Value =>
    target !== undefined && isObject(each) && Object.hasOwn(each, target.type) ? flatten(each, target) : each;
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** Errors name related instances as briefly as they can: `WorksFor[0].Name`. */
function shortName(plan: EntityPlan | LinkPlan, name: string, step: Step): string {
  const local = name.slice(name.indexOf('/') + 1);
  return plan.kind === 'entity' && plan.steps.get(local)?.[0] === step && !plan.attribute.has(local) ? local : segment(name);
}

function wrongKey(key: string): Error {
  return error('body-invalid', { detail: `The body must be an object keyed ${key}.` });
}
