// Values inside a flow: expressions that may have to be waited for, attributes of what is made, events and records checked.

import { error, type Fault, FaultList, invalid } from '../../errors.ts';
import { type CallExpression, type CodeExpression, choosing, type Expression } from '../../model/pattern.ts';
import { isWaiting } from '../../model/references.ts';
import type { Assignment, EventPlan, RecordPlan } from '../../plan/flow/flow.ts';
import type { AttributePlan } from '../../plan/plan.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import type { Awaitable } from '../../store/store.ts';
import { JsonObject, objectOf } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { timeLeft, timeLimitExceeded } from '../budget.ts';
import { computeFields } from '../computed/computed.ts';
import { clojureVerdict } from '../draft/checks.ts';
import { fillDefault, fillingOf } from '../draft/defaults.ts';
import { functionDefault } from '../draft/draft.ts';
import { binary, callWith, decided, decides, evaluate, isTrue, noneOf, unary } from '../eval/eval.ts';
import { atOnce, callContext, inTime } from '../eval/functions.ts';
import { computedFor } from '../eval/number-functions.ts';
import { fitted } from '../eval/operands.ts';
import type { Context } from '../operation.ts';
import { postedIn } from './posted.ts';
import { evaluateNow, instanceOrigin, originOf, scopeOf } from './run.ts';
import type { Fields, Run, Scopes } from './state.ts';

export function resolve(expression: Expression, run: Run, scopes: Scopes): Awaitable<Value> {
  if (expression.kind === 'literal' || expression.kind === 'reference' || !isWaiting(expression))
    return evaluateNow(expression, run, scopes);
  return waited(expression, run, scopes);
}

/** What a predicate of the model's own code says of a value. */
export function accepts({ function: predicate }: CodeExpression, value: Value, run: Run): boolean {
  if (predicate === undefined) return false;
  const { functions, outside, shown } = scopeOf(run, []);
  return isTrue(
    atOnce(
      functions.call(predicate, [shown === undefined ? value : shown(value)], outside, callContext(run.reading)),
      'a predicate cannot be asynchronous',
    ),
  );
}

async function waited(expression: Expression, run: Run, scopes: Scopes): Promise<Value> {
  const inside = (each: Expression) => resolve(each, run, scopes);
  switch (expression.kind) {
    case 'pattern': {
      const action = run.reading.plan.dataflows.embedded.get(expression.pattern);
      return action === undefined ? null : (await run.runAction(action, run, scopes)).value;
    }
    case 'call':
      return called(expression, run, scopes);
    case 'list': {
      const items: Value[] = [];
      for (const each of expression.items) items.push(await inside(each));
      return items;
    }
    case 'map': {
      const entries: [string, Value][] = [];
      for (const { key, value } of expression.entries) entries.push([String(key.value), await inside(value)]);
      return objectOf(entries);
    }
    case 'unary':
      return unary(expression.operator, await inside(expression.operand));
    case 'binary': {
      const first = await inside(expression.left);
      const known = decided(expression.operator, first);
      return known ?? binary(expression.operator, first, await inside(expression.right), expression, scopeOf(run, scopes));
    }
    default:
      return evaluate(expression, scopeOf(run, scopes));
  }
}

async function called(expression: CallExpression, run: Run, scopes: Scopes): Promise<Value> {
  const choice = choosing(expression);
  let last: Value = choice === undefined ? null : noneOf(choice);
  const values: Value[] = [];
  for (const each of expression.arguments) {
    last = await resolve(each, run, scopes);
    if (choice !== undefined && decides(choice, last)) break;
    values.push(last);
  }
  if (choice !== undefined) return last;
  const { budget, reading } = run;
  return inTime(callWith(expression, values, scopeOf(run, scopes)), timeLeft(budget, reading), () => timeLimitExceeded(reading));
}

/** The attributes of a pattern, with those of `from` over them. */
export function assigned(
  assignments: readonly Assignment[],
  from: Expression | undefined,
  type: string,
  run: Run,
  scopes: Scopes,
): Awaitable<Fields> {
  const isReady = from === undefined && !assignments.some((each) => each.waits);
  if (!isReady) return assignedLater(assignments, from, type, run, scopes);
  const fields: Fields = new JsonObject();
  const inside: Scopes = [{ type, values: fields }, ...scopes];
  for (const { name, value } of assignments) fields[name] = computedFor(name, () => evaluateNow(value, run, inside));
  return fields;
}

async function assignedLater(
  assignments: readonly Assignment[],
  from: Expression | undefined,
  type: string,
  run: Run,
  scopes: Scopes,
): Promise<Fields> {
  const fields: Fields = new JsonObject();
  const given = from === undefined ? undefined : await sourceOf(from, type, run, scopes);
  if (given !== undefined) Object.assign(fields, given);
  const inside: Scopes = [{ type, values: fields }, ...scopes];
  for (const { name, value } of assignments) {
    if (given === undefined || !Object.hasOwn(given, name)) fields[name] = await computedFor(name, () => resolve(value, run, inside));
  }
  return fields;
}

