// What both surfaces got from the earlier one: identifiers unique under every parent, formats, choices, named attributes, names for relationships.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const model = `(component :A)

(attribute :Code {:type :String :format "[A-Z]{2,4}"})

(entity :Base
  {:Id {:type :Int :guid true}
   :Name {:type :String :optional true}
   :Note :String})

(entity :Shelf
  {:meta {:inherits :Base :required-attributes [:Name]}
   :Grade {:oneof [1 2.5] :default 1}
   :Code {:type :Code :default "AB"}
   :At :Now})

(entity :Book
  {:ISBN {:type :String :guid true}
   :Owner {:ref :Person.Email :cascade-on-delete true :optional true}})

(entity :Page
  {:No {:type :Int :id true}
   :Key :Identity})

(entity :Person {:Email {:type :Email :guid true}})
(relationship :Books {:meta {:contains [:Shelf :Book]}})
(relationship :Pages {:meta {:contains [:Book :Page]}})
(attribute :Volumes {:type :Book :extend :Shelf :relationship :Books})
`;

const open = () => serve({ 'a.platform': model }, { surfaces: ['current', 'earlier'] });

test('a :guid is unique under every parent, an :id only under its own', async () => {
  const served = await open();
  for (const Id of [1, 2]) expect((await served.post('/A/Shelf', { Id, Name: 'x' })).status).toBe(201);
  expect((await served.post('/A/Shelf/1/Books/Book', { ISBN: 'a' })).status).toBe(201);
  expect((await served.post('/A/Shelf/2/Books/Book', { ISBN: 'a' })).status).toBe(409);
  expect((await served.post('/A/Shelf/2/Books/Book', { ISBN: 'b' })).status).toBe(201);
  for (const path of ['/A/Shelf/1/Books/Book/a', '/A/Shelf/2/Books/Book/b']) {
    expect((await served.post(`${path}/Pages/Page`, { No: 1 })).status).toBe(201);
    expect((await served.post(`${path}/Pages/Page`, { No: 1 })).status).toBe(409);
  }
});

const bothIdentifiers: readonly (readonly [surface: string, model: Parameters<typeof serve>[0]])[] = [
  [
    'current',
    'module V\nentity E { Id String @id, G String @guid }\nentity F { Id String @id }\nrelationship L between(E, F) { Id String @id, G String @guid }',
  ],
  [
    'earlier',
    {
      'v.platform': `(component :V)
