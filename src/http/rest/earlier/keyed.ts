// Bodies keyed by qualified type names → the flat bodies that the engine takes.

import type { Collection } from '../../../engine/operation.ts';
import { error } from '../../../errors.ts';
import type { Agent, EventType } from '../../../model/model.ts';
import type { EntityPlan, LinkPlan, Step } from '../../../plan/plan.ts';
import { isToOne, wayNamed } from '../../../plan/query/related.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import { segment } from '../../../plan/rows/keys.ts';
import type { Value } from '../../../values/value.ts';

type Flat = Record<string, Value>;

export const kindTag = 'type-*-tag-*-';
export const typeTag = '-*-type-*-';
/** What stands below an instance in an answer. */
const below = '->';

/** `{"C/E": {...}, "C/R": [{"C/K": {...}}, ...]}`, at any depth. */
export function flatCreate(body: Value, { plan }: Collection): Value {
  return flatten(body, plan);
}

/** `{"C/E": {...}}` and `{"Data": {...}}` alike, and an instance as it was read. */
export function flatUpdate(body: Value, plan: EntityPlan | LinkPlan): Value {
  if (isObject(body)) {
    const isOnly = Object.keys(body).length === 1;
    const values = body[typeTag] === plan.type ? body : isOnly ? (body[plan.type] ?? body['Data']) : undefined;
    if (isObject(values)) return untagged(values, plan);
  }
  throw wrongKey(`${plan.type} or Data`);
}

/** Attributes without the tags, and related instances under the names of their relationships; a wrong tag is left for the engine to refuse. */
function untagged(values: { readonly [name: string]: Value }, plan: EntityPlan | LinkPlan): Flat {
  const flat: Flat = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    const isTag = (name === kindTag && value === 'entity') || (name === typeTag && value === plan.type);
    const way = isTag ? undefined : wayNamed(plan, name);
    if (name === below && isObject(value) && plan.kind === 'entity') {
      for (const [short, related] of Object.entries(untaggedBelow(value, plan))) {
        if (short in values) throw standsTwice(short);
        flat[short] = related;
      }
    } else if (!isTag) flat[name] = way === undefined ? value : eachUntagged(value, way.target);
  }
  return flat;
}

/** What stands under `->`, by the qualified names of relationships. */
function untaggedBelow(value: { readonly [name: string]: Value }, plan: EntityPlan): Flat {
  const flat: Flat = Object.create(null);
  for (const [name, related] of Object.entries(value)) {
    const step = plan.steps.get(segment(name))?.[0];
    if (step === undefined) flat[name] = related;
    else {
      const instances = eachUntagged(related, step.target);
      // A list here also where there is at most one; of more, none is left out.
      const isOne = isToOne(step) && Array.isArray(instances) && instances.length < 2;
      flat[shortName(plan, name, step)] = isOne ? (instances[0] ?? null) : instances;
    }
  }
  return flat;
}

function eachUntagged(value: Value, plan: EntityPlan): Value {
  const one = (each: Value): Value => (isObject(each) ? untagged(each, plan) : each);
  return Array.isArray(value) ? value.map(one) : one(value);
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
    const short = shortName(plan, name, step);
    if (short in flat) throw standsTwice(name);
    flat[short] = Array.isArray(value) ? value.map((each) => flatten(each, step.target)) : flatten(value, step.target);
  }
  return flat;
}

/** By two of its names, of which one would be left out without a word. */
function standsTwice(name: string): Error {
  return error('body-invalid', { detail: `What is related by ${name} stands twice in the body.` });
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
