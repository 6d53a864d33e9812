// One run of a flow: its names, what it knows of its values, and how much it may still do.

import { error, isError, type PlatformError } from '../../errors.ts';
import type { TypeName } from '../../model/model.ts';
import type { Alias, Expression } from '../../model/pattern.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { operandsOf } from '../../plan/flow/compile.ts';
import type { Action } from '../../plan/flow/flow.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { JsonObject, parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { type Located, locatedRow, pathOf } from '../address/address.ts';
import { userOf } from '../caller.ts';
import { type Declaring, kindWithin, typeOfName } from '../eval/declared.ts';
import { evaluate, type Scope } from '../eval/eval.ts';
import { operandOf } from '../eval/operands.ts';
import type { Context, EngineLimits, Reading, Writing } from '../operation.ts';
import type { Meta } from './outcome.ts';

/** What every flow has that one request sets off. */
export interface Shared {
  readonly metas: WeakMap<object, Meta>;
  readonly deadline: number;
  steps: number;
  /** How many steps there were when the time was last looked at. */
  looked: number;
  /** When others were last let through, and after how many steps; 0 until the time is first looked at. */
  breathed: number;
  rested: number;
}

export interface Run {
  readonly reading: Reading;
  /** Absent in flows that only read. */
  readonly writing: Writing | undefined;
  readonly names: Map<string, Named>;
  readonly shared: Shared;
  readonly depth: number;
  /** Set by `return`: nothing behind it is done. */
  returned: Completed | undefined;
  /** What a handler was called for. */
  failure: unknown;
}

/** What a name stands for; of an instance that was stored, the value is made when somebody looks at it. */
export interface Named {
  readonly value: Value;
  /** What the value was read from, where it is nothing but stored instances of one type: one, or a list of them. */
  readonly plan?: EntityPlan | LinkPlan | undefined;
  readonly row?: Row | undefined;
  readonly rows?: readonly Row[] | undefined;
  /** The declared type of a single value, or of each in a list; of rows of a report those of their columns. */
  readonly declared?: ColumnKind | ReadonlyMap<string, ColumnKind> | undefined;
}

/** The value of a step; `created` where it was made by it, not only named. */
export interface Completed extends Named {
  readonly created: boolean;
  /** Of a list that was read: its instances, each made when its turn comes. */
  each?(): Iterable<Value>;
}

/** Instances that are being built, changed or looked at, the innermost first: their attributes go by the name of their type. */
export type Own = readonly { readonly type: TypeName; readonly values: { readonly [name: string]: Value } }[];

/** So deep flows and triggers set each other off. */
export const deepest = 32;
/** Others wait no longer than this many milliseconds, or steps, for a flow that does not wait itself. */
const longestHold = { time: 1, steps: 100 } as const;
/** Steps that take no time worth looking at the clock for. */
const unwatched = 8;

export function startShared({ clock, limits }: Context): Shared {
  const now = clock.now().getTime();
  return { metas: new WeakMap(), deadline: now + limits.flow.time * 1000, steps: 0, looked: 0, breathed: 0, rested: 0 };
}

/** Of what nobody outside waits for. */
export const endless: EngineLimits['flow'] = { steps: Number.POSITIVE_INFINITY, time: Number.POSITIVE_INFINITY };

/** What counts how much is done, and on whose behalf. */
export type Counted = Pick<Run, 'shared' | 'reading'>;

/** Counts what is done; ends a run that does too much. */
export function spend({ shared, reading }: Counted, steps: number): void {
  shared.steps += steps;
  if (shared.steps > reading.limits.flow.steps) throw tooMany(reading);
}

export function stepsLeft({ shared, reading }: Counted): number {
  return reading.limits.flow.steps - shared.steps;
}

export function tooMany({ limits }: Context): PlatformError {
  return error('dataflow-limit', { detail: `It took more than ${limits.flow.steps} steps.` });
}

/** `look`, after as many steps as are worth it. */
export function breathe(run: Counted): Awaitable<void> {
  return run.shared.steps - run.shared.looked < unwatched ? undefined : look(run);
}

/** Lets other requests through when it is time to, and ends a run that takes too long. */
export function look(run: Counted): Awaitable<void> {
  const { shared, reading } = run;
  shared.looked = shared.steps;
  const now = reading.clock.now().getTime();
  if (now > shared.deadline) throw tooLong(reading);
  // Until it had its turn with the writer it held up nobody.
  if (shared.breathed === 0) shared.breathed = now;
  const isTime = now - shared.breathed >= longestHold.time || shared.steps - shared.rested >= longestHold.steps;
  return isTime ? letOthers(run) : undefined;
}

export async function letOthers({ shared, reading }: Counted): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  shared.breathed = reading.clock.now().getTime();
  shared.rested = shared.steps;
}

/** Milliseconds. */
export function timeLeft({ deadline }: Shared, { clock }: Context): number {
  return deadline - clock.now().getTime();
}

export function tooLong({ limits }: Context): PlatformError {
  return error('dataflow-limit', { detail: `It took longer than ${limits.flow.time} seconds.` });
}

/** A statement that a store ended because nobody waits for it any more ends the event, as any other step would. */
export function inTime<T>(ask: (until: number) => Awaitable<T>, { reading, shared }: Counted): Awaitable<T> {
  const fails = (thrown: unknown): never => {
    throw isError(thrown, 'store-busy') && reading.clock.now().getTime() >= shared.deadline ? tooLong(reading) : thrown;
  };
  try {
    const found = ask(shared.deadline);
    return found instanceof Promise ? found.catch(fails) : found;
  } catch (thrown) {
    return fails(thrown);
  }
}

