// Calls an operation of another system: attributes of the event become its request, and its answer is held against the document.

import type { HandlerContext } from '../../engine/eval/functions.ts';
import { error, type Fault, invalid } from '../../errors.ts';
import type { Outgoing } from '../../outgoing.ts';
import { fault, isObject } from '../../plan/rows/attribute.ts';
import { objectOf, writeJson } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { failureOf, parsed, type RemoteResponse, send } from '../http.ts';
import { isJsonType, type RemoteInput, type RemoteOperation } from './operations.ts';
import { type Patterns, schemaFaults } from './schema.ts';

export interface RemoteSystem {
  readonly base: URL;
  readonly outgoing: Outgoing;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: Value;
  readonly patterns: Patterns;
}

/** Refuses what the document does not allow, before anybody is asked. */
export function checkRequest(operation: RemoteOperation, event: Values, { document, patterns }: RemoteSystem): void {
  const check = { document, patterns, direction: 'request' } as const;
  const faults = operation.inputs.flatMap((input): readonly Fault[] => {
    const value = event[input.attribute] ?? null;
    return value === null ? [] : schemaFaults(value, input.schema, input.attribute, check);
  });
  const misplaced = operation.inputs.flatMap((input) => placeFaults(input, event[input.attribute] ?? null));
  if (faults.length + misplaced.length > 0) throw invalid([...faults, ...misplaced]);
}

/** A header holds no line break, and a part of a path is one part: without it the path would be another. */
function placeFaults({ attribute, in: places }: RemoteInput, value: Value): readonly Fault[] {
  if (value === null) return places.includes('path') ? [fault(attribute, 'required', 'is required')] : [];
  if (places.includes('header') && /[^\t\x20-\x7e]/.test(textOf(value))) return [fault(attribute, 'value', 'cannot stand in a header')];
  return places.includes('path') && isOtherPath(value) ? [fault(attribute, 'value', 'cannot be a part of a path')] : [];
}

/** Such a part would name another path. */
function isOtherPath(value: Value): boolean {
  const text = textOf(value);
  return text === '' || text === '.' || text === '..';
}

export async function callOperation(
  system: RemoteSystem,
  operation: RemoteOperation,
  event: Values,
  { signal }: Pick<HandlerContext, 'signal'>,
): Promise<Value> {
  const { method } = operation;
  const { base, headers: own } = system;
  const body = bodyOf(operation, event);
  const headers = { accept: 'application/json', ...(body?.headers ?? {}), ...inputHeaders(operation, event), ...own };
  const url = urlOf(base, operation, event);
  const answer = await send({ method, url, headers, signal, ...(body === undefined ? {} : { body: body.text }) }, system);
  if (!answer.ok) throw failureOf(answer, method);
  return answerOf(answer, operation, system);
}

function urlOf(base: URL, { path, inputs }: RemoteOperation, event: Values): URL {
  const inPath = new Map(inputs.filter((each) => each.in.includes('path')).map((each) => [each.name, event[each.attribute] ?? null]));
  const filled = path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(textOf(inPath.get(name) ?? null)));
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${filled.startsWith('/') ? '' : '/'}${filled}`;
  for (const each of inputs)
    if (each.in.includes('query')) for (const [name, value] of pairsOf(each, event)) url.searchParams.append(name, value);
  return url;
}

/** A list or an object in a query string, in the form that the document asks for. */
function pairsOf({ attribute, name, form }: RemoteInput, event: Values): readonly (readonly [string, string])[] {
  const value = event[attribute] ?? null;
  if (value === null) return [];
  if (form === 'json') return [[name, writeJson(value)]];
  if (Array.isArray(value)) return form === 'joined' ? [[name, textOf(value)]] : value.map((each) => [name, textOf(each)]);
  if (!isObject(value)) return [[name, textOf(value)]];
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  if (form === 'joined') return [[name, textOf(value)]];
  return entries.map(([key, each]) => [form === 'nested' ? `${name}[${key}]` : key, textOf(each)]);
}

/** As it stands in a path, a query string or a header. */
function textOf(value: Value): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (isObject(value))
    return Object.entries(value)
      .map(([key, each]) => `${key},${textOf(each)}`)
      .join(',');
  return typeof value === 'string' ? value : writeJson(value);
}

function inputHeaders({ inputs }: RemoteOperation, event: Values): Readonly<Record<string, string>> {
  const given = (place: 'header' | 'cookie') =>
    inputs
      .filter((each) => each.in.includes(place) && (event[each.attribute] ?? null) !== null)
      .map((each) => [each.name, textOf(event[each.attribute] ?? null)] as const);
  const cookies = given('cookie').map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const headers = given('header').map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...Object.fromEntries(headers), ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }) };
}

interface SentBody {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

function bodyOf({ body, inputs }: RemoteOperation, event: Values): SentBody | undefined {
  if (body === undefined) return undefined;
  const value = body.attribute === undefined ? propertiesOf(inputs, event) : (event[body.attribute] ?? null);
  const isEmpty = value === null || (body.attribute === undefined && isObject(value) && Object.keys(value).length === 0);
  if (isEmpty && !body.required) return undefined;
  if (body.media === 'json') return { text: writeJson(value), headers: { 'content-type': 'application/json' } };
  const form = new URLSearchParams(Object.entries(isObject(value) ? value : {}).flatMap(([name, each]) => formPairs(name, each)));
  return { text: String(form), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
}

function formPairs(name: string, value: Value): [string, string][] {
  if (value === null) return [];
  return Array.isArray(value) ? value.map((each) => [name, textOf(each)]) : [[name, isObject(value) ? writeJson(value) : textOf(value)]];
}

/** What is absent is not sent. */
function propertiesOf(inputs: readonly RemoteInput[], event: Values): Value {
  const sent = inputs.filter((each) => each.in.includes('body') && (event[each.attribute] ?? null) !== null);
  return objectOf(sent.map((each) => [each.name, event[each.attribute] ?? null]));
}

function answerOf(
  { status, headers, text }: RemoteResponse,
  { method, path, answers }: RemoteOperation,
  { document, patterns }: RemoteSystem,
): Value {
  if (text === '') return null;
  const type = headers.get('content-type') ?? 'application/json';
  if (!isJsonType(type)) {
    if (/^text\//i.test(type)) return text;
    throw error('resolver-answer-invalid', {}, new Error(`${method} ${path} was answered as ${type}`));
  }
  const value = parsed(text);
  const known = [String(status), `${String(status)[0]}XX`, 'DEFAULT'].map((name) => answers.find((each) => each.status === name));
  const schema = known.find((each) => each !== undefined)?.schema;
  const [first] = schemaFaults(value, schema, '', { document, patterns, direction: 'answer' });
  if (first === undefined) return value;
  const what = first.attribute === '' ? 'the answer' : first.attribute;
  throw error('resolver-answer-invalid', {}, new Error(`${method} ${path}: ${what} ${first.message}`));
}
