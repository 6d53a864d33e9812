// The events that every entity of the earlier surface has: `Create_E`, `Update_E`, `Delete_E`, `Lookup_E`, `LookupAll_E`.

import type { Address, Collection } from '../../../engine/operation.ts';
import { entriesOnlyRead, error, FaultList } from '../../../errors.ts';
import { columnKind } from '../../../model/model.ts';
import { scalarSegment } from '../../../model/types/scalar.ts';
import type { AttributePlan, EntityPlan, Plan } from '../../../plan/plan.ts';
import type { View } from '../../../plan/query/selection.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import { segment } from '../../../plan/rows/keys.ts';
import { pathColumn } from '../../../plan/rows/tables.ts';
import { writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { resourceOf } from '../path.ts';
import { listQuery } from '../query/query.ts';
import type { Asked } from '../surface.ts';

export interface GeneratedEvent {
  readonly verb: string;
  readonly plan: EntityPlan;
  readonly name: string;
}

/** A name that the model gives to something of its own is that. */
export function generatedEvent(plan: Plan, component: string, name: string): GeneratedEvent | undefined {
  if (plan.earlierNames.get(component)?.has(name) === true) return undefined;
  const [, verb = '', local = ''] = /^(Create|Update|Delete|LookupAll|Lookup)_(.+)$/.exec(name) ?? [];
  const target = plan.earlierNames.get(component)?.get(local);
  if (target?.kind !== 'entity') return undefined;
  if (target.plan.readOnly && !verb.startsWith('Lookup')) {
    // Nobody ever writes these, which is worth saying; what is only closed while nobody is known is not there.
    if (target.plan.isAppendOnly) throw entriesOnlyRead();
    return undefined;
  }
  return { verb, plan: target.plan, name: `${component}/${name}` };
}

export function generatedCall(plan: Plan, { verb, plan: entity, name }: GeneratedEvent, body: Value, view: View): Asked {
  const attributes = isObject(body) ? body[name] : undefined;
  if (!isObject(attributes)) throw error('body-invalid', { detail: `The body must be an object keyed ${name}.` });
  switch (verb) {
    case 'Create': {
      const operation = { kind: 'create', at: collectionOf(plan, entity, attributes), body: instanceIn(entity, attributes) } as const;
      return { kind: 'operation', operation, generated: 'made' };
    }
    case 'Update': {
      const operation = {
        kind: 'update',
        at: addressOf(plan, entity, attributes),
        body: attributes['Data'] ?? null,
        versions: undefined,
      } as const;
      return { kind: 'operation', operation, generated: 'changed' };
    }
    case 'Delete':
      return {
        kind: 'operation',
        operation: { kind: 'delete', at: addressOf(plan, entity, attributes), versions: undefined },
        generated: 'changed',
      };
    default:
      return lookUp(entity, attributes, verb === 'Lookup', view);
  }
}

type Attributes = { readonly [name: string]: Value };

/** Flat, or under the name of its type. */
function instanceIn(entity: EntityPlan, attributes: Attributes): Value {
  const instance = attributes['Instance'];
  if (!isObject(instance)) throw error('body-invalid', { detail: 'Instance must be an object of attributes.' });
  const keyed = instance[entity.type];
  return isObject(keyed) && Object.keys(instance).length === 1 ? keyed : instance;
}

/** `/Department/101/WorksFor`, or the same in the form of a `__path__`. */
function collectionOf(plan: Plan, entity: EntityPlan, attributes: Attributes): Collection {
  const path = attributes[pathColumn];
  if (typeof path !== 'string') return { plan: entity, under: undefined };
  const place = resourceOf(plan.earlierNames, [...segmentsIn(path, entity), segment(entity.type)]);
  if (place.kind !== 'collection') throw error('instance-not-found');
  return place.collection;
}

function addressOf(plan: Plan, entity: EntityPlan, attributes: Attributes): Address {
  const path = attributes[pathColumn];
  if (typeof path === 'string') {
    const place = resourceOf(plan.earlierNames, segmentsIn(path, entity));
    if (place.kind === 'instance') return place.address;
    throw error('instance-not-found');
  }
  const id = given(entity.identifier, attributes);
  const guid = entity.guid === undefined ? null : given(entity.guid, attributes);
  if (id === null && guid === null) throw error('instance-not-found');
  return { in: { plan: entity, under: undefined }, id, guid: guid ?? undefined };
}

function given({ name, parse }: AttributePlan, attributes: Attributes): Value {
  const value = attributes[name] ?? null;
  const faults = new FaultList();
  const parsed = value === null ? null : parse(value, name, faults);
  if (faults.length > 0) throw error('instance-not-found');
  return parsed;
}

function segmentsIn(path: string, entity: EntityPlan): readonly string[] {
  const [first = '', ...rest] = path
    .replace(/^path:\/\//, '')
    .replace(/^\//, '')
    .split('/')
    .map(decoded);
  const dollar = first.indexOf('$');
  const root = dollar === -1 ? [entity.type.slice(0, entity.type.indexOf('/')), first] : [first.slice(0, dollar), first.slice(dollar + 1)];
  return [...root, ...rest];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw error('instance-not-found');
  }
}

/** A value of an attribute as a query string has it. */
function textIn({ attribute }: EntityPlan, name: string, value: Value): string {
  const known = attribute.get(name);
  if (known !== undefined && columnKind(known.attribute) === 'scalar') return scalarSegment(value);
  return typeof value === 'object' && value !== null ? writeJson(value) : String(value);
}

function lookUp(entity: EntityPlan, attributes: Attributes, isOne: boolean, view: View): Asked {
  const path = attributes[pathColumn];
  const guid = entity.guid !== undefined && attributes[entity.guid.name] !== undefined ? entity.guid : undefined;
  const name = typeof path === 'string' ? pathColumn : (guid ?? entity.identifier).name;
  const value = attributes[name];
  const operator = typeof value === 'string' && name === pathColumn && value.endsWith('%') ? '[like]' : '';
  const asks = isOne || name === pathColumn;
  if (isOne && value === undefined) throw error('body-invalid', { detail: `${name} is missing.` });
  const text = textIn(entity, name, value ?? null);
  const query = asks ? `${encodeURIComponent(name)}${operator}=${encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))}` : '';
  const at = { plan: entity, under: undefined };
  return { kind: 'operation', operation: { kind: 'list', at, query: listQuery(entity, query, { page: undefined }, view) } };
}
