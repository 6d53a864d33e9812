// What a workflow that writes looks for holds up everybody while it is looked for: it is watched by the work that it does.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { JoinQuery } from '../../src/plan/query/shape.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { Awaitable, Store, Writer } from '../../src/store/store.ts';
import { folderForTest } from '../support/folder.ts';
import { ascending, column, insertInto, outputOf, selectFrom, table } from './tables.ts';

const things = table('m/Thing', [column('id', 'integer', { required: true }), column('name', 'text')]);
const rows = 20_000;

/** A clock on which so many milliseconds pass whenever somebody looks at it. */
function clockWith(step: number): Clock {
  let time = 0;
  return {
    now() {
      time += step;
      return new Date(time);
    },
    uuid: systemClock().uuid,
  };
}

async function filled(step: number, count = rows): Promise<Store> {
  const store = new SqliteStore(join(folderForTest(), 'data.db'), clockWith(step));
  onTestFinished(() => store.close());
  await store.migrate([things]);
  await store.write(async (tx) => {
    for (let id = 1; id <= count; id += 1) await tx.insert(insertInto(things), [id, `n${id}`]);
  });
  return store;
}

const later = Number.MAX_SAFE_INTEGER;
const output = outputOf(things, ['id']);
const where = (operator: 'like' | 'eq') => ({ kind: 'compare', column: 'name', operator }) as const;
const scan = selectFrom(things, { where: where('eq'), order: [ascending('id')], limit: true, output });
const like = selectFrom(things, { where: where('like'), order: [ascending('id')], limit: true, output });
const sort = selectFrom(things, { where: where('eq'), order: [ascending('name'), ascending('id')], limit: true, output });
const costly = '%_%_%_%_%_%x';
const join2: JoinQuery = {
  kind: 'report',
  table: things,
  joins: [{ side: 'inner', table: things, on: { kind: 'all' } }],
  outputs: [{ kind: 'aggregate', name: 'n', function: 'count', of: undefined }],
  where: { kind: 'all' },
  groupBy: [],
  order: [],
  distinct: false,
  limit: false,
  offset: false,
};

const questions: readonly (readonly [title: string, ask: (tx: Writer, until?: number) => Awaitable<unknown>])[] = [
  ['a scan', (tx, until) => tx.rows(scan, ['nobody', 10], until)],
  ['a sort', (tx, until) => tx.rows(sort, ['nobody', 10], until)],
  ['a costly pattern', (tx, until) => tx.rows(like, [costly, 10], until)],
  ['a join', (tx, until) => tx.report(join2, [], until)],
];

test('a query of a workflow that writes and takes too long is ended with the reason, and the next write is done', async () => {
  const store = await filled(50);
  for (const [title, ask] of questions) {
    await expect(
      store.write((tx) => ask(tx, later)),
      title,
    ).rejects.toMatchObject({ code: 'dataflow-limit' });
    expect(await store.write((tx) => tx.rows(selectFrom(things, { where: where('eq') }), ['n7']))).toHaveLength(1);
  }
});

test('what looks at few rows is not ended because the machine is busy; what is to be done in any case is not ended at all', async () => {
  const busy = await filled(1000, 10);
  for (const [title, ask] of questions) await expect(Promise.resolve(busy.write((tx) => ask(tx, later))), title).resolves.toBeDefined();
  const store = await filled(50);
  for (const [title, ask] of questions.slice(0, 3))
    await expect(
      store.write((tx) => ask(tx)),
      title,
    ).resolves.toEqual([]);
});

test('a plain write that fails by what is stored fails alone; one that fails behind that takes all with it that share its commit', async () => {
  const store = await filled(0, 1);
  const insert = (id: number) => (tx: Writer) => tx.insert(insertInto(things), [id, 'x']);
  const settled = async (...all: readonly Promise<unknown>[]) => (await Promise.allSettled(all)).map(({ status }) => status);
  const plain = { isPlain: true };
  expect(await settled(store.write(insert(2), plain), store.write(insert(1), plain), store.write(insert(3)))).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  const fails = (tx: Writer): never => {
    void insert(4)(tx);
    throw new Error('the disk');
  };
  expect(await settled(store.write(insert(5)), store.write(fails, plain), store.write(insert(6), plain))).toEqual([
    'rejected',
    'rejected',
    'rejected',
  ]);
  expect(await settled(store.write(fails, plain))).toEqual(['rejected']);
  const all = await store.read((tx) => tx.rows(selectFrom(things, { order: [ascending('id')], output }), []));
  expect(all.map(({ json }) => JSON.parse(json).id)).toEqual([1, 2, 3]);
});
