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

test('a write that fails leaves nothing behind, and those that share its commit are made', async () => {
  const store = await filled(0, 1);
  const insert = (id: number) => (tx: Writer) => tx.insert(insertInto(things), [id, 'x']);
  const settled = async (...all: readonly Promise<unknown>[]) => (await Promise.allSettled(all)).map(({ status }) => status);
  const fails = (tx: Writer): never => {
    void insert(4)(tx);
    throw new Error('stop');
  };
  expect(await settled(store.write(insert(2)), store.write(insert(1)), store.write(fails), store.write(insert(3)))).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  const all = await store.read((tx) => tx.rows(selectFrom(things, { order: [ascending('id')], output }), []));
  expect(all.map(({ json }) => JSON.parse(json).id)).toEqual([1, 2, 3]);
});

test('a commit is not held open for writes that take long: those that do not fit into it share the next one', async () => {
  const store = await filled(0, 1);
  const order: string[] = [];
  const busy = (id: number) => (tx: Writer) => {
    for (const end = performance.now() + 6; performance.now() < end; );
    order.push(`write ${id}`);
    return tx.insert(insertInto(things), [id, 'x']);
  };
  const writes = [2, 3, 4].map((id) => store.write(busy(id)));
  for (const [index, each] of writes.entries()) void each.then(() => order.push(`answer ${index + 2}`));
  await Promise.all(writes);
  expect(order).toEqual(['write 2', 'answer 2', 'write 3', 'answer 3', 'write 4', 'answer 4']);
});
