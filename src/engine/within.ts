// A context inside a transaction, and values that may come later. Written out, not spread: this runs for every request.

import type { Awaitable, Reader } from '../store/store.ts';
import type { Context } from './operation.ts';

/** A spread here costs microseconds, and V8 would keep its copies in the old generation. */
export function within<Tx extends Reader>(context: Context, tx: Tx, running = context.running): Context & { readonly tx: Tx } {
  const { plan, store, clock, functions, hash, limits, caller, condition, triggers, later, trace } = context;
  const parts = { plan, store, clock, functions, hash, limits, caller, condition, triggers, later, trace, tx };
  return running === undefined ? parts : { ...parts, running };
}

/** Goes on at once where the value is there already, as it always is with the embedded store. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
