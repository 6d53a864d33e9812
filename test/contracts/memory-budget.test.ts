// The bytes that all requests together may hold: never more than the limit, all of them given back, whoever waits is served or refused.

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultBudget, MemoryBudget, type Reservation } from '../../src/memory-budget.ts';
import { isLong } from '../support/form.ts';

const numRuns = isLong ? 20_000 : 170;
const busy = expect.objectContaining({ code: 'store-busy', details: expect.objectContaining({ retryAfter: 1 }) });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What became of waiting: nothing yet, room, or a refusal. */
function outcomeOf(waiting: Promise<void>): { state: 'waiting' | 'held' | 'refused' } {
  const outcome: { state: 'waiting' | 'held' | 'refused' } = { state: 'waiting' };
  waiting.then(
    () => {
      outcome.state = 'held';
    },
    () => {
      outcome.state = 'refused';
    },
  );
  return outcome;
}

describe('a reservation', () => {
  test('grows up to the limit of all, and never by a part', () => {
    const budget = new MemoryBudget(100);
    const [one, other] = [budget.open(), budget.open()];
    expect([one.grow(60), other.grow(50), other.grow(40), one.grow(61)]).toEqual([true, false, true, false]);
    expect([one.bytes, other.bytes, budget.figures.reserved]).toEqual([60, 40, 100]);
  });

  test('that alone is larger than the limit gets all of it, once nobody else holds anything', async () => {
    const budget = new MemoryBudget(100);
    const [one, huge] = [budget.open(), budget.open()];
    one.grow(1);
    const outcome = outcomeOf(huge.wait(1000));
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome.state).toBe('waiting');
    one.release();
    await vi.advanceTimersByTimeAsync(0);
    expect([outcome.state, huge.bytes]).toEqual(['held', 100]);
  });

  test('that was released counts nothing any more', () => {
    const budget = new MemoryBudget(100);
    const late = budget.open();
    late.release();
    expect([late.grow(1000), late.bytes, budget.figures.reserved]).toEqual([true, 0, 0]);
    late.release();
    expect(budget.figures.reserved).toBe(0);
  });
});

describe('whoever finds no room', () => {
  test('is served in turn, and nobody new gets past', async () => {
    const budget = new MemoryBudget(100);
    const [holder, large, small, fresh] = [budget.open(), budget.open(), budget.open(), budget.open()];
    holder.grow(80);
    const outcomes = [outcomeOf(large.wait(90)), outcomeOf(small.wait(10))];
    expect(fresh.grow(5)).toBe(false);
    holder.shrink(40);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes.map((each) => each.state)).toEqual(['waiting', 'waiting']);
    holder.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes.map((each) => each.state)).toEqual(['held', 'held']);
    expect([large.bytes, small.bytes, budget.figures.reserved]).toEqual([90, 10, 100]);
  });

  test('is refused after its time, and told when to come again', async () => {
    const budget = new MemoryBudget(100, { longestWait: 5000 });
    budget.open().grow(100);
    const waiting = expect(budget.open().wait(1)).rejects.toEqual(busy);
    await vi.advanceTimersByTimeAsync(5000);
    await waiting;
    expect(budget.figures).toEqual({ limit: 100, reserved: 100, waiting: 0, refused: 1 });
  });

  test('is refused at once where too many wait already', async () => {
    const budget = new MemoryBudget(100, { mostWaiting: 2 });
    budget.open().grow(100);
    const outcomes = [1, 2, 3].map(() => outcomeOf(budget.open().wait(1)));
    await vi.advanceTimersByTimeAsync(0);
    expect(outcomes.map((each) => each.state)).toEqual(['waiting', 'waiting', 'refused']);
  });

  test('and goes away waits no longer, and is not counted as refused', async () => {
    const budget = new MemoryBudget(100);
    const holder = budget.open();
    holder.grow(100);
    const [gone, closed, next] = [new AbortController(), budget.open(), budget.open()];
    const outcomes = [outcomeOf(budget.open().wait(1, gone.signal)), outcomeOf(closed.wait(1)), outcomeOf(next.wait(1))];
    gone.abort();
    closed.release();
    await vi.advanceTimersByTimeAsync(0);
    expect([outcomes.map((each) => each.state), budget.figures.waiting]).toEqual([['refused', 'refused', 'waiting'], 1]);
    holder.release();
    await vi.advanceTimersByTimeAsync(0);
    expect([outcomes[2]?.state, budget.figures]).toEqual(['held', { limit: 100, reserved: 1, waiting: 0, refused: 0 }]);
    const aborted = expect(budget.open().wait(100, gone.signal)).rejects.toEqual(busy);
    await aborted;
  });
});

