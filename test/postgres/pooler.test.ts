// An application behind a pooler that gives every transaction another connection: docs/scaling.md, "A pooler in between".

import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { applyMigration, undoMigration } from '../../src/store/migration/migration.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import { tablesOf } from '../migrations/evolve.ts';
import { open, type Served } from '../support/app.ts';
import { poolerProgram, poolerSettings, startPooler } from '../support/pooler.ts';
import { databaseForTest, postgresSettings, queryDatabase } from '../support/postgres.ts';

const program = poolerProgram();
const title = `behind pgbouncer in transaction mode${program === undefined ? ' (skipped: there is no program pgbouncer)' : ''}`;

const model = `module shop
entity Shelf { id String @id, n Int @default(0) }
entity Box { no Int @id, code String @unique }
relationship ShelfBox contains(Shelf, Box)
event bump { id String }
workflow bump { {Shelf {id? bump.id}} @as [s] {Shelf {id? bump.id, n s.n + 1}} }`;

/** So many instances of one application, all through one pooler with fewer connections than they ask for. */
async function instances(
  count: number,
  ignores = false,
  more: Partial<PostgresSettings> = {},
): Promise<{ served: readonly Served[]; dbname: string; settings: PostgresSettings }> {
  const pooler = await startPooler(program ?? '', inject('postgres').port, { ignores });
  const dbname = await databaseForTest();
  const settings = postgresSettings(dbname, { ...poolerSettings, port: pooler.port, ...more });
  const opening = Array.from({ length: count }, () => open(model, { store: settings }));
  const served = await Promise.all(opening);
  onTestFinished(async () => {
    for (const each of served) await each.close();
    await pooler.stop();
  });
  return { served, dbname, settings };
}

describe.skipIf(program === undefined)(title, () => {
  test('several that start at once run one migration, and of many creates of one key exactly one is made', async () => {
    const { served, dbname } = await instances(4);
    expect(await queryDatabase(dbname, 'SELECT count(*)::int AS n FROM "__platform_history"')).toEqual([{ n: 1 }]);
    const race = async (target: string, body: (n: number) => object): Promise<readonly number[]> => {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => served[n % served.length]?.post(target, body(n))));
      return answers.map((each) => each?.status ?? 0).sort((a, b) => a - b);
    };
    const once = [201, ...Array.from({ length: 39 }, () => 409)];
    expect(await race('/shop/Shelf', () => ({ id: 's' }))).toEqual(once);
    expect(await race('/shop/Shelf/s/ShelfBox/Box', (n) => ({ no: 1, code: `c${n}` }))).toEqual(once);
    expect(await race('/shop/Shelf/s/ShelfBox/Box', (n) => ({ no: n + 2, code: 'same' }))).toEqual(once);
  });

  test('a repeated Idempotency-Key gives one instance, and workflows see what they decide by', async () => {
    const { served, dbname } = await instances(2);
    await served[0]?.post('/shop/Shelf', { id: 's' });
    const same = { 'idempotency-key': 'k' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => served[n % 2]?.post('/shop/Shelf/s/ShelfBox/Box', { no: 1, code: 'c' }, same)),
    );
    expect([...new Set(answers.map((each) => each?.status))].filter((each) => each !== 201 && each !== 409)).toEqual([]);
    expect(await queryDatabase(dbname, 'SELECT count(*)::int AS n FROM "shop/Box"')).toEqual([{ n: 1 }]);
    const bumps = await Promise.all(Array.from({ length: 12 }, (_, n) => served[n % 2]?.post('/shop/bump', { id: 's' })));
    expect(bumps.map((each) => each?.status)).toEqual(bumps.map(() => 200));
    expect((await served[1]?.get('/shop/Shelf/s'))?.body).toEqual({ id: 's', n: 12 });
    expect((await served[0]?.get('/shop/Shelf/s?@tree=true'))?.status).toBe(200);
  });

  test('where it passes over settings that it does not know, the time-outs may stay', async () => {
    const { served } = await instances(1, true, { statementTimeout: 10, lockTimeout: 5 });
    expect((await served[0]?.post('/shop/Shelf', { id: 's', ShelfBox: [{ no: 1, code: 'c' }] }))?.status).toBe(201);
  });

  test('a migration goes through it, and instances of the model before hear of it by asking', async () => {
    const { served, settings } = await instances(1);
    const changed = tablesOf(
      model
        .replace('n Int @default(0)', 'n Int @default(0), t String @optional')
        .replace('no Int @id, code String @unique', 'no Int, code String @id'),
    );
    const store = new PostgresStore(settings, systemClock());
    onTestFinished(() => store.close());
    await served[0]?.post('/shop/Shelf', { id: 's' });
    await store.schema((session) => applyMigration(session, changed, {}));
    const status = async () => (await served[0]?.get('/shop/Shelf'))?.status;
    await expect.poll(status, { timeout: 30_000 }).toBe(503);
    await store.schema((session) => undoMigration(session, {}));
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
  });
});
