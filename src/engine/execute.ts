// The one door to operations, whoever asks for them: requests of every surface, agents, timers, subscriptions, what workflows make, and the service itself.
// Judge → narrow by rights → prepare → write → record, in the order of this file.

import { accessDenied, error, unreachable } from '../errors.ts';
import type { TypeName } from '../model/model.ts';
import type { Select } from '../plan/query/shape.ts';
import type { Awaitable, DecisionBasis, Row, WriteOptions, Writer } from '../store/store.ts';
import { unheldWriter } from '../store/unheld-writer.ts';
import { inTransaction, mapAwaitable } from './context.ts';
import { keepAnswer } from './idempotency.ts';
import { conditionToRun } from './instances/guard.ts';
import type { Context, Once, Operation, ReadContext, Result, Rights, WriteContext } from './operation.ts';
import { type RetryOptions, retried } from './retry.ts';
import { recorded } from './rows/record.ts';
import { runningAs } from './run-as.ts';
import { type Beside, openGuard, type Task, type WriteTask } from './seams.ts';

/** One operation, with whom it is done for. */
export interface Execution {
  readonly operation: Operation;
  readonly context: Context;
}

/** Asks for a row in the state in which the operation is done, as far as there is one already. */
interface Asks<E> {
  ask(select: Select, execution: E): Awaitable<Row | undefined>;
}

/** Where an operation is done. */
interface Within<E extends Execution, T> extends Asks<E> {
  /** Writes and records what was prepared. */
  run(task: Task, execution: E): Awaitable<T>;
}

function execute<E extends Execution, T>(execution: E, within: Within<E, T>): Awaitable<T> {
  const pending = allow(execution, within);
  return pending instanceof Promise ? pending.then(() => prepare(execution, within)) : prepare(execution, within);
}

/** Whether the caller may do it at all. With which rows is part of every statement on them. */
function allow<E extends Execution>(execution: E, within: Asks<E>): Awaitable<void> {
  const { operation, context } = execution;
  judge(operation, context);
  if (operation.kind === 'invoke' && operation.isGranted !== true) return narrow(operation.target.name, execution, within);
}

/** For what is watched too, as long as somebody listens: it is no task. */
export function judge(operation: Operation, { guard, caller }: Rights): void {
  const verdict = guard.judge(operation, caller);
  if (!verdict.allowed) throw error('access-denied', { detail: verdict.reason });
}

function narrow<E extends Pick<Execution, 'context'>>(type: TypeName, execution: E, within: Asks<E>): Awaitable<void> {
  const select = conditionToRun(type, execution.context);
  if (select === undefined) return;
  return mapAwaitable(within.ask(select, execution), (row) => {
    if (row === undefined) throw accessDenied({ action: 'create', type });
  });
}

function prepare<E extends Execution, T>(execution: E, within: Within<E, T>): Awaitable<T> {
  const { operation, context } = execution;
  const task = taskOf(operation, context);
  return task instanceof Promise ? task.then((ready) => within.run(ready, execution)) : within.run(task, execution);
}

/** What is to be done, with whose rights the model says: of a workflow that runs as the system, its caller was judged before. */
function taskOf(operation: Operation, context: Context): Awaitable<Task> {
  const as = operation.kind === 'invoke' && 'runAs' in operation.target ? operation.target.runAs : undefined;
  return context.handlers.prepare(operation, runningAs(as, context));
}

/** Before there is a transaction. */
const ahead = {
  ask: (select: Select, { context: { store, request } }: Execution): Awaitable<Row | undefined> =>
    store.read((tx) => tx.one(select, []), undefined, request),
};

interface InTransaction extends Execution {
  readonly context: ReadContext;
}

/** In the one in which it is done. */
const inside = { ask: (select: Select, { context: { tx } }: InTransaction): Awaitable<Row | undefined> => tx.one(select, []) };

interface InWrite extends Execution {
  readonly context: WriteContext;
}

const underWay: Within<InWrite, Result> = {
  ...inside,
  run: (task, { context }) => (task.transaction === 'own' ? task.run() : task.run(context.tx)),
};

