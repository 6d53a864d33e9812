// Three calls to try, made from the model: create an instance, list the instances, read that one.

import type { Attribute, Entity, Model } from '../../model/model.ts';
import type { Value, Values } from '../../values/value.ts';

/** `curl` lines for the first entity that can be created on its own; none when there is no such entity. */
export function hints(model: Model, address: string, uuid: () => string): readonly string[] {
  const roots = [...model.entities.values()].filter((entity) => entity.system === undefined && isRoot(entity, model));
  const entity = roots.find((each) => !required(each.attributes).some((attribute) => pointsElsewhere(attribute))) ?? roots[0];
  if (entity === undefined) return [];
  const url = `${address}/${segment(entity.module)}/${segment(entity.local)}`;
  const body = bodyFor(entity, model, uuid);
  const id = body[entity.identifier.name];
  return [
    `curl ${url} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`,
    `curl ${url}`,
    `curl ${url}/${id === undefined ? '<id>' : segment(String(id))}`,
  ];
}

function isRoot(entity: Entity, model: Model): boolean {
  return ![...model.relationships.values()].some((each) => each.kind === 'contains' && each.child === entity.name);
}

function bodyFor(entity: Entity, model: Model, uuid: () => string): Values {
  const body: Record<string, Value> = {};
  for (const attribute of required(entity.attributes)) body[attribute.name] = sample(attribute, model, uuid, 0);
  const { name, default: initial, readonly: isFixed } = entity.identifier;
  // A generated identifier is named here, so that the third call can be pasted as it stands.
  return initial?.kind === 'uuid' && !name.startsWith('__') && !isFixed ? { [name]: uuid(), ...body } : body;
}

function required(attributes: readonly Attribute[]): readonly Attribute[] {
  return attributes.filter((each) => !each.optional && each.default === undefined && each.expression === undefined && !each.autoincrement);
}

function pointsElsewhere(attribute: Attribute): boolean {
  return attribute.ref !== undefined || attribute.oneOf !== undefined;
}

function sample(attribute: Attribute, model: Model, uuid: () => string, depth: number): Value {
  const one = sampleOne(attribute, model, uuid, depth);
  return attribute.list ? [one] : one;
}

function sampleOne(attribute: Attribute, model: Model, uuid: () => string, depth: number): Value {
  if (attribute.values?.[0] !== undefined) return attribute.values[0];
  if (attribute.type.kind === 'record') {
    const fields = depth > 4 ? [] : required(model.records.get(attribute.type.record)?.attributes ?? []);
    return Object.fromEntries(fields.map((field) => [field.name, sample(field, model, uuid, depth + 1)]));
  }
  const name = attribute.type.type.name;
  if (name === 'UUID') return uuid();
  // Another one at every start: the calls of yesterday must not be in the way of today's.
  if (name === 'String' && (attribute.identifier || attribute.unique)) return `${attribute.name}-${uuid().slice(-4)}`;
  return samples.get(name) ?? `A ${attribute.name}`;
}

const samples: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['Int', 1],
  ['Float', 1.5],
  ['Decimal', '9.90'],
  ['Boolean', true],
  ['Date', '2030-01-31'],
  ['Time', '09:30:00'],
  ['DateTime', '2030-01-31T09:30:00Z'],
  ['Email', 'ada@example.com'],
  ['URL', 'https://example.com/'],
  ['Password', 'correct horse battery'],
  ['Map', { key: 'value' }],
]);

function segment(text: string): string {
  return encodeURIComponent(text);
}

/** For a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
