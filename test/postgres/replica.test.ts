// An instance whose store is a standby: it serves what reads, refuses what writes, and follows the primary's migrations.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { applyMigration, undoMigration } from '../../src/store/migration/migration.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import { tablesOf } from '../migrations/evolve.ts';
import { open, type Served } from '../support/app.ts';
import { postgresSettings } from '../support/postgres.ts';
import { type RunningServer, startServer } from '../support/postgres-server.ts';
import { until } from '../support/time.ts';

const model = `module shop
entity Shelf { id String @id, size Int @default(1) }
entity Box { no Int @id, text String @optional }
entity Tag { id String @id }
relationship ShelfBox contains(Shelf, Box)
relationship ShelfTag between(Shelf, Tag)
event find { size Int }
workflow find { {Shelf {size? find.size}} @as found; found }
event grow { id String }
workflow grow { {Shelf {id? grow.id, size 7}} }`;

const state: { primary?: RunningServer; standby?: RunningServer; writing?: Served; reading?: Served } = {};
const settingsOf = ({ port }: RunningServer) => postgresSettings('postgres', { port });

beforeAll(async () => {
  state.primary = await startServer({ settings: ['wal_keep_size=512MB'] });
  state.standby = await state.primary.follow();
  state.writing = await open(model, { store: settingsOf(state.primary) });
  const { writing } = state;
  for (const id of ['a', 'b', 'c'])
    await writing.post('/shop/Shelf', { id, ShelfBox: [{ no: 1 }, { no: 2, text: 'x' }], ShelfTag: [{ id: `t-${id}` }] });
  // What is committed without waiting for the disk is inserted into the log before it is written there.
  const caughtUp = async () => {
    const [row] = await writing.kept.rows('SELECT bool_and(replay_lsn >= pg_current_wal_insert_lsn()) AS there FROM pg_stat_replication');
    return row?.['there'];
  };
  await until(async () => (await caughtUp()) === true);
  state.reading = await open(model, { store: settingsOf(state.standby) });
}, 120_000);
afterAll(async () => {
  await state.reading?.close();
  await state.writing?.close();
  await state.standby?.stop();
  await state.primary?.stop();
});

function both(): { writing: Served; reading: Served; primary: RunningServer } {
  const { writing, reading, primary } = state;
  if (writing === undefined || reading === undefined || primary === undefined) throw new Error('only inside a test');
  return { writing, reading, primary };
}

describe('on a standby', () => {
  const reads = [
    '/shop/Shelf',
    '/shop/Shelf/a',
    '/shop/Shelf?@limit=1',
    '/shop/Shelf?size[gt]=0&@sort=-id&@count=true',
    '/shop/Shelf?@include=ShelfBox',
    '/shop/Shelf/b?@tree=true',
    '/shop/Shelf/a/ShelfBox/Box',
    '/shop/Shelf/a/ShelfBox/Box/2',
    '/shop/Shelf/a/ShelfTag/Tag',
    '/shop/ShelfTag',
  ];
  for (const target of reads) {
    test(`GET ${target} is answered as on the primary`, async () => {
      const { reading, writing } = both();
      const [here, there] = [await reading.get(target), await writing.get(target)];
      expect([here.status, here.text]).toEqual([200, there.text]);
    });
  }

  test('a workflow that only reads runs', async () => {
    const { reading } = both();
    const answer = await reading.post('/shop/find', { size: 1 });
    expect([answer.status, Object(answer.body).length]).toEqual([200, 3]);
  });

  const writes: readonly (readonly [method: 'post' | 'put' | 'remove', target: string, body: object, headers?: Record<string, string>])[] =
    [
      ['post', '/shop/Shelf', { id: 'd' }],
      ['post', '/shop/Shelf/a/ShelfBox/Box', { no: 9 }],
      ['post', '/shop/ShelfTag', { Shelf: 'a', Tag: 't-b' }],
      ['post', '/shop/Tag', { id: 'k' }, { 'idempotency-key': 'k' }],
      ['put', '/shop/Shelf/a', { size: 5 }],
      ['put', '/shop/Shelf/a/ShelfBox/Box/1', { text: 'y' }],
      ['remove', '/shop/Shelf/a', {}],
      ['post', '/shop/grow', { id: 'a' }],
    ];
  for (const [method, target, body, headers] of writes) {
    test(`${method} ${target} ${JSON.stringify(body)} is 503, and reads go on`, async () => {
      const { reading } = both();
      const answer = method === 'remove' ? await reading.remove(target) : await reading[method](target, body, headers);
      expect([answer.status, answer.headers['retry-after'], Object(answer.body).code]).toEqual([503, '1', 'store-failed']);
      expect((await reading.get('/shop/Shelf')).status).toBe(200);
      expect((await reading.get('/ready')).status).toBe(200);
    });
  }

  test('an instance of another model is refused in a line: nothing can be migrated there', async () => {
    const opening = open(model.replace('text String @optional', 'text String @optional, more Int @optional'), {
      store: settingsOf(state.standby ?? both().primary),
    });
    await expect(opening).rejects.toThrow(/a standby, or a database that is set so, takes no writes/);
  });

  test('a migration on the primary is noticed: 503 until it is undone', async () => {
    const { reading, primary } = both();
    const store = new PostgresStore(settingsOf(primary), systemClock());
    try {
      await store.schema((session) => applyMigration(session, tablesOf(model.replace('text String', 'words String @was("text")')), {}));
      const code = async () => Object((await reading.get('/shop/Shelf')).body).code;
      await expect.poll(code, { timeout: 30_000 }).toBe('model-outdated');
      await store.schema((session) => undoMigration(session, {}));
      await expect.poll(code, { timeout: 30_000 }).toBe(undefined);
    } finally {
      await store.close();
    }
  });
});
