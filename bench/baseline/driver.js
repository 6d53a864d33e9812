// The same choice of SQLite as the service makes: the runtime's own where it is new enough, else the package's.

import { createRequire } from 'node:module';

const oldest = [3, 51, 3];

export function findDriver() {
  const load = createRequire(import.meta.url);
  const own = tryLoad(load, 'node:sqlite');
  return own !== undefined && isNewEnough(own) ? own : load('@photostructure/sqlite');
}

function tryLoad(load, name) {
  try {
    return load(name);
  } catch {
    return undefined;
  }
}

function isNewEnough({ DatabaseSync }) {
  const database = new DatabaseSync(':memory:');
  const version = database.prepare('SELECT sqlite_version() AS v').get().v.split('.').map(Number);
  database.close();
  const different = oldest.findIndex((part, index) => version[index] !== part);
  return different === -1 || version[different] > oldest[different];
}
