// Counts what a request holds in memory, where that is much, against what all requests together may hold.

import { error, type PlatformError } from '../errors.ts';
import { countedFrom, noRoom } from '../memory-budget.ts';
import { type Awaitable, bytesOfRow, type Row, TooLarge } from '../store/store.ts';
import type { Held } from './budget.ts';
import type { Context } from './operation.ts';

/**
 * Throws where there is no room for so many bytes. The request is done again then, once it holds `wanted`: more than it has now where it goes
 * on reading. Nothing is done twice that has called something outside.
 */
export function holdBytes(bytes: number, { request, outside }: Pick<Context, 'request' | 'outside'>, wanted = bytes): void {
  if (bytes <= countedFrom || request?.memory?.grow(bytes) !== false) return;
  throw noRoom(outside.called ? undefined : wanted);
}

export function nothingHeld(refusal?: Held['refusal']): Held {
  return { rows: 0, bytes: 0, later: 0, refusal };
}

/** For work that is done once more from its start. */
export function letGo(held: Held): void {
  Object.assign(held, { rows: 0, bytes: 0, later: 0 });
}

/** Where there is no room for what was read, room for so many times as much is waited for: it may not have been the end. */
export const furtherRead = 4;

type Holding = Pick<Context, 'limits' | 'request' | 'outside'>;

/** Rows that are held besides. */
export function holdMore(held: Held, rows: readonly Row[], context: Holding): void {
  for (const { json } of rows) held.bytes += json.length + bytesOfRow;
  held.rows += rows.length;
  holdSum(held, context);
}

/** A row that is held until after the commit. */
export function holdLater(held: Held, { json }: Row, context: Holding): void {
  held.later += json.length + bytesOfRow;
  held.rows += 1;
  holdSum(held, context);
}

/** Ends what holds more than one request may, but for a single row. */
export function holdSum(held: Held, context: Holding): void {
  const { memory } = context.limits;
  const bytes = held.bytes + held.later;
  if (bytes > memory && held.rows > 1) throw tooMuch(held, context);
  holdBytes(bytes, context, Math.min(memory, bytes * furtherRead));
}

function tooMuch({ refusal }: Held, { limits: { memory } }: Holding): PlatformError {
  return refusal?.(memory) ?? error('dataflow-limit', { detail: `It would hold more than ${memory} bytes at once.` });
}

/** Rows of a query, all of which are held until its workflow is done with them; `ask` is told how large they may be together. */
export function heldRows(ask: (most: number) => Awaitable<readonly Row[]>, held: Held, context: Holding): Awaitable<readonly Row[]> {
  const hold = (rows: readonly Row[]): readonly Row[] => {
    holdMore(held, rows, context);
    return rows;
  };
  const fails = (thrown: unknown): never => {
    throw thrown instanceof TooLarge ? tooMuch(held, context) : thrown;
  };
  try {
    const rows = ask(Math.max(1, context.limits.memory - held.bytes));
    return rows instanceof Promise ? rows.then(hold, fails) : hold(rows);
  } catch (thrown) {
    return fails(thrown);
  }
}
