// The attributes of a workflow that is a step: by their names, from what the steps before gave and from what the flow was asked.

import { error } from '../../errors.ts';
import { isRequired } from '../../model/description.ts';
import type { Attribute, EventType, Model } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { attributesSchema } from '../tools/schema.ts';
import type { StepResult } from './context.ts';
import { readJson, withoutFence } from './match.ts';

/** Makes up what is missing; gives nothing where nobody can. */
export type Fill = (schema: JsonSchema, missing: readonly string[]) => Promise<Values | undefined>;

export interface BindingParts {
  readonly message: string;
  /** Oldest first. */
  readonly results: readonly StepResult[];
  readonly model: Model;
  readonly fill: Fill;
}

export async function boundAttributes(event: EventType, { message, results, model, fill }: BindingParts): Promise<Values> {
  const newest = results.toReversed().map(({ value }) => objectIn(value));
  // A workflow whose event is not declared takes what there is.
  if (event.open) return { ...newest[0], message };
  const found: Record<string, Value> = {};
  for (const { name } of event.attributes) {
    const value = newest.find((each) => each !== undefined && Object.hasOwn(each, name))?.[name] ?? literalOf(name, message, results);
    if (value !== undefined) found[name] = value;
  }
  const missing = missingIn(event.attributes, found);
  if (missing.length === 0) return found;
  const wanted = event.attributes.filter((each) => missing.includes(each.name));
  const made = (await fill(attributesSchema(wanted, model), missing)) ?? {};
  for (const name of missing) if (made[name] !== undefined && made[name] !== null) found[name] = made[name];
  const [first] = missingIn(event.attributes, found);
  if (first !== undefined) throw error('flow-step-input', { detail: `Nothing before ${event.local} gives its attribute ${first}.` });
  return found;
}

function missingIn(attributes: readonly Attribute[], found: Values): readonly string[] {
  return attributes.filter((each) => isRequired(each) && found[each.name] === undefined).map((each) => each.name);
}

/** `message` is what the flow was asked, `context` what came of the steps so far. */
function literalOf(name: string, message: string, results: readonly StepResult[]): Value | undefined {
  if (name === 'message') return message;
  if (name !== 'context') return undefined;
  return results.map(({ name: step, value }) => `${step}: ${typeof value === 'string' ? value : writeJson(value)}`).join('\n');
}

/** An instance, a map, or what an agent wrote as the JSON of one. */
export function objectIn(value: Value): Values | undefined {
  const read = typeof value === 'string' ? readJson(withoutFence(value)) : Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(read) ? read : undefined;
}
