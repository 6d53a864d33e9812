// What no index answers is read in a process of its own: the same answers, nobody else waits, nothing runs for ever, nothing is held on to.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { type Condition, equal } from '../../src/plan/query/condition.ts';
import type { JoinQuery, Output } from '../../src/plan/query/shape.ts';
import { findDriver, openDatabase } from '../../src/store/sqlite/driver.ts';
import { type SqliteOptions, SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { type Awaitable, type Reader, type Store, TooLarge } from '../../src/store/store.ts';
import { folderForTest } from '../support/folder.ts';
import { until } from '../support/time.ts';
import { ascending, column, descending, insertInto, outputOf, selectFrom, table } from './tables.ts';

const things = table('m/Thing', [column('id', 'integer', { required: true }), column('name', 'text'), column('size', 'decimal')]);
const texts = table('m/Text', [column('id', 'integer', { required: true }), column('text', 'text')]);
const tagged = table('m/Tagged', [column('id', 'integer', { required: true }), column('tag', 'text'), column('note', 'text')], {
  indexes: [['tag']],
});
const rows = 3000;
/** Every number but one has the name of the one before. */
const nameOf = (id: number) => `n${String(Math.floor(id / 2)).padStart(4, '0')}`;

/** A clock on which so many milliseconds pass whenever somebody looks at it. */
function clockWith(step: number): Clock {
  const clock = systemClock();
  let time = clock.now().getTime();
  return {
    now() {
      time += step;
      return new Date(time);
    },
    uuid: clock.uuid,
  };
}

async function filled(options: SqliteOptions, clock = systemClock(), closes = true) {
  const folder = folderForTest();
  const store = new SqliteStore(join(folder, 'data.db'), clock, options);
  if (closes) onTestFinished(() => store.close());
  await store.migrate([things, texts, tagged]);
  await store.write(async (tx) => {
    for (let id = 1; id <= rows; id += 1) await tx.insert(insertInto(things), [id, nameOf(id), `${id % 7}.50`]);
  });
  return { store, folder };
}

/** Compares each with each: more than anybody has time for. */
const endless: JoinQuery = {
  kind: 'report',
  table: things,
  joins: [1, 2, 3].map(() => ({ side: 'inner', table: things, on: { kind: 'all' } })),
  outputs: [{ kind: 'aggregate', name: 'n', function: 'count', of: undefined }],
  where: { kind: 'all' },
  groupBy: [],
  order: [],
  distinct: false,
  limit: false,
  offset: false,
};

const byName = selectFrom(things, { where: equal('name'), order: [ascending('id')], limit: true, output: outputOf(things, ['id']) });

const questions: readonly (readonly [title: string, ask: (reader: Reader) => Awaitable<unknown>])[] = [
  ['a filter', (reader) => reader.rows(byName, [nameOf(2000), 10])],
  ['a page of a filter', (reader) => reader.page(byName, [nameOf(2000), 10])],
  ['a page that finds nothing', (reader) => reader.page(byName, ['nobody', 10])],
  ['the first of a filter', (reader) => reader.one(byName, [nameOf(2001), 10])],
  ['the first of none', (reader) => reader.one(byName, ['nobody', 10])],
  ['an order', (reader) => reader.page(selectFrom(things, { order: [descending('size'), ascending('id')], limit: true }), [20])],
  ['a count of a filter', (reader) => reader.count(selectFrom(things, { where: equal('size') }), ['3.50'])],
  [
    'an aggregate',
    (reader) => {
      const outputs: JoinQuery['outputs'] = [
        { kind: 'aggregate', name: 'least', function: 'min', of: { source: 0, column: 'name' } },
        { kind: 'aggregate', name: 'all', function: 'count', of: { source: 0, column: 'name' } },
      ];
      return reader.report({ ...endless, joins: [], outputs }, []);
    },
  ],
];

test('whatever is asked, and wherever it is run, the answer is the same: here, or in a process', async () => {
  const { store: here } = await filled({ budget: Number.POSITIVE_INFINITY });
  const { store: elsewhere } = await filled({ budget: 0 });
  for (const [title, ask] of questions) {
    const expected = here.read(ask);
    expect([title, expected instanceof Promise]).toEqual([title, false]);
    const found = elsewhere.read(ask);
    expect([title, found instanceof Promise, await found]).toEqual([title, true, expected]);
  }
});

/** Texts of 12 KB, more of them than functions are given together, one that is too long for that by itself, and one that is null. */
async function manyTexts(store: Store): Promise<void> {
  const filler = 'lorem ipsum dolor sit amet '.repeat(450);
  await store.write(async (tx) => {
    for (let id = 1; id <= 2900; id += 1) await tx.insert(insertInto(texts), [id, `${filler}${id % 1000 === 7 ? 'The Needle' : 'hay'}`]);
    await tx.insert(insertInto(texts), [2n ** 60n, `${filler.repeat(10)}The Needle`]);
    await tx.insert(insertInto(texts), [3000, null]);
  });
}

const patterns: readonly (readonly ['like' | 'ilike' | 'search', pattern: string])[] = [
  ['like', '%l_r_m%i_s_m%The N__dle'],
  ['ilike', '%the needle'],
  ['search', 'needle the'],
];

test('like, ilike and a search find what they look for in texts that are very many, or very long', async () => {
  const store = new SqliteStore(join(folderForTest(), 'data.db'), systemClock());
  onTestFinished(() => store.close());
  await store.migrate([texts]);
  await manyTexts(store);
  const output: Output = { fields: [{ kind: 'column', name: 'id', column: 'id' }], columns: [] };
  for (const [operator, pattern] of patterns) {
    const where: Condition =
      operator === 'search' ? { kind: 'search', columns: ['text'], isIndexed: false } : { kind: 'compare', column: 'text', operator };
    const page = selectFrom(texts, { where, order: [ascending('id')], limit: true, output });
    const { json } = await store.read((reader) => reader.page(page, [pattern, 100]));
    expect([operator, json.match(/\d+/g)]).toEqual([operator, ['7', '1007', '2007', String(2n ** 60n)]]);
  }
});

/** So many rows of the tag `t`. */
async function fillTagged(store: Store, count: number): Promise<void> {
  await store.write(async (tx) => {
    for (let id = 1; id <= count; id += 1) await tx.insert(insertInto(tagged), [id, 't', 'n']);
  });
}

const byNote = selectFrom(tagged, { where: equal('note'), order: [ascending('id')], limit: true, output: outputOf(tagged, ['id']) });
const byTag = selectFrom(tagged, { where: equal('tag'), order: [ascending('id')], limit: true, output: outputOf(tagged, ['id']) });

test('what no index answers is read in a process where the table is large; where it is small, it is read at once', async () => {
  const { store } = await filled({ budget: 1000 });
  await fillTagged(store, 200);
  expect(await isHere(store, (reader) => reader.page(byNote, ['n', 10]))).toBe(true);
  await store.write((tx) => tx.insert(insertInto(tagged), [201, 't', 'n']));
  expect(await isHere(store, (reader) => reader.page(byNote, ['n', 10]))).toBe(false);
  // By how many rows there are, whatever their keys, and however many there were.
  await store.write((tx) => tx.delete({ kind: 'delete', table: tagged, where: equal('id') }, [1]));
  await store.write((tx) => tx.delete({ kind: 'delete', table: tagged, where: equal('id') }, [201]));
  await store.write((tx) => tx.insert(insertInto(tagged), [2n ** 60n, 't', 'n']));
  expect(await isHere(store, (reader) => reader.page(byNote, ['n', 10]))).toBe(true);
});

test('what an index answers is read at once, in tables of any size', async () => {
  const { store } = await filled({ budget: 1000 });
  await fillTagged(store, rows);
  const order = selectFrom(tagged, { order: [ascending('tag'), ascending('id')], limit: true, output: outputOf(tagged, ['id']) });
  expect(await isHere(store, (reader) => reader.page(byTag, ['t', 10]))).toBe(true);
  expect(await isHere(store, (reader) => reader.page(order, [10]))).toBe(true);
  const behind = selectFrom(tagged, { order: [ascending('id')], limit: true, offset: true, output: outputOf(tagged, ['id']) });
  expect(await isHere(store, (reader) => reader.rows(behind, [1, rows - 1]))).toBe(true);
  const later = selectFrom(tagged, { where: { kind: 'compare', column: 'tag', operator: 'gt' } });
  expect(await isHere(store, (reader) => reader.count(later, ['a']))).toBe(true);
  expect(await isHere(store, (reader) => reader.count(byTag, ['t']))).toBe(true);
});

test('what takes too long is started again in a process, with the same answer', async () => {
  const { store } = await filled({}, clockWith(6));
  await fillTagged(store, rows);
  const order = [descending('note'), descending('id')];
  const sorted = selectFrom(tagged, { where: equal('tag'), order, limit: true, output: outputOf(tagged, ['id']) });
  const found = store.read((reader) => reader.page(sorted, ['t', 10]));
  expect(found).toBeInstanceOf(Promise);
  expect(await found).toMatchObject({ count: 10, last: [rows - 9] });
});

test('a statement that was stopped is asked again', async () => {
  const { store } = await filled({}, clockWith(6));
  await fillTagged(store, rows);
  const sorted = selectFrom(tagged, { where: equal('tag'), order: [descending('note')], limit: true, output: outputOf(tagged) });
  for (const count of [3, 4, 5])
    expect(await store.read((reader) => reader.rows(sorted, ['t', count], undefined, 100_000))).toHaveLength(count);
});

test('of joined tables the pairs of rows count', async () => {
  const { store } = await filled({ budget: 1000 });
  const joined: JoinQuery = { ...endless, table: tagged, joins: [{ side: 'inner', table: tagged, on: { kind: 'all' } }] };
  await fillTagged(store, 44);
  expect(await isHere(store, (reader) => reader.report(joined, []))).toBe(true);
  await store.write((tx) => tx.insert(insertInto(tagged), [45, 't', 'n']));
  expect(await isHere(store, (reader) => reader.report(joined, []))).toBe(false);
});

async function isHere(store: Store, work: (reader: Reader) => Awaitable<unknown>): Promise<boolean> {
  const found = store.read(work);
  await found;
  return !(found instanceof Promise);
}

test('what is found by its key, and what has to see one state, waits for nobody', async () => {
  const { store: later } = await filled({}, clockWith(6));
  const byKey = selectFrom(things, { where: equal('id') });
  const page = selectFrom(things, { order: [ascending('id')], limit: true, output: outputOf(things, ['id']) });
  expect(later.read((reader) => reader.one(byKey, [7]))).not.toBeInstanceOf(Promise);
  expect(later.read((reader) => reader.page(page, [100]))).not.toBeInstanceOf(Promise);
  const { store: elsewhere } = await filled({ budget: 0 });
  expect(elsewhere.read((reader) => reader.rows(byName, ['n0001', 10]), { consistent: true })).not.toBeInstanceOf(Promise);
});

test('what is found by its key is read in a process where it is a long text: a row, and a page that is longer than a part', async () => {
  const { store } = await filled({ budget: 1000 });
  const sizes = [1000, 500_000, 600_000, 4_000_000];
  await store.write(async (tx) => {
    for (const [id, size] of sizes.entries()) await tx.insert(insertInto(texts), [id, 'x'.repeat(size)]);
  });
  const byKey = selectFrom(texts, { where: equal('id'), output: outputOf(texts) });
  const page = selectFrom(texts, { where: equal('id'), order: [ascending('id')], limit: true, output: outputOf(texts, ['id']) });
  const places: boolean[][] = [];
  for (const [id, size] of sizes.entries()) {
    const [row, part] = [(reader: Reader) => reader.one(byKey, [id]), (reader: Reader) => reader.page(page, [id, 10])];
    const instance = { id, text: 'x'.repeat(size) };
    expect(JSON.parse((await store.read(row))?.json ?? '')).toEqual(instance);
    expect(JSON.parse((await store.read(part)).json)).toEqual(instance);
    places.push([await isHere(store, row), await isHere(store, part)]);
  }
  expect(places).toEqual([
    [true, true],
    [true, true],
    [false, true],
    [false, false],
  ]);
});

test('what has to see one state keeps its time also where it finds a long text', async () => {
  const clock = clockWith(6);
  const { store } = await filled({}, clock);
  await store.write((tx) => tx.insert(insertInto(things), [0, 'x'.repeat(600_000), '1.25']));
  const unlike = selectFrom(things, {
    where: { kind: 'not', condition: equal('size') },
    order: [ascending('id')],
    output: outputOf(things),
  });
  const soon = clock.now().getTime() + 12;
  const read = async () => store.read((reader) => reader.rows(unlike, ['0.50'], soon, 100_000_000), { consistent: true });
  await expect(read()).rejects.toMatchObject({ code: 'store-busy' });
});

test('others are answered while a statement runs', async () => {
  const { store } = await filled({}, systemClock(), false);
  const order: string[] = [];
  const slow = readEndless(store).finally(() => order.push('slow'));
  for (let count = 0; count < 3; count += 1) {
    await store.read((reader) => reader.one(selectFrom(things, { where: equal('id') }), [count + 1]));
    await store.write((tx) => tx.insert(insertInto(things), [rows + 1 + count, 'more', null]));
    order.push('other');
  }
  const told = expect(slow).rejects.toMatchObject({ code: 'service-stopping' });
  await store.close();
  await told;
  expect(order).toEqual(['other', 'other', 'other', 'slow']);
});

test('a read that begins after a write was acknowledged sees it', async () => {
  const { store } = await filled({ budget: 0 });
  for (let id = rows + 1; id <= rows + 50; id += 1) {
    await store.write((tx) => tx.insert(insertInto(things), [id, `new${id}`, null]));
    expect(await store.read((reader) => reader.count(selectFrom(things, { where: equal('name') }), [`new${id}`]))).toBe(1);
  }
});

test('a statement that takes longer than it may is ended, the store is busy, and the next one is answered', async () => {
  const { store } = await filled({ budget: 0, timeout: 1 });
  await expect(readEndless(store)).rejects.toMatchObject({ code: 'store-busy', details: { retryAfter: 1 } });
  const soon = systemClock().now().getTime() + 100;
  await expect(Promise.resolve(store.read((reader) => reader.report(endless, [], soon)))).rejects.toMatchObject({ code: 'store-busy' });
  expect(await store.read((reader) => reader.count(selectFrom(things), []))).toBe(rows);
});

test('what fails in a process fails as it does here', async () => {
  const missing = selectFrom(table('m/Missing', [column('id', 'integer')]), { order: [ascending('id')] });
  const codes: unknown[] = [];
  for (const budget of [0, Number.POSITIVE_INFINITY]) {
    const { store } = await filled({ budget });
    const thrown: unknown = await Promise.resolve()
      .then(() => store.read((reader) => reader.rows(missing, [])))
      .catch((each: unknown) => each);
    codes.push(thrown);
  }
  expect(codes).toEqual([expect.objectContaining({ code: 'store-failed' }), expect.objectContaining({ code: 'store-failed' })]);
});

test('only so many wait for a process: the others are told that the store is busy', async () => {
  const { store } = await filled({ budget: 0 });
  // Those that wait are also told so after a while, which on a busy machine may be over before a process has begun.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const asked = Array.from({ length: 200 }, () => Promise.resolve(store.read((reader) => reader.count(selectFrom(things), []))));
  const results = await Promise.allSettled(asked);
  const refused = results.filter((each) => each.status === 'rejected').map((each) => each.reason);
  expect(refused.length).toBeGreaterThanOrEqual(90);
  expect(refused.length).toBeLessThanOrEqual(100);
  for (const each of refused) expect(each).toMatchObject({ code: 'store-busy', details: { retryAfter: 1 } });
  for (const each of results) if (each.status === 'fulfilled') expect(each.value).toBe(rows);
});

test.skipIf(process.platform !== 'linux')('where processes that read are killed, who waits behind what they did is answered', async () => {
  const { store, folder } = await filled({ budget: 0 });
  const running = Array.from({ length: Math.max(2, availableParallelism()) }, () =>
    expect(readEndless(store)).rejects.toMatchObject({ code: 'store-failed' }),
  );
  const waiting = [1, 2, 3].map(() => store.read((reader) => reader.count(selectFrom(things), [])));
  const readers = await until(() => {
    const found = readersOf(folder);
    return found.length === running.length && found;
  });
  for (const each of readers) process.kill(each, 'SIGKILL');
  await Promise.all(running);
  expect(await Promise.all(waiting)).toEqual([rows, rows, rows]);
});

function readersOf(folder: string): readonly number[] {
  return readdirSync('/proc').flatMap((each) => {
    try {
      return readFileSync(`/proc/${each}/cmdline`, 'utf8').includes(join(folder, 'data.db')) ? [Number(each)] : [];
    } catch {
      // No process, or one that has ended.
      return [];
    }
  });
}

test('a client that asks for many slow reads does not make another one wait for them', async () => {
  const { store } = await filled({ budget: 0 });
  const processes = Math.max(2, availableParallelism());
  const order: string[] = [];
  const ask = async (remote: string, work: (reader: Reader) => Awaitable<unknown>): Promise<void> => {
    await store.read(work, undefined, { remote });
    order.push(remote);
  };
  const pairs: JoinQuery = { ...endless, joins: endless.joins.slice(0, 1) };
  // On a busy machine some of them wait for longer than they may.
  const slow = Array.from({ length: 4 * processes }, () =>
    ask('one', (reader) => reader.report(pairs, [])).catch(() => order.push('refused')),
  );
  await Promise.all([...slow, ask('other', (reader) => reader.count(selectFrom(things, { where: equal('name') }), [nameOf(9)]))]);
  expect(order).toHaveLength(4 * processes + 1);
  // One process more is there for it, so that at most those are done before it that were begun before it.
  expect(order.indexOf('other')).toBeLessThanOrEqual(processes);
});

test("what does not stand on a page of a sorted list is not made for it: a row that is larger than one may hold is in nobody's way", async () => {
  for (const budget of [0, Number.POSITIVE_INFINITY]) {
    const { store } = await filled({ budget, memory: 1_000_000 });
    await store.write((tx) => tx.insert(insertInto(things), [0, 'x'.repeat(2_000_000), '9.00']));
    const bySize = selectFrom(things, { order: [ascending('size'), ascending('id')], limit: true, output: outputOf(things, ['id']) });
    expect(await store.read((reader) => reader.page(bySize, [2]))).toMatchObject({ count: 2, last: [14] });
    await expect((async () => store.read((reader) => reader.page(bySize, [rows + 1])))()).rejects.toThrow(TooLarge);
  }
});

test('a store that is closed while a statement runs ends it, and leaves the file to others', async () => {
  const { store, folder } = await filled({ budget: 0 }, systemClock(), false);
  const [running, waiting] = [readEndless(store), readEndless(store)];
  const told = Promise.all([running, waiting].map((each) => expect(each).rejects.toMatchObject({ code: 'service-stopping' })));
  await store.read((reader) => reader.one(selectFrom(things), []), { consistent: true });
  await store.close();
  await told;
  const again = new SqliteStore(join(folder, 'data.db'), systemClock());
  onTestFinished(() => again.close());
  expect(await again.read((reader) => reader.count(selectFrom(things), []))).toBe(rows);
});

test('a statement that is over, or was ended, holds on to no state: the log can be brought to the database', async () => {
  for (const options of [
    // A busy machine takes a second for the start of a process alone.
    { budget: 0, timeout: 3 },
    { budget: 10, timeout: 3 },
  ]) {
    const { store, folder } = await filled(options, options.budget === 10 ? clockWith(6) : systemClock());
    await store.read((reader) => reader.rows(byName, [nameOf(9), 10]));
    await expect(readEndless(store)).rejects.toMatchObject({ code: 'store-busy' });
    await store.write((tx) => tx.insert(insertInto(things), [rows + 1, 'more', null]));
    // A process that is killed ends a little later.
    await expect.poll(() => checkpoint(folder)).toEqual({ busy: 0, size: 0 });
  }
});

test('while statement follows upon statement, the log does not grow for ever', async () => {
  const { store, folder } = await filled({ budget: 0 });
  const state = { ends: false };
  const reading = Promise.all(
    [1, 2].map(async () => {
      while (!state.ends) await store.read((reader) => reader.report({ ...endless, joins: endless.joins.slice(0, 1) }, []));
    }),
  );
  const text = 'x'.repeat(100_000);
  // How far it grows while a statement ends depends on the machine; that it begins anew does not.
  const most = 300 * 1024 * 1024;
  let [written, longest] = [0, 0];
  for (let id = 0; written < Math.max(3 * longest, most / 6); ) {
    await store.write(async (tx) => {
      for (const end = id + 12; id < end; id += 1) await tx.insert(insertInto(texts), [id, text]);
    });
    written += 12 * text.length;
    longest = Math.max(longest, statSync(join(folder, 'data.db-wal')).size);
    if (longest > most) break;
  }
  state.ends = true;
  await reading;
  expect(longest).toBeLessThan(most);
});

async function readEndless(store: Store): Promise<unknown> {
  return store.read((reader) => reader.report(endless, []));
}

function checkpoint(folder: string): { readonly busy: unknown; readonly size: number } {
  const file = join(folder, 'data.db');
  const database = openDatabase(findDriver(), file, 'write');
  try {
    const found = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return { busy: Number(found?.['busy']), size: statSync(`${file}-wal`).size };
  } finally {
    database.close();
  }
}
