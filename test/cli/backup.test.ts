// `platform backup`: one moment of the data, taken while the service writes, and a start on the copy.

import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { command, ensureBuilt, platform, type Running, type Workspace, workspace } from './harness.ts';

beforeAll(ensureBuilt);

const opened: Workspace[] = [];
const started: Running[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) await kill(each);
});
afterAll(() => {
  for (const each of opened) each.remove();
});

async function kill(service: Running): Promise<void> {
  service.child.kill('SIGKILL');
  await service.exit;
}

const files = {
  'shop/src/core.al': `module shop
entity Item { no Int @id, name String @fulltext }
entity Part { no Int @id }
relationship ItemPart contains (Item, Part)
`,
  'shop/config.al': '{"service": {"port": 0}, "store": {"type": "sqlite", "dbname": "data/shop.db"}}',
};

function open(): Workspace {
  const made = workspace(files);
  opened.push(made);
  return made;
}

async function serve(folder: string): Promise<string> {
  const service = platform(folder, 'run', 'shop');
  started.push(service);
  return (await service.until(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
}

async function add(address: string, no: number): Promise<number> {
  const body = JSON.stringify({ no, name: `item ${no}`, ItemPart: [{ no: 1 }, { no: 2 }] });
  return (await fetch(`${address}/shop/Item`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })).status;
}

async function all(address: string, name: string): Promise<readonly { readonly no: number }[]> {
  const found: unknown = await (await fetch(`${address}/shop/${name}`)).json();
  return Array.isArray(found) ? found : [];
}

describe('a backup', () => {
  test('is taken while the service writes, is one moment of it, and can be started on', async () => {
    const { folder } = open();
    const address = await serve(folder);
    const statuses: number[] = [];
    for (let no = 1; no <= 20; no += 1) statuses.push(await add(address, no));
    const writing = (async () => {
      for (let no = 21; no <= 200; no += 1) statuses.push(await add(address, no));
    })();
    const { code, out } = await command(folder, 'backup', 'kept/shop.db', 'shop');
    await writing;
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect([code, out]).toEqual([0, expect.stringMatching(/^kept\/shop\.db: \d+ rows in 2 tables, \d+ kB, checked\n$/)]);
    expect(readdirSync(join(folder, 'kept'))).toEqual(['shop.db']);
    expect(statSync(join(folder, 'kept', 'shop.db')).mode & 0o777).toBe(0o600);
    for (const each of started.splice(0)) await kill(each);
    for (const end of ['', '-wal', '-shm', '-lock']) if (existsSync(join(folder, `shop/data/shop.db${end}`))) remove(folder, end);
    cpSync(join(folder, 'kept', 'shop.db'), join(folder, 'shop/data/shop.db'));
    const restored = await serve(folder);
    const items = await all(restored, 'Item');
    // Written one after the other: a moment holds all up to one, and none behind it.
    expect(items.map((each) => each.no)).toEqual(items.map((_, index) => index + 1));
    expect(items.length).toBeGreaterThanOrEqual(20);
    expect((await all(restored, 'Item?@search=ITEM')).length).toBe(items.length);
    expect(await all(restored, 'Item?@search=7%20item')).toMatchObject([{ no: 7 }]);
    expect((await all(restored, 'Part')).length).toBe(items.length * 2);
    expect(out).toContain(`: ${items.length * 3} rows`);
    expect(await add(restored, 1000)).toBe(201);
  });

  test('holds what was acknowledged before a service was killed', async () => {
    const { folder } = open();
    const address = await serve(folder);
    for (let no = 1; no <= 5; no += 1) await add(address, no);
    for (const each of started.splice(0)) await kill(each);
    expect((await command(folder, 'backup', 'copy.db', 'shop')).out).toMatch(/^copy\.db: 15 rows/);
  });

  test('overwrites nothing', async () => {
    const place = open();
    const address = await serve(place.folder);
    await add(address, 1);
    place.write('mine.db', 'mine');
    expect(await command(place.folder, 'backup', 'mine.db', 'shop')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/overwrites nothing/),
    });
    expect(place.read('mine.db')).toBe('mine');
  });

  test('of a damaged database is refused, and leaves no file', async () => {
    const place = open();
    const address = await serve(place.folder);
    await add(address, 1);
    for (const each of started) await kill(each);
    expect((await command(place.folder, 'backup', 'good.db', 'shop')).code).toBe(0);
    remove(place.folder, '-wal');
    remove(place.folder, '-shm');
    writeFileSync(join(place.folder, 'shop/data/shop.db'), 'this is no database, and never was one');
    const { code, err } = await command(place.folder, 'backup', 'bad.db', 'shop');
    expect([code, err]).toEqual([1, expect.stringMatching(/cannot be opened/)]);
    expect(readdirSync(place.folder).sort()).toEqual(['good.db', 'shop']);
  });

  test('of a project that never ran is refused', async () => {
    const { folder } = open();
    const { code, err } = await command(folder, 'backup', 'copy.db', 'shop');
    expect([code, err]).toEqual([1, expect.stringMatching(/There is no database .*shop\.db yet/)]);
    expect(existsSync(join(folder, 'shop', 'data'))).toBe(false);
  });
});

function remove(folder: string, end: string): void {
  rmSync(join(folder, `shop/data/shop.db${end}`), { force: true });
}
