// What a workflow gave back, as JSON in the form of each surface.

import { setImmediate } from 'node:timers/promises';
import { outside } from '../engine/eval/operands.ts';
import { type Origin, type Outcome, responseOf } from '../engine/outcome.ts';
import { error } from '../errors.ts';
import { isObject } from '../plan/rows/attribute.ts';
import { objectOf, writeJson } from '../values/json/json.ts';
import { isLarge, jsonPieces } from '../values/json/pieces.ts';
import { entriesOf } from '../values/key-order.ts';
import type { Value } from '../values/value.ts';
import type { HttpRequest, HttpResponse, Pieces } from './exchange.ts';

/** Instances, records and what stands in them are flat. */
export function flatOutcome(outcome: Outcome): string {
  const { texts } = outcome;
  if (texts === undefined) return writeJson(outside(outcome.value));
  return typeof texts === 'string' ? texts : `[${texts.join(',')}]`;
}

/** Instances carry tags; what was created last stands under the name of its type. */
export function keyedOutcome(outcome: Outcome): string {
  const { created, texts, type } = outcome;
  if (texts !== undefined && type !== undefined) {
    const write = (text: string) => (created ? `{${JSON.stringify(type)}:${text}}` : withTags(text, type));
    return typeof texts === 'string' ? write(texts) : `[${texts.map(write).join(',')}]`;
  }
  return writeJson(keyedValue(outcome));
}

function keyedValue(outcome: Outcome): Value {
  const { value, created } = outcome;
  if (!created) return tagged(value, outcome);
  return Array.isArray(value) ? value.map((each) => keyed(each, outcome)) : keyed(value, outcome);
}

/**
 * A large one is written in pieces, between which others are served; `undefined` where it is not large, or its text is there
 * or is kept for whoever asks again.
 */
export function flatPieces(outcome: Outcome, request: HttpRequest): Pieces<string> | undefined {
  if (!isInPieces(outcome, request)) return undefined;
  return writtenInPieces(jsonPieces(outcome.value, outside));
}

export function keyedPieces(outcome: Outcome, request: HttpRequest): Pieces<string> | undefined {
  if (!isInPieces(outcome, request)) return undefined;
  return writtenInPieces(jsonPieces(keyedValue(outcome), outside));
}

function isInPieces({ texts, value }: Outcome, { headers }: HttpRequest): boolean {
  return texts === undefined && headers['idempotency-key'] === undefined && isLarge(value);
}

/** Written to its end before any of it is sent: a caller who does not read makes us hold texts, and not what they were made of. */
async function* writtenInPieces(written: Iterable<string>): AsyncGenerator<string, void> {
  const pieces: string[] = [];
  for (const each of written) {
    pieces.push(each);
    await setImmediate();
  }
  for (let next = pieces.shift(); next !== undefined; next = pieces.shift()) yield next;
}

function withTags(text: string, type: string): string {
  const tags = `"type-*-tag-*-":"entity","-*-type-*-":${JSON.stringify(type)}`;
  return text === '{}' ? `{${tags}}` : `{${tags},${text.slice(1)}`;
}

/** Where the model says how it wants to be answered: an error in the form of the surface, else the body as it is. */
export function customResponse(
  outcome: Outcome,
  write: (body: Outcome) => string,
  toError: (thrown: unknown) => HttpResponse,
): HttpResponse | undefined {
  const wanted = outcome.texts === undefined ? responseOf(outcome.value, outcome.metaOf) : undefined;
  if (wanted === undefined) return undefined;
  const { status, body } = wanted;
  const text = write({ value: body, created: false, texts: undefined, type: undefined, metaOf: outcome.metaOf });
  if (status < 400) return { status, headers: { 'content-type': 'application/json' }, body: text };
  const detail = typeof body === 'string' ? { detail: body } : {};
  return toError(error('dataflow-failed', { ...detail, result: text, response: { status } }));
}

function keyed(value: Value, outcome: Outcome): Value {
  const meta = isObject(value) ? outcome.metaOf(value) : undefined;
  if (meta === undefined) return tagged(value, outcome);
  return { [typeOf(meta)]: members(value, meta, outcome) };
}

function tagged(value: Value, outcome: Outcome): Value {
  if (Array.isArray(value)) return value.map((each) => tagged(each, outcome));
  if (!isObject(value)) return outside(value);
  const meta = outcome.metaOf(value);
  if (meta === undefined) return objectOf(entriesOf(value).map(([name, each]) => [name, tagged(each, outcome)]));
  if (meta.kind === 'event') return outside(value);
  const tag = meta.kind === 'instance' ? 'entity' : 'record';
  return { 'type-*-tag-*-': tag, '-*-type-*-': typeOf(meta), ...members(value, meta, outcome) };
}

function typeOf(meta: Origin): string {
  return meta.kind === 'instance' ? meta.plan.type : meta.type;
}

/** Related instances stand under `->`, by the qualified names of their relationships. */
function members(value: Value, meta: Origin, outcome: Outcome): { readonly [name: string]: Value } {
  if (!isObject(value)) return {};
  const nested = meta.kind === 'instance' ? meta.nested : [];
  const own = Object.entries(value).filter(([name]) => !nested.some((each) => each.name === name));
  const attributes = Object.fromEntries(own.map(([name, each]) => [name, tagged(each, outcome)]));
  if (nested.length === 0) return attributes;
  const below = nested.map(({ name, relationship }) => [relationship, tagged(value[name] ?? null, outcome)] as const);
  return { ...attributes, '->': Object.fromEntries(below) };
}
