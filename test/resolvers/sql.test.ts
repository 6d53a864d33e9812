// A resolver whose instances are rows of a table in another database: the answers are those of the same entity stored.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { execute } from '../support/database.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';

const model = 'module m\nentity Person { id String @id, name String, age Int @optional, rate Decimal @optional, on Boolean @optional }';
const create = (types: { readonly text: string; readonly decimal: string; readonly boolean: string }) =>
  `CREATE TABLE people (key ${types.text} PRIMARY KEY, name ${types.text} NOT NULL, age INTEGER, rate ${types.decimal}, is_on ${types.boolean})`;
const map = { id: 'key', on: 'is_on' };

/** A table in a file of SQLite, or in a database of the server. */
async function otherTable(): Promise<{ readonly config: Readonly<Record<string, unknown>>; run(sql: string): Promise<void> }> {
  if (storeOfRun() === 'postgres') {
    const { databaseForTest, postgresSettings, queryDatabase } = await import('../support/postgres.ts');
    const name = await databaseForTest();
    const run = async (sql: string): Promise<void> => void (await queryDatabase(name, sql));
    await run(create({ text: 'text', decimal: 'numeric', boolean: 'boolean' }));
    const { host, port, username, password } = postgresSettings(name);
    const login = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
    return { config: { url: `postgres://${login}@${encodeURIComponent(host)}:${port}/${name}`, table: 'public.people', map }, run };
  }
  const file = join(temporaryFolder(), 'other.db');
  await execute(file, create({ text: 'TEXT', decimal: 'TEXT', boolean: 'INTEGER' }));
  return { config: { file, table: 'people', map }, run: async (sql) => void (await execute(file, sql)) };
}

const people = [
  { id: 'a', name: 'Ä', age: 3, rate: '1.50', on: true },
  { id: 'b', name: 'b', age: null, rate: null, on: false },
  { id: 'c', name: 'o\'c%"; DROP TABLE people', age: 10, rate: '0.1', on: null },
  { id: 'd', name: 'B', age: 2, rate: '12', on: true },
  { id: 'e', name: 'z', age: 3, rate: null, on: null },
];

/** Followed to their ends. */
const pages = ['', '@sort=-name&', '@sort=age&', '@sort=-age&', '@sort=-age,-name&', '@sort=rate&', '@sort=on,-id&'].map(
  (each) => `?${each}@limit=2`,
);

const questions = [
  '',
  '?@sort=name&@limit=2',
  '?@sort=-name&@limit=2&@offset=1',
  '?@sort=age&@limit=2',
  '?@sort=-age,name',
  ...pages,
  '?age=3',
  '?age[gte]=3&@sort=id&@limit=1',
  '?age[null]=true',
  '?age[in]=2,10',
  '?age[between]=2,3&@sort=-id',
  '?name[like]=%25b%25',
  '?name[ne]=b&@limit=3',
  '?name[lt]=a&@sort=name',
  "?name=o'c%25%22; DROP TABLE people",
  '?on=true&@limit=1',
  '?rate[gt]=1&@limit=1',
  '?@count=true&@limit=2',
  '/a',
  '/nobody',
];

async function answers(served: Served): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const each of people) found.push((await served.post('/m/Person', each)).status);
  for (const each of questions) {
    let target: string | undefined = `/m/Person${encodeURI(decodeURI(each))}`;
    while (target !== undefined) {
      const { status, body, headers } = await served.get(target);
      found.push([each, status, status === 200 ? body : undefined, headers['x-total-count']]);
      target = pages.includes(each) ? /<([^>]*)>; rel="next"/.exec(headers['link'] ?? '')?.[1] : undefined;
    }
  }
  found.push((await served.post('/m/Person', people[0])).status);
  found.push((await served.put('/m/Person/b', { age: 7, on: true })).body);
  found.push((await served.remove('/m/Person/a')).status, (await served.remove('/m/Person/a')).status);
  found.push((await served.get('/m/Person')).body);
  return found;
}

test('conditions, order and limit in the query of another database give what they give of stored instances', async () => {
  const { config } = await otherTable();
  const resolvers = [{ name: 'm/people', kind: 'sql' as const, types: ['m/Person'], config: JSON.parse(JSON.stringify(config)) }];
  const there = await answers(await serve(model, { resolvers }));
  expect(there).toEqual(await answers(await serve(model)));
});

