// Stands in for `store/sqlite/package.ts` in a built application: the SQLite that is in the file.

import type { Driver } from '../store/sqlite/driver.ts';

export function loadSqlite(): Driver {
  // A plain `require`: the bundler puts the package in, and calls for its native part come to `standalone-binding.ts`.
  return require('@photostructure/sqlite');
}
