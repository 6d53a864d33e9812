// One run of a flow: its names, what it knows of its values, and how much it may still do.

import { error, type PlatformError } from '../../errors.ts';
import type { Alias, Expression } from '../../model/pattern.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { operandsOf } from '../../plan/flow/compile.ts';
import type { Action } from '../../plan/flow/flow.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Row } from '../../store/store.ts';
import { JsonObject, parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { locatedRow, pathOf } from '../address/address.ts';
import { userIdOf, userOf } from '../caller.ts';
import { type Declaring, kindWithin, typeOfName } from '../eval/declared.ts';
import { evaluate, type Scope } from '../eval/eval.ts';
import { operandOf } from '../eval/operands.ts';
import type { WriteContext } from '../operation.ts';
import type { Origin } from '../outcome.ts';
import type { Located } from '../row.ts';
import type { Binding, Completed, Fields, Run, Scopes } from './state.ts';

/** So deep flows and triggers set each other off. */
export const maxDepth = 32;
export function writingOf({ writing }: Run): WriteContext {
  // Compiling a flow finds out whether it writes.
  if (writing === undefined) throw new Error('a flow that only reads came to write');
  return writing;
}

export function originOf(value: Value | undefined, { budget }: Pick<Run, 'budget'>): Origin | undefined {
  return typeof value === 'object' && value !== null ? budget.origins.get(value) : undefined;
}

export function instanceOrigin(value: Value | undefined, run: Run): Extract<Origin, { kind: 'instance' }> | undefined {
  const origin = originOf(value, run);
  return origin?.kind === 'instance' ? origin : undefined;
}

/** What a flow came to that ends before its last step: by `return`, or because it is suspended. */
export function endOf({ returned, parts }: Run): Completed | undefined {
  return returned ?? (parts?.isSuspended === true ? nothing : undefined);
}

export const nothing: Completed = Object.freeze({ value: null, created: false });

/** A row as a value, with where it stands. */
export function toInstance(plan: EntityPlan | LinkPlan, row: Row, run: Run): Fields {
  const value = fieldsOf(row);
  recordOrigin(value, plan, locatedRow(plan, value[plan.identifier.name] ?? null, row), row, run);
  return value;
}

export function recordOrigin(
  value: Fields,
  plan: EntityPlan | LinkPlan,
  located: Located,
  row: Row | undefined,
  run: Run,
  nested: Extract<Origin, { kind: 'instance' }>['nested'] = [],
): void {
  run.budget.origins.set(value, { kind: 'instance', plan, located, row, nested, pending: row === undefined, operands: operandsIn(plan) });
}

/** Parsed for this run alone, so that it may be changed. */
export function fieldsOf(row: Row): Fields {
  return parseStored(row.json);
}

const operands = new WeakMap<EntityPlan | LinkPlan, Origin['operands']>();

function operandsIn(plan: EntityPlan | LinkPlan): Origin['operands'] {
  let known = operands.get(plan);
  if (known === undefined) {
    known = operandsOf(plan.attributes);
    operands.set(plan, known);
  }
  return known;
}

export function scopeOf(run: Run, scopes: Scopes): Scope {
  const { clock, functions, outside } = run.reading;
  return {
    clock,
    functions,
    outside,
    context: run.reading,
    lookup: (path) => lookUp(path, run, scopes),
    kindAt: (path) => declaredKind(path, run, scopes),
    shown: (value) => withOperands(value, run),
    budget: run.budget,
  };
}

/** Instances whose decimals are numbers, for functions that calculate with them. */
function withOperands(value: Value, run: Run): Value {
  if (Array.isArray(value)) return value.map((each: Value) => withOperands(each, run));
  if (!isObject(value)) return value;
  const known = originOf(value, run)?.operands;
  if (known === undefined || known.size === 0) return value;
  const fields: Fields = new JsonObject();
  for (const name of Object.keys(value)) fields[name] = memberOf(value, name, run);
  return fields;
}

/** An expression that waits for nothing. */
export function evaluateNow(expression: Expression, run: Run, scopes: Scopes): Value {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'reference') return lookUp(expression.path, run, scopes);
  return evaluate(expression, scopeOf(run, scopes));
}

