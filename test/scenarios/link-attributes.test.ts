// Attributes of links beside the instances they lead to: shown, taken and changed under `@link`, on both surfaces.

import { expect, test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const model: Project = `
module m
entity Team { id Int @id, name String @optional }
entity Person { email String @id, n Int @default(1) }
entity Room { id Int @id }
entity Desk { id Int @id, wide Boolean @optional }
entity Tag { name String @id }
relationship RoomDesk contains(Room, Desk)
relationship Member between(Team, Person) { role String, since Int @default(1), twice Int @expr(since * 2), pin String @optional @writeonly, no String @optional @unique }
relationship Sits between(Person, Desk) @one_one { until Int @optional }
relationship Plain between(Team, Tag)
relationship Knows between(Person @as one, Person @as other) { years Int @optional }
`;

const id = expect.any(String);
const shown = (role: string, since = 1, no: string | null = null) => ({ __Id__: id, role, since, twice: since * 2, no });
const start: readonly Step[] = [
  { ask: 'POST /m/Team', body: { id: 1, name: 'one' }, status: 201 },
  { ask: 'POST /m/Team', body: { id: 2 }, status: 201 },
  { ask: 'POST /m/Person', body: { email: 'a' }, status: 201 },
  { ask: 'POST /m/Person', body: { email: 'b' }, status: 201 },
];
const join: Step = {
  ask: 'POST /m/Team/1/Member/Person',
  body: { email: 'a', '@link': { role: 'lead', since: 4, pin: 'x' } },
  status: 201,
  is: { email: 'a', n: 1, '@link': shown('lead', 4) },
  headers: { location: '/m/Person/a' },
};
const member = '/m/Team/1/Member/Person';

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'a nested POST takes the attributes of the link, and traversals show them from both ends',
    [
      ...start,
      join,
      {
        ask: `POST ${member}`,
        body: { email: 'new', n: 3, '@link': { role: 'guest' } },
        status: 201,
        is: { email: 'new', n: 3, '@link': shown('guest') },
      },
      {
        ask: `GET ${member}`,
        status: 200,
        is: [
          { email: 'a', n: 1, '@link': shown('lead', 4) },
          { email: 'new', n: 3, '@link': shown('guest') },
        ],
      },
      {
        ask: `GET ${member}?@sort=-n&@limit=1&@count=true`,
        status: 200,
        is: [{ email: 'new', n: 3, '@link': shown('guest') }],
        headers: { 'x-total-count': '2' },
      },
      { ask: `GET ${member}?n=1`, status: 200, is: [{ email: 'a', n: 1, '@link': shown('lead', 4) }] },
      {
        ask: `GET ${member}?@select=n`,
        status: 200,
        is: [
          { email: 'a', n: 1 },
          { email: 'new', n: 3 },
        ],
      },
      { ask: `GET ${member}?@select=@link&n=3`, status: 200, is: [{ email: 'new', '@link': shown('guest') }] },
      { ask: `GET ${member}/a`, status: 200, is: { email: 'a', n: 1, '@link': shown('lead', 4) } },
      { ask: `GET ${member}/a?@tree=true`, status: 200, is: { email: 'a', n: 1, '@link': shown('lead', 4) } },
      { ask: 'GET /m/Person/a/Member/Team', status: 200, is: [{ id: 1, name: 'one', '@link': shown('lead', 4) }] },
      { ask: 'GET /m/Person/a', status: 200, is: { email: 'a', n: 1 } },
      { ask: 'GET /m/Team/2/Member/Person', status: 200, is: [] },
      { ask: 'GET /m/Member?Person=a', status: 200, is: [{ Team: 1, Person: 'a', ...shown('lead', 4) }] },
    ],
  ],
  [
    'includes show the attributes of the link at every level',
    [
      ...start,
      join,
      { ask: 'POST /m/Knows', body: { one: 'a', other: 'b', years: 2 }, status: 201 },
      {
        ask: 'GET /m/Team/1?@include=Member.Knows',
        status: 200,
        is: {
          id: 1,
          name: 'one',
          Member: [{ email: 'a', n: 1, '@link': shown('lead', 4), Knows: [{ email: 'b', n: 1, '@link': { __Id__: id, years: 2 } }] }],
        },
      },
      { ask: 'GET /m/Person/b/Knows/one', status: 200, is: [{ email: 'a', n: 1, '@link': { __Id__: id, years: 2 } }] },
      {
        ask: 'GET /m/Person/a/Member/Team?@include=Member',
        status: 200,
        has: [{ '@link': shown('lead', 4), Member: [{ '@link': shown('lead', 4) }] }],
      },
    ],
  ],
  [
    'a whole body takes them too, and faults are named by their path',
    [
      {
        ask: 'POST /m/Team',
        body: {
          id: 9,
          Member: [
            { email: 'x', '@link': { role: 'lead' } },
            { email: 'y', n: 2, '@link': { role: 'guest', since: 7 } },
          ],
        },
        status: 201,
        has: {
          Member: [
            { email: 'x', '@link': shown('lead') },
            { email: 'y', n: 2, '@link': shown('guest', 7) },
          ],
        },
      },
      {
        ask: 'POST /m/Team',
        body: { id: 8, Member: ['x', { email: 'z', '@link': { role: 4, twice: 1, Team: 3, other: 1 } }, { email: 'y', '@link': 5 }] },
        status: 422,
        faults: [
          'Member[0].@link.role required',
          'Member[1].@link.role type',
          'Member[1].@link.twice computed',
          'Member[1].@link.Team unknown',
          'Member[1].@link.other unknown',
          'Member[2].@link type',
          'Member[2].@link.role required',
        ],
      },
      { ask: 'POST /m/Team/9/Member/Person', body: { email: 'z' }, status: 422, faults: ['@link.role required'] },
      { ask: 'POST /m/Team/9/Plain/Tag', body: { name: 't', '@link': {} }, status: 422, faults: ['@link unknown'] },
      { ask: 'POST /m/Team/9/Plain/Tag', body: { name: 't' }, status: 201, is: { name: 't' } },
      { ask: 'POST /m/Person', body: { email: 'q', '@link': {} }, status: 422, faults: ['@link unknown'] },
      { ask: 'GET /m/Person/z', status: 404 },
    ],
  ],
  [
    'a PUT at the nested path changes the link, the instance, or both at once',
    [
      ...start,
      join,
      { ask: `PUT ${member}/a`, body: { '@link': { role: 'guest' } }, status: 200, is: { email: 'a', n: 1, '@link': shown('guest', 4) } },
      {
        ask: `PATCH ${member}/a`,
        body: { n: 5, '@link': { since: 10 } },
        status: 200,
        is: { email: 'a', n: 5, '@link': shown('guest', 10) },
      },
      { ask: `PUT ${member}/a`, body: { n: 6 }, status: 200, is: { email: 'a', n: 6, '@link': shown('guest', 10) } },
      {
        ask: 'PUT /m/Person/a/Member/Team/1',
        body: { '@link': { no: 'k' } },
        status: 200,
        is: { id: 1, name: 'one', '@link': shown('guest', 10, 'k') },
      },
      { ask: 'GET /m/Member?Person=a', status: 200, is: [{ Team: 1, Person: 'a', ...shown('guest', 10, 'k') }] },
      {
        ask: `PUT ${member}/a`,
        body: { n: 'x', '@link': { role: null, since: 'x', twice: 1, __Id__: 'other', more: 1 } },
        status: 422,
        faults: [
          'n type',
          '@link.role required',
          '@link.since type',
          '@link.twice computed',
          '@link.__Id__ readonly',
          '@link.more unknown',
        ],
      },
      { ask: `PUT ${member}/a`, body: { '@link': 3 }, status: 422, faults: ['@link type'] },
      { ask: `PUT ${member}/b`, body: { '@link': { role: 'x' } }, status: 404 },
      { ask: 'PUT /m/Person/a', body: { '@link': { role: 'x' } }, status: 422, faults: ['@link unknown'] },
      {
        ask: `POST ${member}`,
        body: { email: 'b', '@link': { role: 'r', no: 'k' } },
        status: 409,
        has: { detail: 'There is already an instance with this no.' },
      },
      { ask: `GET ${member}/a`, status: 200, is: { email: 'a', n: 6, '@link': shown('guest', 10, 'k') } },
    ],
  ],
  [
    'the ETag is that of the instance: a read that shows a link is never 304, and If-Match looks at the instance alone',
    [
      ...start,
      join,
      { ask: `GET ${member}/a`, status: 200, send: { 'if-none-match': '*' }, has: { '@link': shown('lead', 4) } },
      { ask: 'GET /m/Person/a', status: 304, send: { 'if-none-match': '*' } },
      { ask: `PUT ${member}/a`, body: { '@link': { since: 1 } }, send: { 'if-match': '"1"' }, status: 412 },
      {
        ask: `PUT ${member}/a`,
        body: { '@link': { since: 1 } },
        send: { 'if-match': '*' },
        status: 200,
        has: { '@link': shown('lead', 1) },
      },
    ],
  ],
  [
    'an include along a to-one is an object or null',
    [
      ...start,
      { ask: 'POST /m/Room', body: { id: 1, RoomDesk: [{ id: 1 }, { id: 2, wide: true }] }, status: 201 },
      { ask: 'POST /m/Person/a/Sits/Desk', body: { id: 2, '@link': { until: 5 } }, status: 201, has: { id: 2, '@link': { until: 5 } } },
      {
        ask: 'GET /m/Person?@include=Sits.RoomDesk',
        status: 200,
        is: [
          {
            email: 'a',
            n: 1,
            Sits: {
              id: 2,
              wide: true,
              __path__: 'path://m$Room/1/m$RoomDesk/m$Desk/2',
              '@link': { __Id__: id, until: 5 },
              RoomDesk: { id: 1 },
            },
          },
          { email: 'b', n: 1, Sits: null },
        ],
      },
      {
        ask: 'GET /m/Room/1/RoomDesk/Desk?@include=Sits,RoomDesk.RoomDesk&@select=id',
        status: 200,
        has: [
          { id: 1, Sits: null, RoomDesk: { id: 1, RoomDesk: [{ id: 1 }, { id: 2 }] } },
          { id: 2, Sits: { email: 'a', '@link': { until: 5 } } },
        ],
      },
    ],
  ],
];

