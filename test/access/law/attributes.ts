// Attacks on attributes that are hidden from some.

import { expect } from 'vitest';
import { watch } from '../../realtime/support.ts';
import type { Answer } from '../../support/app.ts';
import { type Attack, type Stage, type Step, tool } from './stage.ts';

const refused = [403, 422];
const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const;

/** What asks by `salary`, which no rule could let the caller read. */
const questions: readonly string[] = [
  ...operators.map((operator) => `/law/Person?salary[${operator}]=5000`),
  '/law/Person?salary=7001',
  '/law/Person?salary[in]=7001,7002',
  '/law/Person?salary[between]=7000,7002',
  '/law/Person?salary[null]=true',
  '/law/Person?pin[like]=P%25',
  '/law/Person?pin[ilike]=p%25',
  '/law/Person?detail.code=PIN-7003',
  '/law/Person?@or=(salary[gt]=1,id=1)',
  '/law/Person?@sort=salary',
  '/law/Person?@sort=-salary,id',
  '/law/Person?@sort=detail.code',
  '/law/Person?@select=salary',
  '/law/Person/1?@select=salary',
  '/law/Person?sal%61ry[gt]=1',
  '/law/Person?@include=PersonTask&salary[gt]=1',
  '/law/Team?TeamPerson.Person.salary[gt]=1',
  '/law/Badge?person.salary[gt]=1',
  '/law/Task?PersonTask.Person.salary[gt]=1',
  '/law/Task?@sort=PersonTask.Person.salary',
  '/api/law/Person?salary[gt]=1',
  '/api/law/Person?@sort=salary',
  '/api/law/Person?@select=salary',
];

function asked(who: string): readonly Step[] {
  return questions.map((target) => ({ who, ask: `GET ${target}`, status: [422], lacks: ['700'] }));
}

/** What shows instances, or what a workflow makes of them. */
const shown: readonly (readonly [ask: string, body?: unknown])[] = [
  ['GET /law/Person'],
  ['GET /law/Person/1'],
  ['GET /law/Person/1?@tree=true'],
  ['GET /law/Person?@sort=-id&@limit=1'],
  ['GET /law/Team?@include=TeamPerson'],
  ['GET /law/Team/1?@include=TeamPerson.PersonTask'],
  ['GET /law/Task?@include=PersonTask'],
  ['GET /law/Team/1/TeamPerson/Person'],
  ['GET /law/Team/1/TeamPerson/Person/1'],
  ['GET /law/Person?@rights=true'],
  ['POST /law/people', {}],
  ['POST /law/one', { id: 1 }],
  ['POST /law/told', { id: 1 }],
  ['POST /law/renamed', { id: 1 }],
  ['POST /law/within', {}],
  ['POST /law/joined', {}],
  ['POST /law/systemPeople', {}],
  ['POST /law/systemOne', { id: 1 }],
  ['POST /law/systemMap', { id: 1 }],
  ['POST /law/systemTree', {}],
  ['POST /graphql', { query: '{ personList { id name _version } teamList { TeamPerson { name } } person(id: 1) { name } }' }],
  ['POST /graphql', { query: '{ personList { id salary pin bio } }' }],
  ['POST /graphql', { query: '{ person(id: 1) { salary } teamList { TeamPerson { pin } } taskList { PersonTask { salary } } }' }],
  ['GET /api/law/Person'],
  ['GET /api/law/Person/1'],
  ['GET /api/law/Team/1/TeamPerson/Person'],
  ['POST /api/law/LookupAll_Person', { 'law/LookupAll_Person': {} }],
  ['POST /api/law/Lookup_Person', { 'law/Lookup_Person': { id: 1 } }],
  ['POST /q', { Query: { from: 'law/Person' } }],
  ['POST /dynamic', { 'law/people': {} }],
  ['POST /dynamic', { 'law/systemMap': { id: 1 } }],
  ['POST /mcp', tool('law_Person_list', {})],
  ['POST /mcp', tool('law_Person_read', { id: 1 })],
  ['POST /mcp', { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'platform://law/Person/1' } }],
];

const hiddenToEverybody: readonly Attack[] = ['eve', 'own', 'granted'].flatMap((who) => [
  {
    title: `${who} is shown it at no door`,
    steps: shown.map(([ask, body]) => ({ who, ask, ...(body === undefined ? {} : { body }), status: [200, 403] })),
  },
  { title: `${who} asks by it as by what does not exist`, steps: asked(who) },
]);

