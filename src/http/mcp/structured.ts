// The JSON of an answer as a client reads it that knows the schema of the tool.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { ExactNumber } from '../../values/exact-number.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

/** A whole number that JavaScript cannot hold is a text, never another number; what is a double is a number, however large. */
export function structured(json: string, schema: JsonSchema): Record<string, unknown> {
  const all = alternatives(schema, schema);
  return Object.fromEntries(
    Object.entries(parseStored(json)).map(([name, value]) => [name, jsonValue(value, membersOf(all, name, schema), schema)]),
  );
}

function jsonValue(value: Value, schemas: readonly JsonSchema[], root: JsonSchema): unknown {
  if (typeof value === 'bigint') return isDouble(schemas) ? Number(value) : String(value);
  if (value instanceof ExactNumber) return isDouble(schemas) ? Number(value.text) : value.text;
  if (Array.isArray(value)) {
    const items = schemas.flatMap((each) => alternatives(each['items'], root));
    return value.map((each) => jsonValue(each, items, root));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonValue(each, membersOf(schemas, name, root), root)]));
}

function isDouble(schemas: readonly JsonSchema[]): boolean {
  const types = schemas.flatMap((each) => [each['type']].flat());
  return types.includes('number') && !types.includes('integer') && !types.includes('string');
}

function membersOf(schemas: readonly JsonSchema[], name: string, root: JsonSchema): readonly JsonSchema[] {
  return schemas.flatMap(({ properties }) => (isSchema(properties) ? alternatives(properties[name], root) : []));
}

/** A schema without references, and each of those that it offers. */
function alternatives(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  if (!isSchema(schema)) return [];
  const { $ref: reference, anyOf, allOf } = schema;
  if (typeof reference === 'string') {
    const { $defs: definitions } = root;
    return isSchema(definitions) ? alternatives(definitions[reference.slice(reference.lastIndexOf('/') + 1)], root) : [];
  }
  const inner = [anyOf, allOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return [schema, ...inner.flatMap((each) => alternatives(each, root))];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
