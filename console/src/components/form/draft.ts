// What is typed and what it means: the text of a field, and the value that the API takes for it.

import { jsonOr, NumberText, parseJson, scalarText, writeJson } from '../../api/json.ts';
import type { AttributeDescription } from '../../api/model.ts';
import { Problem } from '../../api/request.ts';

/** A list has a text for each of its items. */
export type Draft = string | readonly string[];
export type Drafts = Readonly<Record<string, Draft>>;

/** The draft of an empty text where an empty field stands for no value: a character that no store keeps in a text. */
export const emptyText = '\u0000';

/** Whether an empty text and no value are two values of it. */
export function hasEmptyText({ type, list, required, enum: choices, reference, secret, writeOnly }: AttributeDescription): boolean {
  return type === 'String' && !list && !required && choices === undefined && reference === undefined && !secret && !writeOnly;
}

/** What is typed where `before` stood: an empty text that was typed into and emptied is one again. */
export function retyped(text: string, before: Draft | undefined): string {
  return text === '' && before === emptyText ? emptyText : text;
}

export function draftOf(attribute: AttributeDescription, value: unknown): Draft {
  if (value === '' && hasEmptyText(attribute)) return emptyText;
  if (!attribute.list) return itemText(attribute, value);
  return Array.isArray(value) ? value.map((each) => itemText(attribute, each)) : [];
}

/** The text of one value, which reads as the same value again. */
export function itemText({ kind }: Pick<AttributeDescription, 'kind'>, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'json' || kind === 'record') return writeJson(value, 2);
  if (kind === 'scalar') return scalarText(value);
  return typeof value === 'object' && !(value instanceof NumberText) ? writeJson(value) : String(value);
}

/** What does not read as the type is sent as it was typed: the service says what is wrong with it. Of JSON it could not: it would take it for a text. */
export function draftValue(attribute: AttributeDescription, draft: Draft): unknown {
  if (draft === emptyText) return '';
  if (typeof draft === 'string') return draft === '' ? emptyOf(attribute) : itemValue(attribute, draft);
  return draft.map((each) => itemValue(attribute, each));
}

function emptyOf({ kind, required, enum: choices }: AttributeDescription): unknown {
  return required && kind === 'text' && choices === undefined ? '' : null;
}

function itemValue({ name, kind, enum: choices }: AttributeDescription, text: string): unknown {
  if (choices !== undefined) return choices.find((each) => String(each) === text) ?? text;
  if (kind === 'integer' || kind === 'real') return isNumber(text) ? new NumberText(text) : text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (kind === 'json' || kind === 'record') return readJson(name, text);
  if (kind === 'scalar') return jsonOr(text);
  return text;
}

function isNumber(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
}

export function readJson(name: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    const message = `must be JSON: ${String(Object(thrown).message)}`;
    throw new Problem(422, 'not-json', `${name} ${message}`, [{ attribute: name, code: 'not-json', message }]);
  }
}

export function isSame(first: Draft | undefined, second: Draft | undefined): boolean {
  return JSON.stringify(first ?? '') === JSON.stringify(second ?? '');
}

/** Of what differs from `before`; everything that was filled in where there is no before. */
export function bodyOf(
  attributes: readonly AttributeDescription[],
  drafts: Drafts,
  before: Drafts | undefined,
): Readonly<Record<string, unknown>> {
  const changed = attributes.filter(({ name }) => {
    const draft = drafts[name];
    if (draft === undefined) return false;
    return before === undefined ? draft.length > 0 : !isSame(draft, before[name]);
  });
  return Object.fromEntries(changed.map((each) => [each.name, draftValue(each, drafts[each.name] ?? '')]));
}
