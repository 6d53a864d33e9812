// What transactions have changed, from what their statements have: random histories of a server, on which transactions write at once and commit in another order than they begin.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byPlace, byTransaction, type Change, isBefore, type LoggedChange, type Place } from '../../src/store/changes/change.ts';
import { netChanges } from '../../src/store/changes/transactions.ts';
import { counted } from '../support/form.ts';

interface Step {
  readonly transaction: number;
  readonly what: 'insert' | 'update' | 'delete' | 'move' | 'commit';
  readonly key: number;
  readonly to: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    transaction: fc.nat(3),
    what: fc.constantFrom('insert', 'update', 'update', 'delete', 'move', 'commit'),
    key: fc.nat(3),
    to: fc.nat(3),
  }),
  { maxLength: 60 },
);

interface History {
  readonly logged: readonly LoggedChange[];
  readonly first: ReadonlyMap<string, string>;
  readonly last: ReadonlyMap<string, string>;
}

/** A transaction has the keys that it has written to itself until it ends; what would have to wait is left out. */
function run(all: readonly Step[]): History {
  const first = new Map([
    ['0', 'zero'],
    ['1', 'one'],
  ]);
  const rows = new Map(first);
  const numbers = new Map<number, number>();
  const holders = new Map<string, number>();
  const logged: LoggedChange[] = [];
  let [seq, next] = [0, 1];
  for (const { transaction, what, key: at, to } of all) {
    if (what === 'commit') {
      numbers.delete(transaction);
      for (const [key, holder] of holders) if (holder === transaction) holders.delete(key);
      continue;
    }
    const [key, target] = [String(at), String(what === 'move' ? to : at)];
    const isFree = [key, target].every((each) => (holders.get(each) ?? transaction) === transaction);
    const isPossible = what === 'insert' ? !rows.has(key) : rows.has(key) && (target === key || !rows.has(target));
    if (!isFree || !isPossible) continue;
    if (!numbers.has(transaction)) numbers.set(transaction, next++);
    for (const each of [key, target]) holders.set(each, transaction);
    seq += 1;
    const before = rows.get(key);
    const after = what === 'delete' ? undefined : `row ${seq}`;
    rows.delete(key);
    if (after !== undefined) rows.set(target, after);
    const place: Place = { tx: numbers.get(transaction) ?? 0, seq };
    const keys = { keyBefore: before === undefined ? undefined : key, keyAfter: after === undefined ? undefined : target };
    logged.push({ place, source: 't', before, after, ...keys });
  }
  return { logged: logged.sort((one, other) => (isBefore(one.place, other.place) ? -1 : 1)), first, last: rows };
}

test('told one after the other, they lead from the first state to the last, each from what the one before has left', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { logged, first, last } = run(all);
      const state = new Map(first);
      for (const transaction of byTransaction(netChanges(logged))) {
        for (const { keyBefore, before } of transaction) {
          expect(keyBefore === undefined ? undefined : state.get(keyBefore)).toBe(before);
          if (keyBefore !== undefined) state.delete(keyBefore);
        }
        for (const { keyAfter, after } of transaction) if (keyAfter !== undefined && after !== undefined) state.set(keyAfter, after);
      }
      expect(state).toEqual(last);
    }),
    { numRuns: counted({ long: 10_000, short: 330 }) },
  );
});

test('a row is among the changes of a transaction once, and the last of those that are told together has its last state', () => {
  fc.assert(
    fc.property(steps, (all) => {
      for (const transaction of byTransaction(netChanges(run(all).logged)))
        for (const keys of [keysOf(transaction, 'keyBefore'), keysOf(transaction, 'keyAfter')])
          expect(new Set(keys).size).toBe(keys.length);
      for (const together of byPlace(netChanges(run(all).logged))) {
        const keys = keysOf(
          together.filter(({ isSuperseded }) => !isSuperseded),
          'keyAfter',
        );
        expect(new Set(keys).size).toBe(keys.length);
      }
    }),
    { numRuns: counted({ long: 10_000, short: 330 }) },
  );
});

test('a row that is deleted and made again in one transaction is changed', () => {
  const [at, source] = [{ tx: 1, seq: 0 }, 't'];
  const deleted = { place: { ...at, seq: 1 }, source, before: 'old', after: undefined, keyBefore: 'k', keyAfter: undefined };
  const made = { place: { ...at, seq: 2 }, source, before: undefined, after: 'new', keyBefore: undefined, keyAfter: 'k' };
  expect(netChanges([deleted, made])).toEqual([{ ...deleted, ...made, before: 'old', keyBefore: 'k', tx: 1, seq: 2, isSuperseded: false }]);
});

test('behind the end of each transaction the rest is the same, whether it is read with those before or alone', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { logged } = run(all);
      const net = netChanges(logged);
      for (const { place } of net)
        expect(netChanges(logged.filter((each) => isBefore(place, each.place)))).toEqual(net.filter((each) => isBefore(place, each.place)));
    }),
    { numRuns: counted({ long: 10_000, short: 330 }) },
  );
});

function keysOf(changes: readonly Change[], name: 'keyBefore' | 'keyAfter'): readonly string[] {
  return changes.flatMap((each) => each[name] ?? []);
}
