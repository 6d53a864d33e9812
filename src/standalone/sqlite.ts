// Stands in for `store/sqlite/package.ts` in a built application: the runtime's own SQLite, or the one that is in the file.

import { createRequire } from 'node:module';
import type { Driver } from '../store/sqlite/driver.ts';
import type { SqlitePackage } from '../store/sqlite/package.ts';

export function loadSqlite(name: SqlitePackage): Driver {
  // A plain `require`: the bundler puts the package in, and calls for its native part come to `standalone-binding.ts`.
  return name === 'node:sqlite' ? createRequire(__filename)(name) : require('@photostructure/sqlite');
}
