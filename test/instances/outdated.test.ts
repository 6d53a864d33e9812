// An instance of an older model while another one migrates the tables: it hears of it, and writes nothing that does not fit any more.

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { isError } from '../../src/errors.ts';
import { applyMigration, undoMigration } from '../../src/store/migration/migration.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import { tablesOf } from '../migrations/evolve.ts';
import { type Served, serve } from '../support/app.ts';
import { databaseForTest, postgresSettings, queryDatabase } from '../support/postgres.ts';

const old = `module shop
entity Shelf { id String @id }
entity Box { no Int @id, label String, size Int @optional }
relationship ShelfBox contains(Shelf, Box)`;
const rekeyed = old.replace('no Int @id, label String', 'no Int, label String @id');
const renamed = old.replace('label String', 'name String @was("label")');
const retired = old.replace(', size Int @optional', '');
const narrowed = old.replace('size Int @optional', 'size Int');
const added = old
  .replace('label String', 'label String, colour String @optional')
  .replace('module shop', 'module shop\nentity New { id Int @id }');

const box = '/shop/Shelf/s/ShelfBox/Box';

/** Alone with the tables of an application. */
function beside<T>(settings: Served['kept']['settings'], work: (store: PostgresStore) => Promise<T>): Promise<T> {
  if (settings.type !== 'postgres') throw new Error('no server');
  const store = new PostgresStore(settings, systemClock());
  return work(store).finally(() => store.close());
}

const apply = (settings: Served['kept']['settings'], model: string) =>
  beside(settings, (store) => store.schema((session) => applyMigration(session, tablesOf(model), {})));
const undo = (settings: Served['kept']['settings']) => beside(settings, (store) => store.schema((session) => undoMigration(session, {})));

/** Seconds pass only when the test says so: the listener looks at nothing by itself. */
function holdTime(): () => void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return () => vi.advanceTimersByTime(1000);
}

async function listening(dbname: string): Promise<number> {
  // The look that follows is the last thing that it did.
  const isIt = `application_name LIKE 'platform listener %' AND query LIKE '%d."value"%' AND state = 'idle'`;
  const found = () => queryDatabase(dbname, `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND ${isIt}`);
  await expect.poll(found, { timeout: 30_000 }).toHaveLength(1);
  return Number((await found())[0]?.['pid']);
}

const nameOf = ({ settings }: Served['kept']): string => (settings.type === 'postgres' ? settings.dbname : '');

async function shelf(): Promise<Served> {
  const served = await serve(old, { store: 'postgres' });
  await served.post('/shop/Shelf', { id: 's' });
  expect((await served.post(box, { no: 1, label: 'a' })).status).toBe(201);
  return served;
}

test('what holds nothing is retired by a start that is alone, and left to apply while another instance serves', async () => {
  const pass = holdTime();
  const served = await shelf();
  pass();
  await listening(nameOf(served.kept));
  const { settings } = served.kept;
  const startWith = (model: string) => beside(settings, (store) => store.migrate(tablesOf(model)));
  await expect(startWith(retired)).rejects.toThrow(/shop\/Box\.size is stored but no longer in the model; nothing is stored in it/);
  expect((await served.get(box)).status).toBe(200);
  await served.close();
  await expect.poll(() => startWith(retired).then(() => 'retired', String), { timeout: 30_000 }).toBe('retired');
});

