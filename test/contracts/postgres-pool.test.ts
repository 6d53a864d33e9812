// Connections are shared fairly: clients have their turns one after the other, and the last connection is for one that has none.

import fc from 'fast-check';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PostgresPool } from '../../src/store/postgres/pool.ts';
import { PostgresSession } from '../../src/store/postgres/session.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Caller {
  readonly id: number;
  /** Absent: the service itself. */
  readonly address: string | undefined;
}

/** Callers of a pool whose connections lead nowhere. */
class Callers {
  readonly pool: PostgresPool;
  readonly waiting = new Set<Caller>();
  readonly held = new Map<Caller, PostgresSession>();
  /** In the order in which they got a connection. */
  readonly served: Caller[] = [];
  readonly refused: unknown[] = [];
  #count = 0;

  constructor(size: number) {
    this.pool = new PostgresPool({ size, patience: undefined, connect: async () => new PostgresSession(new pg.Client()) });
  }

  async ask(address: string | undefined): Promise<Caller> {
    const caller: Caller = { id: this.#count, address };
    this.#count += 1;
    this.waiting.add(caller);
    void this.#got(caller);
    await settled();
    return caller;
  }

  async #got(caller: Caller): Promise<void> {
    try {
      const session = await this.pool.acquire(caller.address);
      this.held.set(caller, session);
      this.served.push(caller);
    } catch (thrown) {
      this.refused.push(thrown);
    }
    this.waiting.delete(caller);
  }

  async release(caller: Caller | undefined, isLost = false): Promise<void> {
    const session = caller && this.held.get(caller);
    if (caller === undefined || session === undefined) return;
    this.held.delete(caller);
    if (isLost) session.destroy();
    this.pool.release(session, caller.address);
    await settled();
  }

  async pass(milliseconds: number): Promise<void> {
    vi.advanceTimersByTime(milliseconds);
    await settled();
  }

  heldBy(address: string | undefined): readonly Caller[] {
    return [...this.held.keys()].filter((each) => each.address === address);
  }
}

/** What waits for promises alone is done. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function asking(size: number, address: string, count: number): Promise<Callers> {
  const callers = new Callers(size);
  for (let at = 0; at < count; at += 1) await callers.ask(address);
  return callers;
}

for (const [size, lent] of [
  [10, 9],
  [2, 2],
  [1, 1],
] as const) {
  test(`of ${size} connections one client has ${lent}, however many of it wait, and another one has its turn`, async () => {
    const callers = await asking(size, 'a', 100 + lent);
    expect([callers.held.size, callers.waiting.size]).toEqual([lent, 100]);
    const first = await callers.ask('b');
    expect(callers.held.has(first)).toBe(lent < size);
    if (lent < size) return;
    for (let turn = 0; turn < 2; turn += 1) await callers.release(callers.heldBy('a')[0]);
    expect(callers.held.has(first)).toBe(true);
  });
}

test('the service itself has the last connection, too', async () => {
  const callers = await asking(10, 'a', 12);
  expect(callers.held.size).toBe(9);
  expect(callers.held.has(await callers.ask(undefined))).toBe(true);
});

test('clients have their turns one after the other, and one that comes again is behind those that wait', async () => {
  const callers = await asking(1, 'x', 1);
  for (const address of ['a', 'b', 'c']) for (let at = 0; at < 3; at += 1) await callers.ask(address);
  for (let at = 0; at < 9; at += 1) await callers.release([...callers.held.keys()][0]);
  expect(callers.served.map(({ address }) => address).join('')).toBe('xabcabcabc');
});

test('who waits for five seconds is refused', async () => {
  const callers = await asking(1, 'a', 2);
  await callers.pass(5001);
  expect(callers.waiting.size).toBe(0);
  expect(callers.refused).toMatchObject([{ code: 'store-busy' }]);
});

const acts = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), address: fc.constantFrom('a', 'a', 'a', 'b', 'c', undefined) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('release' as const), pick: fc.nat(20), isLost: fc.constantFrom(false, false, true) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.constantFrom(60, 1000, 5001) }) },
);
type Act = typeof acts extends fc.Arbitrary<infer T> ? T : never;

async function done(act: Act, callers: Callers): Promise<void> {
  if (act.kind === 'pass') return callers.pass(act.milliseconds);
  if (act.kind === 'release') return callers.release([...callers.held.keys()][act.pick], act.isLost);
  await callers.ask(act.address);
}

/** Nobody of the same client was served before who came earlier. */
function expectOrder(served: readonly Caller[]): void {
  const last = new Map<string | undefined, number>();
  for (const { id, address } of served) {
    expect(last.get(address) ?? -1).toBeLessThan(id);
    last.set(address, id);
  }
}

/** Who waits does so for a reason: no connection is free but the one that is kept for others. */
function expectReason({ held, waiting }: Callers, size: number): void {
  expect(new Set(held.values()).size).toBe(held.size);
  expect(held.size).toBeLessThanOrEqual(size);
  if (waiting.size === 0 || held.size === size) return;
  expect(held.size).toBe(size - 1);
  const holders = new Set([...held.keys()].map(({ address }) => address));
  for (const { address } of waiting) expect(holders.has(address)).toBe(true);
}

test('whatever is asked, given back, lost and given up: no connection is lost or lent twice, and nobody is overtaken by another of the same client', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), fc.array(acts, { maxLength: 80 }), async (size, all) => {
      const callers = new Callers(size);
      for (const act of all) {
        await done(act, callers);
        expectReason(callers, size);
      }
      while (callers.waiting.size > 0) {
        const before = callers.waiting.size;
        for (const caller of [...callers.held.keys()]) await callers.release(caller);
        expect(callers.waiting.size).toBeLessThan(before);
      }
      expectOrder(callers.served);
      for (const thrown of callers.refused) expect(thrown).toMatchObject({ code: 'store-busy' });
      for (const caller of [...callers.held.keys()]) await callers.release(caller);
      for (let at = 0; at < size; at += 1) await callers.ask(`client ${at}`);
      expect(callers.held.size).toBe(size);
      await callers.pool.close();
    }),
  );
});
