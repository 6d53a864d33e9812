// The store on PostgreSQL keeps the store's contract.

import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import type { OpenStore } from '../contracts/store.ts';
import { storeContract } from '../contracts/store.ts';
import { conditionContract } from '../contracts/store-conditions.ts';
import { migrationContract } from '../contracts/store-migrations.ts';
import { valueContract } from '../contracts/store-values.ts';
import { databaseName, databaseOf, giveBack, postgresSettings } from '../support/postgres.ts';

/** Each folder stands for a database, made before the first migration in it. */
const openPostgres: OpenStore = (folder) => {
  const store = new PostgresStore(postgresSettings(databaseName(folder)), systemClock());
  const migrate: typeof store.migrate = async (...given) => {
    await databaseOf(folder);
    return PostgresStore.prototype.migrate.apply(store, given);
  };
  onTestFinished(() => giveBack(folder));
  return Object.assign(store, { migrate });
};

storeContract('PostgreSQL', openPostgres, { oneWriter: false });
valueContract('PostgreSQL', openPostgres);
migrationContract('PostgreSQL', openPostgres);
conditionContract('PostgreSQL', openPostgres);
