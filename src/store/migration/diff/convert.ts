// Values of one attribute type as values of another, where nothing is lost by it. Pure.

import type { AttributeType } from '../../../model/types/attribute-type.ts';
import { scalar } from '../../../model/types/scalar.ts';
import { findAttributeType } from '../../../model/types/types.ts';
import type { Column } from '../../../plan/rows/table.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import { writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';

/** `undefined` for a value that does not fit. */
export type Convert = (value: Value) => Value | undefined;

/** Whether every value of the old type is one of the new type, kept in the same way. */
export function isWider(old: Column, column: Column): boolean {
  if (old.kind !== column.kind) return false;
  if (old.type === column.type || old.type === undefined || column.type === undefined) return true;
  if (old.type.startsWith('secret') || column.type.startsWith('secret')) return false;
  // A record under another name.
  if (old.shape !== undefined && old.shape === column.shape) return old.type.endsWith('[]') === column.type.endsWith('[]');
  if (column.type === 'String') return column.kind === 'text';
  return column.type === 'Any' || (column.type === 'Map' && isRecord(old.type) && !old.type.endsWith('[]'));
}

/** Whether stored values become others: a text that must be an address now stays as it is, a number in a list that holds texts does not. */
export function isKeptOtherwise(old: Column, column: Column): boolean {
  return old.kind !== column.kind || (column.kind === 'json' && old.type !== column.type && !isWider(old, column));
}

/** Nothing where no value of the one type can be one of the other: a hash is not the secret, and a record has rules of its own. */
export function conversion(old: Column, column: Column): Convert | undefined {
  if (isWider(old, column)) return (value) => value;
  const from = old.type ?? old.kind;
  const to = column.type ?? column.kind;
  if (from.startsWith('secret') || to.startsWith('secret')) return undefined;
  const one = single(to.replace(/\[\]$/, ''), column);
  if (one === undefined) return undefined;
  if (to.endsWith('[]')) return (value) => all(Array.isArray(value) ? value : [value], one);
  if (to === 'Any' || !from.endsWith('[]')) return one;
  return (value) => (Array.isArray(value) && value.length === 1 ? one(value[0] ?? null) : undefined);
}

function all(values: readonly Value[], one: Convert): Value | undefined {
  const converted = values.map(one);
  return converted.includes(undefined) ? undefined : converted.map((each) => each ?? null);
}

function single(name: string, { values, kind }: Column): Convert | undefined {
  if (isRecord(name)) return undefined;
  const type = kind === 'scalar' ? scalar : (findAttributeType(name) ?? byKind.get(name));
  if (type === undefined) return undefined;
  if (type.name === 'String') return (value) => allowed(textOf(value), values);
  return (value) => {
    const parsed = type.parse(value) ?? fromText(value, type);
    return parsed === undefined || !isSame(value, parsed) ? undefined : allowed(parsed, values);
  };
}

/** Columns of the service's own say only how they are kept. */
const byKind: ReadonlyMap<string, AttributeType | undefined> = new Map([
  ['text', findAttributeType('String')],
  ['integer', findAttributeType('Int')],
  ['real', findAttributeType('Float')],
  ['decimal', findAttributeType('Decimal')],
  ['boolean', findAttributeType('Boolean')],
  ['uuid', findAttributeType('UUID')],
  ['datetime', findAttributeType('DateTime')],
  ['date', findAttributeType('Date')],
  ['time', findAttributeType('Time')],
  ['json', findAttributeType('Any')],
]);

function allowed(value: Value, values: readonly string[] | undefined): Value | undefined {
  return values === undefined || (typeof value === 'string' && values.includes(value)) ? value : undefined;
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : writeJson(value);
}

function fromText(value: Value, type: AttributeType): Value | undefined {
  if (typeof value === 'object' && !(value instanceof ExactNumber)) return undefined;
  const text = textOf(value);
  // The decimal `3.00` is an integer.
  return type.parseText(text) ?? (type.column === 'integer' ? type.parseText(text.replace(/\.0+$/, '')) : undefined);
}

/** A number stays the number it was: nothing is rounded. */
function isSame(value: Value, parsed: Value): boolean {
  if (typeof parsed !== 'number') return true;
  const [before, after] = [plainNumber(textOf(value)), plainNumber(String(parsed))];
  return before === after;
}

/** Digits without what makes no difference: `7.50` and `7.5` are the same. */
function plainNumber(text: string): string {
  const decimal = findAttributeType('Decimal')?.parse(text);
  if (typeof decimal !== 'string') return text;
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

function isRecord(type: string): boolean {
  return type.includes('/');
}
