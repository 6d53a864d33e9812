// Connections are shared fairly: by kinds of work, and by addresses, whose turns come one after the other.

import fc from 'fast-check';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PostgresPool } from '../../src/store/postgres/pool/pool.ts';
import type { Loan } from '../../src/store/postgres/pool/shares.ts';
import { PostgresSession } from '../../src/store/postgres/session.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Caller {
  readonly id: number;
  readonly loan: Loan;
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

  async ask(address: string | undefined, asked: Partial<Loan> = {}): Promise<Caller> {
    const asks = address === undefined ? undefined : 'little';
    const caller: Caller = { id: this.#count, loan: { takesLong: false, asks, ...asked, address } };
    this.#count += 1;
    this.waiting.add(caller);
    void this.#got(caller);
    await settled();
    return caller;
  }

  async #got(caller: Caller): Promise<void> {
    try {
      const session = await this.pool.acquire(caller.loan);
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
    this.pool.release(session, caller.loan);
    await settled();
  }

  async pass(milliseconds: number): Promise<void> {
    vi.advanceTimersByTime(milliseconds);
    await settled();
  }

  heldBy(address: string | undefined): readonly Caller[] {
    return [...this.held.keys()].filter(({ loan }) => loan.address === address);
  }
}

/** What waits for promises alone is done. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function asking(size: number, address: string, count: number, asked: Partial<Loan> = {}): Promise<Callers> {
  const callers = new Callers(size);
  for (let at = 0; at < count; at += 1) await callers.ask(address, asked);
  return callers;
}

const [little, much, long] = [{ asks: 'little' }, { asks: 'much' }, { takesLong: true }] as const;
const kinds: readonly [title: string, size: number, many: Partial<Loan>, one: Partial<Loan>, lent: number][] = [
  ['both ask for little', 10, little, little, 10],
  ['of a single connection', 1, little, little, 1],
  ['of two connections', 2, little, much, 2],
  ['it asks for much, the others for little', 10, little, much, 10],
  ['both ask for much', 10, much, much, 7],
  ['both run logic of the model', 10, { ...long, ...little }, { ...long, ...little }, 7],
  ['both run logic of the model, and ask for much', 10, { ...long, ...much }, { ...long, ...much }, 7],
];
for (const [title, size, many, one, lent] of kinds) {
  test(`who asks once waits for one connection at most that another address gives back, however many wait there: ${title}`, async () => {
    const callers = await asking(size, 'a', 100 + lent, many);
    expect([callers.held.size, callers.waiting.size]).toEqual([lent, 100]);
    const caller = await callers.ask('b', one);
    expect(callers.waiting.has(caller)).toBe(true);
    await callers.release(callers.heldBy('a')[0]);
    expect(callers.held.has(caller)).toBe(true);
  });
}

const kept: readonly [title: string, many: Partial<Loan>, one: Partial<Loan>, most: number][] = [
  ['asks for little', little, little, 9],
  ['asks for much', little, much, 9],
  ['asks for much, as the others do', much, much, 6],
  ['runs logic of the model, as the others do', long, long, 6],
];
for (const [title, many, one, most] of kept) {
  test(`where several addresses ask, the last connection is for one that has none, who does not wait: who ${title}`, async () => {
    const callers = await asking(10, 'b', 1);
    await callers.release(callers.heldBy('b')[0]);
    await callers.pass(100);
    for (let at = 0; at < 100; at += 1) await callers.ask('a', many);
    expect(callers.heldBy('a')).toHaveLength(most);
    const [first, second] = [await callers.ask('b', one), await callers.ask('c', one)];
    expect([callers.held.has(first), callers.waiting.has(second)]).toEqual([true, true]);
    await callers.release(first);
    expect([callers.heldBy('a').length, callers.held.has(second)]).toEqual([most, true]);
  });
}

test('where nobody else asks for five minutes, one address has all connections', async () => {
  const callers = await asking(10, 'b', 1);
  await callers.release(callers.heldBy('b')[0]);
  for (let at = 0; at < 12; at += 1) await callers.ask('a');
  expect(callers.held.size).toBe(9);
  await callers.pass(299_000);
  await callers.ask('a');
  expect([callers.held.size, callers.waiting.size]).toEqual([9, 1]);
  await callers.pass(2000);
  expect([callers.held.size, callers.waiting.size]).toEqual([10, 0]);
});

test('the service itself has the last connection, too', async () => {
  const callers = await asking(10, 'b', 1);
  for (let at = 0; at < 12; at += 1) await callers.ask('a');
  await callers.release(callers.heldBy('b')[0]);
  expect(callers.held.size).toBe(9);
  expect(callers.held.has(await callers.ask(undefined))).toBe(true);
});

test('of fewer than three connections none is kept for others', async () => {
  const callers = await asking(2, 'b', 1);
  await callers.release(callers.heldBy('b')[0]);
  for (let at = 0; at < 3; at += 1) await callers.ask('a');
  expect(callers.heldBy('a')).toHaveLength(2);
});

test('while somebody is served who asks for little, an address that has nothing may still ask for much', async () => {
  const callers = await asking(10, 'a', 6, much);
  await callers.ask('b');
  const [again, other] = [await callers.ask('a', much), await callers.ask('c', much)];
  expect([callers.waiting.has(again), callers.held.has(other)]).toEqual([true, true]);
});

test('addresses have their turns one after the other, and one that comes again is behind those that wait', async () => {
  const callers = await asking(1, 'x', 1);
  await callers.ask('c');
  await callers.pass(5000);
  for (const address of ['a', 'b', 'c']) for (let at = 0; at < 3; at += 1) await callers.ask(address);
  for (let at = 0; at < 9; at += 1) await callers.release([...callers.held.keys()][0]);
  expect(callers.served.map(({ loan }) => loan.address).join('')).toBe('xabcabcabc');
});

test('who has fewer connections comes first, so that addresses that wait come to have equally many, and one is left for a further one', async () => {
  const callers = await asking(7, 'a', 20);
  for (let at = 0; at < 10; at += 1) for (const address of ['b', 'c']) await callers.ask(address);
  for (let at = 0; at < 5; at += 1) await callers.release(callers.heldBy('a')[0]);
  expect(['a', 'b', 'c'].map((address) => callers.heldBy(address).length)).toEqual([2, 2, 2]);
  expect(callers.held.has(await callers.ask('d'))).toBe(true);
});

test('of one address every eighth is whoever has waited longest, the others ask for little', async () => {
  const callers = await asking(1, 'a', 1);
  const patient = await callers.ask('a', much);
  for (let at = 0; at < 20; at += 1) await callers.ask('a');
  for (let at = 0; at < 8; at += 1) await callers.release([...callers.held.keys()][0]);
  expect(callers.served.indexOf(patient)).toBe(8);
});

const loans = fc.record({
  address: fc.constantFrom('a', 'a', 'a', 'b', 'c', undefined),
  takesLong: fc.boolean(),
  asks: fc.constantFrom('little' as const, 'much' as const),
});
const acts = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), loan: loans }) },
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
  const { address, takesLong, asks } = act.loan;
  await callers.ask(address, { takesLong, asks: address === undefined ? undefined : asks });
}

/** Nobody of the same address and the same kind was served before who came earlier. */
function expectOrder(served: readonly Caller[]): void {
  const last = new Map<string, number>();
  for (const { id, loan } of served) {
    const kind = JSON.stringify(loan);
    expect(last.get(kind) ?? -1).toBeLessThan(id);
    last.set(kind, id);
  }
}