test('a column that takes A and a for the same is asked for the one that is meant, and the limit counts no others', async () => {
  const { config, run } = await otherTable();
  if (storeOfRun() === 'postgres') {
    await run(`CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`);
    await run('CREATE TABLE alike (key text COLLATE alike, name text COLLATE alike, age INTEGER, rate numeric, is_on boolean)');
  } else await run('CREATE TABLE alike (key TEXT COLLATE NOCASE, name TEXT COLLATE NOCASE, age INTEGER, rate TEXT, is_on INTEGER)');
  await run(`INSERT INTO alike (key, name) VALUES ('1', 'Ann'), ('2', 'ANN'), ('3', 'ann'), ('A', 'x'), ('a', 'y')`);
  const given = { ...JSON.parse(JSON.stringify(config)), table: 'alike' };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'sql', types: ['m/Person'], config: given }] });
  expect((await served.get('/m/Person?name=ann&@limit=1')).body).toMatchObject([{ id: '3' }]);
  expect((await served.get('/m/Person?name[in]=ann,ANN&@limit=2')).body).toMatchObject([{ id: '2' }, { id: '3' }]);
  expect((await served.get('/m/Person/a')).body).toMatchObject({ id: 'a', name: 'y' });
  expect((await served.put('/m/Person/a', { age: 1 })).status).toBe(200);
  expect((await served.get('/m/Person/A')).body).toMatchObject({ id: 'A', age: null });
});

test('what is listed is found by its identifier, also where a column fills it up with spaces or has a UUID in any case', async () => {
  const { config, run } = await otherTable();
  const isServer = storeOfRun() === 'postgres';
  await run(`CREATE TABLE codes (id char(6) PRIMARY KEY, n INTEGER)`);
  await run(`INSERT INTO codes VALUES ('abc   ', 1), ('abd   ', 2), ('x     ', 3)`);
  await run(`CREATE TABLE mixed (id TEXT PRIMARY KEY, n INTEGER)`);
  const uuids = ['0000000A-0000-4000-8000-00000000000b', '0000000c-0000-4000-8000-00000000000d', '0000000E-0000-4000-8000-00000000000F'];
  await run(`INSERT INTO mixed VALUES ${uuids.map((each, index) => `('${each}', ${index + 1})`).join(', ')}`);
  const given = { ...JSON.parse(JSON.stringify(config)), map: {} };
  const served = await serve('module m\nentity Code { id String @id, n Int }\nentity Mixed { id UUID @id, n Int }', {
    resolvers: [
      { name: 'm/codes', kind: 'sql', types: ['m/Code'], config: { ...given, table: 'codes' } },
      { name: 'm/mixed', kind: 'sql', types: ['m/Mixed'], config: { ...given, table: 'mixed' } },
    ],
  });
  const keys = { Code: ['abc   ', 'abd   ', 'x     '], Mixed: uuids.map((each) => each.toLowerCase()) };
  for (const [type, ids] of Object.entries(keys)) {
    expect((await served.get(`/m/${type}`)).body).toEqual(ids.map((id, index) => ({ id, n: index + 1 })));
    for (const [index, id] of ids.entries()) {
      const path = `/m/${type}/${encodeURIComponent(id)}`;
      expect((await served.get(path)).body).toEqual({ id, n: index + 1 });
      expect((await served.put(path, { n: index + 11 })).body).toEqual({ id, n: index + 11 });
    }
    const some = ids.slice(0, 2).map(encodeURIComponent).join(',');
    expect((await served.get(`/m/${type}?id[in]=${some}&@sort=-id&@limit=1`)).body).toEqual([{ id: ids[1], n: 12 }]);
    expect((await served.get(`/m/${type}?id[gte]=${encodeURIComponent(String(ids[1]))}&@limit=1`)).body).toEqual([{ id: ids[1], n: 12 }]);
    expect((await served.remove(`/m/${type}/${encodeURIComponent(String(ids[0]))}`)).status).toBe(200);
    expect((await served.get(`/m/${type}?@count=true`)).headers['x-total-count']).toBe('2');
  }
  if (isServer) expect((await served.get('/m/Code/abd')).status).toBe(404);
});