/** A map, an instance, or either under the name of the type, as the earlier surface writes it. */
async function sourceOf(from: Expression, type: string, run: Run, scopes: Scopes): Promise<Fields> {
  const value = await resolve(from, run, scopes);
  const source = Array.isArray(value) ? (value[0] ?? null) : value;
  if (source === null) return new JsonObject();
  if (!isObject(source)) throw error('dataflow-failed', { detail: 'Instances are made from maps of attributes.' });
  const keyed = source[type];
  const fields: Fields = Object.assign(new JsonObject(), isObject(keyed) && Object.keys(source).length === 1 ? keyed : source);
  const origin = instanceOrigin(source, run);
  // An instance brings what was computed of it: of the one that is made, it is computed anew.
  const isInstance = origin !== undefined || (from.kind === 'reference' && postedIn(from.path, fields, run) !== undefined);
  if (isInstance) for (const name of computedNames(type, run)) delete fields[name];
  if (origin === undefined) return fields;
  for (const name of Object.keys(fields)) if (name.startsWith('__')) delete fields[name];
  for (const { name } of origin.nested) delete fields[name];
  return fields;
}

function computedNames(type: string, { reading: { plan } }: Run): readonly string[] {
  const made = plan.entities.get(type) ?? plan.links.get(type);
  return made === undefined ? [] : [...made.computed, ...made.late].map((each) => each.name);
}

/** Records that flows have made name their types where these are not those of the attributes. */
export function withTypes(attributes: Iterable<AttributePlan>, fields: Fields, run: Run): Fields {
  for (const { name, attribute } of attributes) {
    const value = fields[name];
    if (attribute.type.kind === 'record' && value !== undefined) fields[name] = withType(value, { attribute }, run);
  }
  return fields;
}

export function withType(value: Value, { attribute: { type } }: Pick<AttributePlan, 'attribute'>, run: Run): Value {
  if (type.kind !== 'record' || typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map((each) => ofType(each, type.record, run)) : ofType(value, type.record, run);
}

function ofType(value: Value, expected: string, run: Run): Value {
  const origin = originOf(value, run);
  return origin?.kind !== 'record' || origin.type === expected ? value : { [origin.type]: value };
}

/** What expressions gave, as the attributes take it. */
export function fitting(attributes: Iterable<AttributePlan>, fields: Fields): Fields {
  for (const each of attributes) {
    const value = fields[each.name];
    if (value !== undefined) fields[each.name] = fitted(each, value);
  }
  return fields;
}

/** The attributes of an event, checked like those of an entity; an open event takes any. */
export function checkEvent(plan: EventPlan, body: Value, context: Context, isGiven: (value: Value) => boolean = () => false): Fields {
  if (!isObject(body)) throw error('body-invalid');
  if (plan.open) return Object.assign(new JsonObject(), body);
  return checkFields(plan.attributes, body, plan.name, context, (name, value) => isGiven(value) || plan.given.has(name));
}

export function checkRecord(plan: RecordPlan, body: Fields, context: Context): Fields {
  if (plan.open) return body;
  return checkFields(plan.attributes, body, plan.name, context, () => false);
}

function checkFields(
  attributes: readonly AttributePlan[],
  body: { readonly [name: string]: Value },
  type: string,
  context: Context,
  isGiven: (name: string, value: Value) => boolean,
): Fields {
  const faults = new FaultList();
  const fields: Fields = new JsonObject();
  const known = new Set(attributes.map((each) => each.name));
  for (const [name, value] of Object.entries(body)) {
    if (known.has(name)) continue;
    if (isGiven(name, value)) fields[name] = value;
    else faults.push(fault(name, 'unknown', `is not an attribute of ${type}`));
  }
  for (const each of attributes) {
    const input = Object.hasOwn(body, each.name) ? (body[each.name] ?? null) : undefined;
    fields[each.name] = input !== undefined && isGiven(each.name, input) ? input : checkField(each, input, faults, context);
  }
  if (attributes.some((each) => each.attribute.expression !== undefined)) computeFields(attributes, fields, '', faults, context);
  if (faults.length > 0) throw invalid(faults);
  return fields;
}

function checkField(plan: AttributePlan, input: Value | undefined, faults: Fault[], context: Context): Value {
  const { attribute, name } = plan;
  if (attribute.expression !== undefined) {
    if (input !== undefined) faults.push(fault(name, 'computed', 'is computed and cannot be set'));
    return null;
  }
  if (input === undefined && attribute.default?.kind === 'function') return functionDefault(plan, name, faults, context);
  if (input === undefined && attribute.default !== undefined) return fillDefault(attribute, context);
  if (input === undefined || input === null) {
    if (!attribute.optional) faults.push(fault(name, 'required', input === null ? 'is required and cannot be null' : 'is required'));
    return null;
  }
  const value = plan.parse(input, name, faults, fillingOf(context));
  const { check } = attribute;
  const verdict = check?.language === 'clojure' && value !== null ? clojureVerdict(check, plan, value, context) : true;
  if (verdict !== true) faults.push(fault(name, 'check', verdict));
  return value;
}
