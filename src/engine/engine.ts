// An engine for one model: what each request has at hand, and what becomes of a denial and of what was put off until after the commit.

import { isDenied, isError, PlatformError } from '../errors.ts';
import { ambientOf } from '../plan/query/ambient.ts';
import { AmbientStore } from '../store/ambient-store.ts';
import type { Awaitable, Reader, Store } from '../store/store.ts';
import { type RowSupplier, SuppliedStore } from '../store/supplied-store.ts';
import { ambientCaller, type Caller, isNarrowed, isSystem, system } from './caller.ts';
import { bringUpToDate } from './computed/start.ts';
import { inTransaction } from './context.ts';
import { handlersOf } from './dispatch.ts';
import { type Attempts, executeRequest, type RequestExecution } from './execute.ts';
import { startupTask } from './flow/invoke.ts';
import { modelTriggers } from './flow/triggers.ts';
import type { AskingFlows, EventHandlers } from './handlers.ts';
import { runIdempotent } from './idempotency.ts';
import type { Context, Once, Operation, RequestInfo, Result, Traced } from './operation.ts';
import { hashesOfTries, retried } from './retry.ts';
import { recorded, recordingFor } from './rows/record.ts';
import { type External, type Guard, openGuard, type Recorder, type Triggers } from './seams.ts';

export interface Engine {
  /** With `once`, an equal request that was answered before is answered the same, and nothing is done. */
  execute(operation: Operation, caller: Caller, request?: RequestInfo, once?: Once, trace?: Traced[]): Awaitable<Result>;
  /** Runs what the model says is to be done at start, as the system. */
  start(): Promise<void>;
  /** What a part of the service does of its own accord, in transactions that it opens itself. */
  asSystem<T>(work: (context: Context) => Promise<T>): Promise<T>;
  /** The same for somebody who asked for it earlier. */
  asCaller<T>(caller: Caller, work: (context: Context) => Promise<T>): Promise<T>;
  /** Reads as a caller, where rows of some tables come along with each statement, and are not those that the store has; with `reader`, all of it by that one. */
  reading<T>(caller: Caller, supplier: RowSupplier, work: (context: Context) => Awaitable<T>, reader?: Reader): Awaitable<T>;
  /** Resolves when nothing is under way any more that was put off until after an answer. */
  settle(): Promise<void>;
}

type OfRequest =
  | 'external'
  | 'caller'
  | 'request'
  | 'handlers'
  | 'triggers'
  | 'later'
  | 'outside'
  | 'recording'
  | 'callerGuard'
  | 'running'
  | 'trace'
  | 'stale';

export type EngineParts = Omit<Context, OfRequest> & {
  /** Events that parts of the service do themselves; the plan was compiled for them. */
  readonly handlers?: EventHandlers;
  /** Absent where the model has no agents. */
  readonly asking?: AskingFlows | undefined;
  readonly guard: Guard;
  readonly recorder: Recorder;
  /** What else writes set off, besides the logic of the model. */
  readonly triggers?: ((ofModel: Triggers) => Triggers) | undefined;
  /** Absent where the model keeps nothing elsewhere. */
  readonly external?: External | undefined;
  /** Work that goes on after its answer, of all engines of an application: whoever ends it waits for these. */
  readonly background?: Set<Promise<void>>;
  /** What was done after the answer and failed, in words. */
  failed(thrown: unknown, what: string): void;
};

