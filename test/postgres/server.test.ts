// What an application does on a server that comes and goes, is slow, or is shared with others.

import { Socket } from 'node:net';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import { StartRefused, type WriteOptions } from '../../src/store/store.ts';
import { add, items, namesIn } from '../contracts/store.ts';
import { insertInto, selectFrom } from '../contracts/tables.ts';
import { type Served, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { databaseForTest, postgresSettings, queryDatabase } from '../support/postgres.ts';
import { until } from '../support/time.ts';
import { type Way, wayTo } from '../support/way.ts';

async function openStore(more: Partial<PostgresSettings> = {}): Promise<PostgresStore> {
  const store = new PostgresStore(postgresSettings(await databaseForTest(), more), systemClock());
  onTestFinished(() => store.close());
  return store;
}

async function closedWay(): Promise<Way> {
  const way = await wayTo(inject('postgres').port);
  onTestFinished(() => way.close());
  await way.close();
  return way;
}

const counter = `module m
entity C { id Int @id, n Int @default(0) }
workflow bump { {C {id? bump.id}} @as [c] {C {id? bump.id, n c.n + 1}} }
event bump { id Int }`;

/** Two instances of an application on one database. */
async function twoInstances(model: string): Promise<readonly [Served, Served]> {
  const folder = folderForTest();
  return [await serve(model, { folder, store: 'postgres' }), await serve(model, { folder, store: 'postgres' })];
}

test('columns have the types of the server, and texts compare by code point', async () => {
  const served = await serve(
    `module m
     entity T { id UUID @id, t String, i Int, f Float, d Decimal, b Boolean, day Date, at DateTime, j Map }`,
    { store: 'postgres' },
  );
  const columns = await served.kept.rows(
    `SELECT column_name AS n, data_type AS t, collation_name AS c FROM information_schema.columns WHERE table_name = 'm/T' ORDER BY ordinal_position`,
  );
  expect(columns.map((each) => [each['n'], each['t'], each['c']])).toEqual([
    ['id', 'uuid', null],
    ['t', 'text', 'C'],
    ['i', 'bigint', null],
    ['f', 'double precision', null],
    ['d', 'numeric', null],
    ['b', 'boolean', null],
    ['day', 'date', null],
    ['at', 'text', 'C'],
    ['j', 'json', null],
    ['__version', 'bigint', null],
  ]);
});

test('a server that comes within ten seconds is waited for', async () => {
  const way = await closedWay();
  const store = await openStore({ port: way.port });
  const tried = vi.spyOn(Socket.prototype, 'connect');
  onTestFinished(() => tried.mockRestore());
  const migrated = store.migrate([items]);
  // Who tries again was refused before.
  await until(() => tried.mock.calls.length > 1);
  await way.open();
  await migrated;
  await add(store, 1, 'a');
  expect(await namesIn(store)).toEqual(['a']);
});

test('a server that does not come is told in a line', { timeout: 60_000 }, async () => {
  const way = await closedWay();
  const store = await openStore({ port: way.port, password: 'sesame' });
  const thrown = await store.migrate([items]).catch((each: unknown) => each);
  expect(thrown).toBeInstanceOf(StartRefused);
  expect(String(thrown)).toBe(
    `StartRefused: PostgreSQL at 127.0.0.1:${way.port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${way.port}; see store.host and store.port.`,
  );
});

const refusals: readonly (readonly [title: string, settings: Partial<PostgresSettings>, says: RegExp])[] = [
  ['a database that is not there', { dbname: 'nothing' }, /refuses the connection: database "nothing" does not exist; see store\.username/],
  ['a name that is not known', { username: 'nobody_known' }, /refuses the connection: role "nobody_known" does not exist; see/],
  [
    'a password that is wrong',
    { username: 'guarded', password: 'sesame' },
    /refuses the connection: password authentication failed .*; see/,
  ],
  ['a server without encryption', { ssl: 'require' }, /refuses the connection: The server does not support SSL connections; see/],
];
for (const [title, settings, says] of refusals) {
  test(`a connection that is refused is told in a line, at once, without the password: ${title}`, async () => {
    const store = await openStore(settings);
    const thrown = await store.migrate([items]).catch((each: unknown) => each);
    expect(thrown).toBeInstanceOf(StartRefused);
    expect(String(thrown)).toMatch(says);
    expect(String(thrown)).not.toContain('sesame');
  });
}

test('the usual environment of the driver is not read', async () => {
  const store = await openStore({ password: '' });
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const environment = { PGHOST: 'nowhere.invalid', PGPORT: '1', PGUSER: 'x', PGPASSWORD: 'x', PGDATABASE: 'x', PGOPTIONS: '-c nothing=1' };
  for (const [name, value] of Object.entries({ ...environment, PGSSLMODE: 'require', PGAPPNAME: 'x' })) vi.stubEnv(name, value);
  expect(await store.ready()).toBe(true);
});

test('a server that is lost is answered with 503 until it is back, and nothing is lost', async () => {
  const way = await closedWay();
  await way.open();
  const store = await openStore({ port: way.port });
  await store.migrate([items]);
  await add(store, 1, 'a');
  await way.close();
  expect(await store.ready()).toBe(false);
  const gone = { code: 'store-failed', details: { retryAfter: 1 } };
  await expect(add(store, 2, 'b')).rejects.toMatchObject(gone);
  await expect(namesIn(store)).rejects.toMatchObject(gone);
  await way.open();
  expect(await store.ready()).toBe(true);
  await add(store, 3, 'c');
  expect(await namesIn(store)).toEqual(['a', 'c']);
});

test.each([false, true])('a read whose connection was cut unnoticed is asked again, of one state: %s', async (consistent) => {
  const way = await closedWay();
  await way.open();
  const store = await openStore({ pool: 1, port: way.port });
  await store.migrate([items]);
  await add(store, 1, 'a');
  // In the same turn of the event loop: the pool has not heard of it yet.
  way.cut();
  const rows = await store.read((reader) => reader.rows(selectFrom(items), []), { consistent });
  expect(rows).toHaveLength(1);
});

test('a row that another transaction holds is waited for, and then the store is busy', async () => {
  const served = await serve(counter, { store: 'postgres', postgres: { lockTimeout: 1 }, limits: { flow: { steps: 100_000, time: 1 } } });
  await served.post('/m/C', { id: 1 });
  const { settings } = served.kept;
  if (settings.type !== 'postgres') throw new Error('no server');
  const other = new pg.Client({ ...settings, user: settings.username, database: settings.dbname, ssl: false });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN');
  await other.query('SELECT 1 FROM "m/C" FOR UPDATE');
  const answer = await served.put('/m/C/1', { n: 5 });
  expect([answer.status, answer.headers['retry-after'], Object(answer.body).code]).toEqual([503, '1', 'store-busy']);
  await other.query('COMMIT');
  expect((await served.put('/m/C/1', { n: 5 })).status).toBe(200);
});

/** Transactions that stay open until they are told to end. */
function openTransactions(store: PostgresStore) {
  const ends: { readonly name: string; end(): void }[] = [];
  let isOver = false;
  const endAll = () => {
    isOver = true;
    for (const { end } of ends) end();
  };
  onTestFinished(endAll);
  const begin = (name: string, options: WriteOptions) =>
    store.write(async (writer) => {
      await writer.rows(selectFrom(items), []);
      await new Promise<void>((resolve) => (isOver ? resolve() : ends.push({ name, end: resolve })));
    }, options);
  const begun = () => ends.map(({ name }) => name).sort();
  const until = (count: number) => vi.waitUntil(() => ends.length >= count, 20_000);
  return { begin, begun, until, endAll, end: (name: string) => ends.find((each) => each.name === name)?.end() };
}

test('of all connections one is kept for an address that has none, and for the service itself', async () => {
  const store = await openStore({ pool: 3 });
  await store.migrate([items]);
  const { begin, begun, until, end, endAll } = openTransactions(store);
  const all = ['a', 'b', 'c'].map((name) => begin(name, { origin: { remote: 'one' } }));
  await until(2);
  await add(store, 1, 'written meanwhile');
  expect(await namesIn(store)).toEqual(['written meanwhile']);
  all.push(begin('d', { origin: { remote: 'two' } }));
  await until(3);
  expect(begun()).toEqual(['a', 'b', 'd']);
  for (const name of ['a', 'd']) end(name);
  await until(4);
  expect(begun()).toEqual(['a', 'b', 'c', 'd']);
  endAll();
  await Promise.all(all);
});

test('of many creates of one key in two instances exactly one is made', async () => {
  const both = await twoInstances(
    'module m\nentity P { id Int @id, name String @unique }\nentity K { id Int @id }\nrelationship R contains(P, K)',
  );
  const [first, second] = both;
  const race = async (target: string, body: (n: number) => object): Promise<readonly number[]> => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? first : second).post(target, body(n))));
    return answers.map(({ status }) => status).sort((a, b) => a - b);
  };
  const once = [201, ...Array.from({ length: 19 }, () => 409)];
  expect(await race('/m/P', (n) => ({ id: 1, name: `n${n}` }))).toEqual(once);
  expect(await race('/m/P', (n) => ({ id: n + 2, name: 'same' }))).toEqual(once);
  expect(await race('/m/P/1/R/K', () => ({ id: 1 }))).toEqual(once);
});

