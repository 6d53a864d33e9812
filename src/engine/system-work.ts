// What a part of the service writes of its own accord, as the system or as whom it works for: several operations and rows of its own in one transaction.

import type { WriteOptions } from '../store/store.ts';
import { system } from './caller.ts';
import { checkRun } from './instances/guard.ts';
import type { Context, Operation, Result, WriteContext } from './operation.ts';
import { writtenApart } from './retry.ts';
import { openGuard } from './seams.ts';

/** One operation inside a transaction that is under way. */
export async function perform(operation: Operation, writing: WriteContext): Promise<Result> {
  if (operation.kind === 'invoke') await checkRun(operation.target.name, writing, (work) => work(writing.tx));
  const task = await writing.handlers.prepare(operation, writing);
  switch (task.transaction) {
    case 'own':
      return task.run();
    default:
      return task.run(writing.tx);
  }
}

/** As whoever the context is for, in a transaction of its own, begun anew where others got in its way. */
export function writeAsCaller<T>(context: Context, work: (writing: WriteContext) => Promise<T>, options: WriteOptions = {}): Promise<T> {
  return writtenApart(work, { decides: 'by rows', ...options }, context);
}

/** As the system, in a transaction of its own, begun anew where others got in its way. */
export function writeAsSystem<T>(context: Context, work: (writing: WriteContext) => Promise<T>, options: WriteOptions = {}): Promise<T> {
  const own: Context = { ...context, caller: system, guard: openGuard };
  return writtenApart(work, { decides: 'by rows', ...options }, own);
}
