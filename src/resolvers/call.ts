// Calls a handler: in its time, reads up to three times, writes once; what it throws becomes a failure of the request.

import { userOf } from '../engine/caller.ts';
import type { HandlerContext } from '../engine/eval/functions.ts';
import { refusedSuspension, Suspended } from '../engine/flow/parts/suspension.ts';
import type { Context } from '../engine/operation.ts';
import { type ErrorCode, error, isError, PlatformError } from '../errors.ts';
import type { TypeName } from '../model/model.ts';
import { isObject } from '../plan/rows/attribute.ts';
import type { Value, Values } from '../values/value.ts';
import type { Handler, Method, Resolver } from './resolver.ts';

/** For whom, and about what: the rest of the context is the resolver's own. */
export interface CallAbout extends Pick<HandlerContext, 'user' | 'requestId' | 'type' | 'before'> {
  /** Aborted when the one who asked goes away. To have one costs, and most handlers never ask for it. */
  signal(): AbortSignal | undefined;
  /** Milliseconds that are left of what surrounds the call. */
  readonly left?: number | undefined;
  /** The run that waits where the handler suspends the workflow that it is called in; throws where that cannot be. Absent where no handler may. */
  suspend?(): string;
}

/** Milliseconds, inside a workflow: what surrounds the call has its own time to end in. */
export const longestInFlow = 8000;

const mostTries = 3;
/** Milliseconds before the second try; twice as long before the third. */
const pause = 100;

export async function call(resolver: Resolver, method: Method, argument: Value, about: CallAbout): Promise<Value> {
  const handler = resolver.handlers[method];
  if (handler === undefined) throw error('method-not-allowed', { detail: `The resolver of ${about.type} has no handler for ${method}.` });
  const state = new CallState(about);
  const isRead = method === 'query' || resolver.reads?.has(about.type) === true;
  const tries = isRead ? mostTries : 1;
  return new Promise((resolve, reject) => {
    const fail = (thrown: unknown): void => {
      clearTimeout(timer);
      state.end();
      reject(thrown);
    };
    const timer = setTimeout(
      () => {
        if (state.isWaiting) resolver.breaker.failed();
        fail(error('resolver-timeout'));
      },
      Math.min(resolver.timeout, about.left ?? Number.POSITIVE_INFINITY),
    );
    tried(resolver, handler, tries, argument, about, state).then((given) => {
      clearTimeout(timer);
      state.isOver = true;
      resolve(given);
    }, fail);
  });
}

/** Asks `eval` for an event, which may suspend where it is said how. */
export function evaluate(
  resolver: Resolver,
  type: TypeName,
  event: Values,
  { caller, request, outside, running }: Context,
  suspend?: () => string,
): Promise<Value> {
  resolver.check?.(type, event);
  outside.called = true;
  return call(resolver, 'eval', event, {
    user: userOf(caller) ?? null,
    requestId: request?.id ?? null,
    signal: () => request?.signal,
    type,
    left: running && longestInFlow,
    ...(suspend === undefined ? {} : { suspend }),
  });
}

/** How far a call is. */
class CallState {
  readonly #about: CallAbout;
  #ends: AbortController | undefined;
  #signal: AbortSignal | undefined;
  /** Whether nobody waits for it any more. */
  isOver = false;
  /** Whether the handler has not answered yet. */
  isWaiting = false;
  isSuspended = false;

  constructor(about: CallAbout) {
    this.#about = about;
  }

  signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal;
    this.#ends = new AbortController();
    if (this.isOver) this.#ends.abort();
    const asked = this.#about.signal();
    this.#signal = asked === undefined ? this.#ends.signal : AbortSignal.any([asked, this.#ends.signal]);
    return this.#signal;
  }

  /** Whether the one who asked is away: what a handler throws then says nothing of the other system. */
  get isLeft(): boolean {
    return this.#about.signal()?.aborted === true;
  }

  suspend(): string {
    const { suspend, type } = this.#about;
    if (suspend === undefined)
      throw refusedSuspension(`The handler that was called for ${type} cannot suspend: only those for events and creates can.`);
    if (this.isOver) throw refusedSuspension(`The call of the handler for ${type} is over.`);
    const run = suspend();
    this.isSuspended = true;
    return run;
  }

  end(): void {
    this.isOver = true;
    this.#ends?.abort();
  }
}

/** A class, as a literal with a getter would be of a shape of its own. */
class CallInfo implements HandlerContext {
  readonly user: HandlerContext['user'];
  readonly requestId: HandlerContext['requestId'];
  readonly type: string;
  readonly config: Value;
  readonly log: HandlerContext['log'];
  readonly isFirst: boolean;
  declare readonly before?: Value;
  readonly #state: CallState;

  constructor({ config, log, isContextFirst }: Resolver, { user, requestId, type, before }: CallAbout, state: CallState) {
    this.user = user;
    this.requestId = requestId;
    this.type = type;
    this.config = config;
    this.log = log;
    this.isFirst = isContextFirst;
    if (before !== undefined) this.before = before;
    this.#state = state;
  }

  get signal(): AbortSignal {
    return this.#state.signal();
  }

  suspend(): string {
    return this.#state.suspend();
  }
}

async function tried(
  resolver: Resolver,
  handler: Handler,
  most: number,
  argument: Value,
  about: CallAbout,
  state: CallState,
): Promise<Value> {
  const { breaker } = resolver;
  const context = new CallInfo(resolver, about, state);
  for (let tries = 1; ; tries += 1) {
    breaker.check();
    try {
      state.isWaiting = true;
      const given = await handler(argument, context);
      if (!state.isOver) breaker.succeeded();
      if (!state.isSuspended) return given;
    } catch (thrown) {
      const failure = failureOf(thrown);
      if (state.isOver || state.isLeft) throw failure;
      if (failure.code === 'resolver-refused' || failure.code === 'suspension-refused') breaker.succeeded();
      else breaker.failed();
      if (failure.code !== 'resolver-failed' || tries === most) throw failure;
    } finally {
      state.isWaiting = false;
    }
    if (state.isSuspended) throw new Suspended(about.type);
    await new Promise((resolve) => setTimeout(resolve, pause * tries));
    if (state.isOver || state.isLeft) throw error('resolver-timeout');
  }
}

/** A refusal in the words of its author; anything else is a failure, whose text is for the log alone. */
export function failureOf(thrown: unknown): PlatformError {
  if (thrown instanceof PlatformError && ownCodes.has(thrown.code)) return thrown;
  // It held up everybody, and would again.
  if (isError(thrown, 'dataflow-limit')) return error('resolver-timeout', {}, thrown);
  // Authors throw no errors of the service: this is what it says of a result that is no data.
  if (isError(thrown, 'dataflow-failed')) return error('resolver-answer-invalid', {}, thrown);
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
  'suspension-refused',
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