const writes: readonly Attack[] = [
  {
    title: 'to send the value that it has is answered as any other',
    async run(stage) {
      const bodies = [7001, 7002, 1].map((salary) => ({ salary }));
      const answers = await inTurn(bodies, (body) => stage.take({ who: 'eve', ask: 'PUT /law/Person/1', body, status: refused }));
      expect(new Set(answers.map(({ text }) => text.replace(/700\d/g, ''))).size).toBe(1);
      const pins = ['PIN-7003', 'PIN-7004', 'PIN-9999'].map((pin) => ({ pin }));
      const told = await inTurn(pins, (body) => stage.served.put('/law/Person/1', body, stage.headersOf('eve')));
      expect(new Set(told.map(({ status }) => status)).size).toBe(1);
      expect(told.map(({ status }) => status)).not.toContain(200);
    },
  },
  {
    title: 'a unique value that is hidden is found by no 409',
    async run({ served, headersOf }) {
      const made = await inTurn(['PIN-7003', 'PIN-9999'], (pin) =>
        served.post('/law/Person', { id: 50, name: 'x', pin }, headersOf('eve')),
      );
      expect(made.map(({ status }) => status)).toEqual([403, 403]);
      const put = await inTurn(['PIN-7003', 'PIN-9999'], (pin) => served.post('/law/put', { id: 1, pin }, headersOf('eve')));
      expect(new Set(put.map(({ status }) => status)).size).toBe(1);
      expect(put[0]?.status).toBeGreaterThanOrEqual(400);
    },
  },
  {
    title: 'a reference to it, and what is to be one of its values, tells nothing',
    async run({ served, headersOf }) {
      for (const type of ['Pass', 'Copy']) {
        const made = await inTurn(['PIN-7003', 'PIN-9999'], (pin) => served.post(`/law/${type}`, { id: 1, pin }, headersOf('eve')));
        expect(new Set(made.map(({ status }) => status)).size, `${type} ${made.map(({ status }) => status)}`).toBe(1);
      }
    },
  },
  {
    title: 'it is set neither with a new instance, nor with a tree, a list, a link or an upsert',
    steps: [
      { who: 'eve', ask: 'POST /law/Person', body: { id: 51, name: 'x', salary: 1 }, status: refused },
      {
        who: 'eve',
        ask: 'POST /law/Person',
        body: [
          { id: 52, name: 'x' },
          { id: 53, name: 'x', salary: 1 },
        ],
        status: refused,
      },
      { who: 'eve', ask: 'POST /law/Team', body: { id: 51, TeamPerson: [{ id: 54, name: 'x', salary: 1 }] }, status: refused },
      { who: 'eve', ask: 'POST /law/made', body: { id: 55 }, status: refused },
      { who: 'eve', ask: 'POST /law/raise', body: { id: 1 }, status: refused },
      { who: 'eve', ask: 'POST /law/put', body: { id: 1, pin: 'PIN-1' }, status: refused },
      { who: 'eve', ask: 'POST /graphql', body: { query: 'mutation { createPerson(input: {id: 56, name: "x", salary: 1}) { id } }' } },
      { who: 'eve', ask: 'POST /graphql', body: { query: 'mutation { updatePerson(id: 1, changes: {salary: 1}) { id } }' } },
      { who: 'eve', ask: 'POST /mcp', body: tool('law_Person_create', { id: 57, name: 'x', salary: 1 }), status: [200, 400] },
      { who: 'eve', ask: 'POST /mcp', body: tool('law_Person_update', { id: 1, changes: { salary: 1 } }), status: [200, 400] },
      { who: 'eve', ask: 'PUT /law/Team/1/TeamPerson/Person/1', body: { salary: 1 }, status: refused },
      { who: 'eve', ask: 'PATCH /law/Person/1', body: { salary: null }, status: refused },
      { who: 'admin', ask: 'GET /law/Person?id[gt]=50', is: [] },
      { who: 'admin', ask: 'GET /law/Person/1', has: { salary: 7001, pin: 'PIN-7003' } },
    ],
  },
  {
    title: 'what was read without it may be sent back, and leaves it as it is',
    async run({ take }) {
      const read = await take({ who: 'eve', ask: 'GET /law/Person/1' });
      await take({ who: 'eve', ask: 'PUT /law/Person/1', body: { ...Object(read.body), name: 'again' } });
      await take({ who: 'admin', ask: 'GET /law/Person/1', has: { name: 'again', salary: 7001, pin: 'PIN-7003', rank: 3 } });
      await take({ who: 'eve', ask: 'PUT /law/Person/1', body: { name: 'Ann' } });
    },
  },
  {
    title: 'what may be read but not changed is named where it is refused, and unchanged is no change',
    steps: [
      {
        who: 'eve',
        ask: 'PUT /law/Person/1',
        body: { rank: 4 },
        status: 403,
        has: { code: 'attribute-denied' },
        shows: ['rank'],
        lacks: ['700'],
      },
      { who: 'eve', ask: 'PUT /law/Person/1', body: { rank: 3, name: 'Ann' }, status: 200 },
      { who: 'manager', ask: 'PUT /law/Person/1', body: { rank: 4 }, status: 403 },
      { who: 'admin', ask: 'GET /law/Person/1', has: { rank: 3 } },
    ],
  },
  {
    title: 'who reads it is the one whom the rule names',
    steps: [
      { who: 'manager', ask: 'GET /law/Person/1', has: { salary: 7001, pin: 'PIN-7003' }, shows: ['7001'] },
      { who: 'manager', ask: 'GET /law/Person?salary[gt]=7001&@select=id', is: [{ id: 2 }, { id: 3 }] },
      { who: 'manager', ask: 'POST /law/greatest', body: {}, is: [{ most: 7005 }], shows: ['7005'] },
      { who: 'manager', ask: 'GET /law/Person?@search=SECRETWORD&@select=id', is: [{ id: 1 }] },
      { who: 'manager', ask: 'POST /law/systemOne', body: { id: 1 }, shows: ['7001'] },
    ],
  },
];

