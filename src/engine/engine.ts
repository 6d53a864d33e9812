// Operation → result, readable top to bottom: guard, then the handler in the transaction it asks for, then the recorder.

import { error, unreachable } from '../errors.ts';
import { everything } from '../plan/condition.ts';
import type { Awaitable, Writer } from '../store/store.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { keepAnswer, type Once, runOnce } from './idempotency.ts';
import { list } from './list.ts';
import type { Caller, Context, Operation, Result } from './operation.ts';
import { read } from './read.ts';
import type { Guard, Recorder, Task } from './seams.ts';
import { tree } from './tree.ts';
import { update } from './update.ts';

export interface Engine {
  /** With `once`, an equal request that was answered before is answered the same, and nothing is done. */
  execute(operation: Operation, caller: Caller, once?: Once): Awaitable<Result>;
}

export type Parts = Omit<Context, 'caller' | 'condition'> & { readonly guard: Guard; readonly recorder: Recorder };

export function createEngine(parts: Parts): Engine {
  const { guard, recorder, ...rest } = parts;
  const running = new Set<string>();
  return {
    execute(operation, caller, once) {
      const verdict = guard.judge(operation, caller);
      if (!verdict.allowed) throw error('not-available', { detail: verdict.reason });
      const context: Context = { ...rest, caller, condition: verdict.condition };
      const asked: Asked = { operation, once, context, recorder };
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
      return asked.context.store.write((tx) => write(task.run(tx), tx, asked), { waits: task.waits });
    case 'own':
      return task.run();
    default:
      return unreachable(task);
  }
}

/** What is kept beside the change itself is kept in the same transaction. */
async function write(pending: Awaitable<Result>, tx: Writer, { operation, once, context, recorder }: Asked): Promise<Result> {
  const result = await pending;
  await recorder.record(operation, result, { ...context, tx });
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
      throw error('not-available');
    default:
      return unreachable(operation);
  }
}
