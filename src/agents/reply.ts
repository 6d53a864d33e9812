// Whether a reply is what an agent is to give: an object of its record, where it names one, and what its own event finds valid.

import { performTogether, type Together } from '../engine/execute.ts';
import type { Result } from '../engine/operation.ts';
import { type Fault, PlatformError } from '../errors.ts';
import { isRequired } from '../model/description.ts';
import type { Agent, Attribute, Model, TypeName } from '../model/model.ts';
import type { JsonSchema } from '../model/types/attribute-type.ts';
import { compileAttribute, fault, isObject } from '../plan/rows/attribute.ts';
import type { Value, Values } from '../values/value.ts';
import { readJson, withoutFence } from './flow/match.ts';
import type { Run } from './run.ts';
import { shownOf } from './tools/call.ts';
import { attributesSchema, isSettable } from './tools/schema.ts';

export type Judged =
  | { readonly kind: 'fits'; readonly value: Value }
  | { readonly kind: 'wrong'; readonly why: string; readonly by: 'schema' | 'event' };

/** The record or entity that the reply is to be; a record among the tools means the same. */
export function replyType({ settings, tools }: Agent, model: Model): TypeName | undefined {
  const { responseSchema } = settings;
  return typeof responseSchema === 'string' ? responseSchema : tools.find((each) => model.records.has(each));
}

export function replySchema(agent: Agent, model: Model): JsonSchema | undefined {
  const type = replyType(agent, model);
  return type === undefined ? undefined : attributesSchema(attributesOf(type, model), model);
}

export async function judgeReply(text: string, agent: Agent, run: Run): Promise<Judged> {
  const { model } = run.context.plan;
  const type = replyType(agent, model);
  const faults: Fault[] = [];
  const value = type === undefined ? text : objectIn(text, attributesOf(type, model), model, faults);
  if (faults.length > 0) return { kind: 'wrong', why: faults.map(inWords).join('\n'), by: 'schema' };
  const reason = await reasonAgainst(value, agent, run);
  return reason === undefined ? { kind: 'fits', value } : { kind: 'wrong', why: reason, by: 'event' };
}

function attributesOf(type: TypeName, { records, entities }: Model): readonly Attribute[] {
  return ((records.get(type) ?? entities.get(type))?.attributes ?? []).filter(isSettable);
}

const limits = { depth: 32, keys: 1000, items: 10_000 };

/** The object that a text is, checked as attributes are checked everywhere. */
function objectIn(text: string, attributes: readonly Attribute[], model: Model, faults: Fault[]): Values {
  const given = readJson(withoutFence(text), limits) ?? null;
  if (!isObject(given)) {
    faults.push(fault('the reply', 'type', 'must be a JSON object and nothing else'));
    return {};
  }
  const names = new Set(attributes.map((each) => each.name));
  for (const name of Object.keys(given)) if (!names.has(name)) faults.push(fault(name, 'unknown', 'is not asked for'));
  const entries = attributes.flatMap((each): readonly (readonly [string, Value])[] => {
    const value = given[each.name] ?? null;
    if (value !== null) return [[each.name, compileAttribute(each, model).parse(value, each.name, faults)]];
    if (isRequired(each)) faults.push(fault(each.name, 'required', 'is required'));
    return [[each.name, each.default?.kind === 'value' ? each.default.value : null]];
  });
  return Object.fromEntries(entries);
}

function inWords({ attribute, message }: Fault): string {
  return `${attribute} ${message}`;
}

/** Why the event that the agent names does not accept it. */
async function reasonAgainst(data: Value, { settings: { validate } }: Agent, run: Run): Promise<string | undefined> {
  const target = typeof validate === 'string' ? run.context.plan.model.events.get(validate) : undefined;
  if (target === undefined) return undefined;
  const operation = { kind: 'invoke', target, body: { data }, isGranted: true } as const;
  try {
    const open: Together<Result>['open'] = (work, options) => run.journal.with(work, options);
    const found = shownOf(await performTogether(operation, run.context, { open }));
    const { status, reason } = isObject(found) ? found : {};
    return status === 'error' ? String(reason ?? 'it is not valid') : undefined;
  } catch (thrown) {
    // An event that throws has found the data wrong, in the words of its author.
    if (thrown instanceof PlatformError && thrown.code === 'dataflow-failed') return thrown.details.detail ?? thrown.message;
    throw thrown;
  }
}
