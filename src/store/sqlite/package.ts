// Loads a SQLite by its package, as it is installed; in a built application `standalone/sqlite.ts` stands in for this file.

import { createRequire } from 'node:module';
import type { Driver } from './driver.ts';

export type SqlitePackage = 'node:sqlite' | '@photostructure/sqlite';

export function loadSqlite(name: SqlitePackage): Driver {
  return createRequire(import.meta.url)(name);
}