for (const [title, steps] of tables) test(title, async () => check(await serve(model), steps));

const types: Project = `
module m
entity Boss { id Int @id }
entity Node { id Int @id }
entity Other { id Int @id }
relationship Leads between(Boss, Node) @one_many
relationship Tree contains(Node @as above, Node @as below)
relationship Has contains(Other, Node)
`;

test('the many side of a one-to-many has one, the other side a list; a child has the parent that it stands under', async () => {
  const served = await serve(types);
  await check(served, [
    { ask: 'POST /m/Node', body: { id: 1, Tree: [{ id: 2, Tree: [{ id: 3 }] }] }, status: 201 },
    { ask: 'POST /m/Other', body: { id: 5, Has: [{ id: 6 }] }, status: 201 },
    { ask: 'POST /m/Boss', body: { id: 1, Leads: [1, 2] }, status: 201 },
    { ask: 'GET /m/Node/1?@include=Leads,above,Has', status: 200, is: { id: 1, __path__: null, Leads: { id: 1 }, above: null, Has: null } },
    { ask: 'GET /m/Node/3?@include=Leads,above.above', status: 200, has: { id: 3, Leads: null, above: { id: 2, above: { id: 1 } } } },
    { ask: 'GET /m/Node/2?@include=Tree,above', status: 200, has: { Tree: [{ id: 3 }], above: { id: 1 } } },
    { ask: 'GET /m/Node/6?@include=Has,above', status: 200, has: { Has: { id: 5 }, above: null } },
    { ask: 'GET /m/Boss/1?@include=Leads', status: 200, has: { Leads: [{ id: 1 }, { id: 2 }] } },
    { ask: 'GET /m/Node/1?@include=below', status: 422, faults: ['@include unknown'] },
  ]);
});

