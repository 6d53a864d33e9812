// Counts what a request holds in memory, where that is much, against what all requests together may hold.

import { error } from '../errors.ts';
import { countedFrom, noRoom } from '../memory-budget.ts';
import { type Awaitable, bytesOfRow, type Row, TooLarge } from '../store/store.ts';
import type { Context } from './operation.ts';

/**
 * Throws where there is no room for so many bytes. The request is done again then, once it holds `wanted`: more than it has now where it goes
 * on reading. Nothing is done twice that has called something outside.
 */
export function holdBytes(bytes: number, { request, outside }: Pick<Context, 'request' | 'outside'>, wanted = bytes): void {
  if (bytes <= countedFrom || request?.memory?.grow(bytes) !== false) return;
  throw noRoom(outside.called ? undefined : wanted);
}

/** What one query of a workflow has read so far. */
export interface ReadSize {
  rows: number;
  bytes: number;
}

/** Where there is no room for what was read, room for so many times as much is waited for: it may not have been the end. */
export const furtherRead = 4;

/** Rows of a query, all of which are held until its workflow is done with them; `ask` is told how large they may be together. */
export function heldRows(
  ask: (most: number) => Awaitable<readonly Row[]>,
  size: ReadSize,
  context: Pick<Context, 'limits' | 'request' | 'outside'>,
): Awaitable<readonly Row[]> {
  const { memory } = context.limits;
  const tooMuch = () => error('dataflow-limit', { detail: `It would read more than ${memory} bytes at once.` });
  const hold = (rows: readonly Row[]): readonly Row[] => {
    for (const { json } of rows) size.bytes += json.length + bytesOfRow;
    size.rows += rows.length;
    if (size.bytes > memory && size.rows > 1) throw tooMuch();
    holdBytes(size.bytes, context, Math.min(memory, size.bytes * furtherRead));
    return rows;
  };
  const fails = (thrown: unknown): never => {
    throw thrown instanceof TooLarge ? tooMuch() : thrown;
  };
  try {
    const rows = ask(Math.max(1, memory - size.bytes));
    return rows instanceof Promise ? rows.then(hold, fails) : hold(rows);
  } catch (thrown) {
    return fails(thrown);
  }
}
