// Operation → result, readable top to bottom: guard, then the handler in the transaction it asks for, then the recorder.

import { error, unreachable } from '../errors.ts';
import { type Condition, everything } from '../plan/condition.ts';
import type { Awaitable, Writer } from '../store/store.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { keepAnswer, type Once, runOnce } from './idempotency.ts';
import { invoke, startupTask } from './invoke.ts';
import { list } from './list.ts';
import type { Caller, Context, Later, Operation, Result, Traced } from './operation.ts';
import { read } from './read.ts';
import type { Guard, Recorder, Task } from './seams.ts';
import { tree } from './tree.ts';
import { modelTriggers } from './triggers.ts';
import { update } from './update.ts';
import { within } from './within.ts';

export interface Engine {
  /** With `once`, an equal request that was answered before is answered the same, and nothing is done. */
  execute(operation: Operation, caller: Caller, once?: Once, trace?: Traced[]): Awaitable<Result>;
  /** Runs what the model says is to be done at start, as the system. */
  start(): Promise<void>;
  /** Resolves when nothing is under way any more that was put off until after an answer. */
  settle(): Promise<void>;
}

export type Parts = Omit<Context, 'caller' | 'condition' | 'triggers' | 'later' | 'running'> & {
  readonly guard: Guard;
  readonly recorder: Recorder;
  /** What was done after the answer and failed, in words. */
  failed(thrown: unknown, what: string): void;
};

export function createEngine(parts: Parts): Engine {
  const { guard, recorder, failed, plan, store, clock, functions, hash, limits } = parts;
  const running = new Set<string>();
  const under = new Set<Promise<void>>();
  // Written out: a spread costs ten times as much here, and V8 would keep its copies in the old generation.
  const contextOf = (caller: Caller, condition: Condition, trace?: Traced[]): Context => ({
    plan,
    store,
    clock,
    functions,
    hash,
    limits,
    caller,
    condition,
    triggers: modelTriggers,
    later: [],
    trace,
  });
  return {
    async start() {
      const context = contextOf({ user: undefined }, everything);
      const task = startupTask(context);
      if (task?.transaction !== 'write') return;
      await context.store.write((tx) => task.run(tx), { waits: task.waits });
      await finish(context.later, failed);
    },
    async settle() {
      while (under.size > 0) await Promise.all(under);
    },
    execute(operation, caller, once, trace) {
      const verdict = guard.judge(operation, caller);
      if (!verdict.allowed) throw error('not-available', { detail: verdict.reason });
      const context = contextOf(caller, verdict.condition, trace);
      const afterwards = (later: readonly Later[]): void => {
        const work = finish(later, failed).finally(() => under.delete(work));
        under.add(work);
      };
      const asked: Asked = { operation, once, context, recorder, afterwards };
      if (once !== undefined) return runOnce(once, running, context, async () => run(await taskOf(operation, context), asked));
      const task = taskOf(operation, context);
      return task instanceof Promise ? task.then((ready) => run(ready, asked)) : run(task, asked);
    },
  };
}

interface Asked {
  readonly operation: Operation;
  readonly once: Once | undefined;
  readonly context: Context;
  readonly recorder: Recorder;
  afterwards(later: readonly Later[]): void;
}

/** What was put off until the commit, one after the other; a failure is written down and ends nothing else. */
async function finish(later: readonly Later[], failed: Parts['failed']): Promise<void> {
  for (const { what, run: work } of later) {
    try {
      await work();
    } catch (thrown) {
      failed(thrown, what);
    }
  }
}

/** Without access control, everybody may do everything. */
export const openGuard: Guard = { judge: () => ({ allowed: true, condition: everything }) };

/** Without an audit trail, nothing is kept. */
export const noRecorder: Recorder = { record: () => {} };

function run(task: Task, asked: Asked): Awaitable<Result> {
  switch (task.transaction) {
    case 'read':
      return asked.context.store.read((tx) => task.run(tx));
    case 'write':
      return committed(
        asked.context.store.write((tx) => write(task.run(tx), tx, asked), { waits: task.waits }),
        asked,
      );
    case 'own':
      return task.run();
    default:
      return unreachable(task);
  }
}

async function committed(pending: Promise<Result>, { context, afterwards }: Asked): Promise<Result> {
  const result = await pending;
  if (context.later.length > 0) afterwards(context.later);
  return result;
}

/** What is kept beside the change itself is kept in the same transaction. */
async function write(pending: Awaitable<Result>, tx: Writer, { operation, once, context, recorder }: Asked): Promise<Result> {
  const result = await pending;
  await recorder.record(operation, result, within(context, tx));
  if (once !== undefined) await keepAnswer(once, result, context, tx);
  return result;
}

function taskOf(operation: Operation, context: Context): Awaitable<Task> {
  switch (operation.kind) {
    case 'create':
      return create(operation, context);
    case 'read':
      return read(operation, context);
    case 'list':
      return list(operation, context);
    case 'tree':
      return tree(operation, context);
    case 'update':
      return update(operation, context);
    case 'delete':
      return remove(operation, context);
    case 'invoke':
      return invoke(operation, context);
    default:
      return unreachable(operation);
  }
}
