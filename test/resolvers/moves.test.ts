// Contained instances of which another system is told: a move is an update there, with another `__path__`, of all that is moved.

import { expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';

/** Keeps instances by their paths, and loses none that is moved. */
const warehouse = `
const kept = new Map();
const calls = [];
let failing = '';
const keyOf = ({ __path__ }) => __path__.replace(/^path:../, '');
export function add(each) { kept.set(keyOf(each), each); return each; }
export function drop(each) { kept.delete(keyOf(each)); return each; }
export async function change(each, { before }) {
  calls.push(keyOf(before) + ' → ' + keyOf(each));
  if (failing === 'before ' + each.id) throw new Error('it failed');
  kept.delete(keyOf(before));
  kept.set(keyOf(each), each);
  if (failing === 'after ' + each.id) { failing = ''; throw new Error('it failed after it was done'); }
  if (failing === 'late ' + each.id) { failing = ''; return new Promise(() => {}); }
  return each;
}
const isOf = (type, each) => keyOf(each).split('/').at(-2) === type.replace('/', '$');
export const find = async ([type]) => [...kept.values()].filter((each) => isOf(type, each));
export const told = () => calls.splice(0);
export const all = () => [...kept.keys()].sort();
export const fails = (how) => { failing = how; return 1; };
`;

const model = `module w
import "warehouse.js" @as warehouse
entity Shelf { id String @id }
entity Box { id String @id }
entity Item { id String @id, n Int }
relationship Boxes contains(Shelf, Box)
relationship Items contains(Box, Item)
event told { }
workflow told { warehouse.told() }
event all { }
workflow all { warehouse.all() }
event fails { how String }
workflow fails { warehouse.fails(fails.how) }
resolver goods [w/Box, w/Item] @compose { create warehouse.add, update warehouse.change, delete warehouse.drop, query warehouse.find }
`;

const at = (shelf: string) => [`w$Shelf/${shelf}/w$Boxes/w$Box/b`, `w$Shelf/${shelf}/w$Boxes/w$Box/b/w$Items/w$Item/i`];

/** In seconds: short only where a handler is not to answer. */
async function filled(timeout = 60): Promise<Served> {
  const served = await serve({ 'core.al': model, 'warehouse.js': warehouse }, { resolvers: [{ name: 'w/goods', timeout }] });
  for (const id of ['1', '2']) await served.post('/w/Shelf', { id });
  expect((await served.post('/w/Shelf/1/Boxes/Box', { id: 'b' })).status).toBe(201);
  expect((await served.post('/w/Shelf/1/Boxes/Box/b/Items/Item', { id: 'i', n: 1 })).status).toBe(201);
  return served;
}

async function moved(served: Served): Promise<number> {
  return (await served.put('/w/Shelf/1/Boxes/Box/b', { '@parent': 'path://w$Shelf/2' })).status;
}

const here = async ({ kept }: Served): Promise<readonly string[]> => {
  const rows = await kept.rows('SELECT __path__ AS path FROM "w/Box" UNION ALL SELECT __path__ FROM "w/Item"');
  return rows.map(({ path }) => String(path).replace(/^path:../, '')).sort();
};
const there = async (served: Served) => (await served.post('/w/all', {})).body;

test('a move is told as an update of the instance, and of all below it, with the path before and the one after', async () => {
  const served = await filled();
  expect(await moved(served)).toBe(200);
  expect((await served.post('/w/told', {})).body).toEqual(at('1').map((path, index) => `${path} → ${at('2')[index]}`));
  expect([await there(served), await here(served)]).toEqual([at('2'), at('2')]);
  expect((await served.get('/w/Shelf/2/Boxes/Box/b/Items/Item/i')).body).toMatchObject({ id: 'i', n: 1 });
});

for (const how of ['before b', 'after b', 'before i', 'after i'])
  test(`a move that fails ${how.replace(' ', ' it is done for ')} is undone on both sides`, async () => {
    const served = await filled();
    await served.post('/w/fails', { how });
    expect(await moved(served)).toBe(502);
    expect([await there(served), await here(served)]).toEqual([at('1'), at('1')]);
    expect((await served.get('/platform.resolver/Pending')).body).toEqual([]);
  });

test('a move whose end nobody knows is undone there when its time is over', async () => {
  const served = await filled(0.3);
  await served.post('/w/fails', { how: 'late i' });
  expect(await moved(served)).toBe(504);
  await expect.poll(() => there(served)).toEqual(at('1'));
  expect(await here(served)).toEqual(at('1'));
});
