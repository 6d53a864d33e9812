// Operation → result, readable top to bottom: guard, then the handler in the transaction it asks for, then the recorder.

import { error, unreachable } from '../errors.ts';
import { everything } from '../plan/condition.ts';
import type { Awaitable } from '../store/store.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { list } from './list.ts';
import type { Caller, Context, Operation, Result } from './operation.ts';
import { read } from './read.ts';
import type { Guard, Recorder, Task } from './seams.ts';
import { tree } from './tree.ts';
import { update } from './update.ts';

export interface Engine {
  execute(operation: Operation, caller: Caller): Awaitable<Result>;
}

export type Parts = Omit<Context, 'caller' | 'condition'> & { readonly guard: Guard; readonly recorder: Recorder };

export function createEngine(parts: Parts): Engine {
  const { guard, recorder, ...rest } = parts;
  return {
    execute(operation, caller) {
      const verdict = guard.judge(operation, caller);
      if (!verdict.allowed) throw error('not-available', { detail: verdict.reason });
      const context: Context = { ...rest, caller, condition: verdict.condition };
      const task = taskOf(operation, context);
      return task instanceof Promise
        ? task.then((ready) => run(ready, operation, context, recorder))
        : run(task, operation, context, recorder);
    },
  };
}

/** Without access control, everybody may do everything. */
export const openGuard: Guard = { judge: () => ({ allowed: true, condition: everything }) };

/** Without an audit trail, nothing is kept. */
export const noRecorder: Recorder = { record: () => {} };

function run(task: Task, operation: Operation, context: Context, recorder: Recorder): Awaitable<Result> {
  switch (task.transaction) {
    case 'read':
      return context.store.read((tx) => task.run(tx));
    case 'write':
      return context.store.write(
        async (tx) => {
          const result = await task.run(tx);
          await recorder.record(operation, result, { ...context, tx });
          return result;
        },
        { waits: task.waits },
      );
    case 'own':
      return task.run();
    default:
      return unreachable(task);
  }
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