test('the earlier surface takes and shows the attributes of links inside the keyed object', async () => {
  const served = await serve(model, { surfaces: ['current', 'earlier'] });
  const tags = (type: string) => ({ 'type-*-tag-*-': 'entity', '-*-type-*-': `m/${type}` });
  const person = { ...tags('Person'), email: 'a', n: 1 };
  await check(served, [
    ...start,
    {
      ask: 'POST /api/m/Team/1/Member/Person',
      body: { 'm/Person': { email: 'a', '@link': { role: 'lead' } } },
      status: 200,
      is: [{ status: 'ok', result: [{ ...person, '@link': shown('lead') }] }],
    },
    { ask: 'GET /api/m/Team/1/Member/Person', status: 200, is: [{ ...person, '@link': shown('lead') }] },
    { ask: 'GET /api/m/Team/1/Member/Person/a', status: 200, is: { ...person, '@link': shown('lead') } },
    {
      ask: 'GET /api/m/Team/1?@include=Member',
      status: 200,
      is: { ...tags('Team'), id: 1, name: 'one', Member: [{ ...person, '@link': shown('lead') }] },
    },
    {
      ask: 'PUT /api/m/Team/1/Member/Person/a',
      body: { 'm/Person': { '@link': { since: 3 } } },
      status: 200,
      is: { ...person, '@link': shown('lead', 3) },
    },
    {
      ask: 'POST /api/m/Team',
      body: { 'm/Team': { id: 7 }, 'm/Member': [{ 'm/Person': { email: 'b', '@link': { role: 'x' } } }] },
      status: 200,
      has: [{ result: [{ '->': { 'm/Member': [{ email: 'b', '@link': shown('x') }] } }] }],
    },
    {
      ask: 'POST /api/m/Team/1/Member/Person',
      body: { 'm/Person': { email: 'b' } },
      status: 422,
      has: [{ errors: [{ attribute: '@link.role' }] }],
    },
  ]);
});