/** One operation inside a transaction that is under way. */
export async function perform(operation: Operation, context: WriteContext): Promise<Result> {
  return execute({ operation, context }, underWay);
}

/** Refuses what `perform` would refuse, and does nothing. */
export async function rehearse(operation: Operation, context: WriteContext): Promise<void> {
  await execute({ operation, context }, nothing);
}

const nothing: Within<InWrite, void> = { ...inside, run: () => {} };

/** One that only reads, in a transaction of its own. */
export async function performRead(operation: Operation, context: Context): Promise<Result> {
  return execute({ operation, context }, reading);
}

const reading: Within<Execution, Result> = {
  ...ahead,
  run(task, { context: { store, request } }) {
    if (task.transaction !== 'read') throw new Error('what was to read only does more');
    return store.read((tx) => task.run(tx), task, request);
  },
};

/** An event or an agent that was asked for from outside, and is done by now as a part of a run: its caller must still be allowed to. */
export function performPart<T>(type: TypeName, context: Context | ReadContext, work: () => Awaitable<T>): Awaitable<T> {
  if (context.guard === openGuard) return work();
  const { events, agents } = context.plan.model;
  const target = events.get(type) ?? agents.get(type);
  if (target === undefined) throw error('not-available', { detail: `There is no event or agent ${type}.` });
  const operation = { kind: 'invoke', target, body: null } as const;
  const pending = 'tx' in context ? allow({ operation, context }, inside) : allow({ operation, context }, ahead);
  return mapAwaitable(pending, work);
}

/** What is known of a task before it is begun. */
export type Needs = Pick<Task, 'transaction' | 'suspending'> & Pick<Extract<Task, { transaction: 'own' }>, 'asking'>;

/** How an operation becomes part of what somebody else writes with it. */
export interface Together<T> {
  /** Refuses it, or gives what came of it where it was done in another way. */
  before?(needs: Needs): Promise<T | undefined>;
  /** Opens the transaction in which `work` does the operation; it may be begun anew. */
  open(work: (writing: WriteContext) => Promise<Result>, options: WriteOptions): Promise<T>;
  /** Only in that transaction, by whoever has taken the work there: `before` does what needs transactions of its own. */
  readonly isJudgedInside?: boolean;
}

/**
 * One operation in one transaction with what else is written there. What it needs of the transaction is known before there is one; inside it is
 * judged and prepared anew.
 */
export async function performTogether<T>(operation: Operation, context: Context, how: Together<T>): Promise<T> {
  const execution = { operation, context, how };
  return how.isJudgedInside === true ? prepare(execution, together()) : execute(execution, together());
}

interface TogetherExecution<T> extends Execution {
  readonly how: Together<T>;
}

function together<T>(): Within<TogetherExecution<T>, T> {
  return { ...ahead, run: runTogether };
}

async function runTogether<T>(task: Task, { operation, how }: TogetherExecution<T>): Promise<T> {
  const done = await how.before?.(task);
  if (done !== undefined) return done;
  if (task.transaction === 'own') {
    if (how.isJudgedInside === true) throw new Error('what has transactions of its own is judged before them');
    // What another system does is in no transaction of ours, and none is held while it does it.
    const result = await task.run();
    return how.open(async () => result, {});
  }
  const options = task.transaction === 'write' ? { waits: task.waits, decides: task.decides ?? byRows } : {};
  return how.open((writing) => perform(operation, writing), options);
}

const byRows: DecisionBasis = 'by rows';

/** An operation of a request. */
export interface RequestExecution extends Execution {
  readonly once: Once | undefined;
  readonly hashes: (() => Context['hash']) | undefined;
  readonly attempts: Attempts;
}

/** What all requests of an engine have in common. */
export interface Attempts {
  /** Begins what was put off until after the commit. */
  finish(context: Context): void;
  /** The same from its start. */
  anew(execution: RequestExecution): RequestExecution;
}

/** In transactions of its own. */
export function executeRequest(execution: RequestExecution): Awaitable<Result> {
  return execute(execution, ownTransactions);
}

