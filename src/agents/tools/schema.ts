// Attributes as JSON Schema, as language models are shown them: no references, every record written out, and nothing secret.

import { type Attribute, columnKind, type Model } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';

export type Properties = Record<string, JsonSchema>;

/** Records may contain themselves: below this depth any object does. */
const deepest = 4;

/** Neither kept as a hash nor write-only: what is secret comes into no prompt, and a model makes none up. */
export function isOpen({ secret, writeonly }: Attribute): boolean {
  return !secret && !writeonly;
}

/** What a client may set, and the service does not fill in by itself. */
export function isSettable(attribute: Attribute): boolean {
  const { expression, autoincrement, default: fallback } = attribute;
  const isFilled = fallback?.kind === 'now' || fallback?.kind === 'local-now' || autoincrement;
  return isOpen(attribute) && expression === undefined && !isFilled;
}

export function isRequired({ optional, default: fallback }: Attribute): boolean {
  return !optional && fallback === undefined;
}

/** What can be compared by equality. */
export function isComparable(attribute: Attribute): boolean {
  const kind = columnKind(attribute);
  return isOpen(attribute) && !attribute.list && kind !== undefined && kind !== 'json';
}

export function objectSchema(properties: Properties, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

export function attributesSchema(attributes: readonly Attribute[], model: Model, depth = 0): JsonSchema {
  const shown = attributes.filter(isSettable);
  return objectSchema(
    Object.fromEntries(shown.map((each) => [each.name, attributeSchema(each, model, depth)])),
    shown.filter(isRequired).map((each) => each.name),
  );
}

export function attributeSchema(attribute: Attribute, model: Model, depth = 0): JsonSchema {
  const single = narrowed(singleSchema(attribute, model, depth), attribute);
  const schema = attribute.list ? { type: 'array', items: single } : single;
  const description = attribute.comment ?? textOf(attribute.meta['description']) ?? textOf(attribute.meta['documentation']);
  return description === undefined ? schema : { ...schema, description };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function singleSchema({ type }: Attribute, model: Model, depth: number): JsonSchema {
  if (type.kind === 'plain') return type.type.requestSchema ?? type.type.schema;
  const attributes = (model.records.get(type.record) ?? model.entities.get(type.record))?.attributes;
  return attributes === undefined || depth >= deepest ? { type: 'object' } : attributesSchema(attributes, model, depth + 1);
}

function narrowed(schema: JsonSchema, { values, choices, format }: Attribute): JsonSchema {
  const allowed = values ?? choices;
  if (allowed !== undefined) return { ...schema, enum: allowed };
  return format === undefined ? schema : { ...schema, pattern: `^(?:${format})$` };
}