test('of many changes of one version exactly one is made', async () => {
  const [first, second] = await twoInstances(counter);
  const { headers } = await first.post('/m/C', { id: 1 });
  const etag = headers['etag'] ?? '';
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? first : second).put('/m/C/1', { n: n + 1 }, { 'if-match': etag })),
  );
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
});

test('what a workflow reads and changes is not changed by another one in between', async () => {
  const [first, second] = await twoInstances(counter);
  await first.post('/m/C', { id: 1 });
  const statuses = new Set<number>();
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all([first, second].map((each) => each.post('/m/bump', { id: 1 })));
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses]).toEqual([200]);
  expect((await first.get('/m/C/1')).body).toEqual({ id: 1, n: 20 });
});

test('numbers that workflows in two instances count up at the same time differ', async () => {
  const model = 'module m\nentity N { id Int @id @autoincrement, t String }\nevent make { t String }\nworkflow make { {N {t make.t}} }';
  const [first, second] = await twoInstances(model);
  const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? first : second).post('/m/make', { t: `t${n}` })));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => Object(body).id)).size).toBe(16);
});

test('five that start at once run one migration', async () => {
  const name = await databaseForTest();
  const stores = Array.from({ length: 5 }, () => new PostgresStore(postgresSettings(name), systemClock()));
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  await Promise.all(stores.map((store) => store.migrate([items])));
  const [row] = await queryDatabase(name, 'SELECT count(*)::int AS n FROM "__platform_history"');
  expect(row).toEqual({ n: 1 });
});

test('statements without names serve behind a proxy that keeps none', async () => {
  const store = await openStore({ prepare: false, statementTimeout: 0, lockTimeout: 0 });
  await store.migrate([items]);
  await store.write(async (tx) => {
    await tx.insert(insertInto(items), [1, 'a']);
    await tx.attempt(() => tx.insert(insertInto(items), [1, 'b'])).catch(() => {});
    await tx.insert(insertInto(items), [2, 'c']);
  });
  expect(await namesIn(store)).toEqual(['a', 'c']);
});