(entity :E {:Id {:type :String :id true} :G {:type :String :guid true}})
(entity :F {:Id {:type :String :guid true}})
(relationship :L {:meta {:between [:E :F]} :Id {:type :String :id true} :G {:type :String :guid true}})`,
    },
  ],
];

test.for(bothIdentifiers)('an @id beside a @guid is unique where there is no parent (%s surface)', async ([, model]) => {
  const served = await serve(model, { surfaces: ['current', 'earlier'] });
  const duplicate = { status: 409, code: 'duplicate' };
  await check(served, [
    { ask: 'POST /V/E', body: { Id: '1', G: 'a' }, status: 201 },
    { ask: 'POST /V/E', body: { Id: '1', G: 'b' }, ...duplicate },
    {
      ask: 'POST /V/E',
      body: [
        { Id: '2', G: 'b' },
        { Id: '2', G: 'c' },
      ],
      ...duplicate,
    },
    { ask: 'POST /V/E', body: { Id: '2', G: 'b' }, status: 201 },
    { ask: 'PUT /V/E/a', body: { Id: '2' }, ...duplicate },
    { ask: 'PUT /V/E/a', body: { Id: '3' }, status: 200, has: { Id: '3', G: 'a' } },
    { ask: 'POST /V/F', body: [{ Id: 'x' }, { Id: 'y' }], status: 201 },
    { ask: 'POST /V/L', body: { E: 'a', F: 'x', Id: '1', G: 'a' }, status: 201 },
    { ask: 'POST /V/L', body: { E: 'a', F: 'y', Id: '1', G: 'b' }, ...duplicate },
  ]);
});

const orders = `(component :O)
(entity :Order {:Id {:type :Int :guid true}})
(entity :Line {:Code {:type :String :guid true} :No {:type :Int :id true} :Text {:type :String :optional true}})
(entity :Note {:N {:type :Int :id true}})
(entity :Tag {:Name {:type :String :guid true}})
(relationship :Lines {:meta {:contains [:Order :Line]}})
(relationship :Notes {:meta {:contains [:Line :Note]}})
(relationship :Tagged {:meta {:between [:Tag :Line]}})
(dataflow :Add {:Note {:N 9} :-> [[:Notes :Add.Line]]})`;

test('a child that has a :guid beside its :id goes by the :guid outside of its parent, and by the :id while one has it', async () => {
  const served = await serve({ 'o.platform': orders }, { surfaces: ['current', 'earlier'] });
  for (const Id of [1, 2]) {
    expect((await served.post('/O/Order', { Id })).status).toBe(201);
    expect((await served.post(`/O/Order/${Id}/Lines/Line`, { Code: `c${Id}`, No: 7 })).status).toBe(201);
  }
  // A guid that is the identifier of another: outside of a parent the guid counts.
  expect((await served.post('/O/Order/1/Lines/Line', { Code: '8', No: 3 })).status).toBe(201);
  expect((await served.post('/O/Order/1/Lines/Line', { Code: 'c8', No: 8 })).status).toBe(201);
  expect((await served.post('/O/Tag', { Name: 't' })).status).toBe(201);
  expect((await served.post('/O/Tagged', { Tag: 't', Line: 'c2' })).status).toBe(201);
  const path = (order: number, no: number) => `path://O$Order/${order}/O$Lines/O$Line/${no}`;
  const read: readonly (readonly [target: string, status: number, path?: string])[] = [
    ['/O/Line/c1', 200, path(1, 7)],
    ['/O/Line/c2', 200, path(2, 7)],
    ['/api/O/Line/c2', 200, path(2, 7)],
    ['/O/Line/8', 200, path(1, 3)],
    ['/O/Line/3', 200, path(1, 3)],
    ['/O/Line/7', 409],
    ['/O/Line/nobody', 404],
    ['/O/Order/1/Lines/Line/c1', 404],
    ['/O/Order/1/Lines/Line/8', 200, path(1, 8)],
    ['/O/Tag/t/Tagged/Line/c2', 200, path(2, 7)],
    ['/O/Tag/t/Tagged/Line/c1', 404],
  ];
  for (const [target, status, __path__] of read) {
    const answer = await served.get(target);
    expect([target, answer.status, answer.body]).toMatchObject([target, status, __path__ === undefined ? {} : { __path__ }]);
  }
  expect(await served.put('/O/Line/c2', { Text: 'changed' })).toMatchObject({ status: 200, body: { Code: 'c2', No: 7, Text: 'changed' } });
  expect((await served.post('/O/Line/c2/Notes/Note', { N: 1 })).body).toMatchObject({ __path__: `${path(2, 7)}/O$Notes/O$Note/1` });
  expect((await served.post('/api/O/Add', { 'O/Add': { Line: 'c1' } })).status).toBe(200);
  expect((await served.get('/O/Line/c1/Notes/Note')).body).toMatchObject([{ __path__: `${path(1, 7)}/O$Notes/O$Note/9` }]);
  expect((await served.get(`/O/Line?__path__=${encodeURIComponent(path(2, 7))}`)).body).toMatchObject([{ Code: 'c2' }]);
  expect((await served.post('/api/O/Lookup_Line', { 'O/Lookup_Line': { Code: 'c2' } })).body).toMatchObject([{ Code: 'c2' }]);
  expect((await served.remove('/O/Line/c2')).status).toBe(200);
  expect((await served.get('/O/Order/2/Lines/Line/7')).status).toBe(404);
});

test('required attributes, choices that are no texts, and named attributes with a format are checked', async () => {
  const served = await open();
  const made = await served.post('/A/Shelf', { Id: 1, Name: 'x', Grade: 2.5 });
  expect(made.body).toMatchObject({ Note: null, Grade: 2.5, Code: 'AB' });
  // The server's local time, without a zone.
  expect(made.body).toHaveProperty('At', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+$/));
  const refused = await served.post('/A/Shelf', { Id: 2, Grade: 2, Code: 'abc' });
  expect(refused.status).toBe(422);
  expect(refused.body).toHaveProperty('errors', [
    expect.objectContaining({ attribute: 'Name', code: 'required' }),
    expect.objectContaining({ attribute: 'Grade', code: 'value' }),
    expect.objectContaining({ attribute: 'Code', code: 'value' }),
  ]);
});