function expectBounds({ held }: Callers, size: number): void {
  const all = [...held.keys()].map(({ loan }) => loan);
  const twoThirds = size - Math.floor(size / 3);
  expect(new Set(held.values()).size).toBe(held.size);
  expect(held.size).toBeLessThanOrEqual(size);
  expect(all.filter(({ takesLong }) => takesLong).length).toBeLessThanOrEqual(twoThirds);
  expect(all.filter(({ asks }) => asks === 'much').length).toBeLessThanOrEqual(twoThirds);
}

/** Who waits does so for a reason: of what takes short and is little, no connection is free but the one that is kept for others. */
function expectReason({ held, waiting }: Callers, size: number): void {
  const plain = [...waiting].filter(({ loan }) => !loan.takesLong && loan.asks !== 'much');
  if (plain.length === 0 || held.size === size) return;
  expect(held.size).toBe(size - 1);
  const holders = new Set([...held.keys()].map(({ loan }) => loan.address));
  for (const { loan } of plain) expect([loan.address !== undefined, holders.has(loan.address)]).toEqual([true, true]);
}

test('whatever is asked, given back, lost and given up: no connection is lost or lent twice, none is lent beyond its share, and nobody is overtaken by their like', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), fc.array(acts, { maxLength: 80 }), async (size, all) => {
      const callers = new Callers(size);
      for (const act of all) {
        await done(act, callers);
        expectBounds(callers, size);
        expectReason(callers, size);
      }
      while (callers.waiting.size > 0) {
        const before = callers.waiting.size;
        for (const caller of [...callers.held.keys()]) await callers.release(caller);
        await callers.pass(60);
        expect(callers.waiting.size).toBeLessThan(before);
      }
      expectOrder(callers.served);
      for (const thrown of callers.refused) expect(thrown).toMatchObject({ code: 'store-busy' });
      for (const caller of [...callers.held.keys()]) await callers.release(caller);
      for (let at = 0; at < size; at += 1) await callers.ask(undefined);
      expect(callers.held.size).toBe(size);
      await callers.pool.close();
    }),
  );
});

test('no address is served twice while another one, which has nothing, waits', async () => {
  const addresses = fc.constantFrom('a', 'b', 'c', 'd');
  const steps = fc.array(fc.oneof(fc.record({ ask: addresses }), fc.record({ release: fc.nat(20) })), { maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (size, all) => {
      const callers = new Callers(size);
      /** By address without a connection that waits: who was served since then. */
      const passedBy = new Map<string | undefined, Set<string | undefined>>();
      for (const step of all) {
        const before = callers.served.length;
        if ('ask' in step) await callers.ask(step.ask);
        else await callers.release([...callers.held.keys()][step.release]);
        const served = callers.served.slice(before).map(({ loan }) => loan.address);
        const deprived = new Set([...callers.waiting].map(({ loan }) => loan.address).filter((each) => callers.heldBy(each).length === 0));
        for (const address of passedBy.keys()) if (!deprived.has(address)) passedBy.delete(address);
        for (const address of served)
          for (const by of passedBy.values()) {
            expect(by).not.toContain(address);
            by.add(address);
          }
        for (const address of deprived) if (!passedBy.has(address)) passedBy.set(address, new Set());
      }
      await callers.pool.close();
    }),
  );
});
