// Attributes as JSON Schema: of an answer, of a request, and of a query parameter.

import { isWritable, valueSchema } from '../../../model/description.ts';
import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import type { AttributeDescription } from '../../../plan/description/description.ts';
import { maxListItems } from '../../../plan/rows/attribute.ts';
import type { Reference } from '../components.ts';

export type Properties = Record<string, JsonSchema>;

/** How a record is referred to. */
export type RecordSchema = (record: string) => Reference;

export function answerSchema(attribute: AttributeDescription, recordOf: RecordSchema): JsonSchema {
  const single = singleSchema(attribute, recordOf, 'answer');
  const schema = attribute.list ? { type: 'array', items: single } : single;
  return described(attribute.optional ? nullable(schema) : schema, describe(attribute));
}

export function requestSchema(attribute: AttributeDescription, recordOf: RecordSchema): JsonSchema {
  const single = singleSchema(attribute, recordOf, 'request');
  const schema = attribute.list ? { type: 'array', items: single, maxItems: maxListItems } : single;
  const allowed = attribute.optional ? nullable(schema) : schema;
  return described(attribute.readable ? allowed : beside(allowed, { writeOnly: true }), describe(attribute));
}

/** As `requestSchema`, with what stands in its place when it is left out. */
export function createSchema(attribute: AttributeDescription, recordOf: RecordSchema): JsonSchema {
  const schema = requestSchema(attribute, recordOf);
  const fallback = attribute.default;
  switch (fallback?.kind) {
    case 'value':
      return isWritable(fallback.value) && attribute.readable ? beside(schema, { default: fallback.value }) : schema;
    case 'uuid':
      return described(schema, 'Generated when absent.');
    case 'now':
    case 'local-now':
      return described(schema, 'The current time when absent.');
    case 'autoincrement':
      return described(schema, 'Counts up when absent.');
    case 'function':
      return described(schema, 'Filled in when absent.');
    default:
      return schema;
  }
}

/** A value in a path or a query; a list or record has no form there. */
export function textSchema(attribute: AttributeDescription): JsonSchema | undefined {
  return attribute.list ? undefined : itemSchema(attribute);
}

/** The same of one item of a list. */
export function itemSchema({ kind, attribute }: AttributeDescription): JsonSchema | undefined {
  return kind === 'record' || kind === 'json' ? undefined : valueSchema(attribute, 'answer');
}

export function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema;
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

/** What stands beside a `$ref` is not read by every tool, so a reference moves one level down. */
export function beside(schema: JsonSchema, further: JsonSchema): JsonSchema {
  return '$ref' in schema ? { allOf: [schema], ...further } : { ...schema, ...further };
}

/** Adds to the description. */
export function described(schema: JsonSchema, text: string | undefined): JsonSchema {
  if (text === undefined || text === '') return schema;
  const { description } = schema;
  return beside(schema, { description: typeof description === 'string' ? `${description} ${text}` : text });
}

/** With a value that fits it, where one is known. */
export function withExample(schema: JsonSchema, example: unknown): JsonSchema {
  return example === undefined ? schema : { ...schema, examples: [example] };
}

/** An object that has no other members. */
export function closedObject(properties: Readonly<Properties>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

function describe({ documentation, reference, unique, computed, setOnce, ruled }: AttributeDescription): string {
  const parts = [
    documentation,
    reference === undefined ? undefined : `The \`${reference.attribute}\` of an existing \`${reference.entity}\`.`,
    unique ? 'Unique.' : undefined,
    computed ? 'Computed.' : undefined,
    setOnce ? 'Set on create only.' : undefined,
    ruled ? 'Not everybody may see and set it.' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(' ');
}

function singleSchema({ record, attribute }: AttributeDescription, recordOf: RecordSchema, side: 'answer' | 'request'): JsonSchema {
  return record === undefined ? valueSchema(attribute, side) : { ...recordOf(record) };
}