test('an attribute that extends an entity creates what its relationship leads to', async () => {
  const served = await open();
  const made = await served.post('/api/A/Shelf', { 'A/Shelf': { Id: 1, Name: 'x', Volumes: [{ ISBN: 'a' }, { ISBN: 'b' }] } });
  expect(made.status).toBe(200);
  const { body } = await served.get('/A/Shelf/1/Books/Book');
  expect(body).toMatchObject([{ ISBN: 'a' }, { ISBN: 'b' }]);
});

test('what refers with :cascade-on-delete goes with what it refers to', async () => {
  const served = await open();
  await served.post('/A/Person', { Email: 'p@x.example' });
  await served.post('/A/Shelf', { Id: 1, Name: 'x' });
  expect((await served.post('/A/Shelf/1/Books/Book', { ISBN: 'a', Owner: 'p@x.example' })).status).toBe(201);
  expect((await served.remove('/A/Person/p@x.example')).status).toBe(200);
  expect((await served.get('/A/Shelf/1/Books/Book/a')).status).toBe(404);
});

const society = `(component :S)
(entity :Person {:Email {:type :Email :guid true} :Name :String})
(entity :Club {:Name {:type :String :guid true}})
(relationship :Member {:meta {:between [:Person :Club]} :Since :Date :Fee {:type :Int :default 10 :check pos?}})
(relationship :Knows {:meta {:between [:Person :Person :as [:From :To]]}})
(attribute :Memberships {:type :Member :extend :Person :relationship :Member :order 2})
(attribute :Friends {:type :Person :extend :Person :relationship :Knows :order 1})`;

describe('an attribute that extends an entity', () => {
  const ann = (values: object) => ({ 'S/Person': { Email: 'ann@x.example', Name: 'Ann', ...values } });
  const errors = (...faults: readonly (readonly [string, string])[]) => [
    { errors: faults.map(([attribute, code]) => ({ attribute, code })) },
  ];
  const made = { ask: 'POST /api/S/Person', status: 200 } as const;
  const refused = { ask: 'POST /api/S/Person', status: 422 } as const;

  test('whose type is the relationship holds the attributes of its links', async () => {
    const served = await serve({ 'core.platform': society }, { surfaces: ['earlier'] });
    await check(served, [
      { ask: 'POST /api/S/Club', body: { 'S/Club': { Name: 'chess' } }, status: 200 },
      { ask: 'POST /api/S/Club', body: { 'S/Club': { Name: 'golf' } }, status: 200 },
      {
        ...made,
        body: ann({ Memberships: [{ Club: 'chess', Since: '2020-01-01' }, { 'S/Member': { Club: 'golf', Since: '2021-01-01', Fee: 7 } }] }),
        has: [
          {
            result: [
              {
                Email: 'ann@x.example',
                '->': {
                  'S/Member': [
                    { '-*-type-*-': 'S/Member', Person: 'ann@x.example', Club: 'chess', Since: '2020-01-01', Fee: 10 },
                    { '-*-type-*-': 'S/Member', Person: 'ann@x.example', Club: 'golf', Since: '2021-01-01', Fee: 7 },
                  ],
                },
              },
            ],
          },
        ],
      },
      { ask: 'GET /api/S/Person/ann@x.example/Member/Club', status: 200, has: [{ Name: 'chess' }, { Name: 'golf' }] },
    ]);
  });

  test('is checked whole, and nothing is made where anything is wrong', async () => {
    const served = await serve({ 'core.platform': society }, { surfaces: ['earlier'] });
    await check(served, [
      {
        ...refused,
        body: ann({ Memberships: [{ Club: 'none', Since: '2020-01-01' }] }),
        has: errors(['Memberships[0].Club', 'reference']),
      },
      {
        ...refused,
        body: ann({ Memberships: [{ Since: 'x' }] }),
        has: errors(['Memberships[0].Since', 'type'], ['Memberships[0].Club', 'required']),
      },
      {
        ...refused,
        body: ann({ Memberships: { Person: 'b', Club: 'c', Since: '2020-01-01' } }),
        has: errors(['Memberships.Person', 'system']),
      },
      { ...refused, body: ann({ Memberships: ['chess'] }), has: errors(['Memberships[0]', 'type']) },
      {
        ...refused,
        body: ann({ Memberships: [{ Club: 'c', Since: '2020-01-01', Fee: 0 }] }),
        has: errors(['Memberships[0].Fee', 'check']),
      },
      { ask: 'GET /api/S/Person', status: 200, is: [] },
    ]);
  });

  test('is given in a pattern too, and in the order of the model', async () => {
    const flows = `{:Club {:Name "chess"}}
      (dataflow :Join {:Person {:Email "ann@x.example" :Name "Ann" :Memberships [{:Club "chess" :Since "2020-01-01"}]
                                :Friends [{:Email "bob@x.example" :Name "Bob"}]}})
      (dataflow :Take {:Person {} :from :Take.Data})`;
    const served = await serve({ 'core.platform': `${society}\n${flows}` }, { surfaces: ['earlier'] });
    const made = (person: string) => ({ Person: `${person}@x.example`, Club: 'chess', Fee: 10 });
    await check(served, [
      {
        ask: 'POST /api/S/Join',
        body: { 'S/Join': {} },
        status: 200,
        has: { 'S/Person': { Name: 'Ann', '->': { 'S/Knows': [{ Name: 'Bob' }], 'S/Member': [made('ann')] } } },
      },
      {
        ask: 'POST /api/S/Take',
        body: { 'S/Take': { Data: { Email: 'cyd@x.example', Name: 'Cyd', Memberships: [{ Club: 'chess', Since: '2021-01-01' }] } } },
        status: 200,
        has: { 'S/Person': { Name: 'Cyd', '->': { 'S/Member': [made('cyd')] } } },
      },
    ]);
  });

  test('links what exists by its identifier alone', async () => {
    const served = await serve({ 'core.platform': society }, { surfaces: ['earlier'] });
    await check(served, [
      { ...made, body: { 'S/Person': { Email: 'bob@x.example', Name: 'Bob' } } },
      { ...made, body: ann({ Friends: ['bob@x.example', { Email: 'cyd@x.example', Name: 'Cyd' }] }) },
      { ask: 'GET /api/S/Person/ann@x.example/Knows/Person', status: 200, has: [{ Name: 'Bob' }, { Name: 'Cyd' }] },
    ]);
  });
});