test('a holder is ended when it does nothing for two seconds while somebody waits, and not before, without, or after', async () => {
  const budget = new MemoryBudget(100);
  const [holder, other] = [budget.open(), budget.open()];
  holder.grow(100);
  let [progress, ended] = [0, 0];
  const end = (): void => {
    ended += 1;
  };
  const stop = holder.whileHeld(() => progress, end);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended).toBe(0);
  progress += 1;
  const outcome = outcomeOf(other.wait(1));
  await vi.advanceTimersByTimeAsync(1900);
  progress += 1;
  await vi.advanceTimersByTimeAsync(1900);
  expect([ended, outcome.state]).toEqual([0, 'waiting']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(ended).toBeGreaterThan(0);
  stop();
  ended = 0;
  await vi.advanceTimersByTimeAsync(5000);
  expect([ended, vi.getTimerCount()]).toEqual([0, 0]);
});

test('the default is a quarter of the heap, at most 48 MiB', () => {
  const mebibyte = 1024 * 1024;
  expect([128, 4096].map((each) => defaultBudget(each * mebibyte) / mebibyte)).toEqual([32, 48]);
});

type Step =
  | { readonly kind: 'grow' | 'wait' | 'shrink'; readonly who: number; readonly bytes: number }
  | { readonly kind: 'abort' | 'release'; readonly who: number }
  | { readonly kind: 'time'; readonly milliseconds: number };

const people = 6;
const who = fc.nat(people - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('grow' as const, 'wait' as const, 'shrink' as const), who, bytes: fc.nat(150) }),
  fc.record({ kind: fc.constantFrom('abort' as const, 'release' as const), who }),
  fc.record({ kind: fc.constant('time' as const), milliseconds: fc.constantFrom(0, 40, 100) }),
);

test('in whatever order requests grow, wait, are cut and end: never below nothing, never over the limit, and in the end nothing is held', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const budget = new MemoryBudget(100, { mostWaiting: 3, longestWait: 100 });
      const opened: Reservation[] = [];
      const open = (): { reservation: Reservation; gone: AbortController } => {
        const reservation = budget.open();
        opened.push(reservation);
        return { reservation, gone: new AbortController() };
      };
      const requests = Array.from({ length: people }, open);
      const outcomes: { state: string }[] = [];
      for (const each of steps) {
        if (each.kind === 'time') await vi.advanceTimersByTimeAsync(each.milliseconds);
        else {
          const { reservation, gone } = requests[each.who] ?? open();
          if (each.kind === 'grow') reservation.grow(each.bytes);
          else if (each.kind === 'shrink') reservation.shrink(each.bytes);
          else if (each.kind === 'wait') outcomes.push(outcomeOf(reservation.wait(each.bytes, gone.signal)));
          else if (each.kind === 'abort') gone.abort();
          else {
            reservation.release();
            requests[each.who] = open();
          }
        }
        const { reserved, waiting } = budget.figures;
        expect(reserved).toBe(opened.reduce((sum, { bytes }) => sum + bytes, 0));
        expect(reserved).toBeGreaterThanOrEqual(0);
        expect(reserved).toBeLessThanOrEqual(100);
        expect(waiting).toBeLessThanOrEqual(3);
      }
      for (const each of opened) each.release();
      await vi.advanceTimersByTimeAsync(0);
      expect(budget.figures).toMatchObject({ reserved: 0, waiting: 0 });
      expect(outcomes.filter((each) => each.state === 'waiting')).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    }),
    { numRuns },
  );
});
