// What is known of an attribute, decided once: who gives its value, who sees it, what it may be, what its author says of it. Whatever tells
// somebody about a type (OpenAPI, GraphQL, MCP, tools of agents, `/platform/model`, hints, diagnostics, drafts) asks here.

import type { Value, Values } from '../values/value.ts';
import type { Facet } from './facets/facet.ts';
import type { Attribute, AttributeReference } from './model.ts';
import type { JsonSchema } from './types/attribute-type.ts';

/** Who makes an instance has to send it: nobody else gives a value. */
export function isRequired(attribute: Attribute): boolean {
  return mustBeGiven(attribute) && attribute.default === undefined;
}

/** There is no instance without a value of it, which the service does not work out by itself. */
export function mustBeGiven({ optional, expression, autoincrement }: Attribute): boolean {
  return !optional && expression === undefined && !autoincrement;
}

export function isComputed({ expression }: Attribute): boolean {
  return expression !== undefined;
}

/** A change may give it another value. */
export function isChangeable(attribute: Attribute): boolean {
  return !attribute.identifier && !attribute.readonly && !isComputed(attribute);
}

/** Neither kept as a hash nor write-only. */
export function isShown({ secret, writeonly }: Attribute): boolean {
  return !secret && !writeonly;
}

/** A time or a number that the service gives where nobody sends one. */
export function isFilledIn({ default: fallback, autoincrement }: Attribute): boolean {
  return fallback?.kind === 'now' || fallback?.kind === 'local-now' || autoincrement;
}

/** What its value must be the value of: `@ref`, `@oneof`. */
export function referenceOf({ ref, oneOf }: Attribute): AttributeReference | undefined {
  return ref ?? oneOf;
}

/** Of its type, without regard to what of it is allowed. */
export function typeNameOf({ type }: Pick<Attribute, 'type'>): string {
  return type.kind === 'record' ? type.record : type.type.name;
}

/** What the author of a model wrote about a part of it, and what annotations add to that. */
export function documentationOf({ comment, meta, facets = [] }: Documented): string | undefined {
  const text = comment ?? meta['documentation'] ?? meta['description'] ?? meta['comment'];
  const texts = [typeof text === 'string' ? text : undefined, ...facets.map(({ documentation }) => documentation)];
  const written = texts.filter((each) => each !== undefined);
  return written.length === 0 ? undefined : written.join(' ');
}

interface Documented {
  readonly comment?: string | undefined;
  readonly meta: Values;
  readonly facets?: readonly Facet[];
}

/** A single value of a plain type as JSON Schema: the schema of the type, and what `@enum` and other annotations leave of it. */
export function valueSchema(attribute: Attribute, side: 'answer' | 'request'): JsonSchema {
  const { type, values, choices, facets } = attribute;
  if (type.kind === 'record') return { type: 'object' };
  const { schema: answered, requestSchema: sent } = type.type;
  const schema = side === 'request' ? (sent ?? answered) : answered;
  if (values !== undefined) return { type: 'string', enum: values };
  if (choices?.every(isWritable) === true) return { enum: choices };
  if (facets.length === 0) return schema;
  return { ...schema, ...Object.fromEntries(facets.flatMap((each) => Object.entries(each.schema ?? {}))), ...schema };
}

/** An example of its type where its annotations allow that, else what they give as one. */
export function allowedExample({ facets, type }: Attribute, example: Value | undefined): Value | undefined {
  if (facets.length === 0 || type.kind === 'record') return example;
  const isAllowed = (each: Value): boolean =>
    facets.every(({ fits }) => fits === undefined || fits(each)) && type.type.parse(each) !== undefined;
  return [example, ...facets.map((each) => each.example?.())].find((each) => each !== undefined && isAllowed(each));
}

/** JSON Schema has no word for a number that JavaScript cannot write. */
export function isWritable(value: Value): boolean {
  if (typeof value === 'bigint') return false;
  return typeof value !== 'object' || value === null || Object.values(value).every(isWritable);
}
