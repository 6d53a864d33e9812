// A change of a row, and its place in the log.

/** A place in the log: every change is behind the ones that were committed, or could be read, before it. */
export interface Place {
  readonly tx: number;
  readonly seq: number;
  /** When the change at it was made, in milliseconds; absent or 0 where none is there. */
  readonly at?: number;
}

/** As the log has it: what one statement has changed of one row. */
export interface LoggedChange {
  readonly place: Place;
  /** The name of the table. */
  readonly source: string;
  /** The row before and after, as an array of its columns in JSON, without what nobody is shown; absent where there was, or is, none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The primary key before and after, as a text. */
  readonly keyBefore: string | undefined;
  readonly keyAfter: string | undefined;
}

/** What a transaction has changed of a row from its beginning to its commit: nobody else has ever seen what was between. */
export interface Change extends LoggedChange {
  /** The end of the transaction, or of those that can only be told together: the same object for all of their changes. */
  readonly place: Place;
  readonly tx: number;
  /** Of the last statement that has changed the row in it. */
  readonly seq: number;
  /** Whether another transaction, which can only be told together with it, has changed the row again. */
  readonly isSuperseded: boolean;
}

export function isBefore(one: Place, other: Place): boolean {
  return one.tx < other.tx || (one.tx === other.tx && one.seq < other.seq);
}

/** Changes in their order, those of each transaction together. */
export function byTransaction(changes: readonly Change[]): readonly (readonly Change[])[] {
  return grouped(changes, (one, other) => one.place === other.place && one.tx === other.tx);
}

/** The same, with those of transactions that can only be told together. */
export function byPlace(changes: readonly Change[]): readonly (readonly Change[])[] {
  return grouped(changes, (one, other) => one.place === other.place);
}

function grouped(changes: readonly Change[], belongs: (one: Change, other: Change) => boolean): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  for (const [index, each] of changes.entries()) {
    const before = changes[index - 1];
    if (before !== undefined && belongs(before, each)) groups.at(-1)?.push(each);
    else groups.push([each]);
  }
  return groups;
}
