// Entities and events that live in another system: override, in both syntaxes and on both surfaces.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';
import { current, directory, earlier } from './directory.ts';

const ann = { Email: 'ann@example.com', Name: 'Ann', Age: null };
const bob = { Email: 'bob@example.com', Name: 'Bob', Age: 41 };

const flat: readonly Step[] = [
  { ask: 'GET /Ext.Core/ExternalUser', status: 200, is: [] },
  {
    ask: 'POST /Ext.Core/ExternalUser',
    body: bob,
    status: 201,
    is: bob,
    headers: { location: '/Ext.Core/ExternalUser/bob%40example.com' },
  },
  { ask: 'POST /Ext.Core/ExternalUser', body: { Email: ann.Email, Name: 'Ann' }, status: 201, is: ann },
  { ask: 'GET /Ext.Core/ExternalUser', status: 200, is: [ann, bob] },
  { ask: 'GET /Ext.Core/ExternalUser/ann@example.com', status: 200, is: ann, headers: { etag: /^"\d+"$/ } },
  { ask: 'GET /Ext.Core/ExternalUser/nobody@example.com', status: 404, code: 'instance-not-found' },
  { ask: 'GET /Ext.Core/ExternalUser?Age[gt]=40', status: 200, is: [bob] },
  {
    ask: 'GET /Ext.Core/ExternalUser?@sort=-Name&@limit=1&@count=true',
    status: 200,
    is: [bob],
    headers: { 'x-total-count': '2', link: /after/ },
  },
  { ask: 'PUT /Ext.Core/ExternalUser/ann@example.com', body: { Age: 7 }, status: 200, is: { ...ann, Age: 7 } },
  { ask: 'PUT /Ext.Core/ExternalUser/nobody@example.com', body: { Age: 7 }, status: 404, code: 'instance-not-found' },
  { ask: 'PUT /Ext.Core/ExternalUser/ann@example.com', body: { Age: 'x' }, status: 422, faults: ['Age type'] },
  { ask: 'DELETE /Ext.Core/ExternalUser/ann@example.com', status: 200, is: { ...ann, Age: 7 } },
  { ask: 'GET /Ext.Core/ExternalUser', status: 200, is: [bob] },
  { ask: 'POST /Ext.Core/TriggerExternalEvent', body: { Z: 20 }, status: 200, is: { 'Ext.Core/ExternalResult': { Y: 2000 } } },
  { ask: 'POST /Ext.Core/ExternalEvent', body: { X: 3 }, status: 200, is: { 'Ext.Core/ExternalResult': { Y: 300 } } },
  { ask: 'POST /Ext.Core/ExternalEvent', body: { X: 'no' }, status: 422, faults: ['X type'] },
];

const tagged = (user: object) => ({ 'type-*-tag-*-': 'entity', '-*-type-*-': 'Ext.Core/ExternalUser', ...user });
const keyed: readonly Step[] = [
  {
    ask: 'POST /api/Ext.Core/ExternalUser',
    body: { 'Ext.Core/ExternalUser': bob },
    status: 200,
    is: [{ status: 'ok', result: [tagged(bob)] }],
  },
  { ask: 'GET /api/Ext.Core/ExternalUser', status: 200, is: [tagged(bob)] },
  { ask: 'GET /api/Ext.Core/ExternalUser/bob%40example.com', status: 200, is: tagged(bob) },
  { ask: 'GET /api/Ext.Core/ExternalUser?Name=Bob', status: 200, is: [tagged(bob)] },
  { ask: 'GET /api/Ext.Core/ExternalUser?Name=Ann', status: 200, is: [] },
  {
    ask: 'PUT /api/Ext.Core/ExternalUser/bob%40example.com',
    body: { 'Ext.Core/ExternalUser': { Name: 'Robert' } },
    status: 200,
    is: tagged({ ...bob, Name: 'Robert' }),
  },
  {
    ask: 'POST /api/Ext.Core/TriggerExternalEvent',
    body: { 'Ext.Core/TriggerExternalEvent': { Z: 20 } },
    status: 200,
    is: { 'Ext.Core/ExternalResult': { Y: 2000 } },
  },
  { ask: 'DELETE /api/Ext.Core/ExternalUser/bob%40example.com', status: 200 },
  { ask: 'GET /api/Ext.Core/ExternalUser', status: 200, is: [] },
];

const projects = {
  'written in the current syntax': { 'core.al': current, 'directory.js': directory },
  'written in the earlier syntax, with Clojure': { 'core.platform': earlier },
};

for (const [how, project] of Object.entries(projects)) {
  test(`an entity and an event of a resolver ${how} are served by the current surface, and nothing is stored`, async () => {
    const served = await serve(project, { surfaces: ['current'] });
    await check(served, flat);
    await expect(served.kept.rows('SELECT count(*) FROM "Ext.Core/ExternalUser"')).rejects.toThrow();
  });

  test(`an entity and an event of a resolver ${how} are served by the earlier surface`, async () => {
    await check(await serve(project, { surfaces: ['earlier'] }), keyed);
  });
}

test('an entity with stored instances does not become one that is kept elsewhere by a start alone', async () => {
  const entity = 'module m\nentity Thing { id String @id }\n';
  const served = await serve({ 'core.al': entity });
  expect((await served.post('/m/Thing', { id: 'a' })).status).toBe(201);
  const elsewhere = `${entity}import "r.js" @as r\nresolver things [m/Thing] { query r.find }`;
  await expect(served.reload({ 'core.al': elsewhere, 'r.js': 'export const find = () => [];' })).rejects.toThrow('m/Thing');
  expect((await served.get('/m/Thing/a')).status).toBe(200);
});

test.each(['ask', 'glance'])(
  'an equal request with the same Idempotency-Key tells the resolver nothing again, of the event %s',
  async (event) => {
    const source = `module m
import "desk.js" @as desk
event ask { about String }
event glance { about String }
workflow glance { {ask {about glance.about}} @as said; said }
event count { }
workflow count { desk.calls() }
resolver asked [m/ask] { eval desk.ask }
`;
    const desk =
      'let calls = 0; export const ask = ({ about }) => ({ about, call: ++calls }); export { countOf as calls }; const countOf = () => calls;';
    const app = await serve({ 'core.al': source, 'desk.js': desk });
    const post = (key: string, about = 'x') => app.post(`/m/${event}`, { about }, { 'idempotency-key': key });
    const first = await post('a');
    expect(first).toMatchObject({ status: 200, body: { about: 'x', call: 1 } });
    expect(await post('a')).toMatchObject({ status: 200, body: first.body });
    expect(await post('a', 'y')).toMatchObject({ status: 422, body: { code: 'key-reused' } });
    expect(await post('b')).toMatchObject({ status: 200, body: { call: 2 } });
    expect((await app.post('/m/count', {})).body).toBe(2);
  },
);
