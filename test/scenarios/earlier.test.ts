// The earlier surface.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const model = {
  'company.al': `
module Acme.Company
entity Department { No Int @id, Block @enum("a", "b"), Opened DateTime @default(now()) @optional }
entity Employee { No String @id, Name String }
entity Desk { No Int @id }
entity Skill { Name String @id }
relationship WorksFor contains(Department, Employee)
relationship Sits contains(Employee, Desk) @cascade(false)
relationship Likes between(Department, Skill) { Since Date @optional }
relationship Keeps contains(Department, Acme.Store/Box)
`,
  'store.al': `
module Acme.Store
entity Box { No Int @id }
`,
};

const C = 'Acme.Company';
const tags = (type: string) => ({ 'type-*-tag-*-': 'entity', '-*-type-*-': `${C}/${type}` });
const department = (attributes: object) => ({ [`${C}/Department`]: attributes });
const employee = (attributes: object) => ({ [`${C}/Employee`]: attributes });
const made = (no: number, block = 'a'): Step => ({
  ask: `POST /api/${C}/Department`,
  body: department({ No: no, Block: block, Opened: null }),
  status: 200,
});
const shown = (no: number, block = 'a') => ({ ...tags('Department'), No: no, Block: block, Opened: null });
const path = (department: number, no: string) => `path://${C}$Department/${department}/${C}$WorksFor/${C}$Employee/${no}`;
const worker = (department: number, no: string, name: string) => ({
  ...tags('Employee'),
  No: no,
  Name: name,
  __path__: path(department, no),
});
const hired = (department: number, no: string, name = 'x'): Step => ({
  ask: `POST /api/${C}/Department/${department}/WorksFor/Employee`,
  body: employee({ No: no, Name: name }),
  status: 200,
});
const failed = (code: string, status = 'error') => [expect.objectContaining({ status, result: null, message: expect.any(String), code })];

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'a create answers the success envelope with both tags and the values that the service filled in',
    [
      { ...made(103, 'b'), is: [{ status: 'ok', result: [shown(103, 'b')] }] },
      {
        ask: `POST /api/${C}/Department`,
        body: department({ No: 1, Block: 'a' }),
        status: 200,
        is: [{ status: 'ok', result: [{ ...shown(1), Opened: expect.any(String) }] }],
      },
    ],
  ],
  [
    'GET of one instance is that instance, of several an array, an empty one included',
    [
      { ask: `GET /api/${C}/Department`, status: 200, is: [] },
      made(2),
      made(10, 'b'),
      { ask: `GET /api/${C}/Department/10`, status: 200, is: shown(10, 'b') },
      { ask: `GET /api/${C}/Department`, status: 200, is: [shown(2), shown(10, 'b')] },
      { ask: `GET /api/${C}/Department?Block=b`, status: 200, is: [shown(10, 'b')] },
      { ask: `GET /api/${C}/Department/`, status: 200, is: [shown(2), shown(10, 'b')] },
    ],
  ],
  [
    'a child is created under its parent, carries its path, and is read there',
    [
      made(1),
      { ...hired(1, 'E1'), is: [{ status: 'ok', result: [worker(1, 'E1', 'x')] }] },
      hired(1, 'E2', 'y'),
      { ask: `GET /api/${C}/Department/1/WorksFor/Employee`, status: 200, is: [worker(1, 'E1', 'x'), worker(1, 'E2', 'y')] },
      { ask: `GET /api/${C}/Department/1/WorksFor/Employee/E2`, status: 200, is: worker(1, 'E2', 'y') },
      { ask: `GET /api/${C}/Department/1/${C}$WorksFor/${C}$Employee/E2`, status: 200, is: worker(1, 'E2', 'y') },
    ],
  ],
  [
    'two parents each hold a child with the same id, but not twice under one parent',
    [
      made(1),
      made(2),
      hired(1, 'E1'),
      hired(2, 'E1'),
      { ...hired(1, 'E1'), status: 409, is: failed('duplicate') },
      { ask: `GET /api/${C}/Employee/E1`, status: 409, is: failed('identifier-ambiguous') },
    ],
  ],
  [
    'a parent with children is created in one request, at any depth, and read as a tree under ->',
    [
      {
        ask: `POST /api/${C}/Department`,
        body: {
          ...department({ No: 104, Block: 'b', Opened: null }),
          [`${C}/WorksFor`]: [
            { ...employee({ No: 'E1', Name: 'x' }), [`${C}/Sits`]: [{ [`${C}/Desk`]: { No: 7 } }] },
            employee({ No: 'E2', Name: 'y' }),
          ],
          [`${C}/Likes`]: [{ [`${C}/Skill`]: { Name: 'cooking' } }],
        },
        status: 200,
        is: [
          {
            status: 'ok',
            result: [
              {
                ...shown(104, 'b'),
                '->': {
                  [`${C}/WorksFor`]: [
                    {
                      ...worker(104, 'E1', 'x'),
                      '->': { [`${C}/Sits`]: [{ ...tags('Desk'), No: 7, __path__: `${path(104, 'E1')}/${C}$Sits/${C}$Desk/7` }] },
                    },
                    worker(104, 'E2', 'y'),
                  ],
                  [`${C}/Likes`]: [{ ...tags('Skill'), Name: 'cooking', '@link': { __Id__: expect.any(String), Since: null } }],
                },
              },
            ],
          },
        ],
      },
      { ask: `DELETE /api/${C}/Department/104/__tree`, status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } },
      { ask: `PUT /api/${C}/Department/104/__tree`, body: {}, status: 405 },
      {
        ask: `GET /api/${C}/Department/104/__tree`,
        status: 200,
        is: {
          ...shown(104, 'b'),
          '->': {
            [`${C}/WorksFor`]: [
              {
                ...worker(104, 'E1', 'x'),
                '->': { [`${C}/Sits`]: [{ ...tags('Desk'), No: 7, __path__: `${path(104, 'E1')}/${C}$Sits/${C}$Desk/7` }] },
              },
              { ...worker(104, 'E2', 'y'), '->': { [`${C}/Sits`]: [] } },
            ],
            [`${C}/Keeps`]: [],
          },
        },
      },
      {
        ask: `GET /api/${C}/Department/104/Likes/Skill`,
        status: 200,
        is: [{ ...tags('Skill'), Name: 'cooking', '@link': { __Id__: expect.any(String), Since: null } }],
      },
    ],
  ],
  [
    'a tree that has a fault anywhere is refused whole',
    [
      {
        ask: `POST /api/${C}/Department`,
        body: { ...department({ No: 5, Block: 'a' }), [`${C}/WorksFor`]: [employee({ No: 'E1' })] },
        status: 422,
        is: failed('attributes-invalid'),
      },
      { ask: `GET /api/${C}/Department/5`, status: 404, is: failed('instance-not-found', 'not-found') },
    ],
  ],
  [
    'a between relationship is created by POST with the identifiers of its ends',
    [
      made(1),
      { ask: `POST /api/${C}/Skill`, body: { [`${C}/Skill`]: { Name: 's' } }, status: 200 },
      {
        ask: `POST /api/${C}/Likes`,
        body: { [`${C}/Likes`]: { Department: 1, Skill: 's', Since: '2024-01-31' } },
        status: 200,
        is: [{ status: 'ok', result: [{ ...tags('Likes'), Department: 1, Skill: 's', Since: '2024-01-31', __Id__: expect.any(String) }] }],
      },
      {
        ask: `GET /api/${C}/Department/1/Likes/Skill`,
        status: 200,
        is: [{ ...tags('Skill'), Name: 's', '@link': { __Id__: expect.any(String), Since: '2024-01-31' } }],
      },
      { ask: `POST /api/${C}/Likes`, body: { [`${C}/Likes`]: { Department: 1, Skill: 's' } }, status: 409, is: failed('duplicate') },
      {
        ask: `POST /api/${C}/Likes`,
        body: { [`${C}/Likes`]: { Department: 9, Skill: 's' } },
        status: 422,
        is: failed('attributes-invalid'),
      },
      {
        ask: `DELETE /api/${C}/Department/1/Likes/Skill/s`,
        status: 200,
        is: [{ status: 'ok', result: [{ ...tags('Skill'), Name: 's' }] }],
      },
      { ask: `GET /api/${C}/Department/1/Likes/Skill`, status: 200, is: [] },
    ],
  ],
  [
    'PUT takes both body forms, changes only what is sent, and answers the instance',
    [
      made(104, 'b'),
      hired(104, 'E1'),
      { ask: `PUT /api/${C}/Department/104`, body: department({ Block: 'a' }), status: 200, is: shown(104) },
      { ask: `PUT /api/${C}/Department/104`, body: { Data: { Block: 'b' } }, status: 200, is: shown(104, 'b') },
      { ask: `PUT /api/${C}/Department/104`, body: { Block: 'b' }, status: 400, is: failed('body-invalid') },
      {
        ask: `PUT /api/${C}/Department/104/WorksFor/Employee/E1`,
        body: employee({ Name: 'z' }),
        status: 200,
        is: worker(104, 'E1', 'z'),
      },
    ],
  ],
  [
    'DELETE answers the envelope with the deleted instance; what is missing is 404',
    [
      made(1),
      made(10),
      made(11),
      made(100),
      hired(1, 'E1'),
      hired(10, 'E1'),
      hired(11, 'E1'),
      hired(100, 'E1'),
      {
        ask: `DELETE /api/${C}/Department/10/WorksFor/Employee/E1`,
        status: 200,
        is: [{ status: 'ok', result: [worker(10, 'E1', 'x')] }],
      },
      { ask: `DELETE /api/${C}/Department/1`, status: 200, is: [{ status: 'ok', result: [shown(1)] }] },
      { ask: `DELETE /api/${C}/Department/1`, status: 404, is: failed('instance-not-found', 'not-found') },
      { ask: `GET /api/${C}/Employee`, status: 200, is: [worker(11, 'E1', 'x'), worker(100, 'E1', 'x')] },
    ],
  ],
  [
    'children of a relationship without cascade stay, and are reached at their own path',
    [
      made(1),
      hired(1, 'E1'),
      { ask: `POST /api/${C}/Department/1/WorksFor/Employee/E1/Sits/Desk`, body: { [`${C}/Desk`]: { No: 7 } }, status: 200 },
      { ask: `DELETE /api/${C}/Department/1`, status: 200 },
      { ask: `GET /api/${C}/Employee`, status: 200, is: [] },
      { ask: `GET /api/${C}/Desk/7`, status: 200, is: { ...tags('Desk'), No: 7, __path__: null } },
    ],
  ],
  [
    'the name of a child of another component is qualified with $',
    [
      made(1),
      { ask: `POST /api/${C}/Department/1/Keeps/Acme.Store$Box`, body: { 'Acme.Store/Box': { No: 4 } }, status: 200 },
      {
        ask: `GET /api/${C}/Department/1/Keeps/Acme.Store$Box/4`,
        status: 200,
        is: {
          'type-*-tag-*-': 'entity',
          '-*-type-*-': 'Acme.Store/Box',
          No: 4,
          __path__: `path://${C}$Department/1/${C}$Keeps/Acme.Store$Box/4`,
        },
      },
      { ask: `GET /api/${C}/Department/1/Keeps/Box`, status: 200 },
    ],
  ],
  [
    'errors are envelopes with the status of the table',
    [
      { ask: `POST /api/${C}/Department`, body: department({ No: 1, Block: 'z' }), status: 422, is: failed('attributes-invalid') },
      { ask: `POST /api/${C}/Department`, body: department({ No: 1, Block: 'a', Foo: 1 }), status: 422, is: failed('attributes-invalid') },
      { ask: `POST /api/${C}/Department`, body: { No: 1 }, status: 400, is: failed('body-invalid') },
      { ask: `POST /api/${C}/Employee`, body: employee({ No: 'E', Name: 'x' }), status: 422, is: failed('parent-required') },
      { ask: `GET /api/${C}/Nothing`, status: 404, is: failed('path-unknown', 'not-found') },
      { ask: `GET /api/Nobody/Nothing`, status: 404, is: failed('path-unknown', 'not-found') },
      { ask: `GET /api/${C}/Department/x`, status: 404, is: failed('instance-not-found', 'not-found') },
      { ask: `DELETE /api/${C}/Department`, status: 405, is: failed('method-not-allowed'), headers: { allow: 'GET, HEAD, POST, OPTIONS' } },
    ],
  ],
  [
    'what is related stands in a body by one of its names',
    [
      ...[
        { [`${C}/Department`]: { No: 7, Block: 'a', WorksFor: [] }, [`${C}/WorksFor`]: [] },
        { [`${C}/Department`]: { No: 7, Block: 'a' }, [`${C}/WorksFor`]: [], WorksFor: [] },
      ].map((body): Step => ({ ask: `POST /api/${C}/Department`, body, status: 400, is: failed('body-invalid') })),
      made(1),
      {
        ask: `PUT /api/${C}/Department/1`,
        body: { Data: { WorksFor: [{ No: 'x' }], '->': { [`${C}/WorksFor`]: [] } } },
        status: 400,
        is: failed('body-invalid'),
      },
    ],
  ],
  [
    'POST /q runs a query object and answers an array of instances',
    [
      made(1),
      made(2, 'b'),
      made(3, 'b'),
      {
        ask: 'POST /q',
        body: {
          Query: { from: `${C}/Department`, where: ['and', ['=', 'Block', 'b'], ['>', 'No', 1]], 'order-by': [['No', 'desc']], limit: 1 },
        },
        status: 200,
        is: [shown(3, 'b')],
      },
      {
        ask: 'POST /q',
        body: { Query: { from: `${C}/Department`, where: ['or', ['in', 'No', [1, 2]], ['not', ['between', 'No', 1, 3]]] } },
        status: 200,
        is: [shown(1), shown(2, 'b')],
      },
      ...(
        [
          [['in', 'Block', []], []],
          [['or', ['in', 'Block', []], ['=', 'No', 2]], [shown(2, 'b')]],
          [
            ['not', ['in', 'No', []]],
            [shown(1), shown(2, 'b'), shown(3, 'b')],
          ],
        ] as const
      ).map(([where, is]): Step => ({ ask: 'POST /q', body: { Query: { from: `${C}/Department`, where } }, status: 200, is })),
      { ask: 'POST /q', body: { Query: { from: `${C}/Nothing` } }, status: 422, is: failed('query-invalid') },
      { ask: 'POST /q', body: { Query: { from: `${C}/Department`, where: ['=', 'Nope', 1] } }, status: 422, is: failed('query-invalid') },
      ...[
        { where: ['=', { a: 1 }, 1] },
        { where: ['=', 'Block', 1] },
        { where: ['not', ['=', 'No', 1], ['=', 'No', 2]] },
        { where: ['=', 'No', 1, 2] },
        { 'order-by': { a: 1 } },
        { where: ['or', ...Array.from({ length: 501 }, () => ['=', 'Block', null])] },
      ].map(
        (query): Step => ({
          ask: 'POST /q',
          body: { Query: { from: `${C}/Department`, ...query } },
          status: 422,
          is: failed('query-invalid'),
        }),
      ),
      { ask: 'POST /q', body: {}, status: 400, is: failed('body-invalid') },
      { ask: 'GET /q', status: 405, is: failed('method-not-allowed') },
    ],
  ],
  [
    'GET /meta lists the components and describes one',
    [
      { ask: 'GET /meta', status: 200, is: expect.arrayContaining([C, 'Acme.Store']) },
      { ask: `GET /meta/${C}`, status: 200, has: { name: C } },
      { ask: 'GET /meta/Nobody', status: 404, is: failed('path-unknown', 'not-found') },
    ],
  ],
];

