// Transactions that a part of the service opens of its own accord, as the system or as whom it works for: for several operations, and rows of its own.

import type { WriteOptions } from '../store/store.ts';
import { system } from './caller.ts';
import type { Context, WriteContext } from './operation.ts';
import { writtenApart } from './retry.ts';
import { openGuard } from './seams.ts';

/** As whoever the context is for, in a transaction of its own, begun anew where others got in its way. */
export function writeAsCaller<T>(context: Context, work: (writing: WriteContext) => Promise<T>, options: WriteOptions = {}): Promise<T> {
  return writtenApart(work, { decides: 'by rows', ...options }, context);
}

/** As the system, in a transaction of its own, begun anew where others got in its way. */
export function writeAsSystem<T>(context: Context, work: (writing: WriteContext) => Promise<T>, options: WriteOptions = {}): Promise<T> {
  const own: Context = { ...context, caller: system, guard: openGuard };
  return writtenApart(work, { decides: 'by rows', ...options }, own);
}
