// What is said between the service and a thread that reads: a statement with its parameters, and what it gave.

import type { Fetch, RawRow } from '../connection/statement.ts';

export interface ThreadQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly fetch: Fetch;
  readonly bigints: boolean;
  /** Bytes of the longest text that it makes or reads. */
  readonly longest: number;
  /** Milliseconds after which nobody waits for the answer any more. */
  readonly time: number;
}

export type ThreadAnswer =
  /** The first one, to no question: the file is open. */
  | { readonly kind: 'ready' }
  /** The values of all rows one after the other: they are taken over several times faster than objects. */
  | { readonly kind: 'rows'; readonly width: number; readonly values: readonly unknown[] }
  | { readonly kind: 'late' }
  /** `code` is SQLite's own, where it is at fault. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: number | undefined };

/** After it the thread closes its connection and is gone. */
export const endOfQuestions = 'end';

/** What a thread that reads is started with: the file, and memory that both sides see. */
export interface ThreadStart {
  readonly reads: string;
  readonly signals: Int32Array;
}

/** Where in that memory it stands that the statement is to end, and that there is one. */
export const endSignal = 0;
export const busySignal = 1;

export function isThreadStart(data: unknown): data is ThreadStart {
  return typeof data === 'object' && data !== null && 'reads' in data && 'signals' in data;
}

export function flattened(rows: readonly RawRow[]): ThreadAnswer {
  const width = Object.keys(rows[0] ?? []).length;
  const values: unknown[] = [];
  for (const row of rows) for (let index = 0; index < width; index += 1) values.push(row[index]);
  return { kind: 'rows', width, values };
}

export function rowsIn({ width, values }: Extract<ThreadAnswer, { kind: 'rows' }>): readonly RawRow[] {
  const rows: RawRow[] = [];
  for (let at = 0; at < values.length; at += width) rows.push(values.slice(at, at + width));
  return rows;
}
