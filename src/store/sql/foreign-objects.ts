// What others have put on the tables of the platform (indexes, triggers, views, rights, comments of their own), and how a migration leaves it there.

import type { Table } from '../../plan/rows/table.ts';
import type { Executor } from './executor.ts';

export interface ForeignObject {
  /** As the database calls it: `view cheap`. */
  readonly what: string;
  readonly table: string;
  readonly column: string;
  /**
   * `carried` is made again on a column that takes the place of this one, and so is `speaks`, which reads it besides; `reads` cannot be made
   * again, and goes on reading what it read before; `points` is a reference from a table of others, which lets nothing be changed.
   */
  readonly hold: 'carried' | 'speaks' | 'reads' | 'points';
}

/** Tables are as they stand at the moment. Nothing here runs where nothing of others is there. */
export interface ForeignObjects {
  /** What is on these tables; `all` are those of the platform, whose own keys and indexes are not meant. */
  list(executor: Executor, tables: readonly Table[], all: readonly Table[]): Promise<readonly ForeignObject[]>;
  /** While `work` changes rows of a table, no trigger of others runs. */
  quietly(executor: Executor, table: Table, work: () => Promise<void>): Promise<void>;
  /** `work` puts another column in the place of one, under its name: what was on the one is on the other then. */
  replacing(executor: Executor, table: Table, column: string, work: () => Promise<void>): Promise<void>;
  /** `work` puts another table in the place of one, under its name. */
  remaking(executor: Executor, table: Table, work: () => Promise<void>): Promise<void>;
  /** A column that the platform no longer writes keeps nobody from adding rows. */
  release(executor: Executor, table: Table, column: string): Promise<void>;
}

/** What to do about something that cannot be kept. */
export const heldWays: readonly string[] = ['take it away first, and make it again afterwards'];
