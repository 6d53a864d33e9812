// Attributes as JSON Schema: of an answer, of a request, and of a query parameter.

import type { Attribute } from '../../../model/model.ts';
import type { JsonSchema } from '../../../model/types/attribute-type.ts';
import { maxListItems } from '../../../plan/rows/attribute.ts';
import type { Value, Values } from '../../../values/value.ts';
import type { Reference } from '../components.ts';

export type Properties = Record<string, JsonSchema>;

/** How a record is referred to. */
export type RecordSchema = (record: string) => Reference;

export function answerSchema(attribute: Attribute, recordOf: RecordSchema): JsonSchema {
  const single = singleSchema(attribute, recordOf, 'answer');
  const schema = attribute.list ? { type: 'array', items: single } : single;
  return described(attribute.optional ? nullable(schema) : schema, describe(attribute));
}

export function requestSchema(attribute: Attribute, recordOf: RecordSchema): JsonSchema {
  const single = singleSchema(attribute, recordOf, 'request');
  const schema = attribute.list ? { type: 'array', items: single, maxItems: maxListItems } : single;
  const allowed = attribute.optional ? nullable(schema) : schema;
  return described(attribute.secret || attribute.writeonly ? beside(allowed, { writeOnly: true }) : allowed, describe(attribute));
}

/** As `requestSchema`, with what stands in its place when it is left out. */
export function createSchema(attribute: Attribute, recordOf: RecordSchema): JsonSchema {
  const schema = requestSchema(attribute, recordOf);
  const fallback = attribute.default;
  switch (fallback?.kind) {
    case 'value':
      // JSON Schema has no word for a number that JavaScript cannot write; then the default is left unsaid.
      return isWritable(fallback.value) && !attribute.secret && !attribute.writeonly ? beside(schema, { default: fallback.value }) : schema;
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
export function textSchema(attribute: Attribute): JsonSchema | undefined {
  if (attribute.list || attribute.type.kind === 'record' || attribute.type.type.column === 'json') return undefined;
  return narrowed(attribute.type.type.schema, attribute);
}

export function isRequired(attribute: Attribute): boolean {
  return !attribute.optional && attribute.default === undefined && attribute.expression === undefined && !attribute.autoincrement;
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

/** What the author of a model wrote about a part of it. */
export function documentation(meta: Values): string | undefined {
  const text = meta['documentation'] ?? meta['description'] ?? meta['comment'];
  return typeof text === 'string' ? text : undefined;
}

function describe(attribute: Attribute): string {
  const target = attribute.ref ?? attribute.oneOf;
  const parts = [
    attribute.comment ?? documentation(attribute.meta),
    target === undefined ? undefined : `The \`${target.attribute}\` of an existing \`${target.entity}\`.`,
    attribute.unique ? 'Unique.' : undefined,
    attribute.expression === undefined ? undefined : 'Computed.',
    attribute.readonly ? 'Set on create only.' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(' ');
}

function singleSchema(attribute: Attribute, recordOf: RecordSchema, side: 'answer' | 'request'): JsonSchema {
  if (attribute.type.kind === 'record') return { ...recordOf(attribute.type.record) };
  const { schema, requestSchema: sent } = attribute.type.type;
  return narrowed(side === 'request' ? (sent ?? schema) : schema, attribute);
}

/** What `@enum` and `@format` leave of the values of a type. */
function narrowed(schema: JsonSchema, { values, choices, format }: Attribute): JsonSchema {
  if (values !== undefined) return { type: 'string', enum: values };
  if (choices?.every(isWritable) === true) return { enum: choices };
  return format === undefined || 'pattern' in schema ? schema : { ...schema, pattern: `^(?:${format})$` };
}

function isWritable(value: Value): boolean {
  if (typeof value === 'bigint') return false;
  return typeof value !== 'object' || value === null || Object.values(value).every(isWritable);
}
