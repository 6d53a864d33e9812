// Where an instance stands: the only place where keys and paths are made. The key of a contained instance is one text that finds it under
// its parents, keeps the order of the typed identifiers, and begins with the key of the parent, so that everything below an instance is one range.

import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { scalarJson, scalarSegment } from '../../model/types/scalar.ts';
import { momentKey } from '../../model/types/time/calendar.ts';
import type { Value } from '../../values/value.ts';

/** Sorts before every character that an encoded identifier can hold. */
export const separator = '\u0001';
/** What the keys of children stand below that outlived their parents. */
export const detached = '~detached';
export const detachedStart = `${detached}${separator}`;
export const scheme = 'path://';
/** The name in the body of a change that says under which parent the instance is to stand. */
export const parentMember = '@parent';

/**
 * What identifiers are beside plain values. A moment can be written in several ways, and is one key; what may be a text, a number or a boolean
 * (`Any`) is told apart by its JSON text.
 */
export type IdentifierForm = 'plain' | 'moment' | 'scalar';

export function identifierForm(kind: ColumnKind | undefined): IdentifierForm {
  if (kind === 'scalar') return kind;
  return kind === 'datetime' || kind === 'time' ? 'moment' : 'plain';
}

/** A text that sorts by code point as the typed identifiers do, and is the same for those that are equal. */
export function sortable(id: Value, form: IdentifierForm = 'plain'): string {
  if (form === 'moment' && typeof id === 'string') return momentKey(id);
  if (form === 'scalar') return escaped(scalarJson(id));
  switch (typeof id) {
    case 'number':
    case 'bigint':
      return (BigInt(id) + 2n ** 63n).toString(16).padStart(16, '0');
    case 'string':
      return escaped(id);
    default:
      return String(id);
  }
}

function escaped(text: string): string {
  return text.includes('\u0001') || text.includes('\u0002')
    ? text.replaceAll('\u0002', '\u0002\u0004').replaceAll('\u0001', '\u0002\u0003')
    : text;
}

/** Tells keys apart: the text "1" is not the number 1. */
export function keyName(key: Value): string {
  return typeof key === 'string' ? key : `\u0000${String(key)}`;
}

/** An identifier as it stands in a path. */
export function idSegment(id: Value, form: IdentifierForm): string {
  return encodeURIComponent(form === 'scalar' ? scalarSegment(id) : String(id));
}

/** An instance, and whether its type is a child in some contains relationship. */
export interface Subject {
  readonly type: string;
  readonly id: Value;
  readonly contained: boolean;
  readonly form: IdentifierForm;
}

interface SubjectType extends Omit<Subject, 'id'> {
  readonly entity: { readonly system?: { readonly stored: string } };
}

/** Keys have the name that a type is stored under: what the service brings has another one on each surface. */
export function subjectIn({ type, contained, form, entity }: SubjectType, id: Value): Subject {
  return { type: entity.system?.stored ?? type, id, contained, form };
}

export interface Place {
  /** The value of the primary key. */
  readonly key: Value;
  /** `__path__` as it is stored: only what stands under a parent has one. */
  readonly path: string | null;
}

/** What the keys and paths of everything below an instance begin with. */
export interface Prefix {
  readonly key: string;
  readonly path: string;
}

/** A parent, and the relationship in which it contains something. */
export interface Under {
  readonly parent: Prefix;
  readonly relationship: string;
}

/**
 * The key and the path of an instance, whatever creates or moves it: under a parent, or under none. `isFree` where it is a child that
 * outlived its parent: its key never stands under another parent, and no two instances of a type have it.
 */
export function placeOf(subject: Subject, under?: Under, isFree = false): Place {
  const { type, id, contained, form } = subject;
  if (!contained) return { key: id, path: null };
  if (under !== undefined) {
    const { parent, relationship } = under;
    const path = `${parent.path}/${segment(relationship)}/${segment(type)}/${idSegment(id, form)}`;
    return { key: `${parent.key}${separator}${relationship}${separator}${sortable(id, form)}`, path };
  }
  return { key: `${isFree ? detachedStart : ''}${rootKey(subject, id)}`, path: null };
}

/** The key of a child that outlived its parent; what may also be created under no parent has the same there. */
export function freeKey(plan: SubjectType & { readonly rootable: boolean }, id: Value): Value {
  return placeOf(subjectIn(plan, id), undefined, !plan.rootable).key;
}

/** Where an instance belongs that is stored already, by what its row says of its parent; `rootable` types may stand under none. */
export function placeOfStored(subject: Subject, stored: Value, rootable: boolean, under: Under | undefined): Place {
  if (under !== undefined || !subject.contained) return placeOf(subject, under);
  // Older versions drew the keys of children that outlived their parents, which may have the same identifiers.
  if (typeof stored === 'string' && drawnKey.test(stored)) return { key: stored, path: null };
  return placeOf(subject, undefined, !rootable);
}

const drawnKey = new RegExp(`^${detachedStart}[0-9a-f-]{36}${separator}`);

export function prefixOf(subject: Subject, { key, path }: Place): Prefix {
  return { key: keyPrefix(subject, key), path: pathOf(subject, path) };
}

/** Where something below an instance stands after that instance was moved. */
export function followed(
  { key, path }: { readonly key: string; readonly path: string },
  from: Prefix,
  to: Prefix,
): { readonly key: string; readonly path: string } {
  return { key: to.key + key.slice(from.key.length), path: to.path + path.slice(from.path.length) };
}

/** The beginning of the keys below an instance. */
export function keyPrefix(subject: Pick<Subject, 'type' | 'contained' | 'form'>, key: Value): string {
  return subject.contained && typeof key === 'string' ? key : rootKey(subject, key);
}

/** The path that an instance is known by: as it is stored, and made from its identifier where it stands under no parent. */
export function pathOf({ type, id, form }: Pick<Subject, 'type' | 'id' | 'form'>, stored: string | null | undefined): string {
  return stored ?? `${rootStart(type)}${idSegment(id, form)}`;
}

/** How the paths of the instances of a type begin that stand under no parent. */
export function rootStart(type: string): string {
  return `${scheme}${segment(type)}/`;
}

export function isPath(value: Value | undefined): value is string {
  return typeof value === 'string' && value.startsWith(scheme);
}

/** Whether a key is that of a child that outlived its parent. */
export function isDetached(key: Value): boolean {
  return typeof key === 'string' && key.startsWith(detachedStart);
}

/** The range of keys strictly below a key: `from` (exclusive) to `to` (exclusive). */
export function below(key: string): { readonly from: string; readonly to: string } {
  return { from: `${key}${separator}`, to: `${key}\u0002` };
}

/** `C$E` for a qualified name. */
export function segment(type: string): string {
  return type.replace('/', '$');
}

/** It names the type: the identifiers of two types may be the same. */
function rootKey({ type, form }: Pick<Subject, 'type' | 'form'>, id: Value): string {
  return `${type}${separator}${sortable(id, form)}`;
}