export function createEngine(parts: EngineParts): Engine {
  const { guard, recorder, external, failed, background = new Set<Promise<void>>(), plan, store, clock, functions, hash, limits } = parts;
  const warn = parts.warn && onceEach(parts.warn);
  const handlers = handlersOf(plan, parts.handlers ?? new Map(), parts.asking);
  const running = new Set<string>();
  const triggers = parts.triggers?.(modelTriggers) ?? modelTriggers;
  const hasSecrets = [...plan.entities.values(), ...plan.links.values()].some(({ secrets }) => secrets.length > 0);
  /** What runs as the system goes on as its caller where the model says so. */
  const asksForCaller = (caller: Caller): boolean => guard !== openGuard && caller.kind !== 'system';
  // Written out: a spread costs ten times as much here, and V8 would keep its copies in the old generation.
  const contextOf = (caller: Caller, request?: RequestInfo, trace?: Traced[], hashed = hash): Context => {
    // The system may do everything.
    const judge = isSystem(caller) ? openGuard : guard;
    const context = {
      plan,
      // Without access control no condition asks who the caller is.
      store: asksForCaller(caller) ? new AmbientStore(store, ambientOf(ambientCaller(caller), clock)) : store,
      clock,
      functions,
      hash: hashed,
      limits,
      warn,
      caller,
      request,
      handlers,
      guard: judge,
      callerGuard: guard,
      external: undefined,
      triggers,
      later: [],
      outside: { called: false },
      recording: recordingFor(recorder),
      trace,
    };
    return external === undefined ? context : withExternal(context, store, external, asksForCaller(caller));
  };
  const attempts: Attempts = {
    finish(context) {
      const work = finish(context, recorder, failed).finally(() => background.delete(work));
      background.add(work);
    },
    anew(execution) {
      const { caller, request, trace } = execution.context;
      return { ...execution, context: contextOf(caller, request, trace, execution.hashes?.()) };
    },
  };
  const ownWork = async <T>(caller: Caller, work: (context: Context) => Promise<T>): Promise<T> => {
    const context = contextOf(caller);
    const result = await work(context);
    await finish(context, recorder, failed);
    return result;
  };
  return {
    async start() {
      const context = contextOf(system);
      await bringUpToDate(context);
      const task = startupTask(context);
      if (task?.transaction !== 'write') return;
      await retried(
        (_, options) => context.store.write((tx) => recorded(() => task.run(tx), inTransaction(context, tx)), { ...task, ...options }),
        () => !context.outside.called,
        context,
      );
      await finish(context, recorder, failed);
    },
    asSystem: (work) => ownWork(system, work),
    asCaller: ownWork,
    reading(caller, supplier, work, reader) {
      const context = contextOf(caller);
      const ambient = context.guard === openGuard ? undefined : ambientOf(ambientCaller(caller), clock);
      return work({ ...context, store: new SuppliedStore(store, ambient, supplier, reader) });
    },
    async settle() {
      while (background.size > 0) await Promise.all(background);
    },
    execute(operation, caller, request, once, trace) {
      const hashes = hasSecrets ? hashesOfTries(hash) : undefined;
      const context = contextOf(caller, request, trace, hashes?.());
      const keepsAnswers = once !== undefined && handlers.keepsAnswers(operation);
      const execution: RequestExecution = keepsAnswers
        ? { operation, once: undefined, context: { ...context, once }, hashes, attempts }
        : { operation, once, context, hashes, attempts };
      const explainsDenials = guard.explain !== undefined && isNarrowed(caller);
      const auditsDenials = recorder.isIdle !== true;
      if (execution.once === undefined && !auditsDenials && !explainsDenials) return executeRequest(execution);
      const work = (): Awaitable<Result> =>
        execution.once === undefined
          ? executeRequest(execution)
          : runIdempotent(execution.once, running, execution.context, async () => executeRequest(execution));
      const audited = (): Awaitable<Result> => (auditsDenials ? recordDenial(work, execution, recorder) : work());
      return explainsDenials ? explained(audited, execution) : audited();
    },
  };
}

/** Statements of this request get the rows along that are kept elsewhere. */
function withExternal(context: Context, store: Store, external: External, asksForCaller: boolean): Context {
  const { caller, clock } = context;
  const rows = external.open(context);
  const ambient = asksForCaller ? ambientOf(ambientCaller(caller), clock) : undefined;
  return { ...context, external: rows, store: new SuppliedStore(store, ambient, rows) };
}

/** What is done at once stays so: most of it is allowed. */
function recordDenial(
  work: () => Awaitable<Result>,
  { operation, context, attempts }: RequestExecution,
  recorder: Recorder,
): Awaitable<Result> {
  const denied = async (thrown: unknown): Promise<Result> => {
    if (isDenied(thrown)) await recorder.denied(operation, context, thrown.origin.denial);
    // Not before the answer: the time that it takes would tell whether there is such an instance.
    else if (context.guard !== openGuard && isError(thrown, 'instance-not-found'))
      attempts.finish({
        ...context,
        later: [{ what: 'recording what was denied', run: async () => recorder.hidden?.(operation, context) }],
      });
    throw thrown;
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(denied) : result;
  } catch (thrown) {
    return denied(thrown);
  }
}

async function explained(work: () => Awaitable<Result>, { context }: RequestExecution): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const denial = isError(thrown, 'access-denied') ? thrown.origin.denial : undefined;
    if (denial === undefined || !(thrown instanceof PlatformError)) throw thrown;
    const explanation = await context.guard.explain?.(denial, context);
    throw explanation === undefined
      ? thrown
      : new PlatformError(thrown.code, { ...thrown.details, explanation }, thrown.cause, thrown.origin);
  }
}

/** What was put off until the commit, one after the other; a failure is written down and ends nothing else. */
async function finish(context: Context, recorder: Recorder, failed: EngineParts['failed']): Promise<void> {
  for (const { what, run: work } of context.later) {
    try {
      await work();
    } catch (thrown) {
      failed(thrown, what);
      await recordFailure(what, thrown, context, recorder, failed);
    }
  }
}

async function recordFailure(
  what: string,
  thrown: unknown,
  context: Context,
  recorder: Recorder,
  failed: EngineParts['failed'],
): Promise<void> {
  try {
    await recorder.failed(what, thrown, context);
  } catch (second) {
    failed(second, `recording that ${what} failed`);
  }
}

/** Each line once, while there are not too many of them. */
function onceEach(warn: (line: string) => void): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    if (told.has(line) || told.size >= mostTold) return;
    told.add(line);
    warn(line);
  };
}

const mostTold = 1000;

/** Without an audit trail, nothing is kept. */
export const noRecorder: Recorder = { isIdle: true, records: () => false, changed: () => {}, denied: () => {}, failed: () => {} };
