// The application's own functions, as the engine calls them: `@check`, computed defaults, calls in expressions.

import { error, type PlatformError } from '../../errors.ts';
import type { FunctionReference } from '../../model/model.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { type Caller, userOf } from '../caller.ts';

/** Whether something outside of the service may have been called: then nothing of the request is done twice. */
export interface OutsideCalls {
  called: boolean;
}

/** For whom a function of the application is called. */
export interface CallContext {
  /** Their e-mail; null for the service itself, and for those it does not know. */
  readonly user: string | null;
  /** As the log names it; null where nobody outside asked. */
  readonly requestId: string | null;
  /** Aborted when the one who asked goes away; absent where nobody waits for an answer. */
  readonly signal: AbortSignal | undefined;
}

/** What of a request a function of the application is told. */
interface AskedFrom {
  readonly id: string;
  readonly signal?: AbortSignal;
}

export function callContext({ caller, request }: { readonly caller: Caller; readonly request: AskedFrom | undefined }): CallContext {
  return new RequestContext(userOf(caller) ?? null, request);
}

/** With a getter, as most functions never ask whether somebody is still there; a class, as a literal with one would be of a shape of its own. */
class RequestContext implements CallContext {
  readonly user: string | null;
  readonly requestId: string | null;
  readonly #request: AskedFrom | undefined;

  constructor(user: string | null, request: AskedFrom | undefined) {
    this.user = user;
    this.requestId = request?.id ?? null;
    this.#request = request;
  }

  get signal(): AbortSignal | undefined {
    return this.#request?.signal;
  }
}

export interface Functions {
  /** Another one where the text of a function may be another: what was computed by it is then out of date. */
  readonly version: string;
  /**
   * Calls a function of an imported module, or of the model's own code. An error that its author throws is `dataflow-failed` with its
   * text, a bug in it `function-failed` without; where it does not come back it is ended with `dataflow-limit`. It cannot change the
   * values, and what it gives is data. What is computed for everybody is computed without a context. Where it gives a promise, or its import says
   * that it acts on other systems, that is noted in `outside`, before it can throw.
   */
  call(reference: FunctionReference, values: readonly Value[], outside: OutsideCalls, context?: CallContext): Awaitable<Value>;
  /**
   * Calls a function as the handler of a resolver, with a context as its second argument. What its author throws comes as it is; a list may
   * come as anything that can be gone through, at most so many items of it and one more.
   */
  handle(reference: FunctionReference, argument: Value, context: HandlerContext, most: number): Awaitable<Value>;
  /**
   * Calls a function as the `subscribe` handler of a resolver, and resolves when it has ended. What it tells by `emit` is data by then; where it does not
   * wait for that, no failure of it stays unhandled.
   */
  subscribe(reference: FunctionReference, emit: EmitValue, context: HandlerContext): Promise<void>;
  /**
   * Runs work that calls functions, by its number, for a few milliseconds, and gives the first number that is left: to watch over many
   * calls together costs little more than to watch over one. The work waits for nothing; where a function is ended, so is the work.
   */
  together(from: number, to: number, work: (index: number) => void): number;
  /** `console.log(…)` in a workflow: a line in the log of the service. */
  log(line: string): void;
}

/** Resolves when what was told is committed. */
export type EmitValue = (data: Value, cursor: Value | undefined) => Promise<void>;

/** For what a handler of a resolver is called, and what it has at hand. */
export interface HandlerContext extends CallContext {
  /** The qualified name of the entity or event. */
  readonly type: string;
  /** Of updates and deletes: the instance as it was. */
  readonly before?: Value;
  /** Of subscriptions: the last one that was committed. */
  readonly cursor?: Value;
  readonly config: Value;
  readonly log: HandlerLog;
  /** Ends the workflow after this call, until somebody resumes the run whose identifier it gives; throws where that cannot be. */
  suspend?(): string;
  /** Whether it comes before the argument. */
  readonly isFirst?: boolean;
}

export type HandlerLog = Readonly<Record<'debug' | 'info' | 'warn' | 'error', (line: string) => void>>;

/** For models that import nothing. */
export const noFunctions: Functions = {
  version: '',
  call(reference) {
    throw new Error(`${reference.function} of ${reference.file} is not loaded`);
  },
  handle(reference) {
    throw new Error(`${reference.function} of ${reference.file} is not loaded`);
  },
  subscribe(reference) {
    throw new Error(`${reference.function} of ${reference.file} is not loaded`);
  },
  together(from, to, work) {
    for (let index = from; index < to; index += 1) work(index);
    return to;
  },
  log: () => {},
};

/** What comes later is not waited for here. */
export function atOnce(result: Awaitable<Value>, refusal: string): Value {
  if (!(result instanceof Promise)) return result;
  // Nobody waits for it, so nobody would hear of its failure either.
  result.catch(() => {});
  throw error('dataflow-failed', { detail: refusal });
}

/** What is waited for has so many milliseconds left. */
export async function inTime(given: Awaitable<Value>, left: number, late: () => PlatformError): Promise<Value> {
  if (!(given instanceof Promise)) return given;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, left));
  });
  try {
    return await Promise.race([given, end]);
  } finally {
    clearTimeout(timer);
  }
}