test('a whole number of any size is kept exactly, sorted and filtered as a number', async () => {
  const big = '1267650600228229401496703205376';
  const text = `(component :N)
(entity :Count {:Id {:type :BigInteger :guid true} :Value :BigInteger :Twice {:type :BigInteger :expr '(* 2 :Value)}})
(entity :Part {:No {:type :Int :guid true} :Of {:type :BigInteger :ref :Count.Id}})`;
  const served = await serve({ 'core.platform': text }, { surfaces: ['earlier', 'current'] });
  await check(served, [
    {
      ask: 'POST /api/N/Count',
      text: `{"N/Count":{"Id":1,"Value":${big}}}`,
      status: 200,
      has: [{ result: [{ Id: 1, Value: big, Twice: '2535301200456458802993406410752' }] }],
    },
    { ask: 'POST /N/Count', body: { Id: 2, Value: '-9' }, status: 201, has: { Value: '-9', Twice: '-18' } },
    { ask: 'POST /N/Count', body: { Id: 3, Value: 10 }, status: 201, has: { Value: '10' } },
    { ask: 'POST /N/Count', body: { Id: 4, Value: 1.5 }, status: 422, code: 'attributes-invalid', faults: ['Value type'] },
    { ask: 'POST /N/Part', body: { No: 1, Of: 2 }, status: 201 },
    { ask: 'POST /N/Part', body: { No: 2, Of: 9 }, status: 422, faults: ['Of reference'] },
    { ask: 'GET /N/Count?@sort=Value', status: 200, has: [{ Id: 2 }, { Id: 3 }, { Id: 1 }] },
    { ask: `GET /N/Count?Value=${big}`, status: 200, has: [{ Id: 1 }] },
    { ask: 'GET /N/Count?Value[gt]=9', status: 200, has: [{ Id: 1 }, { Id: 3 }] },
  ]);
});
