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
  /** The end of the transaction: the same object for all of its changes. */
  readonly place: Place;
  /** Of the last statement that has changed the row in it. */
  readonly seq: number;
}

export function isBefore(one: Place, other: Place): boolean {
  return one.tx < other.tx || (one.tx === other.tx && one.seq < other.seq);
}

/** Changes in their order, those of each transaction together. */
export function byTransaction(changes: readonly Change[]): readonly (readonly Change[])[] {
  const transactions: Change[][] = [];
  let place: Place | undefined;
  for (const each of changes) {
    if (each.place === place) transactions.at(-1)?.push(each);
    else transactions.push([each]);
    place = each.place;
  }
  return transactions;
}
