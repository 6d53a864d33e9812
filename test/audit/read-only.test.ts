// Entries are read with everything that lists can do, and are written by nobody, at no door.

import { expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const model = `module m
entity Post { id Int @id, title String, @meta {"audit": true} }
workflow forge { {platform.audit/Entry {operation "create", type "m/Post", instance "9", outcome "done"}} }
workflow forgeEarlier { {Platform.Kernel.Audit/Entry {Operation "create", Type "m/Post", Instance "9", Outcome "done"}} }
workflow upsert { {platform.audit/Entry {id upsert.id, operation "create", type "m/Post", instance "9", outcome "done"}, @upsert} }
workflow alter { {platform.audit/Entry {id? alter.id, user "eve"}} }
workflow alterAll { {platform.audit/Entry {type? "m/Post", user "eve"}} }
workflow erase { delete {platform.audit/Entry {type? "m/Post"}} }
workflow eraseOne { delete {platform.audit/Entry {id? eraseOne.id}} }
workflow alterAlias { {platform.audit/Entry {id? alterAlias.id}} @as [one]; {one {user "eve"}} }
workflow found { {platform.audit/Entry {instance? found.id}} @as all; for each in all { each.operation } }
`;

async function prepared(): Promise<{ served: Served; id: string }> {
  const served = await serve(model, { audit: {}, surfaces: ['current', 'earlier'] });
  for (const id of [1, 2, 3]) await served.post('/m/Post', { id, title: `t${id}` });
  await served.put('/m/Post/2', { title: 'changed' });
  const [first] = [(await served.get('/platform.audit/Entry')).body].flat();
  return { served, id: String(Reflect.get(Object(first), 'id')) };
}

test('every option of a list works on entries', async () => {
  const { served, id } = await prepared();
  const entry = '/platform.audit/Entry';
  await check(served, [
    { ask: `GET ${entry}/${id}`, status: 200, has: { id, operation: 'create', instance: '1' } },
    { ask: `GET ${entry}?instance=2&@sort=-id`, status: 200, has: [{ operation: 'update' }, { operation: 'create' }] },
    {
      ask: `GET ${entry}?operation[in]=update,delete&@count=true`,
      status: 200,
      has: [{ instance: '2' }],
      headers: { 'x-total-count': '1' },
    },
    { ask: `GET ${entry}?after.title=changed&@select=instance`, status: 200, has: [{ instance: '2' }] },
    { ask: `GET ${entry}?time[gt]=2000-01-01T00:00:00Z&@limit=1`, status: 200, has: [{ instance: '1' }], headers: { link: /rel="next"/ } },
    { ask: `GET ${entry}?user[null]=true&@offset=3`, status: 200, has: [{ operation: 'update' }] },
    { ask: `GET ${entry}?nothing=1`, status: 422, faults: ['nothing unknown'] },
    { ask: 'POST /m/found', body: { id: '2' }, status: 200, is: ['create', 'update'] },
    {
      ask: 'POST /q',
      body: { Query: { from: 'Platform.Kernel.Audit/Entry', where: ['=', 'Instance', '2'] } },
      status: 200,
      has: [{ Operation: 'create' }, { Operation: 'update' }],
    },
  ]);
});

const forged = { operation: 'create', type: 'm/Post', instance: '9', outcome: 'done' };
const upper = { Operation: 'create', Type: 'm/Post', Instance: '9', Outcome: 'done' };
const name = 'Platform.Kernel.Audit/Entry';

/** `<id>` is the identifier of an entry. */
const writes: readonly Step[] = [
  { ask: 'POST /platform.audit/Entry', body: forged, status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } },
  { ask: 'POST /platform.audit/Entry', body: [forged], status: 405 },
  { ask: 'PUT /platform.audit/Entry/<id>', body: { user: 'eve' }, status: 405 },
  { ask: 'PATCH /platform.audit/Entry/<id>', body: { user: 'eve' }, status: 405 },
  { ask: 'DELETE /platform.audit/Entry/<id>', status: 405 },
  { ask: `POST /api/${name}`, body: { [name]: upper }, status: 405 },
  { ask: `PUT /api/${name}/<id>`, body: { Data: { User: 'eve' } }, status: 405 },
  { ask: `DELETE /api/${name}/<id>`, status: 405 },
  { ask: 'POST /m/forge', body: {}, status: 405 },
  { ask: 'POST /m/forgeEarlier', body: {}, status: 405 },
  { ask: 'POST /m/upsert', body: { id: '<id>' }, status: 405 },
  { ask: 'POST /m/upsert', body: { id: '01900000-0000-7000-8000-000000000000' }, status: 405 },
  { ask: 'POST /m/alter', body: { id: '<id>' }, status: 405 },
  { ask: 'POST /m/alterAll', body: {}, status: 405 },
  { ask: 'POST /m/erase', body: {}, status: 405 },
  { ask: 'POST /m/eraseOne', body: { id: '<id>' }, status: 405 },
  { ask: 'POST /m/alterAlias', body: { id: '<id>' }, status: 405 },
  { ask: `POST /api/${name.replace('/', '/Create_')}`, body: { [name.replace('/', '/Create_')]: { Instance: upper } }, status: 405 },
  { ask: 'POST /dynamic', body: { [name.replace('/', '/Create_')]: { Instance: upper } }, status: 405 },
  { ask: 'POST /dynamic', body: { [name.replace('/', '/Update_')]: { Id: '<id>', Data: { User: 'eve' } } }, status: 405 },
  { ask: 'POST /dynamic', body: { [name.replace('/', '/Delete_')]: { Id: '<id>' } }, status: 405 },
];

test('every write of an entry is 405, at every door, and changes nothing', async () => {
  const { served, id } = await prepared();
  const before = (await served.get('/platform.audit/Entry')).text;
  const named: readonly Step[] = JSON.parse(JSON.stringify(writes).replaceAll('<id>', id));
  await check(served, named);
  expect((await served.get('/platform.audit/Entry')).text).toBe(before);
});