test('of a large table with identifiers of the type UUID, one and a page are asked for', async () => {
  const { config, run } = await otherTable();
  const isServer = storeOfRun() === 'postgres';
  await run(`CREATE TABLE many (id ${isServer ? 'uuid' : 'TEXT'} PRIMARY KEY, n INTEGER)`);
  const numbers = isServer
    ? 'SELECT n FROM generate_series(1, 12000) AS all_numbers(n)'
    : 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 12000) SELECT n FROM c';
  const id = isServer
    ? `('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
    : `'00000000-0000-4000-8000-' || printf('%012X', n)`;
  await run(`INSERT INTO many SELECT ${id}, n FROM (${numbers}) AS numbers`);
  const given = { ...JSON.parse(JSON.stringify(config)), table: 'many', map: {} };
  const served = await serve('module m\nentity Many { id UUID @id, n Int }', {
    resolvers: [{ name: 'm/many', kind: 'sql', types: ['m/Many'], config: given }],
  });
  const last = '00000000-0000-4000-8000-000000002ee0';
  expect((await served.get(`/m/Many/${last}`)).body).toEqual({ id: last, n: 12_000 });
  const first = await served.get('/m/Many?@sort=-id&@limit=2');
  expect(first.body).toMatchObject([{ id: last, n: 12_000 }, { n: 11_999 }]);
  const next = /<([^>]*)>; rel="next"/.exec(first.headers['link'] ?? '')?.[1] ?? '';
  expect((await served.get(next)).body).toMatchObject([{ n: 11_998 }, { n: 11_997 }]);
  expect((await served.get('/m/Many?@sort=n&n[gt]=11998&@limit=2')).body).toMatchObject([{ n: 11_999 }, { n: 12_000 }]);
});

test('times and numbers of another database are those of the model, however it writes them', async () => {
  const { config, run } = await otherTable();
  const isServer = storeOfRun() === 'postgres';
  const [zoned, local, real, json] = isServer
    ? ['timestamptz', 'timestamp', 'double precision', 'jsonb']
    : ['TEXT', 'TEXT', 'REAL', 'TEXT'];
  await run(`CREATE TABLE times (id TEXT PRIMARY KEY, zoned ${zoned}, local ${local}, day DATE, hour TIME, rate ${real}, more ${json})`);
  await run(`INSERT INTO times VALUES
    ('a', '2026-01-31 10:30:00.123456+02', '2026-01-31 10:30:00', '2026-01-31', '10:30:00', 0.1, '{"a": [1, null]}'),
    ('b', '2026-01-31 10:30:00-03:30', NULL, NULL, NULL, 1e300, NULL)`);
  const attributes = ['zoned DateTime', 'local DateTime', 'day Date', 'hour Time', 'rate Float', 'more Any'];
  const source = `module m\nentity Thing { id String @id, ${attributes.map((each) => `${each} @optional`).join(', ')} }`;
  const given = { ...JSON.parse(JSON.stringify(config)), table: 'times', map: {} };
  const served = await serve(source, { resolvers: [{ name: 'm/things', kind: 'sql', types: ['m/Thing'], config: given }] });
  const a = { zoned: '2026-01-31T08:30:00.123456Z', local: '2026-01-31T10:30:00', day: '2026-01-31', hour: '10:30:00', rate: 0.1 };
  expect((await served.get('/m/Thing/a')).body).toEqual({ id: 'a', ...a, more: { a: [1, null] } });
  expect((await served.get('/m/Thing/b')).body).toMatchObject({ zoned: '2026-01-31T14:00:00Z', rate: 1e300, local: null, more: null });
  expect((await served.get('/m/Thing?zoned[lt]=2026-01-31T12:00:00Z&@sort=-zoned&@select=id')).body).toEqual([{ id: 'a' }]);
  expect((await served.post('/m/Thing', { id: 'c', ...a, more: ['x'] })).status).toBe(201);
  expect((await served.get('/m/Thing/c')).body).toEqual({ id: 'c', ...a, more: ['x'] });
});

test('values that another database does not take are refused, and nobody else is kept from it', async () => {
  const { config, run } = await otherTable();
  await run('CREATE UNIQUE INDEX ages ON people (age)');
  await run(`INSERT INTO people (key, name, age) VALUES ('x', 'X', 1), ('y', 'Y', 2)`);
  const given = { ...JSON.parse(JSON.stringify(config)), map: { ...map, name: 'name' } };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'sql', types: ['m/Person'], config: given }] });
  for (let count = 0; count < 6; count += 1) {
    expect((await served.put('/m/Person/x', { age: 2 })).status).toBe(409);
    // Too large for a column of 32 bits: SQLite has none.
    if (storeOfRun() === 'postgres') expect((await served.put('/m/Person/x', { age: 99_999_999_999 })).status).toBe(422);
    expect((await served.get('/m/Person?age[lt]=99999999999&@sort=id')).body).toMatchObject([{ id: 'x' }, { id: 'y' }]);
  }
  expect((await served.get('/m/Person/x')).body).toMatchObject({ id: 'x', age: 1 });
});

test('what is answered is what the other database has made of it, in what is stored besides as well', async () => {
  const { config, run } = await otherTable();
  const isServer = storeOfRun() === 'postgres';
  await run(`CREATE TABLE rounded (key TEXT PRIMARY KEY, name TEXT, rate ${isServer ? 'numeric(9, 2)' : 'TEXT'})`);
  if (isServer) {
    await run(`CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := upper(NEW.name); RETURN NEW; END'`);
    await run('CREATE TRIGGER shout BEFORE INSERT OR UPDATE ON rounded FOR EACH ROW EXECUTE FUNCTION shout()');
  }
  const source = 'module m\nentity Price { id String @id, name String, rate Decimal @optional }';
  const given = { ...JSON.parse(JSON.stringify(config)), table: 'rounded', map: { id: 'key' } };
  const resolver = { name: 'm/prices', kind: 'sql' as const, types: ['m/Price'], config: given };
  const [made, changed] = isServer
    ? [
        ['A', '1.23'],
        ['A', '2.35'],
      ]
    : [
        ['a', '1.2345'],
        ['a', '2.3456'],
      ];
  for (const compose of [false, true]) {
    const served = await serve(source, { resolvers: [{ ...resolver, compose }], system: compose ? ['resolvers'] : [] });
    const id = compose ? 'both' : 'there';
    const created = await served.post('/m/Price', { id, name: 'a', rate: '1.2345' });
    expect(created.body).toEqual({ id, name: made?.[0], rate: made?.[1] });
    expect((await served.put(`/m/Price/${id}`, { rate: '2.3456' })).body).toEqual({ id, name: changed?.[0], rate: changed?.[1] });
    expect((await served.get(`/m/Price/${id}`)).body).toEqual({ id, name: changed?.[0], rate: changed?.[1] });
    if (compose) expect(await served.kept.rows('SELECT name FROM "m/Price"')).toEqual([{ name: changed?.[0] }]);
  }
});