const ownTransactions: Within<RequestExecution, Result> = { ...ahead, run };

function run(task: Task, execution: RequestExecution): Awaitable<Result> {
  switch (task.transaction) {
    case 'read':
      return read(task, execution);
    case 'write':
      return written(task, execution);
    case 'own':
      return runReplayable(execution, (beside) =>
        mapAwaitable(task.run(beside), (result) => {
          if (execution.context.later.length > 0) execution.attempts.finish(execution.context);
          return result;
        }),
      );
    default:
      return unreachable(task);
  }
}

function read(task: Extract<Task, { transaction: 'read' }>, execution: RequestExecution): Awaitable<Result> {
  const { context } = execution;
  return runReplayable(execution, (beside) => {
    const result = context.store.read((tx) => task.run(tx), task, context.request);
    return task.finish === undefined ? result : mapAwaitable(result, (done) => task.finish?.(done, beside) ?? done);
  });
}

/** What writes nothing of its own may have told another system: an equal request is then answered the same, and that is not told again. */
function runReplayable({ once, context }: RequestExecution, work: (beside?: Beside) => Awaitable<Result>): Awaitable<Result> {
  if (once === undefined) return work();
  let isKept = false;
  const keep: Beside = (result, tx) => {
    isKept = true;
    return keepAnswer(once, result, context, tx);
  };
  return mapAwaitable(work(keep), (result) =>
    isKept || !context.outside.called
      ? result
      : context.store.write(async (tx) => keep(result, tx), { origin: context.request }).then(() => result),
  );
}

/** What was prepared before the transaction is prepared anew with it: it may be what was checked there that others have changed. */
function written(first: WriteTask, execution: RequestExecution): Promise<Result> {
  let now = execution;
  const again = async (options: RetryOptions): Promise<Result> => {
    now = execution.attempts.anew(execution);
    now.context.trace?.splice(0);
    const task = await taskOf(now.operation, now.context);
    return task.transaction === 'write' ? commit(task, now, options) : run(task, now);
  };
  return retried(
    (tries, options) => (tries === 1 ? commit(first, execution) : again(options)),
    () => !now.context.outside.called,
    execution.context,
  );
}

function commit(task: WriteTask, execution: RequestExecution, options: RetryOptions = {}): Promise<Result> {
  const { context, once, attempts } = execution;
  const { waits, decides } = task;
  // What is kept beside the change is a statement more.
  const single = task.single === true && once === undefined && context.recording === undefined && options.exclusive === undefined;
  const isUnheld = task.isElsewhere === true && once === undefined && context.recording === undefined;
  const pending = isUnheld
    ? Promise.resolve(task.run(unheldWriter(context.store, context.request)))
    : context.store.write((tx) => write(task, tx, execution), {
        waits,
        decides,
        origin: context.request,
        single,
        ...options,
      });
  return pending.then((result) => {
    if (context.later.length > 0) attempts.finish(context);
    return result;
  });
}

/** What is kept beside the change itself is kept in the same transaction. */
function write(task: WriteTask, tx: Writer, execution: RequestExecution): Awaitable<Result> {
  const { once, context } = execution;
  const result =
    context.recording === undefined
      ? runInside(task, tx, execution)
      : recorded(() => runInside(task, tx, execution), inTransaction(context, tx), task.isPlain);
  return once === undefined ? result : storeResponse(result, once, context, tx);
}

/** Whoever was allowed to run it before the transaction may not be by now: it may have waited for its turn, or be another attempt. */
function runInside(task: WriteTask, tx: Writer, { operation, context }: RequestExecution): Awaitable<Result> {
  if (operation.kind !== 'invoke' || operation.isGranted === true) return task.run(tx);
  return mapAwaitable(narrow(operation.target.name, { context }, { ask: (select) => tx.one(select, []) }), () => task.run(tx));
}

async function storeResponse(pending: Awaitable<Result>, once: Once, context: Context, tx: Writer): Promise<Result> {
  const result = await pending;
  await keepAnswer(once, result, context, tx);
  return result;
}
