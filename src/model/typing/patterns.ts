// Patterns of instances: what they are given, what they ask for, and what they give.

import { type Attribute, localOf, type TypeName } from '../model.ts';
import {
  type Aggregate,
  type Expression,
  type InstancePattern,
  isQuery,
  isReport,
  type LinkPattern,
  type PatternAttribute,
} from '../pattern.ts';
import { checkAssigned, checkComparison, checkComplete } from './checks.ts';
import { typeOf } from './expressions.ts';
import type { Scope, Typing } from './scope.ts';
import { attributeType, computedFrom, elementOf, listOf, number, orNull, presentIn, union, unknown, type ValueType } from './value-type.ts';

/** What is deleted is looked for, also where it is written as if it were made: that has been told. */
export function deletedType(pattern: InstancePattern, scope: Scope, typing: Typing): ValueType {
  return pattern.target === undefined ? instanceType(pattern, scope, typing, { isPartial: true }) : unknown;
}

export function patternType(pattern: InstancePattern, scope: Scope, typing: Typing): ValueType {
  if (pattern.target !== undefined) return changeType(pattern, pattern.target, scope, typing);
  return instanceType(pattern, scope, typing, { isPartial: false });
}

/** `isPartial` where what is made need not be complete: it may be there already. */
interface Place {
  readonly isPartial: boolean;
}

function instanceType(pattern: InstancePattern, scope: Scope, typing: Typing, { isPartial }: Place): ValueType {
  const type = pattern.type.text;
  const { options } = pattern;
  const joined = (options.joins ?? []).map((each) => each.type.text);
  const inside: Scope = { ...scope, columns: new Set([...scope.columns, type, ...joined]) };
  checkOptions(pattern, inside, typing);
  // What `@from` holds counts before what is written.
  const setting = options.from === undefined ? inside : { ...inside, caught: true };
  for (const each of pattern.attributes) checkAttribute(each, type, setting, typing);
  for (const each of pattern.links ?? []) checkLink(each, scope, typing);
  const isUpsert = isPartial || options.upsert === true;
  for (const { relationship, patterns } of pattern.nested) {
    const isLink = typing.model.relationships.get(relationship.text)?.kind === 'between';
    for (const each of patterns) instanceType(each, inside, typing, { isPartial: isUpsert || (isLink && namesExisting(each, typing)) });
  }
  if (!isQuery(pattern) && !isUpsert) checkMade(pattern, scope, typing);
  return resultOf(pattern, inside, typing);
}

/** What exists is linked by its identifier alone. */
function namesExisting({ type, attributes }: InstancePattern, { model }: Typing): boolean {
  const { identifier, guid } = model.entities.get(type.text) ?? {};
  const names = [identifier?.name, guid?.name, '__Id__', '__path__'];
  return attributes.every((each) => names.includes(each.name.text));
}

function resultOf(pattern: InstancePattern, scope: Scope, typing: Typing): ValueType {
  const type = pattern.type.text;
  const { model } = typing;
  const isStored = model.entities.has(type) || model.relationships.has(type);
  const instance: ValueType = { kind: 'instance', type };
  if (isStored) return isQuery(pattern) ? listOf(isReport(pattern) ? rowType(pattern, scope, typing) : instance) : instance;
  // What an event gives is what its workflow gives.
  if (model.records.has(type)) return instance;
  return unknown;
}

/** Rows of columns; of a join alone, instances of the first type. */
function rowType({ type, attributes, options }: InstancePattern, scope: Scope, typing: Typing): ValueType {
  const { into, groupBy, joins = [], distinct } = options;
  const summed = attributes.filter((each) => each.value.kind === 'aggregate');
  if (into === undefined && summed.length === 0) {
    return groupBy === undefined && distinct !== true ? { kind: 'instance', type: type.text } : unknown;
  }
  const canMiss = joins.some((each) => each.side !== 'inner');
  const fields = new Map<string, ValueType>();
  for (const { name, value } of [...(into ?? []), ...summed]) {
    const found = columnValueType(value, type.text, scope, typing);
    fields.set(name.text, canMiss ? orNull(found) : found);
  }
  for (const { text } of groupBy ?? [])
    for (const name of [text, localOf(text), columnName(text)]) if (!fields.has(name)) fields.set(name, unknown);
  return { kind: 'map', fields, closed: true };
}

function columnValueType(value: Expression | Aggregate, main: TypeName, scope: Scope, typing: Typing): ValueType {
  if (value.kind !== 'aggregate') return typeOf(value, scope, typing);
  if (value.function === 'count') return number;
  const attribute = columnOf(value.of.text, main, typing);
  const of = attribute === undefined ? unknown : attributeType(attribute);
  return orNull(value.function === 'sum' || value.function === 'avg' ? computedFrom([of]) : of);
}

/** Behind the name of its type: `year` of `shop/Day.year`. */
function columnName(text: string): string {
  return text.slice(text.indexOf('.', text.indexOf('/') + 1) + 1);
}

function columnOf(text: string, main: TypeName, typing: Typing): Attribute | undefined {
  const dot = text.indexOf('.', text.indexOf('/') + 1);
  return typing.attributes(dot === -1 ? main : text.slice(0, dot)).get(text.slice(dot + 1));
}