test('names of tables and columns are names, whatever they hold', async () => {
  const { config, run } = await otherTable();
  await run('CREATE TABLE "we""ird; DROP TABLE people" (id TEXT PRIMARY KEY, "na"" me" TEXT)');
  const given = { ...JSON.parse(JSON.stringify(config)), table: 'we"ird; DROP TABLE people', map: { name: 'na" me' } };
  const served = await serve('module m\nentity Person { id String @id, name String }', {
    resolvers: [{ name: 'm/people', kind: 'sql', types: ['m/Person'], config: given }],
  });
  for (const id of ["'; DROP TABLE people--", '"', '$1', '?', 'a\\'])
    expect((await served.post('/m/Person', { id, name: id })).body).toEqual({ id, name: id });
  const found = await served.get(`/m/Person/${encodeURIComponent("'; DROP TABLE people--")}`);
  expect(found.body).toEqual({ id: "'; DROP TABLE people--", name: "'; DROP TABLE people--" });
  await run(`INSERT INTO people (key, name) VALUES ('still', 'there')`);
});

test('a table that is not there is 502, and its text is in the log alone', async () => {
  const { config } = await otherTable();
  const given = { ...JSON.parse(JSON.stringify(config)), table: 'nothing' };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'sql', types: ['m/Person'], config: given }] });
  const { status, text } = await served.get('/m/Person');
  expect(status).toBe(502);
  expect(text).not.toContain('nothing');
});

test('handlers are told orderBy and limit where all that is asked is told', async () => {
  const source = `module m
import "r.js" @as r
entity Thing { id String @id, n Int, note String @optional }
event asked { }
workflow asked { r.asked() }
resolver things [m/Thing] { query r.find }`;
  const code =
    'const questions = [];\nexport const find = ([, question]) => { questions.push(JSON.stringify(question)); return []; };\nexport const asked = () => questions.splice(0);';
  const served = await serve({ 'core.al': source, 'r.js': code });
  for (const each of ['?@sort=-n&@limit=2&@offset=3', '?n=1&@limit=5', '?note[contains]=x&@limit=5', '?@count=true&@limit=1'])
    await served.get(`/m/Thing${each}`);
  expect((await served.post('/m/asked', {})).body).toMatchInlineSnapshot(`
    [
      "{"orderBy":[["n","desc"],["id","asc"]],"limit":5}",
      "{"where":["=","n",1],"orderBy":[["id","asc"]],"limit":5}",
      "{"orderBy":[["id","asc"]],"limit":1}",
      "{}",
    ]
  `);
});
