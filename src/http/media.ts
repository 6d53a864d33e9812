// Media types of bodies: which of them a request may carry, how they are read and written, and which one an answer takes.

import { error } from '../errors.ts';
import { parseJson, writeJson } from '../model/json.ts';
import type { JsonLimits } from '../model/json-reader.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { HttpRequest } from './exchange.ts';

export interface Media {
  readonly type: string;
  read(text: string, limits: JsonLimits): Value;
  write(value: Value): string;
}

export const json: Media = { type: 'application/json', read: parseJson, write: writeJson };

/** The first one is what a caller gets who does not mind. */
const medias: readonly [Media, ...Media[]] = [json];

/** The value of the body, `undefined` when there is none. */
export function readBody(request: HttpRequest, limits: JsonLimits): Value | undefined {
  const media = bodyMedia(request);
  return media === undefined || request.body === undefined ? undefined : media.read(decode(request.body), limits);
}

/** The media type of the body, `undefined` when there is no body; a type that nobody here reads is refused. */
export function bodyMedia(request: HttpRequest): Media | undefined {
  if (request.body === undefined || request.body.length === 0) return undefined;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw error('media-type-unsupported', { detail: 'The body must not be encoded.' });
  const header = request.headers['content-type'];
  if (header === json.type) return json;
  const { type, charset } = contentType(typeof header === 'string' ? header : '');
  const media = medias.find((each) => each.type === type);
  if (media === undefined) throw error('media-type-unsupported');
  if (charset !== undefined && charset !== 'utf-8')
    throw error('media-type-unsupported', { detail: 'The charset of the body must be UTF-8.' });
  return media;
}

/** What the answer is written in: what `Accept` names, else the type of the body, else JSON. */
export function answerMedia(request: HttpRequest): Media {
  const accept = request.headers['accept'];
  if (typeof accept !== 'string' || accept === '*/*') return declaredMedia(request);
  if (accept === json.type) return json;
  const type = preferred(
    accept,
    medias.map((each) => each.type),
  );
  return medias.find((each) => each.type === type) ?? declaredMedia(request);
}

/**
 * The one of `types` that an Accept header names with the highest weight, `undefined` when it names none of them.
 * A range with `*` names no type: whoever accepts everything leaves the choice to us.
 */
export function preferred(accept: string, types: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestWeight = 0;
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';');
    const type = name.trim().toLowerCase();
    const weight = weightOf(parameters);
    if (weight > bestWeight && types.includes(type)) [best, bestWeight] = [type, weight];
  }
  return best;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch (cause) {
    throw error('body-unreadable', { detail: 'The body is not UTF-8.' }, cause);
  }
}

function declaredMedia(request: HttpRequest): Media {
  const header = request.headers['content-type'];
  if (medias.length === 1 || typeof header !== 'string') return medias[0];
  const { type } = contentType(header);
  return medias.find((each) => each.type === type) ?? medias[0];
}

function contentType(header: string): { readonly type: string; readonly charset: string | undefined } {
  const [type = '', ...parameters] = header.split(';');
  const charset = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith('charset='));
  return { type: type.trim().toLowerCase(), charset: charset?.slice('charset='.length).replaceAll('"', '') };
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith('q='));
  const value = weight === undefined ? 1 : Number(weight.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}
