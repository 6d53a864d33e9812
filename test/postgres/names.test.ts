// What guards writes by a name locks the table that it is for, whatever the table is called.

import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import { databaseForTest, postgresSettings, queryDatabase } from '../support/postgres.ts';

test('a name is asked for behind the lock of its table, also where another table begins alike', async () => {
  const database = await databaseForTest();
  const tables = ['Order', 'order', `${'long'.repeat(13)}One`, `${'long'.repeat(13)}Two`];
  for (const each of tables) await queryDatabase(database, `CREATE TABLE "${each}" ()`);
  const store = new PostgresStore(postgresSettings(database, { pool: 2 }), systemClock());
  try {
    const locked = await store.write(async (tx) => {
      for (const each of tables) await tx.alone('a name', each);
      // The server tells the locks of all its databases, in which the same numbers stand for other tables.
      const here = '(SELECT oid FROM pg_database WHERE datname = current_database())';
      const held = `database = ${here} AND mode = 'RowExclusiveLock' AND granted`;
      return queryDatabase(
        database,
        `SELECT relname FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE ${held} ORDER BY relname`,
      );
    });
    expect(locked.map(({ relname }) => relname)).toEqual([...tables].sort());
  } finally {
    await store.close();
  }
});
