// From what each statement has changed to what each transaction has.

import type { Change, LoggedChange } from './change.ts';

/** Of changes in the order of the log, which has all that their transactions have made. */
export function netChanges(logged: readonly LoggedChange[]): readonly Change[] {
  return inseparable(logged).flatMap(netOf);
}

/**
 * Transactions are in the order in which they began to write. Where one has changed a row after another that comes behind it in the log had committed a change of
 * the same row, telling them one by one would end with the older state: they, and all between them, are taken as one.
 */
function inseparable(logged: readonly LoggedChange[]): readonly (readonly LoggedChange[])[] {
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

/** One for each row, in the order in which they were changed first. */
function netOf(logged: readonly LoggedChange[]): readonly Change[] {
  const place = logged.at(-1)?.place ?? { tx: 0, seq: 0 };
  const net: { -readonly [Name in keyof Change]: Change[Name] }[] = [];
  /** By the key that the row has now, or had when it was deleted. */
  const byKey = new Map<string, (typeof net)[number]>();
  for (const each of [...logged].sort((one, other) => one.place.seq - other.place.seq)) {
    const { source, keyBefore, keyAfter } = each;
    const key = rowName(source, keyBefore ?? keyAfter ?? '');
    const known = byKey.get(key);
    // A row that is made anew under the key of one that was deleted is that one, unless it had another key before.
    const isSame = known !== undefined && (keyBefore !== undefined || known.before === undefined || known.keyBefore === keyAfter);
    const change = isSame ? known : { ...each, place, seq: 0 };
    if (isSame) byKey.delete(key);
    else net.push(change);
    Object.assign(change, { after: each.after, keyAfter, seq: each.place.seq });
    byKey.set(rowName(source, keyAfter ?? keyBefore ?? ''), change);
  }
  return net;
}

function rowName(source: string, key: string): string {
  return `${source}\n${key}`;
}
