// Media types of bodies: which of them a request may carry, how they are read and written, and which one an answer takes.

import { StringDecoder } from 'node:string_decoder';
import { error } from '../../errors.ts';
import { parseJson } from '../../values/json/json.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Value } from '../../values/value.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { parseTransit } from './transit/read.ts';
import { transitStream, transitText } from './transit/write.ts';

export interface Media {
  readonly type: string;
  read(text: string, limits: JsonLimits): Value;
  /** The body of an answer, which is made as JSON, in this media type. */
  write(body: HttpResponse['body']): HttpResponse['body'];
}

export const json: Media = { type: 'application/json', read: parseJson, write: (body) => body };

export const transit: Media = { type: 'application/transit+json', read: parseTransit, write: transitBody };

const medias: readonly Media[] = [json, transit];

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
  // Nearly everybody: whoever never names transit gets JSON.
  if (!namesTransit(accept) && !namesTransit(request.headers['content-type'])) return json;
  const declared = declaredMedia(request);
  if (typeof accept !== 'string') return declared;
  const type = preferred(
    accept,
    medias.map((each) => each.type),
  );
  return medias.find((each) => each.type === type) ?? (leavesChoice(accept, declared.type) ? declared : json);
}

/** The answer in the media type that its caller reads. An answer that is not JSON stays what it is. */
export function negotiated(response: HttpResponse, request: HttpRequest): HttpResponse {
  const media = answerMedia(request);
  if (media === json) return response;
  const { status, headers, body } = response;
  if (!jsonTypes.has(headers['content-type'] ?? '')) return response;
  return { status, headers: { ...headers, 'content-type': media.type }, body: media.write(body) };
}

/**
 * The headers of a request that an answer depends on, `undefined` when it is the same for everybody. Entity tags are the same
 * for every media type, so that a cache that does not know would take one for the other.
 */
export function variesBy({ status, headers }: HttpResponse): string | undefined {
  const type = headers['content-type'];
  return type === json.type || type === transit.type || status === 304 ? 'Accept, Content-Type' : undefined;
}

/**
 * The one of `types` that an Accept header names with the highest weight, `undefined` when it names none of them.
 * A range with `*` names no type: whoever accepts everything leaves the choice to us.
 */
export function preferred(accept: string, types: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestWeight = 0;
  for (const { type, weight } of rangesOf(accept)) if (weight > bestWeight && types.includes(type)) [best, bestWeight] = [type, weight];
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

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/problem+json']);

function transitBody(body: HttpResponse['body']): HttpResponse['body'] {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return transitText(body);
  if (!Buffer.isBuffer(body)) return transitStream(body);
  return body.length <= pieceSize ? transitText(body.toString()) : transitStream(textsOf(body));
}

/** Of a long document, so many bytes are converted before others have their turn. */
const pieceSize = 65_536;

async function* textsOf(bytes: Buffer): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  for (let from = 0; from < bytes.length; from += pieceSize) yield decoder.write(bytes.subarray(from, from + pieceSize));
}

function namesTransit(header: string | string[] | undefined): boolean {
  return typeof header === 'string' && /\/transit\+json/i.test(header);
}

function declaredMedia(request: HttpRequest): Media {
  const header = request.headers['content-type'];
  if (typeof header !== 'string') return json;
  const { type } = contentType(header);
  return medias.find((each) => each.type === type) ?? json;
}

function contentType(header: string): { readonly type: string; readonly charset: string | undefined } {
  const [type = '', ...parameters] = header.split(';');
  const charset = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith('charset='));
  return { type: type.trim().toLowerCase(), charset: charset?.slice('charset='.length).replaceAll('"', '') };
}

/** Whether an Accept header that prefers nothing we have allows this type all the same. */
function leavesChoice(accept: string, type: string): boolean {
  const ranges = rangesOf(accept);
  const everything = ranges.some((range) => range.weight > 0 && (range.type === '*/*' || range.type === 'application/*'));
  return everything && !ranges.some((range) => range.type === type);
}

function rangesOf(accept: string): readonly { readonly type: string; readonly weight: number }[] {
  return accept.split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';');
    return { type: name.trim().toLowerCase(), weight: weightOf(parameters) };
  });
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters.map((each) => each.trim().toLowerCase()).find((each) => each.startsWith('q='));
  const value = weight === undefined ? 1 : Number(weight.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}
