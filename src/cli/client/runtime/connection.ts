// Requests of a generated client: tokens that are refreshed once for all, safe requests that are tried again. Part of the generated file.

import { failure, failureOf, PlatformError } from './errors.ts';
import type { Form } from './form.ts';
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
  /** The answer of the surface as a flat value. */
  readonly flat?: ((value: unknown) => unknown) | undefined;
  /** Whether it is the same to do it twice. */
  readonly isSafe?: boolean;
  /** Whether it is made without a token. */
  readonly isOpen?: boolean;
}

export interface Answer {
  readonly value: unknown;
  readonly status: number;
  readonly headers: Headers;
}

export interface Connection {
  readonly form: Form;
  send(call: Call): Promise<Answer>;
  /** As `send`, for an answer that comes piece by piece. */
  open(call: Call): Promise<Response>;
  /** A part of such an answer. */
  parse(text: string, call: Pick<Call, 'integers' | 'flat'>): unknown;
  /** The value of an answer, as what the model says of it. */
  read<T>(call: Call): Promise<T>;
  tokens(): Partial<Tokens> | undefined;
  keep(tokens: Tokens | undefined): void;
  refresh(signal?: AbortSignal): Promise<Tokens>;
}

const mostTries = 3;
const tryAgain: ReadonlySet<number> = new Set([0, 429, 502, 503]);
/** Seconds. */
const longestPause = 20;

export function connect(options: ClientOptions, form: Form): Connection {
  const { baseUrl, bigints = false, onTokens } = options;
  const ask = options.fetch ?? globalThis.fetch;
  const base = baseUrl.replace(/\/+$/, '');
  let known = options.tokens;
  let refreshing: Promise<Tokens> | undefined;

  const once = async <T>({ method, path, body, headers, signal, isOpen }: Call, take: (answer: Response) => Promise<T>): Promise<T> => {
    const token = isOpen === true ? undefined : known?.idToken;
    const request = {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: writeJson(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      const answer = await ask(`${base}${path}`, request);
      if (!answer.ok) throw await failureOf(answer);
      return await take(answer);
    } catch (thrown) {
      if (signal?.aborted === true || thrown instanceof PlatformError) throw thrown;
      throw unreachable(thrown);
    }
  };

  /** What is the same twice is tried again where the service is busy or does not answer. */
  const patiently = async <T>(call: Call, take: (answer: Response) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await once(call, take);
      } catch (thrown) {
        if (!(thrown instanceof PlatformError) || call.isSafe !== true || tries >= mostTries || !isPassing(thrown)) throw thrown;
        await pause(Math.min(thrown.retryAfter ?? 2 ** tries / 10, longestPause), call.signal);
      }
    }
  };

  const asked = async <T>(call: Call, take: (answer: Response) => Promise<T>): Promise<T> => {
    const token = known?.idToken;
    try {
      return await patiently(call, take);
    } catch (thrown) {
      const isExpired = isRefused(thrown) && call.isOpen !== true && known?.refreshToken !== undefined;
      if (!isExpired) throw thrown;
      // Another call may have got new tokens meanwhile.
      if (known?.idToken === token) await connection.refresh();
      return patiently(call, take);
    }
  };

  const connection: Connection = {
    form,
    async send(call) {
      // Where the body breaks off, there was no answer.
      const [text, { status, headers }] = await asked(call, async (answer) => [await answer.text(), answer] as const);
      return { value: text === '' ? undefined : connection.parse(text, call), status, headers };
    },
    open: (call) => asked(call, async (answer) => answer),
    parse: (text, { integers, flat }) => readJson(text, integers, { bigints, flat }),
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
    const { path, body } = form.identity('refreshToken', { refreshToken: known?.refreshToken });
    try {
      const call: Call = { method: 'POST', path, body, isOpen: true, isSafe: true };
      const tokens = tokensOf(JSON.parse(await patiently(call, (answer) => answer.text())));
      connection.keep(tokens);
      return tokens;
    } catch (thrown) {
      if (isRefused(thrown)) connection.keep(undefined);
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

/** It may be better in a moment: also where an equal request with the same key is still under way. */
export function isPassing({ status, retryAfter }: PlatformError): boolean {
  return tryAgain.has(status) || (status === 409 && retryAfter !== undefined);
}

export function unreachable(cause: unknown): PlatformError {
  return failure({ status: 0, code: 'unreachable', message: 'the service did not answer', errors: [], retryAfter: undefined }, cause);
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof PlatformError && thrown.status === 401;
}

export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
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
