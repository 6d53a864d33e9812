// The scalars: how values are read from a query and its variables. The engine checks them; here only their kind is looked at, and nothing is rounded.

import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { attributeTypes } from '../../model/types/types.ts';
import { ExactNumber } from '../../values/exact-number.ts';
import { decimalValue } from '../../values/json/number.ts';
import type { Value } from '../../values/value.ts';
import { limit } from './document.ts';

/** Answers are written by the store: nothing is serialized here. */
function scalar(name: string, description: string, read: (value: unknown) => Value | undefined): GraphQLScalarType {
  const parseValue = (value: unknown): Value => {
    const parsed = read(value);
    if (parsed === undefined) throw new GraphQLError(`${name} does not take this kind of value.`);
    return parsed;
  };
  return new GraphQLScalarType({
    name,
    description,
    parseValue,
    parseLiteral: (node, variables) => parseValue(literal(node, variables ?? {})),
  });
}

function literal(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  switch (node.kind) {
    case Kind.INT:
      return numberOf(digits(node.value));
    case Kind.FLOAT:
      return new ExactNumber(digits(node.value));
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.LIST:
      return node.values.map((each) => literal(each, variables));
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((each) => [each.name.value, literal(each.value, variables)]));
    case Kind.VARIABLE:
      return variables[node.name.value] ?? null;
    default:
      return null;
  }
}

/** As in JSON: reading a whole number costs the square of its length. */
const mostDigits = 1000;

function digits(text: string): string {
  if (text.length > mostDigits) throw limit('A number has at most 1,000 digits.');
  return text;
}

function numberOf(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const texts = (value: unknown): Value | undefined => (typeof value === 'string' ? value : undefined);

function whole(value: unknown): Value | undefined {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return value;
  return typeof value === 'string' && /^-?\d{1,1000}$/.test(value) ? numberOf(value) : undefined;
}

function decimal(value: unknown): Value | undefined {
  if (typeof value === 'string' || value instanceof ExactNumber || typeof value === 'bigint') return value;
  return typeof value === 'number' ? new ExactNumber(String(value)) : undefined;
}

function real(value: unknown): Value | undefined {
  if (value instanceof ExactNumber) return decimalValue(value.text) ?? value;
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

export const long = scalar('Long', 'A whole number of 64 bits; a text where it is beyond 2^53.', whole);
export const float = scalar('Float', 'A double.', real);
export const anything = scalar('JSON', 'Any value of JSON.', jsonValue);

/** By the names of the types of the model. */
export const scalars: ReadonlyMap<string, GraphQLScalarType> = new Map([
  ['Int', long],
  ['BigInteger', long],
  ['Float', float],
  ...attributeTypes.flatMap(({ name, form, column }): readonly (readonly [string, GraphQLScalarType])[] =>
    form === undefined ? [] : [[name, scalar(name, form, column === 'decimal' ? decimal : texts)]],
  ),
]);

/** Nothing where it is no value of JSON. */
export function jsonValue(value: unknown): Value | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return value;
  if (value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map((each) => jsonValue(each) ?? null);
  if (typeof value !== 'object') return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonValue(each) ?? null]));
}
