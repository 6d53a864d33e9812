// One run of a flow: its names, what it knows of its values, and how much it may still do.

import { error, type PlatformError } from '../errors.ts';
import { ExactNumber } from '../exact-number.ts';
import { JsonObject, parseJson } from '../model/json.ts';
import type { TypeName } from '../model/model.ts';
import type { Expression } from '../model/pattern.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { isObject } from '../plan/attribute.ts';
import { decimalsOf } from '../plan/dataflow-compile.ts';
import { rootPath } from '../plan/keys.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import { pathColumn } from '../plan/tables.ts';
import type { Row } from '../store/store.ts';
import { evaluate, type Scope } from './expression.ts';
import type { Located } from './locate.ts';
import type { Context, Reading, Writing } from './operation.ts';
import type { Meta } from './outcome.ts';

/** What every flow has that one request sets off. */
export interface Shared {
  readonly metas: WeakMap<object, Meta>;
  readonly deadline: number;
  steps: number;
  /** When others were last let through. */
  breathed: number;
}

export interface Run {
  readonly reading: Reading;
  /** Absent in flows that only read. */
  readonly writing: Writing | undefined;
  readonly names: Map<string, Value>;
  readonly shared: Shared;
  readonly depth: number;
  /** Set by `return`: nothing behind it is done. */
  returned: Completed | undefined;
  /** What a handler was called for. */
  failure: unknown;
}

/** The value of a step; `created` where it was made by it, not only named. */
export interface Completed {
  readonly value: Value;
  readonly created: boolean;
}

/** Instances that are being built, changed or looked at, the innermost first: their attributes go by the name of their type. */
export type Own = readonly { readonly type: TypeName; readonly values: { readonly [name: string]: Value } }[];

export const limits = { steps: 100_000, time: 10_000, depth: 32 } as const;
/** So long others wait at the most for a flow that does not wait itself. */
const longestHold = 5;

export function startShared(context: Context): Shared {
  const now = context.clock.now().getTime();
  return { metas: new WeakMap(), deadline: now + limits.time, steps: 0, breathed: now };
}

/** Counts what is done; ends a run that does too much. */
export function spend(run: Run, steps: number): void {
  run.shared.steps += steps;
  if (run.shared.steps > limits.steps) throw error('dataflow-limit', { detail: `It took more than ${limits.steps} steps.` });
}

/** Lets other requests through now and then, and ends a run that takes too long. */
export async function breathe(run: Run): Promise<void> {
  const { shared, reading } = run;
  const now = reading.clock.now().getTime();
  if (now > shared.deadline) throw tooLong();
  if (now - shared.breathed < longestHold) return;
  await new Promise((resolve) => setImmediate(resolve));
  shared.breathed = reading.clock.now().getTime();
}

export function tooLong(): PlatformError {
  return error('dataflow-limit', { detail: `It took longer than ${limits.time / 1000} seconds.` });
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
  const [, key = null, path] = row.columns;
  const located: Located = { plan, key, id: value[plan.identifier.name] ?? null, path: typeof path === 'string' ? path : undefined };
  keepInstance(value, plan, located, row, run);
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
  run.shared.metas.set(value, { kind: 'instance', plan, located, row, nested, pending: row === undefined, decimals: decimalsIn(plan) });
}

export function fieldsOf(row: Row): Fields {
  const value = parseJson(row.json, storedLimits);
  return isObject(value) ? Object.assign(new JsonObject(), value) : new JsonObject();
}

/** What is stored was within limits when it came in. */
const storedLimits = { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY };

const decimals = new WeakMap<EntityPlan | LinkPlan, ReadonlySet<string>>();

function decimalsIn(plan: EntityPlan | LinkPlan): ReadonlySet<string> {
  let known = decimals.get(plan);
  if (known === undefined) {
    known = decimalsOf(plan.attributes);
    decimals.set(plan, known);
  }
  return known;
}

export function scopeOf(run: Run, own: Own): Scope {
  const { clock, functions } = run.reading;
  return { clock, functions, lookup: (path) => lookUp(path, run, own) };
}

/** An expression that waits for nothing. */
export function evaluateNow(expression: Expression, run: Run, own: Own): Value {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'reference') return lookUp(expression.path, run, own);
  return evaluate(expression, scopeOf(run, own));
}

export function lookUp(path: readonly string[], run: Run, own: Own): Value {
  const [first = '', second] = path;
  for (const { type, values } of own) {
    if (type === first && (second === undefined || Object.hasOwn(values, second))) return walk(values, path, run);
  }
  const found = run.names.get(first);
  if (found !== undefined) return walk(found, path, run);
  // The instance around, also where it has no such attribute: `__Id__`.
  const around = own.find((each) => each.type === first);
  return around === undefined ? null : walk(around.values, path, run);
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
    return typeof found === 'string' && meta?.decimals.has(name) === true ? new ExactNumber(found) : found;
  }
  if (meta?.kind !== 'instance') return null;
  if (name === '__Id__') return value[meta.plan.identifier.name] ?? null;
  return name === pathColumn ? (meta.located.path ?? rootPath(meta.plan.type, meta.located.id)) : null;
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
