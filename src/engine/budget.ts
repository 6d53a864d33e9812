// How much one event may still do: steps, time and what it holds; and when others get their turn.

import { setImmediate } from 'node:timers/promises';
import { error, isError, type PlatformError } from '../errors.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import type { Awaitable } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import { nothingHeld } from './memory.ts';
import type { Context, EngineLimits, ReadContext } from './operation.ts';
import type { Origin } from './outcome.ts';

/** What is held of what was read so far. */
export interface Held {
  rows: number;
  bytes: number;
  /** Bytes of what is put off until after the commit. */
  later: number;
  /** That it would be more than a request may hold, where no workflow holds it. */
  readonly refusal?: ((memory: number) => PlatformError) | undefined;
}

/** What every flow has that one request sets off. */
export interface RunBudget {
  readonly origins: WeakMap<object, Origin>;
  readonly deadline: number;
  steps: number;
  /** How many steps there were when the time was last looked at. */
  checkedAtStep: number;
  /** What was read and is still held: what names may stand for, and what rounds of loops give. */
  readonly held: Held;
  /** When others were last let through, and after how many steps; 0 until the time is first looked at. */
  yieldedAt: number;
  yieldedAtStep: number;
  /** The keys of what was made that its maker may not read; absent where there is none. */
  unread?: Map<EntityPlan | LinkPlan, Set<Value>>;
}

/** What counts how much is done, and on whose behalf. */
export interface Budgeted {
  readonly budget: RunBudget;
  readonly reading: ReadContext;
}

/** Others wait no longer than this many milliseconds, or steps, for a flow that does not wait itself. */
const longestHold = { time: 1, steps: 100 } as const;
/** Steps that take no time worth looking at the clock for. */
const unwatched = 8;

export function startBudget({ clock, limits }: Context): RunBudget {
  const now = clock.now().getTime();
  const deadline = now + limits.flow.time * 1000;
  return { origins: new WeakMap(), deadline, held: nothingHeld(), steps: 0, checkedAtStep: 0, yieldedAt: 0, yieldedAtStep: 0 };
}

/** Of what nobody outside waits for. */
export const unlimited: EngineLimits['flow'] = { steps: Number.POSITIVE_INFINITY, time: Number.POSITIVE_INFINITY };

/** Counts what is done; ends a run that does too much. */
export function spend({ budget, reading }: Budgeted, steps: number): void {
  budget.steps += steps;
  if (budget.steps > reading.limits.flow.steps) throw stepLimitExceeded(reading);
}

export function stepsLeft({ budget, reading }: Budgeted): number {
  return reading.limits.flow.steps - budget.steps;
}

export function stepLimitExceeded({ limits }: Context): PlatformError {
  return error('dataflow-limit', { detail: `It took more than ${limits.flow.steps} steps.` });
}

/** `look`, after as many steps as are worth it. */
export function yieldIfDue(run: Budgeted): Awaitable<void> {
  return run.budget.steps - run.budget.checkedAtStep < unwatched ? undefined : checkDeadline(run);
}

/** Lets other requests through when it is time to, and ends a run that takes too long. */
export function checkDeadline(run: Budgeted): Awaitable<void> {
  const { budget, reading } = run;
  budget.checkedAtStep = budget.steps;
  const now = reading.clock.now().getTime();
  if (now > budget.deadline) throw timeLimitExceeded(reading);
  // Until it had its turn with the writer it held up nobody.
  if (budget.yieldedAt === 0) budget.yieldedAt = now;
  const isTime = now - budget.yieldedAt >= longestHold.time || budget.steps - budget.yieldedAtStep >= longestHold.steps;
  return isTime ? yieldToOthers(run) : undefined;
}

export async function yieldToOthers({ budget, reading }: Budgeted): Promise<void> {
  await setImmediate();
  budget.yieldedAt = reading.clock.now().getTime();
  budget.yieldedAtStep = budget.steps;
}

/** Milliseconds. */
export function timeLeft({ deadline }: RunBudget, { clock }: Context): number {
  return deadline - clock.now().getTime();
}

export function timeLimitExceeded({ limits }: Context): PlatformError {
  return error('dataflow-limit', { detail: `It took longer than ${limits.flow.time} seconds.` });
}

/** A statement that a store ended because nobody waits for it any more ends the event, as any other step would. */
export function inTime<T>(ask: (until: number) => Awaitable<T>, { reading, budget }: Budgeted): Awaitable<T> {
  const fails = (thrown: unknown): never => {
    throw isError(thrown, 'store-busy') && reading.clock.now().getTime() >= budget.deadline ? timeLimitExceeded(reading) : thrown;
  };
  try {
    const found = ask(budget.deadline);
    return found instanceof Promise ? found.catch(fails) : found;
  } catch (thrown) {
    return fails(thrown);
  }
}
