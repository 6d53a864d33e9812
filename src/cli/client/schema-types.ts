// JSON Schema as TypeScript: what an answer holds and what a request takes, in the words of the generated client.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { Integers } from './runtime/integers.ts';

/** What a schema that others refer to is called. */
export type NameOf = (component: string) => string;

const reference = '#/components/schemas/';

export function componentOf({ $ref: ref }: JsonSchema): string | undefined {
  return typeof ref === 'string' && ref.startsWith(reference) ? ref.slice(reference.length) : undefined;
}

/** Every type of the generated file is one of `Int`, the type of integers. */
export function typeText(schema: JsonSchema, nameOf: NameOf): string {
  const named = componentOf(schema);
  if (named !== undefined) return `${nameOf(named)}<Int>`;
  const { enum: values, const: value, anyOf, oneOf, allOf, type } = schema;
  if (Array.isArray(values)) return union(values.map((each) => JSON.stringify(each)));
  if (value !== undefined) return JSON.stringify(value);
  const alternatives = schemasIn(anyOf) ?? schemasIn(oneOf);
  if (alternatives !== undefined) return union(alternatives.map((each) => typeText(each, nameOf)));
  const all = schemasIn(allOf);
  if (all !== undefined) return all.map((each) => typeText(each, nameOf)).join(' & ');
  if (Array.isArray(type)) return union(type.map((each) => typeText({ ...schema, type: each }, nameOf)));
  return plainType(schema, nameOf);
}

function plainType(schema: JsonSchema, nameOf: NameOf): string {
  switch (schema['type']) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema['type'];
    case 'integer':
      return 'Int';
    case 'array': {
      const items = schemaIn(schema['items']);
      return `readonly ${grouped(items === undefined ? 'unknown' : typeText(items, nameOf))}[]`;
    }
    case 'object':
      return objectType(schema, nameOf);
    default:
      return 'unknown';
  }
}

function objectType(schema: JsonSchema, nameOf: NameOf): string {
  const members = membersOf(schema);
  if (members.length === 0) return schema['additionalProperties'] === false ? 'Record<string, never>' : 'Readonly<Record<string, unknown>>';
  return `{ ${members.map((each) => memberText(each, nameOf)).join(' ')} }`;
}

export interface Member {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export function membersOf({ properties, required }: JsonSchema): readonly Member[] {
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return Object.entries(typeof properties === 'object' && properties !== null ? properties : {}).flatMap(([name, each]) => {
    const schema = schemaIn(each);
    return schema === undefined ? [] : [{ name, schema, isRequired: needed.has(name) }];
  });
}

export function memberText({ name, schema, isRequired }: Member, nameOf: NameOf): string {
  const { description } = schema;
  const comment = typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */ ` : '';
  return `${comment}readonly ${propertyName(name)}${isRequired ? '' : '?'}: ${typeText(schema, nameOf)};`;
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The components that a schema refers to. */
export function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  const schema = schemaIn(value);
  if (schema === undefined) return [];
  const named = componentOf(schema);
  return named === undefined ? Object.values(schema).flatMap(referencesIn) : [named];
}

/** Under which names of an object integers stand, and under which others objects that may hold some. */
export function integersIn(schema: JsonSchema): {
  readonly ints: NonNullable<Integers['ints']>;
  readonly parts: ReadonlyMap<string, string>;
} {
  const members = membersOf(schema);
  const parts = members.flatMap(({ name, schema: each }) => {
    const [only, ...others] = new Set(referencesIn(each));
    return only === undefined || others.length > 0 ? [] : [[name, only] as const];
  });
  return { ints: members.filter((each) => holdsInteger(each.schema)).map(({ name }) => name), parts: new Map(parts) };
}

/** Whether it is a whole number, or a list of them. */
export function holdsInteger(schema: JsonSchema): boolean {
  const { type, items, anyOf, oneOf } = schema;
  if (type === 'integer' || (Array.isArray(type) && type.includes('integer'))) return true;
  const single = schemaIn(items);
  if (single !== undefined && holdsInteger(single)) return true;
  return (schemasIn(anyOf) ?? schemasIn(oneOf) ?? []).some(holdsInteger);
}

/** Whether a list fits it; what says nothing takes everything. */
export function mayBeList(schema: JsonSchema): boolean {
  const { type, anyOf, oneOf, $ref: ref, const: value, enum: values } = schema;
  const alternatives = schemasIn(anyOf) ?? schemasIn(oneOf);
  if (alternatives !== undefined) return alternatives.some(mayBeList);
  if (type === undefined) return ref === undefined && value === undefined && values === undefined;
  return [type].flat().includes('array');
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function grouped(type: string): string {
  return /[|&]|^readonly /.test(type) ? `(${type})` : type;
}

function schemaIn(value: unknown): JsonSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function schemasIn(value: unknown): readonly JsonSchema[] | undefined {
  return Array.isArray(value) ? value.map(schemaIn).filter((each) => each !== undefined) : undefined;
}
