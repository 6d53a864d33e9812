// Every call of the service goes through here: with the token, with exact numbers, and with failures as one type.

import { parseJson, writeJson } from './json.ts';
import { bearer, expireSession, renewed } from './session.ts';

export interface Fault {
  readonly attribute: string;
  readonly code: string;
  readonly message: string;
}

/** What the service refused, in its words. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly Fault[];
  /** In how many seconds it is worth to ask again, where the service says so. */
  readonly retryAfter: number | undefined;
  constructor(status: number, code: string, message: string, errors: readonly Fault[] = [], retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
  }
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export async function call(asked: Call): Promise<Answer> {
  const response = await send(asked);
  const text = await response.text();
  const body = text === '' || !/json/.test(response.headers.get('content-type') ?? '') ? text : parseJson(text);
  if (response.ok) return { status: response.status, body, headers: response.headers };
  throw problemOf(response.status, body, response.headers.get('retry-after'));
}

/** The answer as it comes, for streams and downloads; a token that has expired is renewed once. */
export async function send(asked: Call): Promise<Response> {
  const used = bearer();
  const response = await attempt(asked);
  if (response.status !== 401 || used === undefined) return response;
  // Another request may have renewed it meanwhile.
  if (bearer() === used && !(await renewed().catch(unreachable))) {
    expireSession();
    return response;
  }
  return bearer() === undefined ? response : attempt(asked);
}

/** While the service is away nobody is signed out. */
function unreachable(): never {
  throw new Problem(0, 'unreachable', 'The service cannot be reached.');
}

async function attempt({ method = 'GET', path, body, headers, signal }: Call): Promise<Response> {
  const token = bearer();
  const sent = {
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  };
  try {
    return await fetch(path, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: writeJson(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw new Problem(0, 'unreachable', 'The service cannot be reached.');
  }
}

const ended = 'Your session has ended. Sign in again: what you typed is still here.';

/** Both forms of a failure: `application/problem+json`, and the envelope of the earlier surface. */
export function problemOf(status: number, body: unknown, retryAfter: string | null = null): Problem {
  const found = Object(Array.isArray(body) ? body[0] : body);
  const message = status === 401 ? ended : (found.detail ?? found.message ?? found.title ?? `The service answered ${status}.`);
  const errors = Array.isArray(found.errors) ? found.errors : [];
  return new Problem(
    status,
    String(found.code ?? ''),
    String(message),
    errors,
    /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined,
  );
}

/** Of who says when to come again nothing is expected at once: the reader is told. */
export function isRetryable(thrown: unknown): boolean {
  if (thrown instanceof Problem && thrown.status === 503 && thrown.retryAfter !== undefined) return false;
  return thrown instanceof Problem && (thrown.status === 0 || thrown.status === 429 || thrown.status >= 502);
}

/** The same call for a terminal. The token is left to whoever runs it. */
export function asCurl({ method = 'GET', path, body, headers }: Call): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [
    `curl ${method === 'GET' ? '-g ' : `-g -X ${method} `}${quoted(location.origin + path)}`,
    ...(bearer() === undefined ? [] : [`-H "authorization: Bearer $TOKEN"`]),
    ...Object.entries(headers ?? {}).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(writeJson(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** A part of a path as it reads; what is no escape stays as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The identifier that a path ends with. */
export function lastPart(path: string): string {
  return decoded(path.slice(path.lastIndexOf('/') + 1));
}