function checkOptions({ type, options }: InstancePattern, scope: Scope, typing: Typing): void {
  if (options.from !== undefined) typeOf(options.from, scope, typing);
  if (options.condition !== undefined) typeOf(options.condition, scope, typing);
  for (const each of options.into ?? []) if (each.value.kind !== 'aggregate') typeOf(each.value, scope, typing);
  for (const each of options.where ?? []) checkAsked(each, type.text, scope, typing);
  for (const { type: joined, attributes } of options.joins ?? [])
    for (const each of attributes) checkAsked(each, joined.text, scope, typing);
  for (const name of ['limit', 'offset'] as const) {
    const value = options[name];
    if (value !== undefined) checkCount(name, value, scope, typing);
  }
}

function checkCount(name: string, value: Expression, scope: Scope, typing: Typing): void {
  const present = presentIn(typeOf(value, scope, typing));
  const isWrong = (each: (typeof present)[number]): boolean =>
    each.kind === 'literal' ? !isWhole(each.value) : each.kind === 'boolean' || each.kind === 'instance';
  if (present.length === 0 || !present.every(isWrong)) return;
  typing.tell(scope.caught ? 'value-unlikely' : 'value-type', value.span, `the ${name} of a query must be a whole number, 0 or more`);
}

function isWhole(value: unknown): boolean {
  return (typeof value === 'number' && Number.isInteger(value) && value >= 0) || (typeof value === 'bigint' && value >= 0n);
}

function checkAttribute(written: PatternAttribute, owner: TypeName, scope: Scope, typing: Typing): void {
  if (written.query !== undefined) checkAsked(written, owner, scope, typing);
  else if (written.value.kind !== 'aggregate') checkSet(written, written.value, owner, scope, typing);
}

function checkAsked({ name, query, value }: PatternAttribute, owner: TypeName, scope: Scope, typing: Typing): void {
  if (value.kind === 'aggregate') return;
  const type = typeOf(value, scope, typing);
  const attribute = columnOf(name.text, owner, typing);
  if (attribute === undefined) return;
  checkComparison({ operator: query ?? '==', right: value }, attributeType(attribute), type, typing);
}

function checkSet({ name }: PatternAttribute, value: Expression, owner: TypeName, scope: Scope, typing: Typing): void {
  const type = typeOf(value, scope, typing);
  const attribute = typing.attributes(owner).get(name.text);
  if (attribute === undefined) return;
  if (attribute.expression !== undefined) {
    const code = scope.caught ? 'value-unlikely' : 'value-type';
    typing.tell(code, name.span, `\`${name.text}\` of \`${localOf(owner)}\` is computed and cannot be set`);
    return;
  }
  checkAssigned({ value, type, attribute, owner }, scope, typing);
}

/** `:-> [[{:Knows {:Since "2020"}} other]]`: the attributes of the link itself. */
function checkLink({ relationship, attributes, other, id }: LinkPattern, scope: Scope, typing: Typing): void {
  const inside: Scope = { ...scope, columns: new Set([...scope.columns, relationship.text]) };
  for (const each of attributes) checkAttribute(each, relationship.text, inside, typing);
  for (const each of [other, id]) if (each !== undefined) typeOf(each, scope, typing);
}

/** What is made must have everything that it needs. */
function checkMade({ type, attributes, options, links = [] }: InstancePattern, scope: Scope, typing: Typing): void {
  const { text: owner, span } = type;
  if (options.from !== undefined || typing.isCompleted(owner)) return;
  const relationship = typing.model.relationships.get(owner);
  const ends = relationship?.kind === 'between' ? relationship.ends.map((each) => each.attribute) : [];
  const members = typing.members(owner);
  // A name that is none has been told, and stands for one of those that are missing.
  if (members === undefined || attributes.some((each) => !members.has(each.name.text))) return;
  const given = new Set(attributes.map((each) => each.name.text));
  const identifier = typing.model.entities.get(owner)?.identifier.name;
  if (identifier !== undefined && (given.has('__Id__') || links.some((each) => each.id !== undefined))) given.add(identifier);
  if (identifier !== undefined) given.add('__Id__');
  checkComplete(owner, given, span, scope, typing, ends);
}

/** `{alias {attr value}}`: what it holds is changed. */
function changeType(pattern: InstancePattern, target: readonly string[], scope: Scope, typing: Typing): ValueType {
  const held = typeOf({ kind: 'reference', path: target, span: pattern.type.span }, scope, typing);
  const element = elementOf(held);
  const changing = { name: target.join('.'), type: element };
  const inside: Scope = { ...scope, changing, caught: scope.caught || pattern.options.from !== undefined };
  const atoms = presentIn(element);
  const [only, ...others] = atoms;
  const owner = only?.kind === 'instance' && others.length === 0 && typing.model.entities.has(only.type) ? only.type : undefined;
  if (pattern.options.from !== undefined) typeOf(pattern.options.from, scope, typing);
  for (const each of pattern.attributes) {
    if (each.value.kind === 'aggregate') continue;
    if (owner === undefined) typeOf(each.value, inside, typing);
    else changeAttribute(each, each.value, owner, inside, typing);
  }
  for (const each of pattern.links ?? []) checkLink(each, scope, typing);
  // What is stored is changed in the store; anything else is changed in place.
  if (owner === undefined || target.length > 1) {
    scope.state.lost = true;
    return unknown;
  }
  return union([listOf(element), element]);
}

function changeAttribute(written: PatternAttribute, value: Expression, owner: TypeName, scope: Scope, typing: Typing): void {
  const members = typing.members(owner);
  if (members?.has(written.name.text) === false) {
    const { text, span } = written.name;
    typing.unknownName(span, `\`${localOf(owner)}\` has no attribute \`${text}\``, text, members.keys());
  }
  checkSet(written, value, owner, scope, typing);
}
