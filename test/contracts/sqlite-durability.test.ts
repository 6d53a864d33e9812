// When the embedded store answers a write: after SQLite has brought its commit to disk, and never where that failed.

import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { folderForTest } from '../support/folder.ts';
import { add, items, namesIn } from './store.ts';

async function opened(notice: (line: string) => void = () => {}): Promise<{ store: SqliteStore; file: string }> {
  const file = join(folderForTest(), 'data.db');
  const store = new SqliteStore(file, systemClock(), { notice });
  onTestFinished(() => store.close());
  await store.migrate([items]);
  return { store, file };
}

test('after a failure of the disk nothing is written any more until the next start, and a line says so', async () => {
  const lines: string[] = [];
  const { store, file } = await opened((line) => lines.push(line));
  await add(store, 1, 'kept');
  await store.schema(async ({ executor }) => executor.rows('PRAGMA wal_checkpoint(TRUNCATE)'));
  const descriptor = openSync(file, 'r+');
  const { size } = statSync(file);
  for (let at = 4096; at < size; at += 4096) writeSync(descriptor, Buffer.alloc(4096, 255), 0, 4096, at);
  closeSync(descriptor);
  // What of it is in memory would not be read again.
  await store.schema(async ({ executor }) => executor.rows('PRAGMA shrink_memory'));
  const code = expect.objectContaining({ code: 'store-failed' });
  await expect(add(store, 2, 'lost')).rejects.toEqual(code);
  await expect(add(store, 3, 'after')).rejects.toEqual(code);
  expect(store.ready()).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/^The disk of .*data\.db has failed \(.*\); nothing is written until .*started again\.$/)]);
});

test('after a loss of power everything that was answered is there, whatever else of the log came to disk', async () => {
  const { store, file } = await opened();
  const powerLosses: { readonly copy: string; readonly answered: readonly number[] }[] = [];
  const answered: number[] = [];
  let synced = statSync(`${file}-wal`).size;
  // What is on disk is what was answered; of what is written behind it anything, or nothing.
  const lose = (): void => {
    const copy = join(file, '..', `lost-${powerLosses.length}`, 'data.db');
    mkdirSync(join(copy, '..'));
    for (const end of ['', '-wal']) if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
    const log = readFileSync(`${copy}-wal`);
    for (let at = synced + 100; at < log.length; at += 512) log[at] = 255 - (log[at] ?? 0);
    writeFileSync(`${copy}-wal`, log);
    powerLosses.push({ copy, answered: [...answered] });
  };
  for (let id = 0; id <= 30; id += 1) {
    const write = add(store, id, `n${id}`);
    lose();
    await write;
    answered.push(id);
    synced = statSync(`${file}-wal`).size;
    lose();
  }
  for (const { copy, answered: promised } of powerLosses) {
    const next = new SqliteStore(copy, systemClock());
    const found = new Set(await namesIn(next));
    await next.close();
    expect(promised.filter((id) => !found.has(`n${id}`))).toEqual([]);
  }
  expect(powerLosses.length).toBeGreaterThan(30);
});
