// Millions of notes, made by the database itself from one that the service wrote, so that nothing of its layout has to be known here.

import pg from 'pg';
import { findDriver } from '../src/store/sqlite/driver.ts';
import type { DatabaseServer } from './servers.ts';

const table = '"bench/Note"';

/** The identifier of the note with a number: in the order of the numbers, as those that the service draws are in the order of time. */
export function noteId(number: number): string {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function fillSqlite(file: string, count: number): void {
  const { DatabaseSync } = findDriver();
  const database = new DatabaseSync(file);
  try {
    const columns = database.prepare(`SELECT name FROM pragma_table_info('bench/Note')`).all();
    const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
    const id = `'00000000-0000-7000-8000-' || printf('%012x', n)`;
    database.exec('PRAGMA synchronous = OFF');
    database.exec(
      insert(
        columns.map(({ name }) => String(name)),
        id,
        `(${numbers} SELECT n FROM numbers)`,
      ),
    );
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
}

export async function fillPostgres({ port, username, password }: DatabaseServer, database: string, count: number): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: username, password, database });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    );
    const id = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
    await client.query(
      insert(
        rows.map(({ name }) => name),
        id,
        `generate_series(1, ${count}) AS numbers (n)`,
      ),
    );
    await client.query(`VACUUM ANALYZE ${table}`);
  } finally {
    await client.end();
  }
}

/** Everything that is not named here is as it is in the note that is there. */
function insert(columns: readonly string[], id: string, numbers: string): string {
  const own: Readonly<Record<string, string>> = { id, title: `'The note with the number ' || n`, rank: 'n' };
  const quoted = columns.map((name) => `"${name}"`);
  const values = columns.map((name, index) => own[name] ?? `one.${quoted[index]}`);
  return `INSERT INTO ${table} (${quoted.join(', ')}) SELECT ${values.join(', ')} FROM (SELECT * FROM ${table} LIMIT 1) AS one, ${numbers}`;
}
