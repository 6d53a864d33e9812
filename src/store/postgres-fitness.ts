// Whether the tables are still those that this process serves: another one may have migrated them to a newer model.

import type { Table } from '../plan/table.ts';
import { digestOf } from './migration-state.ts';
import type { Fields } from './postgres-exchange.ts';

type Ask = (sql: string) => Promise<readonly Fields[]>;

export class Fitness {
  readonly #tables: readonly Table[];
  #known: { readonly digest: string; readonly holds: boolean };

  constructor(tables: readonly Table[]) {
    this.#tables = tables;
    this.#known = { digest: digestOf(tables), holds: true };
  }

  /** What was only added to is served as before; what is called otherwise, or retired, cannot be. */
  async holds(ask: Ask): Promise<boolean> {
    const [row] = await ask(`SELECT "value" FROM "__platform" WHERE "key" = 'digest'`);
    const digest = row?.[0] ?? '';
    if (digest !== this.#known.digest) this.#known = { digest, holds: await this.#looks(ask) };
    return this.#known.holds;
  }

  async #looks(ask: Ask): Promise<boolean> {
    const stored = new Set((await ask(columns)).map((row) => JSON.stringify(row)));
    return this.#tables.every((table) => table.columns.every((column) => stored.has(JSON.stringify([table.name, column.name]))));
  }
}

const columns = `SELECT c.relname, a.attname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`;
