// What the engine gives → the JSON of a field: as the store wrote it where that fits, else only what was asked for.

import type { List } from '../../engine/operation.ts';
import { objectOf, parseStored, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { hiddenMember, type Member, type Shape } from './select.ts';

/** Paths of fields that are null because the caller may not see them, each once for all instances that it is of. */
export type HiddenFields = Map<string, readonly string[]>;

/** An instance that the store wrote for a selection. */
export function shaped(json: string, shape: Shape, hidden?: HiddenFields): string {
  if (!shape.isNarrowed && !mayHoldLong(json)) return json;
  return writeJson(narrowed(parseStored(json), shape, null, { path: [], fields: hidden }));
}

/** All of a list: its limit has been looked at. */
export async function listed(
  { first, rest, places }: List,
  shape: Shape,
  cursorOf: (place: readonly Value[]) => string,
  hidden?: HiddenFields,
): Promise<string> {
  const parts = [first.json];
  for (let [page, isLast]: [{ readonly last: readonly Value[] }, boolean] = [first, rest === undefined]; !isLast && rest !== undefined; ) {
    const next = await rest(page.last);
    if (next.json !== '') parts.push(next.json);
    [page, isLast] = [next, next.isLast];
  }
  const text = `[${parts.filter((each) => each !== '').join(',')}]`;
  if (!shape.isNarrowed && !mayHoldLong(text)) return text;
  const all = parseStored(`{"all":${text}}`)['all'] ?? [];
  if (!isList(all)) throw new Error('a list is a list');
  return writeJson(
    all.map((each, index) => narrowed(each, shape, places?.[index] && cursorOf(places[index]), { path: [], fields: hidden })),
  );
}

/** A number beyond 2^53 has at least 16 digits. */
function mayHoldLong(json: string): boolean {
  return /\d{16}/.test(json);
}

/** What was asked for of a value that holds more: of an instance as the engine gives it, of a record, of a list of these. */
export function narrowed(value: Value, shape: Shape, cursor: string | null = null, at: Place = nowhere): Value {
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map((each) => narrowed(each, shape, null, at));
  if (shape.tellsHidden === true) noteHidden(value[hiddenMember] ?? null, at);
  return objectOf(
    [...shape.members].map(([name, member]) => [
      name,
      member.kind === 'cursor' ? cursor : memberValue(value[member.source] ?? null, member, { ...at, path: [...at.path, name] }),
    ]),
  );
}

/** Where in the answer something stands, and where fields are noted that are hidden. */
interface Place {
  readonly path: readonly string[];
  readonly fields: HiddenFields | undefined;
}

const nowhere: Place = Object.freeze({ path: [], fields: undefined });

function noteHidden(names: Value, { path, fields }: Place): void {
  if (!isList(names) || fields === undefined) return;
  for (const name of names) {
    if (typeof name !== 'string') continue;
    const at = [...path, name];
    fields.set(at.join('.'), at);
  }
}

function memberValue(value: Value, member: Member, at: Place): Value {
  switch (member.kind) {
    case 'type':
      return member.name;
    case 'long':
      return longs(value);
    case 'related':
    case 'record':
      return narrowed(value, member.shape, null, at);
    default:
      return value;
  }
}

/** Those beyond 2^53 as texts. */
export function longs(value: Value): Value {
  if (isList(value)) return value.map(longs);
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isSafeInteger(value)) ? String(value) : value;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