export function lookUp(path: readonly string[], run: Run, scopes: Scopes): Value {
  const first = path[0] ?? '';
  const second = path[1];
  for (const { type, values } of scopes) {
    if (type === first && (second === undefined || Object.hasOwn(values, second))) return walk(values, path, run);
  }
  const found = run.names.get(first);
  if (found !== undefined) return walk(found.value, path, run);
  if (first === 'auth' || first === 'EventContext') return walk(callerIn(run, first), path, run);
  // The instance around, also where it has no such attribute: `__Id__`.
  const around = scopes.find((each) => each.type === first);
  return around === undefined ? null : walk(around.values, path, run);
}

/** The declared type of what `lookUp` finds; of a list, that of its elements. */
function declaredKind(path: readonly string[], run: Run, scopes: Scopes): ColumnKind | undefined {
  const [first = '', ...names] = path;
  const around =
    scopes.find(({ type, values }) => type === first && Object.hasOwn(values, names[0] ?? '')) ??
    (run.names.has(first) ? undefined : scopes.find(({ type }) => type === first));
  const found = around === undefined ? run.names.get(first) : undefined;
  const declared = found?.declared;
  if (declared !== undefined && names.length < 2) return typeof declared === 'string' ? declared : declared.get(names[0] ?? '');
  const start: Declaring = around === undefined ? found?.plan : typeOfName(around.type);
  return kindWithin(around?.values ?? found?.value ?? null, start, names, run.reading.plan, (value) => originOf(value, run));
}

/** `_` skips, and the rest goes to the last name. */
export function bind(alias: Alias, done: Binding, run: Run): void {
  if (alias.kind === 'whole') {
    run.names.set(alias.name.text, done);
    return;
  }
  const items = listOf(done.value);
  const { declared } = done;
  for (const [index, name] of alias.names.entries())
    if (name !== undefined) run.names.set(name.text, { value: items[index] ?? null, declared });
  if (alias.rest !== undefined) run.names.set(alias.rest.text, { value: items.slice(alias.names.length), declared });
}

/** What a value is declared to be stays with the name that it is given. */
export function withDeclared(done: Binding, action: Action, run: Run): Binding {
  if (action.kind !== 'value' || action.value.kind !== 'reference') return done;
  const { path } = action.value;
  const declared = path.length === 1 ? run.names.get(path[0] ?? '')?.declared : declaredKind(path, run, []);
  return declared === undefined || declared === 'json' ? done : { value: done.value, declared };
}

/** Who asks, in the words of either surface. */
function callerIn({ reading }: Run, name: 'auth' | 'EventContext'): Fields {
  const user = userOf(reading.caller) ?? null;
  const id = userIdOf(reading.caller) ?? null;
  return Object.assign(new JsonObject(), name === 'auth' ? { user, id } : { User: user });
}

/** Behind the first part: of a list, the first element counts. */
function walk(start: Value, path: readonly string[], run: Run): Value {
  let value = start;
  for (let index = 1; index < path.length; index += 1) value = memberOf(value, path[index] ?? '', run);
  return value;
}

export function memberOf(from: Value, name: string, run: Run): Value {
  const value: Value = Array.isArray(from) ? (from[0] ?? null) : from;
  if (!isObject(value)) return null;
  const origin = originOf(value, run);
  if (Object.hasOwn(value, name)) {
    const found = value[name] ?? null;
    const attribute = origin?.operands.get(name);
    return attribute === undefined ? found : operandOf(attribute, found, run.budget.origins);
  }
  if (origin?.kind !== 'instance') return null;
  if (name === '__Id__') return value[origin.plan.identifier.name] ?? null;
  if (!origin.pending && origin.plan.attribute.get(name)?.hidden === true) throw unreadable(origin.plan.local, name);
  return name === pathColumn ? pathOf(origin.located) : null;
}

/** As nothing, it would be equal to whatever a caller leaves out. */
function unreadable(type: string, name: string): PlatformError {
  return error('dataflow-failed', { detail: `${type}.${name} cannot be read: it is kept as a hash, or in no answer.` });
}

/** The single instance that a value stands for. */
export function single(value: Value): Value {
  return Array.isArray(value) ? (value[0] ?? null) : value;
}

/** A value as a list: nothing is an empty one. */
export function listOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  return value === null ? [] : [value];
}

/** Whether a handler for "nothing found" is to be called. */
export function isEmpty(value: Value): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
