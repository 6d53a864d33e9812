// The embedded store keeps the store's contract.

import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { type OpenStore, storeContract } from './store.ts';
import { conditionContract } from './store-conditions.ts';
import { migrationContract } from './store-migrations.ts';
import { valueContract } from './store-values.ts';

const openSqlite: OpenStore = (folder) => new SqliteStore(join(folder, 'data.db'), systemClock());

storeContract('SQLite', openSqlite);
valueContract('SQLite', openSqlite);
migrationContract('SQLite', openSqlite);
conditionContract('SQLite', openSqlite);