describe('an instance of an older model', () => {
  test('hears of a migration at once, answers 503 with one line in the log, and serves again when it is undone', async () => {
    const pass = holdTime();
    const served = await shelf();
    pass();
    await listening(nameOf(served.kept));
    await apply(served.kept.settings, renamed);
    const status = async () => (await served.get('/shop/Shelf')).status;
    await expect.poll(status, { timeout: 30_000 }).toBe(503);
    const answers = [await served.get(box), await served.post('/shop/Shelf', { id: 't' }), await served.get(`${box}/1`)];
    expect(answers.map(({ status: each, headers, body }) => [each, headers['retry-after'], Object(body).code])).toEqual(
      answers.map(() => [503, '5', 'model-outdated']),
    );
    expect((await served.get('/ready')).status).toBe(503);
    expect((await served.get('/health')).status).toBe(200);
    await undo(served.kept.settings);
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
    expect((await served.get('/ready')).status).toBe(200);
    expect((await served.post(box, { no: 2, label: 'b' })).status).toBe(201);
    expect(served.failures).toEqual([]);
    expect(served.warnings.map((each) => each['message'])).toEqual([
      'The tables were migrated to a model that this process does not serve (shop/Box); it answers 503 until the migration is undone, or it is replaced by one of the new model.',
      'The tables fit the model of this process again; it serves.',
    ]);
  });

  const changes: readonly (readonly [title: string, model: string])[] = [
    ['keys', rekeyed],
    ['names', renamed],
    ['retired attributes', retired],
    ['what is required', narrowed],
  ];
  for (const [title, model] of changes) {
    test(`writes nothing under a parent before it hears of a migration either: ${title}`, async () => {
      holdTime();
      const served = await shelf();
      await served.put(`${box}/1`, { size: 3 });
      const before = await served.kept.rows('SELECT count(*)::int AS n FROM "shop/Box"');
      await apply(served.kept.settings, model);
      const answers = [
        await served.post(box, { no: 2, label: 'b' }),
        await served.put(`${box}/1`, { size: 4 }),
        await served.remove(`${box}/1`),
      ];
      expect(answers.map(({ status, body }) => [status, Object(body).code])).toEqual(answers.map(() => [503, 'model-outdated']));
      expect(await served.kept.rows('SELECT count(*)::int AS n FROM "shop/Box"')).toEqual(before);
    });
  }

  test('does not write old keys while the keys are made anew under load', async () => {
    const served = await shelf();
    const state = { running: true };
    const made: string[] = [];
    const refused = new Set<string>();
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let no = 2; state.running && no < 5000; no += 1) {
        const label = `w${writer}-${no}`;
        const { status, body } = await served.post(box, { no: writer * 10_000 + no, label });
        if (status === 201) made.push(label);
        else refused.add(`${status} ${Object(body).code}`);
      }
    });
    await expect.poll(() => made.length, { timeout: 30_000 }).toBeGreaterThan(20);
    await apply(served.kept.settings, rekeyed);
    await expect.poll(() => refused.size, { timeout: 30_000 }).toBeGreaterThan(0);
    state.running = false;
    await Promise.all(writers);
    expect([...refused]).toEqual(['503 model-outdated']);
    const [row] = await served.kept.rows(
      `SELECT count(*)::int AS n, count(*) FILTER (WHERE "__path__" LIKE '%/' || label)::int AS keyed FROM "shop/Box"`,
    );
    expect(row).toEqual({ n: made.length + 1, keyed: made.length + 1 });
  });

  test('serves on where the new model only adds', async () => {
    const served = await shelf();
    await apply(served.kept.settings, added);
    expect((await served.post(box, { no: 2, label: 'b' })).status).toBe(201);
    expect((await served.get('/ready')).status).toBe(200);
    expect((await served.put(`${box}/2`, { size: 5 })).status).toBe(200);
    expect(served.warnings).toEqual([]);
  });
});

describe('hearing of migrations', () => {
  async function opened(more: Partial<PostgresSettings>): Promise<{ store: PostgresStore; settings: PostgresSettings; said: string[] }> {
    const settings = postgresSettings(await databaseForTest(), more);
    const said: string[] = [];
    const store = new PostgresStore(settings, systemClock(), (line) => said.push(line));
    onTestFinished(() => store.close());
    await store.migrate(tablesOf(old));
    return { store, settings, said };
  }

  const isOutdated = async (store: PostgresStore): Promise<boolean> => {
    try {
      await store.write(async () => undefined);
      return false;
    } catch (thrown) {
      return isError(thrown, 'model-outdated');
    }
  };

  test('where nobody listens, the server is asked every few seconds', async () => {
    const { store, settings, said } = await opened({ listen: false });
    await apply(settings, retired);
    await expect.poll(() => isOutdated(store), { timeout: 30_000 }).toBe(true);
    await undo(settings);
    await expect.poll(() => isOutdated(store), { timeout: 30_000 }).toBe(false);
    expect(said).toHaveLength(2);
  });

  test('what was done while the connection was lost is asked for as soon as there is another', async () => {
    const pass = holdTime();
    const { store, settings } = await opened({});
    pass();
    const pid = await listening(settings.dbname);
    await queryDatabase(settings.dbname, 'SELECT pg_terminate_backend($1)', [pid]);
    await apply(settings, retired);
    expect(await isOutdated(store)).toBe(false);
    await expect
      .poll(
        () => {
          pass();
          return isOutdated(store);
        },
        { timeout: 30_000 },
      )
      .toBe(true);
  });

  test('two migrations taken back one after the other are two changes', async () => {
    const { store, settings } = await opened({});
    const ready = () => store.ready();
    await apply(settings, added);
    expect(await ready()).toBe(true);
    await apply(settings, added.replace(', size Int @optional', ''));
    expect(await ready()).toBe(false);
    await undo(settings);
    expect(await ready()).toBe(true);
    await undo(settings);
    expect(await ready()).toBe(true);
  });
});
