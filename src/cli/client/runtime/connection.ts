// Requests of a generated client: tokens that are refreshed once for all, safe requests that are tried again. Part of the generated file.

import { failure, failureOf } from './errors.ts';
import { type Integers, readJson, writeJson } from './integers.ts';
import type { ClientOptions, Tokens } from './types.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Where the integers of the answer stand. */
  readonly integers?: Integers | undefined;
  /** Whether it is the same to do it twice. */
  readonly isSafe?: boolean;
  /** Whether it is made without a token. */
  readonly isOpen?: boolean;
}

export interface Answer {
  readonly value: unknown;
  readonly headers: Headers;
}

export interface Connection {
  send(call: Call): Promise<Answer>;
  /** The value of an answer, as what the model says of it. */
  read<T>(call: Call): Promise<T>;
  tokens(): Partial<Tokens> | undefined;
  keep(tokens: Tokens | undefined): void;
  refresh(signal?: AbortSignal): Promise<Tokens>;
}

const mostTries = 3;
const tryAgain: ReadonlySet<number> = new Set([0, 429, 503]);
/** Seconds. */
const longestPause = 20;

export function connect(options: ClientOptions): Connection {
  const { baseUrl, bigints = false, onTokens } = options;
  const ask = options.fetch ?? globalThis.fetch;
  const base = baseUrl.replace(/\/+$/, '');
  let known = options.tokens;
  let refreshing: Promise<Tokens> | undefined;

  const once = async ({ method, path, body, headers, signal, integers, isOpen }: Call): Promise<Answer> => {
    const token = isOpen === true ? undefined : known?.idToken;
    const answer = await ask(`${base}${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: writeJson(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((thrown: unknown) => {
      if (signal?.aborted === true) throw thrown;
      throw failure({ status: 0, code: 'unreachable', message: 'the service did not answer', errors: [], retryAfter: undefined }, thrown);
    });
    if (!answer.ok) throw await failureOf(answer);
    const text = await answer.text();
    return { value: text === '' ? undefined : readJson(text, integers, { bigints }), headers: answer.headers };
  };

  /** What is the same twice is tried again where the service is busy or does not answer. */
  const patiently = async (call: Call): Promise<Answer> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await once(call);
      } catch (thrown) {
        const { status, retryAfter } = said(thrown);
        if (call.isSafe !== true || tries >= mostTries || status === undefined || !tryAgain.has(status)) throw thrown;
        await pause(Math.min(retryAfter ?? 2 ** tries / 10, longestPause), call.signal);
      }
    }
  };

  const connection: Connection = {
    async send(call) {
      try {
        return await patiently(call);
      } catch (thrown) {
        const isExpired = said(thrown).status === 401 && call.isOpen !== true && known?.refreshToken !== undefined;
        if (!isExpired) throw thrown;
        await connection.refresh();
        return patiently(call);
      }
    },
    async read(call) {
      return typed((await connection.send(call)).value);
    },
    tokens: () => known,
    keep(tokens) {
      known = tokens;
      onTokens?.(tokens);
    },
    /** However many ask for it, it is done once. */
    refresh() {
      refreshing ??= refreshed().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
  };

  async function refreshed(): Promise<Tokens> {
    const refreshToken = known?.refreshToken;
    try {
      const { value } = await patiently({
        method: 'POST',
        path: '/platform.auth/refreshToken',
        body: { refreshToken },
        isOpen: true,
        isSafe: true,
      });
      const tokens = tokensOf(value);
      connection.keep(tokens);
      return tokens;
    } catch (thrown) {
      if (said(thrown).status === 401) connection.keep(undefined);
      throw thrown;
    }
  }

  return connection;
}

export function tokensOf(value: unknown): Tokens {
  const given: Readonly<Record<string, string>> = typed(value);
  return { idToken: given['id-token'] ?? '', accessToken: given['access-token'] ?? '', refreshToken: given['refresh-token'] ?? '' };
}

/** What the service answers is what its model says. */
export function typed<T>(value: unknown): T;
export function typed(value: unknown): unknown {
  return value;
}

function said(thrown: unknown): { readonly status?: number; readonly retryAfter?: number | undefined } {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number') return {};
  return {
    status: thrown.status,
    retryAfter: 'retryAfter' in thrown && typeof thrown.retryAfter === 'number' ? thrown.retryAfter : undefined,
  };
}

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, seconds * 1000);
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
