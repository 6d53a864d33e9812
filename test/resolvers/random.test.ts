// Random operations with another system that fails, is slow or answers garbage at random: nothing of what it keeps alone is ever stored, and what
// is stored besides is the same here and there once everything that is pending is settled.

import { expect, test } from 'vitest';
import { Random } from '../applications/random.ts';
import { type Served, serve } from '../support/app.ts';
import { isLarge, seed } from '../support/form.ts';
import { until } from '../support/time.ts';

const operations = isLarge ? 10_000 : 300;

/** `trouble` is the share of calls that go wrong, in per cent; the way in which they do is drawn with it. */
const system = `
let seed = 1;
let trouble = 30;
const next = (most) => { seed = (seed * 48271) % 2147483647; return seed % most; };
const kept = { far: new Map(), both: new Map() };
let open = 0;
async function act(work, thing) {
  open += 1;
  try { return await done(work); } finally { open -= 1; }
}
async function done(work) {
  const way = next(100) < trouble ? next(6) : -1;
  if (way === 0) throw new Error('before');
  if (way === 1) throw { status: 409, message: 'refused' };
  if (way === 2) await new Promise((resolve) => setTimeout(resolve, 80));
  const given = work();
  if (way === 3) throw new Error('after');
  if (way === 4) return [{ id: 5, n: 'garbage' }];
  if (way === 5) await new Promise((resolve) => setTimeout(resolve, 20));
  return given;
}
const of = (rows) => ({
  put: (thing) => act(() => { rows.set(thing.id, thing); return thing; }, thing),
  drop: (thing) => act(() => { rows.delete(thing.id); return thing; }, thing),
  find: () => act(() => [...rows.values()]),
});
const far = of(kept.far);
const both = of(kept.both);
export const putFar = far.put, dropFar = far.drop, findFar = far.find;
export const putBoth = both.put, dropBoth = both.drop, findBoth = both.find;
export const calm = () => { trouble = 0; return 1; };
export const underWay = () => open;
export const all = (name) => [...kept[name].values()].map((each) => each.id + ' ' + each.n).sort();
`;

const model = `module m
import "system.js" @as system
entity Far { id String @id, n Int }
entity Both { id String @id, n Int }
entity Log { id UUID @id @default(uuid()), line String @unique }
event calm { }
workflow calm { system.calm() }
event underWay { }
workflow underWay { system.underWay() }
event all { name String }
workflow all { system.all(all.name) }
event move { from String, to String, n Int }
workflow move { {Both {id move.to, n move.n}}; delete {Both {id? move.from}}; {Log {line move.to + move.n}} }
resolver far [m/Far] { create system.putFar, update system.putFar, delete system.dropFar, query system.findFar }
resolver both [m/Both] @compose { create system.putBoth, update system.putBoth, delete system.dropBoth, query system.findBoth }
`;

type Outcome = 'done' | 'refused' | 'open';

async function once(served: Served, index: number, random: Random): Promise<Outcome> {
  const draw = (most: number): number => random.integer(0, most - 1);
  const type = index % 2 === 0 ? 'Far' : 'Both';
  const [id, n] = [`i${draw(12)}`, draw(5)];
  const asked = [
    () => served.post(`/m/${type}`, { id, n }),
    () => served.put(`/m/${type}/${id}`, { n }),
    () => served.remove(`/m/${type}/${id}`),
    () => served.get(`/m/${type}?@sort=n&n[gte]=1`),
    () => served.get(`/m/${type}/${id}`),
    () => served.post('/m/move', { from: id, to: `i${draw(12)}`, n }),
  ][draw(6)];
  const { status } = (await asked?.()) ?? { status: 0 };
  expect([200, 201, 404, 409, 422, 502, 503, 504]).toContain(status);
  return status < 300 ? 'done' : status < 500 ? 'refused' : 'open';
}

async function rowsIn({ kept }: Served, table: string): Promise<readonly string[]> {
  const rows = await kept.rows(`SELECT id, n FROM "m/${table}"`);
  return rows.map(({ id, n }) => `${id} ${n}`).sort();
}

test(`${operations} random operations: override stores nothing, compose does not diverge`, async () => {
  // Time goes on with each operation: a system that is given a rest would not be asked often.
  let moved = 0;
  const clock = { now: () => new Date(Date.now() + moved), uuid: () => crypto.randomUUID() };
  const served = await serve(
    { 'core.al': model, 'system.js': system },
    { resolvers: ['m/far', 'm/both'].map((name) => ({ name, timeout: 0.06 })), parts: { clock } },
  );
  process.stdout.write(`random operations: PLATFORM_TEST_SEED=${seed}\n`);
  const random = new Random(seed);
  const outcomes = new Map<Outcome, number>();
  for (let index = 0; index < operations; index += 1) {
    moved += 31_000;
    const outcome = await once(served, index, random);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect(Math.min(...outcomes.values())).toBeGreaterThan(operations / 20);
  await served.post('/m/calm', {});
  // What was too slow is settled when its time is over; what could not be, at the next start.
  await until(async () => (await served.post('/m/underWay', {})).body === 0);
  await served.reload({ 'core.al': model, 'system.js': system });
  // On a busy machine the other system may be too slow then as well: each start asks it again.
  const pending = async (): Promise<unknown> => {
    const { body } = await served.get('/platform.resolver/Pending');
    if (Object(body).length > 0) await served.reload({ 'core.al': model, 'system.js': system });
    return body;
  };
  await expect.poll(pending, { interval: 1000, timeout: 120_000 }).toEqual([]);
  await expect.poll(async () => [await rowsIn(served, 'Both'), (await served.post('/m/all', { name: 'both' })).body]).toSatisfy(areEqual);
  const tables = await served.kept.rows(
    served.kept.settings.type === 'postgres'
      ? `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
      : `SELECT name FROM sqlite_master WHERE type = 'table'`,
  );
  expect(tables.map(({ name }) => name)).not.toContain('m/Far');
  expect(tables.map(({ name }) => name)).toContain('m/Both');
  const shown = async (): Promise<unknown> => {
    const far = (await served.get('/m/Far?@limit=100')).body;
    return Array.isArray(far) ? far.map(({ id, n }) => `${id} ${n}`).sort() : far;
  };
  await expect.poll(async () => [await shown(), (await served.post('/m/all', { name: 'far' })).body]).toSatisfy(areEqual);
});

function areEqual([here, there]: readonly unknown[]): boolean {
  return JSON.stringify(here) === JSON.stringify(there);
}