export function writingOf({ writing }: Run): Writing {
  // Compiling a flow finds out whether it writes.
  if (writing === undefined) throw new Error('a flow that only reads came to write');
  return writing;
}

export function metaOf(value: Value | undefined, { shared }: Run): Meta | undefined {
  return typeof value === 'object' && value !== null ? shared.metas.get(value) : undefined;
}

export function instanceMeta(value: Value | undefined, run: Run): Extract<Meta, { kind: 'instance' }> | undefined {
  const meta = metaOf(value, run);
  return meta?.kind === 'instance' ? meta : undefined;
}

export type Fields = Record<string, Value>;

/** A row as a value, with where it stands. */
export function toInstance(plan: EntityPlan | LinkPlan, row: Row, run: Run): Fields {
  const value = fieldsOf(row);
  keepInstance(value, plan, locatedRow(plan, value[plan.identifier.name] ?? null, row), row, run);
  return value;
}

export function keepInstance(
  value: Fields,
  plan: EntityPlan | LinkPlan,
  located: Located,
  row: Row | undefined,
  run: Run,
  nested: Extract<Meta, { kind: 'instance' }>['nested'] = [],
): void {
  run.shared.metas.set(value, { kind: 'instance', plan, located, row, nested, pending: row === undefined, operands: operandsIn(plan) });
}

/** Parsed for this run alone, so that it may be changed. */
export function fieldsOf(row: Row): Fields {
  return parseStored(row.json);
}

const operands = new WeakMap<EntityPlan | LinkPlan, Meta['operands']>();

function operandsIn(plan: EntityPlan | LinkPlan): Meta['operands'] {
  let known = operands.get(plan);
  if (known === undefined) {
    known = operandsOf(plan.attributes);
    operands.set(plan, known);
  }
  return known;
}

export function scopeOf(run: Run, own: Own): Scope {
  const { clock, functions } = run.reading;
  return {
    clock,
    functions,
    context: run.reading,
    lookup: (path) => lookUp(path, run, own),
    kindAt: (path) => declaredKind(path, run, own),
    shown: (value) => withOperands(value, run),
    shared: run.shared,
  };
}

/** Instances whose decimals are numbers, for functions that calculate with them. */
function withOperands(value: Value, run: Run): Value {
  if (Array.isArray(value)) return value.map((each: Value) => withOperands(each, run));
  if (!isObject(value)) return value;
  const known = metaOf(value, run)?.operands;
  if (known === undefined || known.size === 0) return value;
  const fields: Fields = new JsonObject();
  for (const name of Object.keys(value)) fields[name] = memberOf(value, name, run);
  return fields;
}

/** An expression that waits for nothing. */
export function evaluateNow(expression: Expression, run: Run, own: Own): Value {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'reference') return lookUp(expression.path, run, own);
  return evaluate(expression, scopeOf(run, own));
}

export function lookUp(path: readonly string[], run: Run, own: Own): Value {
  const first = path[0] ?? '';
  const second = path[1];
  for (const { type, values } of own) {
    if (type === first && (second === undefined || Object.hasOwn(values, second))) return walk(values, path, run);
  }
  const found = run.names.get(first);
  if (found !== undefined) return walk(found.value, path, run);
  if (first === 'auth' || first === 'EventContext') return walk(callerIn(run, first), path, run);
  // The instance around, also where it has no such attribute: `__Id__`.
  const around = own.find((each) => each.type === first);
  return around === undefined ? null : walk(around.values, path, run);
}

/** The declared type of what `lookUp` finds; of a list, that of its elements. */
export function declaredKind(path: readonly string[], run: Run, own: Own): ColumnKind | undefined {
  const [first = '', ...names] = path;
  const around =
    own.find(({ type, values }) => type === first && Object.hasOwn(values, names[0] ?? '')) ??
    (run.names.has(first) ? undefined : own.find(({ type }) => type === first));
  const found = around === undefined ? run.names.get(first) : undefined;
  const declared = found?.declared;
  if (declared !== undefined && names.length < 2) return typeof declared === 'string' ? declared : declared.get(names[0] ?? '');
  const start: Declaring = around === undefined ? found?.plan : typeOfName(around.type);
  return kindWithin(around?.values ?? found?.value ?? null, start, names, run.reading.plan, (value) => metaOf(value, run));
}

/** `_` skips, and the rest goes to the last name. */
export function bind(alias: Alias, done: Named, run: Run): void {
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
export function withDeclared(done: Named, action: Action, run: Run): Named {
  if (action.kind !== 'value' || action.value.kind !== 'reference') return done;
  const { path } = action.value;
  const declared = path.length === 1 ? run.names.get(path[0] ?? '')?.declared : declaredKind(path, run, []);
  return declared === undefined || declared === 'json' ? done : { value: done.value, declared };
}

/** Who asks, in the words of either surface. */
function callerIn({ reading }: Run, name: 'auth' | 'EventContext'): Fields {
  const user = userOf(reading.caller) ?? null;
  return Object.assign(new JsonObject(), name === 'auth' ? { user } : { User: user });
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
  const meta = metaOf(value, run);
  if (Object.hasOwn(value, name)) {
    const found = value[name] ?? null;
    const attribute = meta?.operands.get(name);
    return attribute === undefined ? found : operandOf(attribute, found, run.shared.metas);
  }
  if (meta?.kind !== 'instance') return null;
  if (name === '__Id__') return value[meta.plan.identifier.name] ?? null;
  if (!meta.pending && meta.plan.attribute.get(name)?.hidden === true) throw unreadable(meta.plan.local, name);
  return name === pathColumn ? pathOf(meta.located) : null;
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
