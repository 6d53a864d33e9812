// Loads SQLite as it is installed; in a built application `standalone/sqlite.ts` stands in for this file.

import { createRequire } from 'node:module';
import type { Driver } from './driver.ts';

export function loadSqlite(): Driver {
  return createRequire(import.meta.url)('@photostructure/sqlite');
}
