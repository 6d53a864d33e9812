// Requests to other systems: one host, no redirect to another, answers of a bounded size.

import { error } from '../errors.ts';
import type { Outgoing } from '../outgoing.ts';
import { parseJson } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';

/** Bytes of one answer. */
export const mostBytes = 16 * 1024 * 1024;

export interface RemoteRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal | undefined;
}

/** The system that is asked. */
export interface RemoteSystem {
  readonly outgoing: Outgoing;
}

export interface RemoteResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly text: string;
  /** What was asked at last, after redirects. */
  readonly url: URL;
}

const mostRedirects = 5;

/** Only what reads is sent a second time, to where the other system sends it. */
export async function send(
  { method, url: first, headers, body, signal }: RemoteRequest,
  { outgoing }: RemoteSystem,
): Promise<RemoteResponse> {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await outgoing.fetch(url, { method, headers: { ...headers }, body, signal });
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
    const text = await textOf(answer);
    if (location === null) return { status: answer.status, ok: answer.ok, headers: answer.headers, text, url };
    url = sameHost(new URL(location, url), first);
    if (redirects === mostRedirects || method !== 'GET') throw new Error('the other system sends us somewhere else');
  }
}

/** What the other system refuses is for the caller; that it does not know us is not. */
const refusals: ReadonlySet<number> = new Set([400, 404, 409, 410, 412, 422, 423, 429]);

/** The error for an answer that is none of success. */
export function failureOf({ status, url }: Pick<RemoteResponse, 'status' | 'url'>, method: string): Error {
  if (refusals.has(status)) return Object.assign(new Error('The other system has refused this.'), { status });
  return new Error(`${method} ${url.pathname} was answered ${status}`);
}

export function parsed(text: string): Value {
  try {
    return parseJson(text, { depth: 100, keys: 1_000_000, items: 1_000_000 });
  } catch (thrown) {
    throw error('resolver-answer-invalid', {}, thrown);
  }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw error('resolver-answer-too-large', {}, new Error(`more than ${mostBytes} bytes`));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Whatever the other system names, no other host is asked. */
export function sameHost(url: URL, base: URL): URL {
  if (url.origin !== base.origin) throw new Error(`the other system sends us to ${url.origin}`);
  return url;
}
