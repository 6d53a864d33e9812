// The SQLite that the service uses.

import { createRequire } from 'node:module';

export function findDriver() {
  return createRequire(import.meta.url)('@photostructure/sqlite');
}