for (const [title, steps] of tables) {
  test(title, async () => {
    const served = await serve(model, { surfaces: ['earlier'] });
    await check(served, steps);
    expect(served.failures).toEqual([]);
  });
}

test('one model is served in both forms at once, each with its own errors', async () => {
  const served = await serve(model, { surfaces: ['earlier', 'current'] });
  await check(served, [
    made(1),
    { ask: `GET /${C}/Department/1`, status: 200, is: { No: 1, Block: 'a', Opened: null } },
    { ask: `POST /${C}/Department`, body: { No: 2, Block: 'b' }, status: 201 },
    {
      ask: `GET /api/${C}/Department?@select=Block`,
      status: 200,
      is: [
        { ...tags('Department'), No: 1, Block: 'a' },
        { ...tags('Department'), No: 2, Block: 'b' },
      ],
    },
    { ask: `GET /${C}/Department/9`, status: 404, code: 'instance-not-found' },
    { ask: `GET /api/${C}/Department/9`, status: 404, is: failed('instance-not-found', 'not-found') },
  ]);
});

test('every row of the table takes and gives transit too', async () => {
  const served = await serve(model, { surfaces: ['earlier'] });
  const send = { 'content-type': 'application/transit+json' };
  const read = { accept: 'application/transit+json' };
  const base = `/api/${C}/Department`;
  const tagged = (type: string) => ({ '~:type-*-tag-*-': 'entity', '~:-*-type-*-': `${C}/${type}` });
  const first = { ...tagged('Department'), '~:No': 1, '~:Block': 'a', '~:Opened': null };
  const second = { ...tagged('Department'), '~:No': 2, '~:Block': 'b', '~:Opened': null };
  const ada = { ...tagged('Employee'), '~:No': 'E1', '~:Name': 'Ada', '~:__path__': path(2, 'E1') };
  const bob = { ...ada, '~:Name': 'Bob' };
  const skill = { ...tagged('Skill'), '~:Name': 'cook' };
  const ok = (result: unknown) => [{ '~:status': 'ok', '~:result': [result] }];
  const rows: readonly (readonly [ask: string, text: string | undefined, status: number, is: unknown])[] = [
    [`POST ${base}`, `["^ ","~:${C}/Department",["^ ","~:No",1,"~:Block","a","~:Opened",null]]`, 200, ok(first)],
    [
      `POST ${base}`,
      `{"~:${C}/Department":{"~:No":2,"~:Block":"b","~:Opened":null},"~:${C}/WorksFor":[{"~:${C}/Employee":{"~:No":"E1","~:Name":"Ada"}}]}`,
      200,
      ok({ ...second, '~:->': { [`~:${C}/WorksFor`]: [ada] } }),
    ],
    [`POST /api/${C}/Skill`, `{"~:${C}/Skill":{"~:Name":"~:cook"}}`, 200, ok(skill)],
    [`POST /api/${C}/Likes`, `{"~:${C}/Likes":{"~:Department":1,"~:Skill":"cook"}}`, 200, expect.anything()],
    [`GET ${base}/1`, undefined, 200, first],
    [`GET ${base}`, undefined, 200, [first, second]],
    [`GET ${base}?Block=b`, undefined, 200, [second]],
    [`GET ${base}/2/WorksFor/Employee`, undefined, 200, [ada]],
    [`GET ${base}/2/WorksFor/Employee/E1`, undefined, 200, ada],
    [`GET ${base}/1/Likes/Skill`, undefined, 200, [{ ...skill, '~:@link': { '~:__Id__': expect.any(String), '~:Since': null } }]],
    [`PUT ${base}/2/WorksFor/Employee/E1`, `{"~:Data":{"~:Name":"Bob"}}`, 200, bob],
    [`PUT ${base}/1`, `["^ ","~:${C}/Department",["^ ","~:Block","b"]]`, 200, { ...first, '~:Block': 'b' }],
    [`DELETE ${base}/2/WorksFor/Employee/E1`, undefined, 200, ok(bob)],
    [`DELETE ${base}/2`, undefined, 200, ok(second)],
    [
      `GET ${base}/9`,
      undefined,
      404,
      [{ '~:status': 'not-found', '~:result': null, '~:message': expect.any(String), '~:code': 'instance-not-found' }],
    ],
  ];
  for (const [ask, text, status, is] of rows) {
    const space = ask.indexOf(' ');
    const request = { method: ask.slice(0, space), target: ask.slice(space + 1), headers: text === undefined ? read : send };
    const answer = await served.ask(text === undefined ? request : { ...request, text });
    expect(answer.status, `${ask}: ${answer.text}`).toBe(status);
    expect(answer.headers['content-type'], ask).toBe('application/transit+json');
    expect(answer.body, ask).toEqual(is);
  }
});
