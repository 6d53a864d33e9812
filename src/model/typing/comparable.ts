// Whether two values can be equal, or one before the other. Only what can never be is said not to: comparisons go by the declared type.

import { ExactNumber } from '../../values/exact-number.ts';
import type { Attribute } from '../model.ts';
import type { BinaryOperator, Scalar } from '../pattern.ts';
import { decimal } from '../types/number/decimal.ts';
import { date } from '../types/time/date.ts';
import { datetime } from '../types/time/datetime.ts';
import { formOf, haveSharedForm, isBoolean, isNumeric, isTextual, takesLiteral } from './fits.ts';
import { type AtomType, atomsOf, presentIn, type ValueType } from './value-type.ts';

export function canCompare(left: ValueType, right: ValueType, operator: BinaryOperator): boolean {
  const [lefts, rights] = [presentIn(left), presentIn(right)];
  // Being absent is always asked for on purpose.
  if (lefts.length < atomsOf(left).length && rights.length < atomsOf(right).length) return true;
  if (lefts.length === 0 || rights.length === 0) return true;
  return lefts.some((one) => rights.some((other) => canMeet(one, other, operator)));
}

function canMeet(one: AtomType, other: AtomType, operator: BinaryOperator): boolean {
  if (one.kind === 'attribute' && other.kind === 'literal') return meetsLiteral(one.attribute, other.value, operator);
  if (one.kind === 'literal' && other.kind === 'attribute') return meetsLiteral(other.attribute, one.value, operator);
  // What a constant condition is for, its author knows.
  if (one.kind === 'literal' && other.kind === 'literal') return true;
  if (one.kind === 'attribute' && other.kind === 'attribute') return attributesMeet(one.attribute, other.attribute, operator);
  const [first, second] = [kindOf(one), kindOf(other)];
  if (first === 'other' || second === 'other' || first === second) return true;
  // A text is read as the number that it is compared with.
  return first !== 'boolean' && second !== 'boolean' && first !== 'form' && second !== 'form';
}

/** `form`: a text that is never a number. */
export function kindOf(atom: AtomType): 'text' | 'number' | 'boolean' | 'form' | 'other' {
  switch (atom.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return atom.kind;
    case 'literal':
      return typeof atom.value === 'string' ? 'text' : typeof atom.value === 'boolean' ? 'boolean' : 'number';
    case 'attribute':
      if (isNumeric(atom.attribute)) return 'number';
      if (isBoolean(atom.attribute)) return 'boolean';
      return isTextual(atom.attribute) ? 'text' : 'other';
    default:
      return 'other';
  }
}

function attributesMeet(one: Attribute, other: Attribute, operator: BinaryOperator): boolean {
  const isEquality = operator === '==' || operator === 'in';
  if (one.values !== undefined && other.values !== undefined && isEquality)
    return one.values.some((each) => other.values?.includes(each) === true);
  if (isTextual(one) && isTextual(other)) return haveSharedForm(one, other) || (isDay(one) && isDay(other));
  if (isNumeric(one) && isNumeric(other)) return true;
  if (isBoolean(one) || isBoolean(other)) return isBoolean(one) && isBoolean(other);
  return formOf(one) === undefined && formOf(other) === undefined;
}

/** A date and a moment are compared by what they mean. */
function isDay(attribute: Attribute): boolean {
  return ['Date', 'DateTime'].includes(formOf(attribute) ?? '');
}

const equalities: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>(['==', '!=', 'in']);

function meetsLiteral(attribute: Attribute, value: Exclude<Scalar, null>, operator: BinaryOperator): boolean {
  const isEquality = equalities.has(operator);
  if (operator === 'like') return typeof value === 'string';
  if (typeof value === 'boolean') return isBoolean(attribute);
  if (isBoolean(attribute)) return value === 'true' || value === 'false';
  if (isNumeric(attribute)) return meetsNumber(attribute, value, isEquality);
  if (!isTextual(attribute)) return true;
  const form = formOf(attribute);
  if (typeof value !== 'string') return form === undefined && attribute.values === undefined;
  if (form === 'Date' || form === 'DateTime') return date.parseText(value) !== undefined || datetime.parseText(value) !== undefined;
  if (form === 'UUID' || form === 'Time') return takesLiteral(value, attribute);
  return !isEquality || takesLiteral(value, attribute);
}

/** Also a text that reads as a number, and a fraction between whole ones. */
function meetsNumber(attribute: Attribute, value: Exclude<Scalar, boolean | null>, isEquality: boolean): boolean {
  const kept = value instanceof ExactNumber || typeof value !== 'string' ? decimal.parse(value) : decimal.parseText(value.trim());
  if (kept === undefined) return false;
  if (attribute.choices === undefined || !isEquality || typeof kept !== 'string') return true;
  return takesLiteral(attribute.type.kind === 'plain' && attribute.type.type.column === 'decimal' ? kept : Number(kept), attribute);
}
