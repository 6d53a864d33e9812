// What is said between the service and a process that reads: a statement with its parameters, and what it gave.

import type { Fetch, RawRow } from '../statement.ts';

export interface Question {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly fetch: Fetch;
  readonly bigints: boolean;
  /** Bytes of the longest text that it makes or reads. */
  readonly longest: number;
  /** Milliseconds after which nobody waits for the answer any more. */
  readonly time: number;
}

export type Answer =
  /** The values of all rows one after the other: they are taken over several times faster than objects. */
  | { readonly kind: 'rows'; readonly width: number; readonly values: readonly unknown[] }
  | { readonly kind: 'late' }
  /** `code` is SQLite's own, where it is at fault. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: number | undefined };

/** What the arguments of such a process end with, before the file that it reads. */
export const readerArgument = '--read-store';

/** The file that this process reads, where it is one that reads. */
export function fileToRead(): string | undefined {
  const [argument, file] = process.argv.slice(-2);
  return argument === readerArgument && process.send !== undefined ? file : undefined;
}

export function flattened(rows: readonly RawRow[]): Answer {
  const width = Object.keys(rows[0] ?? []).length;
  const values: unknown[] = [];
  for (const row of rows) for (let index = 0; index < width; index += 1) values.push(row[index]);
  return { kind: 'rows', width, values };
}

export function rowsIn({ width, values }: Extract<Answer, { kind: 'rows' }>): readonly RawRow[] {
  const rows: RawRow[] = [];
  for (let at = 0; at < values.length; at += width) rows.push(values.slice(at, at + width));
  return rows;
}
