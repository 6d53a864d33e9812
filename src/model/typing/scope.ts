// What inference knows of the model: the members of each type, which attributes of events may hold instances, and whom to tell.

import type { DiagnosticCode } from '../../diagnostics.ts';
import type { Span } from '../../source.ts';
import type { FaultReport } from '../fault-report.ts';
import { type Attribute, type Model, type TypeName, usableAt } from '../model.ts';
import type { Expression, InstancePattern } from '../pattern.ts';
import { subtypesOf } from '../subtypes.ts';
import { type GivenAttributes, givenAttributes } from './given.ts';
import { attributeType, orNull, text, unknown, type ValueType } from './value-type.ts';

export interface Typing {
  readonly model: Model;
  /** Filled while comparisons are looked at. */
  readonly readAsTyped: Set<Expression>;
  /** Attributes that are checked, by name; none where a type is not known, or takes any. */
  attributes(type: TypeName): ReadonlyMap<string, Attribute>;
  /** What can be read behind the name of such a value; `undefined` where every name may be. */
  members(type: TypeName): ReadonlyMap<string, ValueType> | undefined;
  /** Whether a type that extends this one has the member. */
  isOfSubtype(type: TypeName, name: string): boolean;
  /** Whether something may fill in attributes before an instance is checked. */
  isCompleted(type: TypeName): boolean;
  /** Handed in, because values hold patterns and patterns hold values. */
  pattern(pattern: InstancePattern, scope: Scope): ValueType;
  /** Nothing where a fault has been told: handlers and bodies may be looked at several times. */
  tell(code: DiagnosticCode, span: Span, message: string, suggestion?: string): void;
  unknownName(span: Span, message: string, name: string, known: Iterable<string>): void;
}

export interface Scope {
  /** What each name stands for by now. */
  names: Map<string, ValueType>;
  /** The types of the patterns around, whose names stand for the row that is looked at or made. */
  readonly columns: ReadonlySet<TypeName>;
  /** What is being changed, by the name that its own values go by. */
  readonly changing?: { readonly name: string; readonly type: ValueType };
  /** Whether a handler catches what fails here. */
  readonly caught: boolean;
  /** Set once a value may have been changed in place: whatever shares it is then no longer known. */
  readonly state: { lost: boolean };
}

export function emptyScope(names: Iterable<readonly [string, ValueType]> = []): Scope {
  return { names: new Map(names), columns: new Set(), caught: false, state: { lost: false } };
}

export function openTyping(model: Model, report: FaultReport, pattern: Typing['pattern']): Typing {
  const attributes = new Map<TypeName, ReadonlyMap<string, Attribute>>();
  const members = new Map<TypeName, ReadonlyMap<string, ValueType> | undefined>();
  const relationships = relationshipNames(model);
  const given = givenAttributes(model);
  const completed = new Set([...completedTypes(model)]);
  const told = new Set<string>();
  const isNew = (code: string, span: Span): boolean => {
    const key = `${span.source.file} ${span.start} ${code}`;
    // What is wrong already need not be wrong in another way: its value is not known.
    if (told.has(key) || report.isTold(span)) return false;
    told.add(key);
    return true;
  };
  const typing: Typing = {
    model,
    readAsTyped: new Set(),
    pattern,
    attributes: (type) => remembered(attributes, type, () => attributesOf(type, model)),
    members: (type) => remembered(members, type, () => membersOf(type, model, relationships.get(type) ?? [], given)),
    isOfSubtype: (type, name) => subtypesOf(type, model, false).some((each) => typing.members(each)?.has(name) !== false),
    isCompleted: (type) => completed.has(type),
    tell(code, span, message, suggestion) {
      if (isNew(code, span)) report.fault(code, span, message, suggestion);
    },
    unknownName(span, message, name, known) {
      if (isNew('attribute-unknown', span)) report.unknown('attribute-unknown', span, message, name, known);
    },
  };
  return typing;
}

function remembered<T>(known: Map<TypeName, T>, type: TypeName, find: () => T): T {
  const found = known.get(type);
  if (found !== undefined || known.has(type)) return found ?? find();
  const made = find();
  known.set(type, made);
  return made;
}

/** Resolvers and triggers see an instance before it is complete. */
function* completedTypes({ triggers, resolvers, entities }: Model): Iterable<TypeName> {
  const direct = new Set(triggers.flatMap((each) => (each.when === 'before' && each.operation === 'create' ? [each.entity] : [])));
  for (const { types } of resolvers.values()) for (const each of types) direct.add(each);
  yield* direct;
  for (const each of direct) for (const { name, extends: base } of entities.values()) if (base === each) yield name;
}

function attributesOf(type: TypeName, { entities, records, events, relationships }: Model): ReadonlyMap<string, Attribute> {
  const relationship = relationships.get(type);
  const known =
    entities.get(type) ?? records.get(type) ?? events.get(type) ?? (relationship?.kind === 'between' ? relationship : undefined);
  const all = new Map((known?.attributes ?? []).map((each) => [each.name, each]));
  // Whatever the identifier is called, it also goes by `__Id__`.
  if (known?.kind === 'entity' && !all.has('__Id__')) all.set('__Id__', known.identifier);
  return all;
}

function membersOf(
  type: TypeName,
  model: Model,
  relationships: Iterable<string>,
  given: GivenAttributes,
): ReadonlyMap<string, ValueType> | undefined {
  const { entities, records, events, relationships: all } = model;
  const event = events.get(type);
  const link = all.get(type);
  const isKnown = entities.has(type) || records.has(type) || (event !== undefined && !event.open) || link?.kind === 'between';
  if (!isKnown) return undefined;
  const members = new Map<string, ValueType>();
  for (const [name, each] of attributesOf(type, model)) members.set(name, attributeType(each));
  for (const name of given.of(type)) members.set(name, unknown);
  for (const { attribute } of link?.kind === 'between' ? link.ends : []) members.set(attribute, unknown);
  for (const name of relationships) members.set(name, unknown);
  for (const { name } of entities.get(type)?.extensions ?? []) members.set(name, unknown);
  if (event === undefined) members.set('__path__', orNull(text)).set('__type__', unknown);
  if (event === undefined && !members.has('__Id__')) members.set('__Id__', unknown);
  return members;
}

/** What is related stands in an instance by the local name of its relationship. */
function relationshipNames({ relationships }: Model): ReadonlyMap<TypeName, ReadonlySet<string>> {
  const names = new Map<TypeName, Set<string>>();
  for (const relationship of relationships.values())
    for (const entity of usableAt(relationship)) {
      const known = names.get(entity) ?? new Set<string>();
      names.set(entity, known.add(relationship.local));
    }
  return names;
}
