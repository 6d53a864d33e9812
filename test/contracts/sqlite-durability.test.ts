// When the embedded store answers a write: after its commit was brought to disk, and never where that failed.

import { copyFileSync, existsSync, fdatasync, fdatasyncSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { SchemaSession } from '../../src/store/migration/ddl.ts';
import type { Disk } from '../../src/store/sqlite/log-file.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { rowsOf } from '../support/database.ts';
import { folderForTest } from '../support/folder.ts';
import { add, items, namesIn } from './store.ts';

type Flush = Disk['flush'];
type Done = Parameters<Flush>[1];

/** A disk that is done when the test says so. */
class SlowDisk {
  readonly asked: Done[] = [];
  isSlow = false;
  readonly flush: Flush = (descriptor, done) => {
    if (this.isSlow) this.asked.push(done);
    else fdatasync(descriptor, done);
  };

  /** Is done with everything it was asked for, or fails. */
  end(failure: Error | null = null): void {
    for (const done of this.asked.splice(0)) done(failure);
  }

  async isAsked(): Promise<void> {
    await vi.waitFor(() => expect(this.asked).toHaveLength(1), { timeout: 20_000, interval: 1 });
  }
}

async function onDisk(flush: Flush, notice: (line: string) => void = () => {}): Promise<{ store: SqliteStore; file: string }> {
  const file = join(folderForTest(), 'data.db');
  return { store: await opened(file, flush, notice), file };
}

async function opened(file: string, flush: Flush, notice: (line: string) => void, flushNow = fdatasyncSync): Promise<SqliteStore> {
  const store = new SqliteStore(file, systemClock(), { disk: { flush, flushNow }, notice });
  onTestFinished(() => store.close());
  await store.migrate([items]);
  return store;
}

test('a write is answered after the disk has it, and others read meanwhile', async () => {
  const disk = new SlowDisk();
  const { store } = await onDisk(disk.flush);
  disk.isSlow = true;
  const answered: number[] = [];
  const first = [1, 2].map((id) => add(store, id, `n${id}`).then(() => answered.push(id)));
  await disk.isAsked();
  const second = [3, 4, 5].map((id) => add(store, id, `n${id}`).then(() => answered.push(id)));
  expect(await namesIn(store)).toEqual(['n1', 'n2']);
  expect(answered).toEqual([]);
  disk.end();
  await Promise.all(first);
  await disk.isAsked();
  expect(answered).toEqual([1, 2]);
  disk.end();
  await Promise.all(second);
  expect(answered).toEqual([1, 2, 3, 4, 5]);
});

test('a change of the tables is done when the disk has it', async () => {
  const disk = new SlowDisk();
  const { store } = await onDisk(disk.flush);
  disk.isSlow = true;
  let isDone = false;
  const work = async ({ executor }: SchemaSession) => executor.run('CREATE TABLE more (id INTEGER)');
  const changed = store.schema(work).then(() => {
    isDone = true;
  });
  await disk.isAsked();
  expect([isDone, store.ready()]).toEqual([false, true]);
  disk.end();
  await changed;
});

test('a write that has written nothing asks nothing of the disk', async () => {
  const disk = new SlowDisk();
  const { store } = await onDisk(disk.flush);
  await add(store, 1, 'a');
  disk.isSlow = true;
  expect(await store.write(() => 'nothing')).toBe('nothing');
  await expect(store.write(() => Promise.reject(new Error('stop')))).rejects.toThrow('stop');
  expect(disk.asked).toEqual([]);
});

test('what is read to be told to others waits until the disk has it', async () => {
  const disk = new SlowDisk();
  const { store } = await onDisk(disk.flush);
  disk.isSlow = true;
  const written = add(store, 1, 'a');
  await disk.isAsked();
  let seen: unknown;
  const read = Promise.resolve(store.read(async () => namesIn(store), { consistent: true, pauses: true, durable: true })).then((names) => {
    seen = names;
  });
  expect(await namesIn(store)).toEqual(['a']);
  expect(seen).toBeUndefined();
  disk.end();
  await Promise.all([written, read]);
  expect(seen).toEqual(['a']);
});

test('where the disk fails the writes fail, and nothing is read, written or brought to disk any more until the next start', async () => {
  const disk = new SlowDisk();
  const lines: string[] = [];
  const { store, file } = await onDisk(disk.flush, (line) => lines.push(line));
  await add(store, 1, 'kept');
  disk.isSlow = true;
  const writes = [2, 3].map((id) => add(store, id, `n${id}`));
  await disk.isAsked();
  const behind = add(store, 4, 'behind');
  const told = Promise.resolve(store.read(() => 'told', { durable: true }));
  const failed = Promise.allSettled([...writes, behind, told]);
  disk.end(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
  const code = expect.objectContaining({ code: 'store-failed' });
  expect(await failed).toEqual(Array.from({ length: 4 }, () => ({ status: 'rejected', reason: code })));
  await expect(add(store, 5, 'after')).rejects.toEqual(code);
  await expect(store.schema(() => Promise.resolve())).rejects.toEqual(code);
  expect(() => store.read(() => 'read')).toThrow(code);
  expect(store.ready()).toBe(false);
  expect(disk.asked).toEqual([]);
  expect(lines).toEqual([expect.stringMatching(/^The log of .*data\.db could not be brought to disk \(EIO: .*started again\.$/)]);
  const before = statSync(file).mtimeMs;
  const again = join(folderForTest(), 'data.db');
  copyDatabase(file, again);
  expect(statSync(file).mtimeMs).toBe(before);
  const next = new SqliteStore(again, systemClock());
  onTestFinished(() => next.close());
  expect((await namesIn(next))[0]).toBe('kept');
  await add(next, 6, 'next');
});

test('what the disk has not taken stays in the log also when the store is closed, and is not copied into the database', async () => {
  const file = join(folderForTest(), 'data.db');
  const broken: Flush = (_, done) => done(new Error('EIO: i/o error, fdatasync'));
  let flush: Flush = fdatasync;
  const disk: Disk = { flush: (descriptor, done) => flush(descriptor, done), flushNow: fdatasyncSync };
  const store = new SqliteStore(file, systemClock(), { disk });
  await store.migrate([items]);
  flush = broken;
  await expect(add(store, 1, 'lost')).rejects.toMatchObject({ code: 'store-failed' });
  const [database, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
  await store.close();
  expect(readFileSync(file).equals(database)).toBe(true);
  expect(readFileSync(`${file}-wal`).equals(log)).toBe(true);
});

test('a log that was removed is a failure of the disk, not one that was brought there', async () => {
  const file = join(folderForTest(), 'data.db');
  const store = new SqliteStore(file, systemClock());
  await store.migrate([items]);
  await store.close();
  const next = new SqliteStore(file, systemClock());
  await namesIn(next);
  rmSync(`${file}-wal`);
  await expect(add(next, 1, 'a')).rejects.toMatchObject({ code: 'store-failed' });
  await next.close();
});

test('many writes of one commit are brought to disk together with it, and fail where the disk does', async () => {
  let flushes = 0;
  let isBroken = false;
  const flushNow = (descriptor: number): void => {
    if (isBroken) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    flushes += 1;
    fdatasyncSync(descriptor);
  };
  const store = await opened(join(folderForTest(), 'data.db'), fdatasync, () => {}, flushNow);
  const addTen = (from: number) =>
    Promise.allSettled(Array.from({ length: 10 }, (_, index) => add(store, from + index, `n${from + index}`)));
  expect((await addTen(0)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'fulfilled'));
  expect(flushes).toBe(1);
  isBroken = true;
  const code = expect.objectContaining({ code: 'store-failed' });
  expect(await addTen(10)).toEqual(Array.from({ length: 10 }, () => ({ status: 'rejected', reason: code })));
  isBroken = false;
  await expect(add(store, 30, 'after')).rejects.toEqual(code);
  expect(() => store.read(() => 'read')).toThrow(code);
});

test('after a loss of power everything that was answered is there, whatever else of the log came to disk', async () => {
  const folder = folderForTest();
  const powerLosses: { readonly copy: string; readonly answered: readonly number[] }[] = [];
  const answered: number[] = [];
  const file = join(folder, 'data.db');
  // What is on disk when a sync is over: what was written before it, and of what is written behind it anything or nothing.
  const lose = (synced: number): void => {
    const copy = join(folder, `lost-${powerLosses.length}`, 'data.db');
    mkdirSync(join(copy, '..'));
    copyDatabase(file, copy);
    const log = readFileSync(`${copy}-wal`);
    for (let at = synced + 100; at < log.length; at += 512) log[at] = 255 - (log[at] ?? 0);
    writeFileSync(`${copy}-wal`, log);
    powerLosses.push({ copy, answered: [...answered] });
  };
  let synced = 0;
  const flush: Flush = (descriptor, done) => {
    const size = statSync(`${file}-wal`).size;
    fdatasync(descriptor, (failure) => {
      synced = size;
      done(failure);
    });
  };
  const store = await opened(file, flush, () => {});
  await add(store, 0, 'first');
  answered.push(0);
  for (let id = 1; id <= 30; id += 1) {
    const write = add(store, id, `n${id}`).then(() => answered.push(id));
    // Between its commit and its answer too.
    if (id % 3 === 0) await vi.waitFor(async () => expect(await namesIn(store)).toHaveLength(id + 1), { timeout: 20_000, interval: 0 });
    lose(synced);
    await write;
    if (id % 5 === 0) lose(synced);
  }
  for (const { copy, answered: promised } of powerLosses) {
    const next = new SqliteStore(copy, systemClock());
    const found = new Set(await namesIn(next));
    await next.close();
    expect(promised.filter((id) => !found.has(id === 0 ? 'first' : `n${id}`))).toEqual([]);
  }
  expect(powerLosses.length).toBeGreaterThan(30);
});

test('what a process that was killed left in the log is in the database before anybody reads it', async () => {
  const { store, file } = await onDisk(fdatasync);
  await add(store, 1, 'a');
  const left = join(folderForTest(), 'data.db');
  copyDatabase(file, left);
  const next = new SqliteStore(left, systemClock());
  onTestFinished(() => next.close());
  const alone = join(folderForTest(), 'alone.db');
  copyFileSync(left, alone);
  expect(rowsOf(alone, 'SELECT name FROM "m/Item"')).toEqual([{ name: 'a' }]);
});

/** As it is on disk, without what only processes share. */
function copyDatabase(file: string, target: string): void {
  for (const end of ['', '-wal']) if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${target}${end}`);
}
