// Calls a handler: in its time, reads up to three times, writes once; what it throws becomes a failure of the request.

import type { HandlerContext } from '../engine/eval/functions.ts';
import { type ErrorCode, error, PlatformError } from '../errors.ts';
import { isObject } from '../plan/rows/attribute.ts';
import type { Value } from '../values/value.ts';
import type { Handler, Method, Resolver } from './resolver.ts';

/** For whom, and about what: the rest of the context is the resolver's own. */
export interface CallAbout extends Pick<HandlerContext, 'user' | 'requestId' | 'type' | 'before'> {
  /** Aborted when the one who asked goes away. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds that are left of what surrounds the call. */
  readonly left?: number | undefined;
}

/** Milliseconds, inside a workflow: what surrounds the call has its own time to end in. */
export const longestInFlow = 8000;

const mostTries = 3;
/** Milliseconds before the second try; twice as long before the third. */
const pause = 100;

export async function call(resolver: Resolver, method: Method, argument: Value, about: CallAbout): Promise<Value> {
  const handler = resolver.handlers[method];
  if (handler === undefined) throw error('method-not-allowed', { detail: `The resolver of ${about.type} has no handler for ${method}.` });
  const time = Math.min(resolver.timeout, about.left ?? Number.POSITIVE_INFINITY);
  const ends = new AbortController();
  const signal = about.signal === undefined ? ends.signal : AbortSignal.any([about.signal, ends.signal]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error('resolver-timeout')), time);
  });
  try {
    return await Promise.race([
      tried(resolver, handler, method === 'query' || resolver.reads?.has(about.type) === true, argument, { ...about, signal }, late),
      late,
    ]);
  } catch (thrown) {
    // Of what nobody waits for any more, the handler is told.
    ends.abort();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

async function tried(
  resolver: Resolver,
  handler: Handler,
  isRead: boolean,
  argument: Value,
  about: CallAbout,
  late: Promise<never>,
): Promise<Value> {
  const { breaker, config, log, isContextFirst } = resolver;
  const { user, requestId, type, before, signal } = about;
  const context = { user, requestId, type, signal, config, log, isFirst: isContextFirst, ...(before === undefined ? {} : { before }) };
  for (let tries = 1; ; tries += 1) {
    breaker.check();
    try {
      const given = await Promise.race([handler(argument, context), late]);
      breaker.succeeded();
      return given;
    } catch (thrown) {
      const failure = failureOf(thrown);
      if (failure.code === 'resolver-refused') breaker.succeeded();
      else breaker.failed();
      if (!isRead || failure.code !== 'resolver-failed' || tries === mostTries) throw failure;
    }
    await Promise.race([new Promise((resolve) => setTimeout(resolve, pause * tries)), late]);
  }
}

/** A refusal in the words of its author; anything else is a failure, whose text is for the log alone. */
function failureOf(thrown: unknown): PlatformError {
  if (thrown instanceof PlatformError && ownCodes.has(thrown.code)) return thrown;
  const status = statusOf(thrown);
  if (status === undefined) return error('resolver-failed', {}, thrown instanceof PlatformError ? (thrown.cause ?? thrown) : thrown);
  const text = textOf(thrown);
  return error('resolver-refused', { response: { status }, ...(text === undefined ? {} : { detail: text.slice(0, longestText) }) }, thrown);
}

/** What the service itself says of a call. */
const ownCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'resolver-timeout',
  'resolver-refused',
  'resolver-answer-invalid',
  'resolver-answer-too-large',
]);

const longestText = 2000;

function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('status' in thrown)) return undefined;
  const { status } = thrown;
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500 ? status : undefined;
}

function textOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) return undefined;
  return typeof thrown.message === 'string' && thrown.message !== '' ? thrown.message : undefined;
}

/** What a handler for one instance gave; nothing means the one that it was given. */
export function oneOf(given: Value, otherwise: Value): Value {
  if (given === null) return otherwise;
  return Array.isArray(given) && given.length === 1 && isObject(given[0]) ? given[0] : given;
}
