// Attributes as JSON Schema, as language models are shown them: no references, every record written out, and nothing secret.

import { documentationOf, isComputed, isFilledIn, isRequired, isShown, valueSchema } from '../../model/description.ts';
import { type Attribute, columnKind, type Model } from '../../model/model.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';

export type Properties = Record<string, JsonSchema>;

/** Records may contain themselves: below this depth any object does. */
const deepest = 4;

/** What a client may set, and the service does not fill in by itself. What is secret comes into no prompt, and a model makes none up. */
export function isSettable(attribute: Attribute): boolean {
  return isShown(attribute) && !isComputed(attribute) && !isFilledIn(attribute);
}

/** What can be compared by equality. */
export function isComparable(attribute: Attribute): boolean {
  const kind = columnKind(attribute);
  return isShown(attribute) && !attribute.list && kind !== undefined && kind !== 'json';
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
  const single = singleSchema(attribute, model, depth);
  const schema = attribute.list ? { type: 'array', items: single } : single;
  const description = documentationOf(attribute);
  return description === undefined ? schema : { ...schema, description };
}

function singleSchema(attribute: Attribute, model: Model, depth: number): JsonSchema {
  const { type } = attribute;
  // Vendors want a type as well as the values that are allowed.
  if (type.kind === 'plain') return { ...(type.type.requestSchema ?? type.type.schema), ...valueSchema(attribute, 'request') };
  const attributes = (model.records.get(type.record) ?? model.entities.get(type.record))?.attributes;
  return attributes === undefined || depth >= deepest ? { type: 'object' } : attributesSchema(attributes, model, depth + 1);
}
