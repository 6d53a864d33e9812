// A context inside a transaction, and values that may come later. Written out, not spread: this runs for every request.

import type { TypeName } from '../model/model.ts';
import type { RelatedComputedAttribute, RelatedComputedGroup } from '../plan/computed/related-computed.ts';
import type { RowPlan } from '../plan/plan.ts';
import type { Awaitable, DecisionBasis, Reader } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import type { RunBudget } from './budget.ts';
import type { Context } from './operation.ts';
import type { WriteKind } from './seams.ts';

/** Whose attributes are out of date, by the keys of their rows. */
export interface StaleComputed {
  readonly pending: Map<RelatedComputedGroup, Map<Value, Set<RelatedComputedAttribute>>>;
  /** Rows that were made, and of which nobody has been told yet. */
  readonly made: Map<RowPlan, Value[]>;
  /** Whether more is to come before they are computed. */
  readonly deferred: boolean;
  /** What was locked before the rows that it is computed from, or that are computed from it. */
  readonly held: Set<string>;
  /** How much was computed, where no workflow counts it: one write must not hold up everybody for as long as it has owners. */
  counted?: RunBudget;
}

/** A spread here costs microseconds, and V8 would keep its copies in the old generation. */
export function inTransaction<Tx extends Reader>(context: Context, tx: Tx, running = context.running): Context & { readonly tx: Tx } {
  const { plan, store, clock, functions, hash, limits, warn, caller, request, handlers, guard, callerGuard, external } = context;
  const { triggers, later, outside, recording, trace } = context;
  const stale = plan.relatedComputed === undefined ? undefined : staleIn(context);
  return {
    plan,
    store,
    clock,
    functions,
    hash,
    limits,
    warn,
    caller,
    request,
    handlers,
    guard,
    callerGuard,
    external,
    triggers,
    later,
    outside,
    recording,
    trace,
    stale,
    tx,
    running,
  };
}

/** Each transaction has its own, except where several pieces of work are computed together in the end. */
function staleIn({ stale }: Context): StaleComputed {
  return stale?.deferred === true ? stale : nothingStale(false);
}

export function nothingStale(deferred: boolean): StaleComputed {
  return { pending: new Map(), made: new Map(), deferred, held: new Set() };
}

/** By what is decided in what such writes on rows of these types set off; nothing where they set nothing off. */
export function decisionBasisFor(operation: WriteKind, types: () => Iterable<TypeName>, context: Context): DecisionBasis | undefined {
  const { plan, triggers } = context;
  if (plan.dataflows.triggers.size === 0) return undefined;
  let decides: DecisionBasis | undefined;
  for (const type of types()) {
    if (triggers.query(operation, type, context)) return 'by queries';
    if (triggers.fires('before', operation, type, context) || triggers.fires('after', operation, type, context)) decides = 'by rows';
  }
  return decides;
}

/** Rows that one request writes before others get their turn. */
export const rowsPerTurn = 64;

export function yieldAt(index: number): Awaitable<void> {
  if (index % rowsPerTurn === rowsPerTurn - 1) return new Promise((resolve) => setImmediate(resolve));
}

/** Goes on at once where the value is there already, as it always is with the embedded store. */
export function mapAwaitable<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What comes of each, one after the other; waits only where there is something to wait for. */
export function mapInOrder<T, U>(items: readonly T[], work: (item: T) => Awaitable<U>): Awaitable<readonly U[]> {
  const done: U[] = [];
  for (const item of items) {
    const next = work(item);
    if (next instanceof Promise) return restInTurn(next, items, done, work);
    done.push(next);
  }
  return done;
}

async function restInTurn<T, U>(
  pending: Promise<U>,
  items: readonly T[],
  done: U[],
  work: (item: T) => Awaitable<U>,
): Promise<readonly U[]> {
  done.push(await pending);
  for (const item of items.slice(done.length)) done.push(await work(item));
  return done;
}
