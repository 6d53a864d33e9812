// Whether a value can become that of an attribute. Only what can never fit is said not to.

import { ExactNumber } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';
import { choiceOf } from '../choice.ts';
import type { Attribute } from '../model.ts';
import type { Scalar } from '../pattern.ts';
import type { ColumnKind } from '../types/attribute-type.ts';
import { type AtomType, atomsOf, presentIn, type ValueType } from './value-type.ts';

/** `never`: no value of the type is taken; `only-null`: nothing but an absent one. */
export type Fit = 'fits' | 'only-null' | 'never';

export function fitOf(type: ValueType, attribute: Attribute): Fit {
  const atoms = atomsOf(type);
  if (atoms.length === 0 || atoms.some((each) => each.kind === 'unknown')) return 'fits';
  const takesNull = attribute.optional;
  const present = presentIn(type);
  if (present.some((each) => canBe(each, attribute))) return 'fits';
  const isNull = present.length < atoms.length;
  if (present.length === 0) return takesNull ? 'fits' : 'never';
  return isNull && takesNull ? 'only-null' : 'never';
}

function canBe(value: AtomType, attribute: Attribute): boolean {
  if (!attribute.list) return canBeOne(value, attribute);
  if (value.kind !== 'list') return value.kind === 'unknown';
  return value.items === undefined ? canBeSome(value.of, attribute) : value.items.every((each) => canBeSome(each, attribute));
}

/** An empty list fits whatever its elements would be. */
function canBeSome(type: ValueType, attribute: Attribute): boolean {
  const atoms = atomsOf(type);
  return atoms.length === 0 || atoms.some((each) => each.kind === 'unknown' || canBeOne(each, attribute));
}

const textual: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['text', 'uuid', 'datetime', 'date', 'time']);
const numeric: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['integer', 'real', 'decimal']);

export function isTextual({ type }: Attribute): boolean {
  return type.kind === 'plain' && textual.has(type.type.column);
}

export function isNumeric({ type }: Attribute): boolean {
  return type.kind === 'plain' && numeric.has(type.type.column);
}

export function isBoolean({ type }: Attribute): boolean {
  return type.kind === 'plain' && type.type.column === 'boolean';
}

function canBeOne(value: AtomType, attribute: Attribute): boolean {
  const { type } = attribute;
  const isObject = value.kind === 'map' || value.kind === 'instance';
  if (value.kind === 'unknown' || type.kind === 'record') return isObject || value.kind === 'unknown';
  // What is kept as JSON takes any value; a Map only one with keys.
  if (type.type.column === 'json') return isObject || type.type.name === 'Any';
  if (type.type.column === 'scalar') return !isObject && value.kind !== 'list';
  switch (value.kind) {
    case 'literal':
      return takesLiteral(value.value, attribute);
    case 'text':
      return value.sample === undefined ? isTextual(attribute) || type.type.column === 'decimal' : takesLiteral(value.sample, attribute);
    case 'number':
      return isNumeric(attribute);
    case 'boolean':
      return isBoolean(attribute);
    case 'attribute':
      return canBeAttribute(value.attribute, attribute);
    default:
      return false;
  }
}

export function haveSharedForm(from: Attribute, to: Attribute): boolean {
  const [one, other] = [formOf(from), formOf(to)];
  return one === undefined || other === undefined || one === other;
}

/** The name of its type, where that says what its texts look like. */
export function formOf({ type }: Attribute): string | undefined {
  return type.kind === 'plain' && textual.has(type.type.column) && type.type.form !== undefined ? type.type.name : undefined;
}

function canBeAttribute(from: Attribute, to: Attribute): boolean {
  if (from.values !== undefined) return from.values.some((each) => takesLiteral(each, to));
  if (isTextual(from)) return (isTextual(to) && haveSharedForm(from, to)) || (columnOf(to) === 'decimal' && formOf(from) === undefined);
  if (isBoolean(from)) return isBoolean(to);
  // A decimal is a text in answers, and where it has been one it may still be.
  return isNumeric(to) || (isTextual(to) && columnOf(from) === 'decimal' && formOf(to) === undefined && to.values === undefined);
}

export function columnOf({ type }: Attribute): ColumnKind {
  return type.kind === 'plain' ? type.type.column : 'json';
}

/** As a write checks it: by its type, and by what the attribute asks besides. */
export function takesLiteral(value: Exclude<Scalar, null>, attribute: Attribute): boolean {
  const { type, values, choices, facets } = attribute;
  if (values !== undefined) return typeof value === 'string' && values.includes(value);
  if (type.kind !== 'plain') return false;
  const kept = type.type.parse(plainValue(value, type.type.column));
  if (kept === undefined) return false;
  if (choices !== undefined && !choices.includes(choiceOf(kept, type))) return false;
  return facets.every(({ fits }) => fits === undefined || fits(kept));
}

/** Only decimals keep more digits than a double has. */
function plainValue(value: Exclude<Scalar, null>, column: ColumnKind): Value {
  if (!(value instanceof ExactNumber) || column === 'decimal') return value;
  return /^-?\d+$/.test(value.text) ? BigInt(value.text) : Number(value.text);
}
