// What was acknowledged is there after the process was killed, stopped under load, or lost its disk.

import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findDriver } from '../../src/store/sqlite/driver.ts';
import { ensureBuilt, freePort, platform, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { isLong, seed } from '../support/form.ts';
import { pause } from '../support/time.ts';
import { notes, startWriters } from './writers.ts';

const kills = isLong ? 200 : 4;
const stops = isLong ? 20 : 2;

let place: Workspace;
beforeAll(() => ensureBuilt());
beforeEach(() => {
  place = workspace({
    'src/notes.al': notes,
    'config.al': '{"store": {"type": "sqlite", "dbname": "notes.db"}, "log": {"level": "warn"}}',
  });
});
afterEach(() => place.remove());

async function start(port: number): Promise<Running> {
  const running = platform(place.folder, 'run', '--port', String(port));
  await running.until(/ at http/);
  return running;
}

interface Stored {
  readonly notes: ReadonlyMap<string, string>;
  readonly lines: ReadonlyMap<string, number>;
}

/** Reads the file itself, and has SQLite look it over. */
function stored(): Stored {
  const driver = findDriver();
  const database = new driver.DatabaseSync(join(place.folder, 'notes.db'));
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([expect.objectContaining({ integrity_check: 'ok' })]);
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  const texts = database.prepare('SELECT id, text FROM "notes/Note"').all();
  const counts = database.prepare('SELECT "__parent_notes$NoteLine" AS parent, count(*) AS n FROM "notes/Line" GROUP BY 1').all();
  database.close();
  return {
    notes: new Map(texts.map((row) => [String(row['id']), String(row['text'])])),
    lines: new Map(counts.map((row) => [String(row['parent']), Number(row['n'])])),
  };
}

function expectKept(acknowledged: ReadonlyMap<string, string>): void {
  const found = stored();
  const lost = [...acknowledged].filter(([id, text]) => found.notes.get(id) !== text);
  expect(lost).toEqual([]);
  // A write that was not acknowledged is there as a whole or not at all.
  const halves = [...found.notes.keys()].filter((id) => found.lines.get(id) !== 2);
  expect(halves).toEqual([]);
}

test(`every acknowledged write survives kill -9 under 16 writers, ${kills} times`, async () => {
  const acknowledged = new Map<string, string>();
  const port = await freePort();
  for (let round = 0; round < kills; round += 1) {
    const running = await start(port);
    const writers = startWriters(port, 16, `r${round}`);
    await expect.poll(() => writers.acknowledged.size, { interval: 5 }).toBeGreaterThan(1);
    await pause((seed + round * 97) % 450);
    running.child.kill('SIGKILL');
    await running.exit;
    await writers.stop();
    for (const [id, text] of writers.acknowledged) acknowledged.set(id, text);
    expectKept(acknowledged);
  }
  expect(acknowledged.size).toBeGreaterThan(kills);
}, 1_800_000);

test(`SIGTERM under load loses no acknowledged write and ends with 0, ${stops} times`, async () => {
  const acknowledged = new Map<string, string>();
  const port = await freePort();
  for (let round = 0; round < stops; round += 1) {
    const running = await start(port);
    const writers = startWriters(port, 16, `s${round}`);
    await expect.poll(() => writers.acknowledged.size, { interval: 5 }).toBeGreaterThan(16);
    running.child.kill('SIGTERM');
    expect(await running.exit).toBe(0);
    await writers.stop();
    expect(writers.refused.filter((status) => status !== 503)).toEqual([]);
    for (const [id, text] of writers.acknowledged) acknowledged.set(id, text);
    expectKept(acknowledged);
  }
  expect(acknowledged.size).toBeGreaterThan(stops);
}, 300_000);

test('a second process on the same database is refused with a clear line', async () => {
  const [first, second] = [await freePort(), await freePort()];
  const running = await start(first);
  const other = platform(place.folder, 'run', '--port', String(second));
  expect(await other.exit).toBe(1);
  expect(other.said()).toMatch(/Another process is using the database/);
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
});
