// What the log of changes holds, and what becomes of it when the tables change.

import { expect, test } from 'vitest';
import { planMigration } from '../../src/store/migration/migration.ts';
import { type Database, database, tablesOf } from '../migrations/evolve.ts';
import { open, serve } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';
import { brief, watch } from './support.ts';

const isServer = storeOfRun() === 'postgres';
const canary = 'canary-90b2';

test('what nobody is shown is not recorded: passwords, secrets and what is only written', async () => {
  const model = `module m
entity Account { id Int @id, name String, word Password, token String @secret, pin String @writeonly }
`;
  const served = await serve(model);
  const stream = await watch(served, '/m/Account');
  await stream.until(1);
  const made = { id: 1, name: 'a', word: 'correct horse battery', token: 'a secret', pin: canary };
  expect((await served.post('/m/Account', made)).status).toBe(201);
  expect((await served.put('/m/Account/1', { word: 'another horse battery', pin: `${canary} 2` })).status).toBe(200);
  expect((await served.remove('/m/Account/1')).status).toBe(200);
  expect(brief(await stream.until(4))).toEqual(['create 1', 'update 1', 'delete 1']);
  const [stored] = await served.kept.rows('SELECT count(*) AS n FROM __platform_changes');
  expect(Number(stored?.['n'])).toBe(3);
  const recorded = JSON.stringify(await served.kept.rows('SELECT "before" AS b, "after" AS a FROM __platform_changes'));
  expect(recorded).toContain('\\"a\\"');
  expect(recorded).not.toMatch(/canary|argon2/);

  // The same tables, and another log of them.
  await served.reload(model.replace(' @writeonly', ''));
  await stream.ended;
  expect((await watch(served, '/m/Account', { after: stream.cursor() })).status).toBe(410);
  const shown = await watch(served, '/m/Account');
  await shown.until(1);
  await served.post('/m/Account', { ...made, id: 2 });
  expect((await shown.until(2))[1]?.data).toEqual({ id: 2, name: 'a', pin: canary });
});

const first = 'module m\nentity Item { id Int @id, name String, price Int }\nentity Other { id Int @id }\n';
const next = first.replace('name String, price Int', 'title String @was("name")');

test('the script of a migration that is run by hand takes the log with its triggers away', async () => {
  const data = database();
  await watched(data);
  const { script } = await data.schema((session) => planMigration(session, tablesOf(next)));
  expect(await left(data)).not.toEqual([]);
  await run(script, data);
  expect(await left(data)).toEqual([]);
  const served = await open(next, { folder: data.folder });
  try {
    const stream = await watch(served, '/m/Item');
    await stream.until(1);
    expect((await served.put('/m/Item/1', { title: 'pencil' })).status).toBe(200);
    expect((await stream.until(2))[1]?.data).toEqual({ id: 1, title: 'pencil' });
  } finally {
    await served.close();
  }
});

test('a script that was made before anything was recorded fails afterwards, and changes nothing', async () => {
  const data = database();
  await data.serve(first, []);
  const { script } = await data.schema((session) => planMigration(session, tablesOf(next)));
  await watched(data);
  const before = await left(data);
  await expect(run(script, data)).rejects.toThrow(/unique/i);
  expect(await left(data)).toEqual(before);
  await data.serve(first, [{ ask: 'PUT /m/Item/1', body: { price: 4 }, status: 200 }]);
});

async function watched({ folder }: Database): Promise<void> {
  const served = await open(first, { folder });
  try {
    const stream = await watch(served, '/m/Item');
    await served.post('/m/Item', { id: 1, name: 'pen', price: 3 });
    await stream.until(2);
  } finally {
    await served.close();
  }
}

async function run(script: readonly string[], data: Database): Promise<void> {
  await data.schema(async ({ executor, ddl }) => {
    try {
      for (const each of script) await executor.run(each);
    } catch (thrown) {
      for (const each of ddl.rollback) await executor.run(each);
      throw thrown;
    }
  });
}

/** Tables, views, triggers and functions of the log. */
async function left(data: Database): Promise<readonly unknown[]> {
  const own = isServer
    ? `SELECT relname AS n FROM pg_class WHERE relname LIKE '%platform_changes%' OR relname LIKE '%platform_watched%' UNION ALL SELECT tgname FROM pg_trigger WHERE tgname LIKE '%platform_changes%' UNION ALL SELECT proname FROM pg_proc WHERE proname LIKE '%platform_changes%' ORDER BY 1`
    : `SELECT name AS n FROM sqlite_schema WHERE name LIKE '%platform_changes%' OR name LIKE '%platform_watched%' OR name LIKE '%|changes|%' ORDER BY 1`;
  return data.schema(async ({ executor }) => executor.rows(own));
}

test('a log that an earlier version has written begins anew, with all that still writes to it', async () => {
  const folder = temporaryFolder();
  const model =
    'module m\nentity Item { id Int @id, name String }\nentity Other { id Int @id }\nworkflow Both { {Item {id Both.id, name "a"}}; {Other {id Both.id}} }\n';
  const before = await open(model, { folder });
  for (const each of ['Item', 'Other']) await (await watch(before, `/m/${each}`)).until(1);
  await before.post('/m/Both', { id: 1 });
  await before.close();
  // As triggers of that version have left it.
  await before.kept.execute(`UPDATE __platform_watched SET "generation" = '2 ' || "generation"`);
  const served = await open(model, { folder });
  const stream = await watch(served, '/m/Item');
  await stream.until(1);
  for (const id of [2, 3]) expect((await served.post('/m/Both', { id })).status).toBe(200);
  expect(brief(await stream.until(3))).toEqual(['create 2', 'create 3']);
  const recorded = await served.kept.rows('SELECT DISTINCT "source" AS s FROM __platform_changes');
  expect(recorded.map(({ s: source }) => source)).toEqual(['m/Item']);
  await served.close();
});

test.runIf(isServer)('a log that another process has taken away is begun anew before a stream is opened', async () => {
  const model = 'module m\nentity Item { id Int @id, name String }\nentity Other { id Int @id }\n';
  const served = await serve(model);
  const stream = await watch(served, '/m/Item');
  await stream.until(1);
  const { settings } = served.kept;
  if (settings.type !== 'postgres') throw new Error('the test is about the server');
  const other = await serve(`${model}entity Further { id Int @id }\n`, { store: settings });
  await stream.ended;
  await (await watch(other, '/m/Other')).until(1);
  await expect.poll(async () => (await watch(served, '/m/Item')).status).toBe(200);
  const again = await watch(served, '/m/Item');
  await again.until(1);
  await served.post('/m/Item', { id: 1, name: 'a' });
  await other.post('/m/Item', { id: 2, name: 'b' });
  expect(brief(await again.until(3))).toEqual(['create 1', 'create 2']);
});
