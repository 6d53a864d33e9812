// In charge of instances that came with an event: which stored instance each of them stands for.

import { error, PlatformError } from '../../errors.ts';
import type { Attribute, TypeName } from '../../model/model.ts';
import { typeMember } from '../../model/subtypes.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { locate } from '../address/address.ts';
import { isReadable } from '../instances/guard.ts';
import { readable } from '../instances/readable.ts';
import { seenBy } from '../instances/seen.ts';
import type { Located } from '../row.ts';
import { locatePath } from './paths.ts';
import { lookUp, originOf, toInstance } from './run.ts';
import type { Fields, Run } from './state.ts';

/** The entity that a part of an event holds an instance of, and its attributes; nothing where it is other data. */
export interface Posted {
  readonly plan: EntityPlan;
  readonly fields: Fields;
}

export function postedIn(path: readonly string[], value: Fields, run: Run): Posted | undefined {
  if (originOf(lookUp(path.slice(0, 1), run, []), run)?.kind !== 'event') return undefined;
  const { entities } = run.reading.plan;
  // What no attribute of the event describes says itself what it is.
  const [key = '', ...others] = Object.keys(value);
  const [keyed, inner = null] = [entities.get(key), value[key]];
  if (others.length === 0 && keyed !== undefined && isFields(inner)) return { plan: keyed, fields: inner };
  const named = value[typeMember];
  const plan = entities.get(typeof named === 'string' ? named : (declaredType(path, run) ?? ''));
  return plan === undefined ? undefined : { plan, fields: value };
}

/** What is stored of it, found by its path where it has one, else by its identifier. */
export async function storedOf({ plan, fields }: Posted, path: readonly string[], run: Run): Promise<Fields> {
  const located = await locatedIn(plan, fields, run);
  const row: Row | undefined =
    located === undefined ? undefined : await run.reading.tx.one(seenBy(plan.shapes.byKey, run.reading), [located.key]);
  if (row !== undefined && (await isReadable(plan, row.columns[1] ?? null, run.reading))) return toInstance(plan, row, run);
  throw error('dataflow-failed', { detail: `${path.join('.')} holds a ${plan.type} that is not stored, and so cannot be changed.` });
}

/** The event knows the instance as it is afterwards. */
export function keepPosted(path: readonly string[], changed: Value, run: Run): void {
  const around: Value = lookUp(path.slice(0, -1), run, []);
  if (isFields(around)) Object.assign(around, { [path.at(-1) ?? '']: changed });
}

/** Values of a run are its own, and may be changed. */
function isFields(value: Value): value is Fields {
  return isObject(value);
}

async function locatedIn(plan: EntityPlan, fields: Fields, run: Run): Promise<Located | undefined> {
  const path = fields[pathColumn];
  if (plan.contained && typeof path === 'string') return locatePath(plan, path, run);
  const given = fields[plan.identifier.name] ?? null;
  const id = given === null ? null : plan.identifier.parse(given, '', []);
  try {
    return id === null ? undefined : await locate({ in: { plan, under: undefined }, id }, readable(run.reading.tx, run.reading));
  } catch (thrown) {
    if (thrown instanceof PlatformError && thrown.code === 'instance-not-found') return undefined;
    throw thrown;
  }
}

/** The type of the attribute that the path leads to. */
function declaredType([event = '', ...names]: readonly string[], { reading: { plan } }: Run): TypeName | undefined {
  let attributes: readonly Attribute[] = plan.dataflows.events.get(event)?.attributes.map((each) => each.attribute) ?? [];
  let found: TypeName | undefined;
  for (const name of names) {
    const type = attributes.find((each) => each.name === name)?.type;
    found = type?.kind === 'record' ? type.record : undefined;
    const known = plan.model.records.get(found ?? '') ?? plan.model.entities.get(found ?? '');
    attributes = known?.attributes ?? [];
  }
  return found;
}
