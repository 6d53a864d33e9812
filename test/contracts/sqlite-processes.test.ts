// The embedded store with every statement that reads in a process of its own keeps the same contract.

import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { type OpenStore, storeContract } from './store.ts';
import { conditionContract } from './store-conditions.ts';
import { valueContract } from './store-values.ts';

const openSqlite: OpenStore = (folder) => new SqliteStore(join(folder, 'data.db'), systemClock(), { budget: 0 });

storeContract('SQLite, in processes', openSqlite);
valueContract('SQLite, in processes', openSqlite);
conditionContract('SQLite, in processes', openSqlite);
