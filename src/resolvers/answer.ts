// What a resolver answers → rows: each instance checked against the model, as if somebody had sent it.

import { createHash } from 'node:crypto';
import { compute } from '../engine/computed/computed.ts';
import { fillingOf } from '../engine/draft/defaults.ts';
import type { Context } from '../engine/operation.ts';
import { error, type Fault, isError, type PlatformError } from '../errors.ts';
import type { AttributePlan, EntityPlan, RowPlan } from '../plan/plan.ts';
import { fault, isObject } from '../plan/rows/attribute.ts';
import { keyName } from '../plan/rows/keys.ts';
import { placeAt, stepsOf } from '../plan/rows/path.ts';
import { keyColumn, pathColumn, versionColumn } from '../plan/rows/tables.ts';
import { objectOf, writeJson } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { mostBytes } from './http.ts';
import { mostInstances } from './resolver.ts';

export interface Checking {
  readonly plan: EntityPlan;
  readonly context: Context;
  /** Where an instance stands that does not say so itself: that which was asked for. */
  readonly path: string | undefined;
  /** Told once of each attribute that the model does not know. */
  unknown(name: string): void;
}

type Fields = { readonly [key: string]: Value };

/** A list, one instance, or nothing. */
export function rowsOf(answer: Value, checking: Checking): readonly (readonly Value[])[] {
  if (answer === null) return [];
  const instances = Array.isArray(answer) ? answer : [answer];
  if (instances.length > mostInstances) throw error('resolver-answer-too-large', {}, new Error(`more than ${mostInstances} instances`));
  let bytes = 0;
  const rows = instances.map((each) => {
    const { row, size } = checkedRow(each, checking);
    bytes += size;
    if (bytes > mostBytes) throw error('resolver-answer-too-large', {}, new Error(`more than ${mostBytes} bytes`));
    return row;
  });
  if (rows.length > 1) refuseRepeated(rows, checking.plan);
  return rows;
}

/** Counted and linked twice, and nobody knows which of them is meant. */
function refuseRepeated(rows: readonly (readonly Value[])[], { table, key, type }: EntityPlan): void {
  const at = table.columns.findIndex((each) => each.name === key);
  const known = new Set<string>();
  for (const row of rows) {
    const name = keyName(row[at] ?? null);
    if (known.has(name)) throw error('resolver-answer-invalid', {}, new Error(`${type}: ${writeJson(row[at] ?? null)} is there twice`));
    known.add(name);
  }
}

/** A value for each column of the table. */
export function rowOf(instance: Value, checking: Checking): readonly Value[] {
  return checkedRow(instance, checking).row;
}

/** `size` is that of its attributes, as text. */
function checkedRow(instance: Value, checking: Checking): { readonly row: readonly Value[]; readonly size: number } {
  const { plan, context } = checking;
  const fields = fieldsOf(instance, checking);
  const faults: Fault[] = [];
  const values = plan.attributes.map((each) => fittedValue(each, fields[each.name], faults, context));
  if (faults.length > 0) throw misfit(plan, fields, faults);
  computeAll(plan, values, fields, context);
  const text = writeJson(values);
  return { row: [...values, versionIn(text), ...placeOf(fields[pathColumn] ?? checking.path, checking)], size: text.length };
}

/** The service's own columns of what is contained: they follow from its path. */
function placeOf(path: Value | undefined, { plan }: Checking): readonly Value[] {
  if (!plan.contained) return [];
  const place = typeof path === 'string' ? placeIn(plan, path) : undefined;
  if (place === undefined) throw error('resolver-answer-invalid', {}, new Error(`${plan.type}: ${pathColumn} is not where it stands`));
  return placedColumns(plan).map((name) => place.get(name) ?? null);
}

/** Behind the version, in the order of the table. */
export function placedColumns({ table, attributes }: RowPlan): readonly string[] {
  return table.columns.slice(attributes.length + 1).map((each) => each.name);
}

/** By the names of columns. */
function placeIn(plan: EntityPlan, path: string): ReadonlyMap<string, Value> | undefined {
  const [place, steps] = [placeAt(plan, path), stepsOf(plan, path)];
  if (place === undefined || steps.kind === 'wrong') return undefined;
  const found = new Map<string, Value>([
    [keyColumn, place.key],
    [pathColumn, place.path],
  ]);
  const contains = steps.below.at(-1)?.contains;
  if (contains !== undefined) found.set(contains.column, placeAt(contains.parent, parentPath(path))?.key ?? null);
  return found;
}

/** Without the relationship, the type and the identifier at its end. */
export function parentPath(path: string): string {
  return path.split('/').slice(0, -3).join('/');
}

/** The same as an object, as handlers get it. */
export function instanceOf(plan: RowPlan, row: readonly Value[]): Value {
  const attributes = plan.attributes.map((each, index): [string, Value] => [each.name, row[index] ?? null]);
  const system = plan.systemFields.map((name): [string, Value] => [
    name,
    row[plan.table.columns.findIndex((each) => each.name === name)] ?? null,
  ]);
  return objectOf([...attributes, ...system]);
}

/** Grows with nothing: another content is another number. */
export function versionOf(values: readonly Value[]): number {
  return versionIn(writeJson(values));
}

function versionIn(text: string): number {
  return createHash('sha1').update(text).digest().readUIntBE(0, 6);
}

function fittedValue(attribute: AttributePlan, given: Value | undefined, faults: Fault[], context: Context): Value {
  const { name, hidden } = attribute;
  const { optional, expression } = attribute.attribute;
  if (given !== undefined && given !== null) return attribute.parse(given, name, faults, fillingOf(context));
  // What nobody is answered need not come back, and what is computed is computed here.
  if (!optional && !hidden && expression === undefined) faults.push(fault(name, 'required', 'is required'));
  return null;
}

function computeAll(plan: RowPlan, values: Value[], fields: Fields, context: Context): void {
  if (plan.computed.length === 0) return;
  try {
    compute(plan, values, context);
  } catch (thrown) {
    throw isError(thrown, 'attributes-invalid') ? misfit(plan, fields, thrown.details.errors ?? []) : thrown;
  }
}

/** The log is told which attribute of which instance, never its value. */
function misfit({ type, identifier }: RowPlan, fields: Fields, faults: readonly Fault[]): PlatformError {
  const found = faults.map(({ attribute, message }) => `${attribute} ${message}`).join('; ');
  return error('resolver-answer-invalid', {}, new Error(`${type} ${String(fields[identifier.name] ?? '?')}: ${found}`));
}

/** By the names of attributes: instances may come keyed by their type, and attributes with the name of the type before theirs. */
function fieldsOf(instance: Value, { plan, unknown }: Checking): Fields {
  const inner = isObject(instance) ? (instance[plan.type] ?? instance) : instance;
  if (!isObject(inner)) throw error('resolver-answer-invalid', {}, new Error(`what stands for an instance of ${plan.type} is no object`));
  const entries: [string, Value][] = [];
  for (const [key, value] of Object.entries(inner)) {
    const name = plan.attribute.has(key) ? key : localName(key, plan);
    if (plan.attribute.has(name) || plan.systemFields.includes(name)) entries.push([name, value]);
    else if (!tags.has(key)) unknown(key);
  }
  return objectOf(entries);
}

const tags: ReadonlySet<string> = new Set(['type-*-tag-*-', '-*-type-*-', versionColumn]);

function localName(key: string, { type }: RowPlan): string {
  return key.startsWith(`${type}.`) || key.startsWith(`${type}/`) ? key.slice(type.length + 1) : key;
}