const indirect: readonly Attack[] = [
  {
    title: 'a workflow finds it absent, and is refused where it asks, sorts, groups, joins or counts by it',
    steps: [
      { who: 'eve', ask: 'POST /law/told', body: { id: 1 }, is: { salary: null, pin: null } },
      ...['greatest', 'summed', 'sorted', 'grouped', 'asking', 'where', 'joining', 'distinct', 'counting'].map((name) => ({
        who: 'eve',
        ask: `POST /law/${name}`,
        body: {},
        status: 403,
      })),
      { who: 'eve', ask: 'POST /law/changing', body: {}, status: 403 },
      { who: 'eve', ask: 'POST /law/deleting', body: {}, status: 403 },
      { who: 'admin', ask: 'GET /law/Person?@select=id', is: [{ id: 1 }, { id: 2 }, { id: 3 }] },
    ],
  },
  {
    title: 'full text does not look into it',
    steps: [
      { who: 'eve', ask: 'GET /law/Person?@search=SECRETWORD', is: [] },
      { who: 'eve', ask: 'GET /law/Person?@search=SECRETWORD&@count=true', is: [] },
      { who: 'eve', ask: 'GET /law/Person?@search=ann SECRETWORD'.replace(' S', '%20S'), is: [] },
      { who: 'eve', ask: 'POST /law/searched', body: { text: 'SECRETWORD' }, status: [200, 403], lacks: ['Ann'] },
      { who: 'eve', ask: 'GET /law/Plain?@search=SECRETWORD', is: [] },
    ],
  },
  {
    title: 'GraphQL asks, sorts and counts by it no more than REST',
    steps: [
      ...[
        'salary: {gt: 1}',
        'pin: {like: "P%"}',
        'not: {salary: {eq: 7001}}',
        'or: [{salary: {eq: 7001}}]',
        'detail: {code: {eq: "PIN-7003"}}',
      ].map((where) => ({
        who: 'eve',
        ask: 'POST /graphql',
        body: { query: `{ personList(where: {${where}}) { id } }` },
        lacks: ['"personList":[{'],
        status: [200, 422],
      })),
      {
        who: 'eve',
        ask: 'POST /graphql',
        body: { query: '{ personCount(where: {salary: {gt: 1}}) }' },
        lacks: ['"personCount":3', '"personCount":0'],
        status: [200, 422],
      },
      {
        who: 'eve',
        ask: 'POST /graphql',
        body: { query: '{ personList(orderBy: [{salary: DESC}]) { id } }' },
        lacks: ['"personList":[{'],
        status: [200, 422],
      },
      {
        who: 'eve',
        ask: 'POST /graphql',
        body: { query: '{ teamList(where: {TeamPerson: {salary: {gt: 1}}}) { id } }' },
        lacks: ['"teamList":[{'],
        status: [200, 422],
      },
      {
        who: 'eve',
        ask: 'POST /graphql',
        body: { query: '{ teamList { TeamPerson(where: {salary: {gt: 1}}) { id } } }' },
        lacks: ['"id":1'],
        status: [200, 422],
      },
      {
        who: 'eve',
        ask: 'POST /graphql',
        body: { query: '{ taskList(orderBy: [{PersonTask: {salary: ASC}}]) { id } }' },
        lacks: ['"taskList":[{'],
        status: [200, 422],
      },
      { who: 'eve', ask: 'POST /graphql', body: { query: '{ personList { id salary } }' }, shows: ['attribute-hidden'], lacks: ['700'] },
      {
        who: 'manager',
        ask: 'POST /graphql',
        body: { query: '{ person(id: 1) { salary } }' },
        is: { data: { person: { salary: 7001 } } },
        shows: ['7001'],
      },
    ],
  },
  {
    title: 'a query object and a generated event ask and write by it no more',
    steps: [
      { who: 'eve', ask: 'POST /q', body: { Query: { from: 'law/Person', where: ['>', 'salary', 1] } }, status: 422 },
      { who: 'eve', ask: 'POST /q', body: { Query: { from: 'law/Person', where: ['not', ['=', 'salary', 7001]] } }, status: 422 },
      { who: 'eve', ask: 'POST /q', body: { Query: { from: 'law/Person', 'order-by': ['salary'] } }, status: 422 },
      { who: 'eve', ask: 'POST /q', body: { Query: { from: 'law/Task', where: ['>', 'PersonTask.Person.salary', 1] } }, status: 422 },
      { who: 'eve', ask: 'POST /api/law/Update_Person', body: { 'law/Update_Person': { id: 1, Data: { salary: 1 } } }, status: refused },
      { who: 'eve', ask: 'PUT /api/law/Person/1', body: { Data: { salary: 7001 } }, status: refused },
      { who: 'eve', ask: 'POST /api/law/Person', body: { 'law/Person': { id: 58, name: 'x', salary: 1 } }, status: refused },
      { who: 'admin', ask: 'GET /law/Person/1', has: { salary: 7001 } },
    ],
  },
  {
    title: 'a tool of an assistant asks by it no more',
    steps: [
      {
        who: 'eve',
        ask: 'POST /mcp',
        body: tool('law_Person_list', { where: { salary: { gt: 1 } } }),
        lacks: ['"id":1,"name"'],
        status: [200, 400],
      },
      {
        who: 'eve',
        ask: 'POST /mcp',
        body: tool('law_Person_list', { orderBy: ['-salary'] }),
        lacks: ['"name":"Ann"'],
        status: [200, 400],
      },
      {
        who: 'eve',
        ask: 'POST /mcp',
        body: tool('law_Team_list', { where: { 'TeamPerson.Person.salary': { gt: 1 } } }),
        has: { result: { isError: true } },
        status: [200, 400],
      },
    ],
  },
  {
    title: 'what comes first of what is found by words does not depend on it',
    steps: [
      { who: 'manager', ask: 'GET /law/Text?@search=alpha&@select=id', is: [{ id: 2 }, { id: 1 }] },
      { who: 'eve', ask: 'GET /law/Text?@search=alpha&@select=id', is: [{ id: 1 }, { id: 2 }] },
    ],
  },
  {
    title: 'what is sent back with what it stands in is compared with what the caller sees',
    async run({ served, headersOf }) {
      const told = async (path: string, nested: object): Promise<Answer> => {
        const read = await served.get(path, headersOf('eve'));
        return served.put(path.split('?')[0] ?? '', { ...Object(read.body), ...nested }, headersOf('eve'));
      };
      const guesses = [7001, 7002, 1];
      const linked = await inTurn(guesses, (salary) => told('/law/Team/1?@include=TeamPerson', { TeamPerson: [{ id: 1, salary }] }));
      expect(new Set(linked.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      const held = await inTurn(['PIN-7010', 'PIN-1'], (code) =>
        told('/law/Team/1?@tree=true', { TeamLock: [{ id: 1, open: 'open', code }] }),
      );
      expect(new Set(held.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      const same = await inTurn(['?@include=TeamPerson', '?@tree=true'], (query) => told(`/law/Team/1${query}`, {}));
      expect(same.map(({ status }) => status)).toEqual([200, 200]);
    },
  },
  {
    title: 'GraphQL tells it under no other name, in no fragment, after no mutation and by no subscription',
    async run({ served, headersOf, take }) {
      const queries = [
        '{ personList { s: salary p: pin } }',
        'fragment F on Person { salary bio } { personList { ...F } teamList { TeamPerson { ...F } } }',
        '{ personList { ... on Person { detail { code } } } }',
        'mutation { updatePerson(id: 1, changes: {name: "Ann"}) { salary } }',
        'mutation { createPerson(input: {id: 70, name: "x"}) { id salary } }',
        'mutation { deletePerson(id: 70) { salary } }',
        '{ teamList { TeamPersonLinks { Person { salary } } } teamPersonList { Person { pin } } }',
      ];
      for (const query of queries) await take({ who: 'eve', ask: 'POST /graphql', body: { query }, status: [200, 403, 422] });
      await take({ who: 'admin', ask: 'DELETE /law/Person/70', status: [200, 404] });
      const query = 'subscription { personChanges(initial: true) { kind instance { id salary pin } } }';
      const stream = await watch(served, '/graphql', { headers: headersOf('eve'), body: { query } });
      if (stream.status === 200) await stream.until(1);
      expect(`${stream.text} ${JSON.stringify(stream.told)}`).not.toMatch(/700\d|PIN-/);
    },
  },
  {
    title: 'a stream is not asked by it',
    async run({ served, headersOf }) {
      for (const query of ['salary[gt]=1', '@select=salary', 'TeamPerson.Team.id=1&pin=PIN-7003']) {
        const { status } = await watch(served, `/law/Person?${query}`, { headers: headersOf('eve') });
        expect(status, query).toBe(422);
      }
    },
  },
  {
    title: 'what was deleted, moved or granted is shown without it',
    steps: [
      { who: 'own', ask: 'POST /law/Person', body: { id: 60, name: 'mine' }, status: 201, lacks: ['salary', 'pin'] },
      { who: 'manager', ask: 'PUT /law/Person/60', body: { salary: 7009 }, shows: ['7009'] },
      { who: 'own', ask: 'PUT /law/Person/60', body: { name: 'mine 2' }, lacks: ['7009'] },
      { who: 'own', ask: 'PUT /law/Person/60', body: { salary: 7009 }, status: refused, lacks: ['7009'] },
      { who: 'own', ask: 'DELETE /law/Person/60', lacks: ['7009'] },
    ],
  },
  {
    title: 'a key with fewer roles is shown no more than they are',
    async run({ served, headersOf }) {
      for (const roles of [[], ['clerk']]) {
        const made = await served.post('/platform.auth/ApiKey', { name: `key of ${roles.length}`, roles }, headersOf('manager'));
        const headers = { authorization: `Bearer ${String(Reflect.get(Object(made.body), 'key'))}` };
        for (const target of ['/law/Person', '/law/Person/1']) expect((await served.get(target, headers)).text).not.toContain('7001');
        expect((await served.get('/law/Person?salary[gt]=1', headers)).text).not.toContain('"id":1');
      }
    },
  },
];

const versions: readonly Attack[] = [
  {
    title: 'a change of what is hidden changes no tag, no version and no stream of who does not see it',
    async run({ served, headersOf, take }) {
      const seen = async (): Promise<readonly unknown[]> => [
        (await served.get('/law/Person/2', headersOf('eve'))).headers['etag'],
        (await served.post('/graphql', { query: '{ person(id: 2) { _version } personList { _version } }' }, headersOf('eve'))).text,
        (await served.post('/mcp', tool('law_Person_read', { id: 2 }), headersOf('eve'))).text,
        (await served.get('/law/Team/1/TeamPerson/Person/2', headersOf('eve'))).headers['etag'],
      ];
      const stream = await watch(served, '/law/Person', { headers: headersOf('eve') });
      const before = await seen();
      await take({ who: 'manager', ask: 'PUT /law/Person/2', body: { salary: 7006 }, shows: ['7006'] });
      expect(await seen()).toEqual(before);
      await take({ who: 'manager', ask: 'PUT /law/Person/2', body: { salary: 7002, pin: 'PIN-7004' }, shows: ['7002'] });
      expect(await seen()).toEqual(before);
      await take({ who: 'eve', ask: 'PUT /law/Person/2', body: { name: 'Bob 2' } });
      expect(await seen()).not.toEqual(before);
      await take({ who: 'eve', ask: 'PUT /law/Person/2', body: { name: 'Bob' } });
      // The ETag is that of what is seen: the same again.
      expect((await seen())[0]).toBe(before[0]);
      await stream.until(3);
      expect(stream.told.map(({ event }) => event)).toEqual(['ready', 'update', 'update']);
      expect(JSON.stringify(stream.told)).not.toMatch(/700|PIN-/);
    },
  },
  {
    title: 'If-Match and If-None-Match go by what is seen',
    async run({ served, headersOf, take }) {
      const { headers } = await served.get('/law/Person/2', headersOf('eve'));
      const tag = headers['etag'] ?? '';
      await take({ who: 'manager', ask: 'PUT /law/Person/2', body: { salary: 7006 }, shows: ['7006'] });
      await take({ who: 'eve', ask: 'GET /law/Person/2', send: { 'if-none-match': tag }, status: 304 });
      await take({ who: 'eve', ask: 'PUT /law/Person/2', send: { 'if-match': tag }, body: { name: 'Bob' }, status: 200 });
      await take({ who: 'eve', ask: 'PUT /law/Person/2', send: { 'if-match': '"1"' }, body: { name: 'Bob' }, status: 412 });
      await take({ who: 'manager', ask: 'PUT /law/Person/2', body: { salary: 7002 }, shows: ['7002'] });
    },
  },
];

const byRow: readonly Attack[] = [
  {
    title: 'where a rule depends on the row, it is absent in the others, for filters too',
    steps: [
      {
        who: 'ann',
        ask: 'GET /law/Person?@select=grade',
        is: [{ id: 1, grade: 8001 }, { id: 2 }, { id: 3 }],
        shows: ['8001'],
        lacks: ['8002', '8003'],
      },
      { who: 'ann', ask: 'GET /law/Person?grade[gt]=0&@select=id&@count=true', is: [{ id: 1 }] },
      { who: 'ann', ask: 'GET /law/Person?grade[in]=8001,8002,8003&@select=id', is: [{ id: 1 }] },
      { who: 'ann', ask: 'GET /law/Person?grade[null]=true&@select=id', is: [{ id: 2 }, { id: 3 }] },
      { who: 'ann', ask: 'GET /law/Person?grade[ne]=8002&@select=id', is: [{ id: 1 }, { id: 2 }, { id: 3 }] },
      { who: 'ann', ask: 'GET /law/Person?@sort=grade&@select=id', is: [{ id: 2 }, { id: 3 }, { id: 1 }] },
      { who: 'ann', ask: 'GET /law/Person?@sort=-grade&@select=id', is: [{ id: 1 }, { id: 2 }, { id: 3 }] },
      { who: 'ann', ask: 'GET /law/Team?TeamPerson.Person.grade=8002', is: [] },
      { who: 'ann', ask: 'GET /law/Team?TeamPerson.Person.grade=8001&@select=id', is: [{ id: 1 }] },
      { who: 'ann', ask: 'GET /law/Task?@sort=-PersonTask.Person.grade&@select=id', is: [{ id: 1 }, { id: 2 }] },
      { who: 'ann', ask: 'GET /law/Task?PersonTask.Person.grade[gt]=0&@select=id', is: [{ id: 1 }] },
      {
        who: 'ann',
        ask: 'POST /graphql',
        body: { query: '{ personList(where: {grade: {gt: 0}}, orderBy: [{grade: DESC}]) { id } personCount(where: {grade: {gt: 8001}}) }' },
        is: { data: { personList: [{ id: 1 }], personCount: 0 } },
      },
      { who: 'ann', ask: 'POST /mcp', body: tool('law_Person_list', { where: { grade: { gt: 8001 } } }), lacks: ['"name"'] },
      { who: 'bob', ask: 'GET /law/Person?grade[gt]=0', is: [] },
    ],
  },
  {
    title: 'nor does a place in an order, or a page, tell it',
    async run({ served, headersOf }) {
      const pages: unknown[] = [];
      let target: string | undefined = '/law/Person?@sort=-grade&@limit=1&@select=id';
      while (target !== undefined && pages.length < 5) {
        const answer: Answer = await served.get(target, headersOf('bob'));
        pages.push(answer.body);
        const cursor = /@after=([^>&]+)/.exec(answer.headers['link'] ?? '')?.[1];
        if (cursor !== undefined) expect(Buffer.from(cursor, 'base64url').toString()).not.toMatch(/800\d/);
        target = cursor === undefined ? undefined : `/law/Person?@sort=-grade&@limit=1&@select=id&@after=${cursor}`;
      }
      expect(pages.filter((each) => JSON.stringify(each) !== '[]')).toEqual([[{ id: 1 }], [{ id: 2 }], [{ id: 3 }]]);
    },
  },
  {
    title: 'a workflow groups, sorts and asks by it for nobody whom a row hides it from, and selects it as absent',
    steps: [
      { who: 'bob', ask: 'POST /law/grades', body: {}, status: [200, 403], lacks: ['800'] },
      { who: 'bob', ask: 'POST /law/topGrade', body: {}, status: [200, 403], lacks: ['800'] },
      { who: 'bob', ask: 'POST /law/byGrade', body: { grade: 8002 }, status: [200, 403], lacks: ['Bob', '"id"'] },
      { who: 'bob', ask: 'POST /law/graded', body: {}, status: [200, 403], lacks: ['800'] },
    ],
  },
  {
    title: 'a rule of owners speaks of owners alone',
    steps: [
      { who: 'own', ask: 'POST /law/Book', body: { id: 1, diary: 'DIARY-1' }, status: 201, shows: ['DIARY-1'] },
      { who: 'own', ask: 'GET /law/Book/1', shows: ['DIARY-1'] },
      { who: 'eve', ask: 'GET /law/Book/1', is: { id: 1 } },
      { who: 'manager', ask: 'GET /law/Book', is: [{ id: 1 }] },
      { who: 'eve', ask: 'GET /law/Book?diary[like]=DIARY%25', is: [] },
      { who: 'eve', ask: 'GET /law/Book?@search=DIARY', is: [] },
      { who: 'eve', ask: 'PUT /law/Book/1', body: { diary: 'DIARY-1' }, status: refused },
      { who: 'eve', ask: 'PUT /law/Book/1', body: { diary: 'x' }, status: refused },
      {
        who: 'own',
        ask: 'POST /platform.rbac/InstancePrivilegeAssignment',
        body: { resource: 'law/Book', resourceId: '1', assignee: 'granted@example.com', actions: ['*'] },
      },
      { who: 'granted', ask: 'GET /law/Book/1', is: { id: 1 } },
      { who: 'granted', ask: 'PUT /law/Book/1', body: { diary: 'x' }, status: refused },
    ],
  },
];

async function inTurn<T>(all: readonly T[], ask: (each: T) => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const each of all) answers.push(await ask(each));
  return answers;
}

export const attributes: Stage = {
  title: 'attributes that are hidden',
  model: `module law
record Detail { code String @optional }
entity Team { id Int @id, @rbac [(roles: [*], allow: [create, read, update])] }
entity Person {
  id Int @id,
  name String @fulltext,
  boss Email @optional,
  rank Int @optional @rbac [(roles: [*], allow: [read])],
  salary Int @optional @rbac [(roles: [manager], allow: [read, update])],
  pin String @optional @unique @rbac [(roles: [manager], allow: [read, update, create])],
  bio String @optional @fulltext @rbac [(roles: [manager], allow: [read, update])],
  detail Detail @optional @rbac [(roles: [manager], allow: [read, update])],
  grade Int @optional @rbac [(roles: [*], allow: [read], where: auth.user = this.boss), (roles: [manager], allow: [update])],
  @rbac [(roles: [*], allow: [create, read, update])]
}
entity Plain { id Int @id, open String, shut String @optional @rbac [(roles: [manager], allow: [read, update])], @rbac [(roles: [*], allow: [create, read])] }
entity Badge { id Int @id, person Int @ref(Person.id), @rbac [(roles: [*], allow: [create, read])] }
entity Pass { id Int @id, pin String @ref(Person.pin), @rbac [(roles: [*], allow: [create, read])] }
entity Copy { id Int @id, pin String @oneof(Person.pin), @rbac [(roles: [*], allow: [create, read])] }
entity Task { id Int @id, @rbac [(roles: [*], allow: [create, read])] }
entity Book { id Int @id, diary String @optional @fulltext @rbac [(owners: true, allow: [read, update])], @rbac [(roles: [*], allow: [create, read, update])] }
relationship TeamPerson between(Team, Person) @rbac [(roles: [*], allow: [create])]
relationship PersonTask between(Person, Task) @one_many
entity Text { id Int @id, open String @fulltext, shut String @optional @fulltext @rbac [(roles: [manager], allow: [read, update])], @rbac [(roles: [*], allow: [read])] }
entity Lock { id Int @id, open String, code String @optional @rbac [(roles: [manager], allow: [read, update])], @rbac [(roles: [*], allow: [read, update])] }
relationship TeamLock contains(Team, Lock)

workflow people { {Person? {}} }
event one { id Int }
workflow one { {Person {id? one.id}} @as [p]; p }
event told { id Int }
workflow told { {Person {id? told.id}} @as [p]; {"salary": p.salary, "pin": p.pin} }
event renamed { id Int }
workflow renamed { {Person {id? renamed.id, name "Ann"}} }
workflow within { {Team? {}, TeamPerson {Person? {}}} }
workflow joined { {Team? {}, @join TeamPerson {Team? Team.id}, @join Person {id? TeamPerson.Person}, @into {name Person.name}} }
workflow greatest { {Person? {}, @into {most @max(Person.salary)}} }
workflow summed { {Person? {}, @into {all @sum(Person.salary), mean @avg(Person.salary)}} }
workflow sorted { {Person? {}, @orderBy(salary)} }
workflow grouped { {Person? {}, @into {n @count(Person.id)}, @groupBy(Person.salary)} }
workflow asking { {Person {salary?> 1}} }
workflow where { {Person? {}, @where(Person.salary > 1)} }
workflow joining { {Person? {}, @join Badge {id? Person.salary}, @into {name Person.name}} }
workflow distinct { {Person? {}, @into {salary Person.salary}, @distinct, @orderBy(salary)} }
workflow counting { {Person? {}, @into {n @count(Person.salary)}} }
workflow changing { {Person {salary?> 1, name "hit"}} }
workflow deleting { delete {Person {salary?> 1}} }
event searched { text String }
workflow searched { {Person? searched.text} }
event made { id Int }
workflow made { {Person {id made.id, name "x", salary 1}} }
event raise { id Int }
workflow raise { {Person {id? raise.id, salary 1}} }
event put { id Int, pin String }
workflow put { {Person {id put.id, name "x", pin put.pin}, @upsert} }
workflow grades { {Person? {}, @into {n @count(Person.id)}, @groupBy(Person.grade)} }
workflow topGrade { {Person? {}, @into {most @max(Person.grade), least @min(Person.grade)}} }
event byGrade { grade Int }
workflow byGrade { {Person {grade? byGrade.grade}} }
workflow graded { for p in {Person? {}} { {"grade": p.grade} } }
event systemPeople { @rbac [(roles: [*], allow: [create])] }
@runAs(system) workflow systemPeople { {Person? {}} }
event systemOne { id Int, @rbac [(roles: [*], allow: [create])] }
@runAs(system) workflow systemOne { {Person {id? systemOne.id}} @as [p]; p }
event systemMap { id Int, @rbac [(roles: [*], allow: [create])] }
@runAs(system) workflow systemMap { {Person {id? systemMap.id}} @as [p]; {"p": p, "list": [p]} }
event systemTree { @rbac [(roles: [*], allow: [create])] }
@runAs(system) workflow systemTree { {Team? {}, TeamPerson {Person? {}}} }
`,
  people: { ann: {}, bob: {}, eve: {}, own: {}, granted: {}, manager: { roles: ['manager', 'clerk'] } },
  prepare: [
    { who: 'manager', ask: 'POST /law/Team', body: { id: 1 } },
    ...[
      {
        id: 1,
        name: 'Ann',
        boss: 'ann@example.com',
        rank: 3,
        salary: 7001,
        pin: 'PIN-7003',
        bio: 'SECRETWORD',
        detail: { code: 'PIN-7003' },
        grade: 8001,
      },
      { id: 2, name: 'Bob', boss: 'cat@example.com', salary: 7002, pin: 'PIN-7004', grade: 8003 },
      { id: 3, name: 'Cat', boss: 'cat@example.com', salary: 7005, grade: 8002 },
    ].map((body) => ({ who: 'admin', ask: 'POST /law/Person', body })),
    { who: 'admin', ask: 'POST /law/TeamPerson', body: [1, 2, 3].map((Person) => ({ Team: 1, Person })) },
    { who: 'admin', ask: 'POST /law/Task', body: [{ id: 1 }, { id: 2 }] },
    { who: 'admin', ask: 'POST /law/PersonTask', body: [1, 2].map((each) => ({ Person: each, Task: each })) },
    { who: 'admin', ask: 'POST /law/Badge', body: { id: 1, person: 1 } },
    { who: 'admin', ask: 'POST /law/Team/1/TeamLock/Lock', body: { id: 1, open: 'open', code: 'PIN-7010' } },
    {
      who: 'admin',
      ask: 'POST /law/Text',
      body: [
        { id: 1, open: 'alpha', shut: 'noise '.repeat(50) },
        { id: 2, open: 'alpha' },
      ],
    },
    { who: 'admin', ask: 'POST /law/Plain', body: { id: 1, open: 'open', shut: 'SECRETWORD' } },
    {
      who: 'admin',
      ask: 'POST /platform.rbac/OwnershipAssignment',
      body: { resource: 'law/Person', resourceId: '1', assignee: 'own@example.com' },
    },
    {
      who: 'admin',
      ask: 'POST /platform.rbac/InstancePrivilegeAssignment',
      body: { resource: 'law/Person', resourceId: '1', assignee: 'granted@example.com', actions: ['*'] },
    },
  ],
  secrets: ['7001', '7002', '7005', 'PIN-7', 'SECRETWORD', 'DIARY-', '8002', '8003'],
  attacks: [...hiddenToEverybody, ...writes, ...indirect, ...versions, ...byRow],
};
