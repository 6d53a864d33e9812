// What is told of a value: that it can never be that of an attribute, or never equal to what it is compared with.

import { type DiagnosticCode, nearest } from '../../diagnostics.ts';
import { isRequired } from '../description.ts';
import { didYouMean } from '../fault-report.ts';
import { type Attribute, localOf, type TypeName } from '../model.ts';
import type { BinaryOperator, Expression, MapExpression } from '../pattern.ts';
import { canCompare, kindOf } from './comparable.ts';
import { columnOf, fitOf } from './fits.ts';
import type { Scope, Typing } from './scope.ts';
import {
  type AtomType,
  atomsOf,
  describe,
  elementOf,
  expectationOf,
  isComputedDouble,
  mismatch,
  presentIn,
  type ValueType,
} from './value-type.ts';

/** Where the value is written, and of which attribute of which type it is to be the value. */
export interface Assigned {
  readonly value: Expression;
  readonly type: ValueType;
  readonly attribute: Attribute;
  readonly owner: TypeName;
}

export function checkAssigned(assigned: Assigned, scope: Scope, typing: Typing): void {
  const { value, type, attribute, owner } = assigned;
  const { events } = typing.model;
  // An event takes an instance for any of its attributes.
  if (events.has(owner) && atomsOf(type).some((each) => each.kind === 'instance' || each.kind === 'list')) return;
  if (value.kind === 'map' && attribute.type.kind === 'record' && !attribute.list) {
    checkRecord(value, type, attribute.type.record, scope, typing);
    return;
  }
  if (value.kind === 'list' && attribute.list && type.kind === 'list') {
    const single = { ...attribute, list: false, optional: false };
    for (const [index, each] of value.items.entries()) {
      const item = type.items?.[index];
      if (item !== undefined) checkAssigned({ value: each, type: item, attribute: single, owner }, scope, typing);
    }
    return;
  }
  const fit = fitOf(type, attribute);
  if (fit === 'fits') {
    checkExact(assigned, typing);
    return;
  }
  const message = `\`${attribute.name}\` of \`${localOf(owner)}\` must be ${expectationOf(attribute)}${mismatch(type)}`;
  const isCertain = fit === 'never' && !scope.caught;
  typing.tell(isCertain ? 'value-type' : 'value-unlikely', value.span, message, suggestionFor(type, attribute, value, typing));
}

/** Amounts that are off by a cent are found late. */
function checkExact({ value, type, attribute, owner }: Assigned, typing: Typing): void {
  const isExact = attribute.type.kind === 'plain' && attribute.type.type.column === 'decimal';
  if (!isExact || !isComputedDouble(type)) return;
  const name = `\`${attribute.name}\` of \`${localOf(owner)}\``;
  typing.tell('value-inexact', value.span, `${name} is exact, and a Float makes this a double`, 'make the Float a Decimal');
}

function suggestionFor(type: ValueType, attribute: Attribute, value: Expression, typing: Typing): string | undefined {
  const [only, ...others] = presentIn(type);
  if (only === undefined || others.length > 0) return undefined;
  if (only.kind === 'literal' && typeof only.value === 'string') {
    const near = nearest(only.value, attribute.values ?? []);
    if (near !== undefined) return didYouMean(near);
    const isQuoted = attribute.type.kind === 'plain' && attribute.values === undefined && isOtherKind(only.value, attribute);
    return isQuoted ? `write \`${only.value}\`` : undefined;
  }
  const element = only.kind === 'list' && presentIn(only.of).length === 1 ? presentIn(only.of)[0] : only;
  if (element?.kind !== 'instance' || value.kind !== 'reference' || attribute.type.kind !== 'plain') return undefined;
  const identifier = typing.model.entities.get(element.type)?.identifier.name;
  return identifier === undefined ? undefined : didYouMean(`${value.path.join('.')}.${identifier}`);
}

/** A number or a truth value between quotes. */
function isOtherKind(text: string, { type }: Attribute): boolean {
  return type.kind === 'plain' && ['integer', 'real', 'boolean'].includes(type.type.column) && type.type.parseText(text) !== undefined;
}

/** A map that is written in the place of a record: its keys are attributes. */
function checkRecord(map: MapExpression, type: ValueType, record: TypeName, scope: Scope, typing: Typing): void {
  if (type.kind !== 'map') return;
  const attributes = typing.attributes(record);
  // What names its own type is checked as that.
  const isNamed = map.entries.some(({ key }) => String(key.value).includes('/') || String(key.value).startsWith('__'));
  if (isNamed || attributes.size === 0) return;
  for (const { key, value } of map.entries) {
    const name = String(key.value);
    const attribute = attributes.get(name);
    const given = type.fields.get(name);
    if (attribute !== undefined && given !== undefined) checkAssigned({ value, type: given, attribute, owner: record }, scope, typing);
    else if (attribute === undefined)
      typing.unknownName(key.span, `\`${localOf(record)}\` has no attribute \`${name}\``, name, attributes.keys());
  }
  if (map.entries.every(({ key }) => attributes.has(String(key.value))))
    checkComplete(record, new Set(map.entries.map(({ key }) => String(key.value))), map.span, scope, typing);
}

