// A look at the file behind an application, past the service.

import { findDriver } from '../../src/store/sqlite-driver.ts';

export function rowsOf(file: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new (findDriver().DatabaseSync)(file, { readOnly: true });
  try {
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
