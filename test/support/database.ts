// A look at the file behind an application, past the service.

import { findDriver } from '../../src/store/sqlite/driver.ts';
import {
  includedFunction,
  longTextFunction,
  matchFunction,
  matchRowFunction,
  partFunction,
  patternFunction,
  timeFunction,
} from '../../src/store/sqlite/like.ts';

export function rowsOf(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new (findDriver().DatabaseSync)(file, { readOnly: true });
  try {
    // Statements of the service may name its own functions; nothing that a test asks for itself calls them.
    for (const name of [matchFunction, matchRowFunction]) database.function(name, {}, (_text, _pattern) => null);
    database.function(patternFunction, {}, (_kind, _pattern, _sql) => null);
    for (const name of [timeFunction, longTextFunction]) database.function(name, {}, () => null);
    for (const name of [partFunction, includedFunction]) database.function(name, {}, (_bytes) => null);
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

/** Writes past the service, which must not have it open. */
export function execute(file: string, sql: string): void {
  const database = new (findDriver().DatabaseSync)(file);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
