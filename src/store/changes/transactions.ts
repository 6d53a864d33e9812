// From what each statement has changed to what each transaction has.

import type { Change, LoggedChange, Place } from './change.ts';

/** Of changes in the order of the log, which has all that their transactions have made. */
export function netChanges(logged: readonly LoggedChange[]): readonly Change[] {
  return groupReordered(logged).flatMap(netOf);
}

/**
 * Transactions are in the order in which they began to write. Where one has changed a row after another that comes behind it in the log had committed a change of
 * the same row, telling them one by one would end with the older state: they, and all between them, are taken as one.
 */
function groupReordered(logged: readonly LoggedChange[]): readonly (readonly LoggedChange[])[] {
  const starts: number[] = [];
  const latest = new Map<string, { readonly seq: number; readonly index: number }>();
  for (const [index, { place, source, keyBefore, keyAfter }] of logged.entries()) {
    if (logged[index - 1]?.place.tx !== place.tx) starts.push(index);
    for (const key of keyBefore === keyAfter ? [keyAfter] : [keyBefore, keyAfter]) {
      if (key === undefined) continue;
      const row = rowName(source, key);
      const known = latest.get(row);
      if (known === undefined || known.seq < place.seq) latest.set(row, { seq: place.seq, index });
      else while ((starts.at(-1) ?? 0) > known.index) starts.pop();
    }
  }
  return starts.map((start, at) => logged.slice(start, starts[at + 1]));
}

/** Of each transaction, in an order in which a row that several have changed was changed: whoever changes it later has its last statement later. */
function netOf(logged: readonly LoggedChange[]): readonly Change[] {
  const [first, last] = [logged[0], logged.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { place } = last;
  if (first.place.tx === place.tx) return netOfOne(logged, place);
  const byNumber = new Map<number, LoggedChange[]>();
  for (const each of logged) {
    const its = byNumber.get(each.place.tx);
    if (its === undefined) byNumber.set(each.place.tx, [each]);
    else its.push(each);
  }
  const endOf = (its: readonly LoggedChange[]): number => its.at(-1)?.place.seq ?? 0;
  const transactions = [...byNumber.values()].sort((one, other) => endOf(one) - endOf(other));
  const net = transactions.map((each) => netOfOne(each, place));
  markSuperseded(net);
  return net.flat();
}

function markSuperseded(transactions: readonly (readonly MutableChange[])[]): void {
  const latest = new Map<string, MutableChange>();
  for (const transaction of transactions) {
    // Nobody is told of one that leaves everything as it was.
    const changed = transaction.filter(({ before, after }) => before !== after);
    for (const { source, keyBefore } of changed) {
      const known = keyBefore === undefined ? undefined : latest.get(rowName(source, keyBefore));
      if (known !== undefined) known.isSuperseded = true;
    }
    // A row may have got the key that another one of the same transaction had.
    for (const each of changed) if (each.keyAfter !== undefined) latest.set(rowName(each.source, each.keyAfter), each);
  }
}

/** One for each row, in the order in which they were changed first. */
function netOfOne(logged: readonly LoggedChange[], place: Place): readonly MutableChange[] {
  const net: MutableChange[] = [];
  /** By the key that the row has now, or had when it was deleted. */
  const byKey = new Map<string, MutableChange>();
  for (const each of logged) {
    const { source, keyBefore, keyAfter } = each;
    const key = rowName(source, keyBefore ?? keyAfter ?? '');
    const known = byKey.get(key);
    // A row that is made anew under the key of one that was deleted is that one, unless it had another key before.
    const isSame = known !== undefined && (keyBefore !== undefined || known.before === undefined || known.keyBefore === keyAfter);
    if (!isSame) {
      const made = changeOf(each, place);
      net.push(made);
      if (logged.length > 1) byKey.set(keyAfter === undefined ? key : rowName(source, keyAfter), made);
      continue;
    }
    known.after = each.after;
    known.keyAfter = keyAfter;
    known.seq = each.place.seq;
    if (keyAfter === undefined || keyAfter === keyBefore) continue;
    byKey.delete(key);
    byKey.set(rowName(source, keyAfter), known);
  }
  return net;
}

type MutableChange = { -readonly [Name in keyof Change]: Change[Name] };

function changeOf({ place: { tx, seq }, source, before, after, keyBefore, keyAfter }: LoggedChange, place: Place): MutableChange {
  return { place, tx, seq, source, before, after, keyBefore, keyAfter, isSuperseded: false };
}

function rowName(source: string, key: string): string {
  return `${source}\n${key}`;
}