/** What must be there and is filled in by nobody. */
export function checkComplete(
  owner: TypeName,
  given: ReadonlySet<string>,
  span: Expression['span'],
  scope: Scope,
  typing: Typing,
  others: readonly string[] = [],
): void {
  const missing = new Set(others.filter((each) => !given.has(each)));
  for (const each of typing.attributes(owner).values()) if (isRequired(each) && !given.has(each.name)) missing.add(each.name);
  if (missing.size === 0) return;
  const names = [...missing].map((each) => `\`${each}\``).join(', ');
  const code: DiagnosticCode = scope.caught ? 'value-unlikely' : 'attribute-missing';
  typing.tell(code, span, `\`${localOf(owner)}\` needs ${names}, which ${missing.size === 1 ? 'is' : 'are'} not given`);
}

/** `left` is the column, where a query asks for one. */
export function checkComparison(
  { operator, left: written, right: value }: { readonly operator: BinaryOperator; readonly left?: Expression; readonly right: Expression },
  left: ValueType,
  right: ValueType,
  typing: Typing,
): void {
  const isList = operator === 'in' || operator === 'between';
  if (isList && value.kind === 'list' && right.kind === 'list') {
    for (const [index, each] of value.items.entries()) {
      const item = right.items?.[index];
      if (item !== undefined && isTextBesideTyped(left, item)) typing.readAsTyped.add(value);
      if (item !== undefined) compareOne(operator === 'in' ? '==' : '<=', left, item, written, each, typing);
    }
    return;
  }
  if (isTextBesideTyped(left, isList ? elementOf(right) : right))
    for (const each of [written, value]) if (each !== undefined) typing.readAsTyped.add(each);
  if (!isList) compareOne(operator, left, right, written, value, typing);
}

/** `same(a, b, ...)`, `(= a b ...)`: a text is never a number there, whatever it reads as. */
export function checkSame(given: readonly Expression[], types: readonly ValueType[], typing: Typing): void {
  for (const [index, each] of given.entries()) {
    const [left, right] = [types[index - 1], types[index]];
    if (left === undefined || right === undefined) continue;
    const kinds = [kindsIn(left), kindsIn(right)];
    const isTextAndNumber = kinds.includes('text') && kinds.includes('number');
    if (isTextAndNumber)
      typing.tell('comparison-never', each.span, 'a text is compared with a number: by their values they are never equal');
    else compareOne('==', left, right, given[index - 1], each, typing);
  }
}

/** What all of its values are, as far as it is known. */
function kindsIn(type: ValueType): ReturnType<typeof kindOf> | undefined {
  const [first, ...more] = presentIn(type).map(kindOf);
  return more.every((each) => each === first) ? first : undefined;
}

function isTextBesideTyped(left: ValueType, right: ValueType): boolean {
  const [one, other] = [presentIn(left), presentIn(right)];
  return (one.some(isPlainText) && other.some(isTyped)) || (one.some(isTyped) && other.some(isPlainText));
}

function isPlainText(atom: AtomType): boolean {
  return atom.kind === 'attribute' && columnOf(atom.attribute) === 'text';
}

function isTyped(atom: AtomType): boolean {
  return atom.kind === 'attribute' && columnOf(atom.attribute) !== 'text';
}

function compareOne(
  operator: BinaryOperator,
  left: ValueType,
  right: ValueType,
  written: Expression | undefined,
  value: Expression,
  typing: Typing,
): void {
  if (canCompare(left, right, operator)) return;
  const [one, other] = [presentIn(left), presentIn(right)];
  const isTurned = one.every((each) => each.kind === 'literal');
  const [declared, given, place] = isTurned ? [other, left, written ?? value] : [one, right, value];
  const [only, ...more] = declared;
  const isLiteral = presentIn(given).every((each) => each.kind === 'literal');
  if (only?.kind === 'attribute' && more.length === 0 && isLiteral) {
    const message = `\`${only.attribute.name}\` is always ${expectationOf(only.attribute)}${mismatch(given)}`;
    typing.tell('comparison-never', place.span, message, suggestionFor(given, only.attribute, place, typing));
    return;
  }
  typing.tell('comparison-never', value.span, `${describe(left)} is compared with ${describe(right)}: they are never equal`);
}
