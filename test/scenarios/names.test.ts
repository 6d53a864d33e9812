// Names that are keywords elsewhere work end to end, and names of our own get in nobody's way.

import { test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

// biome-ignore format: a list of words
const words = [
  'event', 'query', 'where', 'select', 'order', 'user', 'constructor', 'entity', 'relationship', 'contains', 'between', 'workflow', 'agent', 'flow',
  'record', 'table', 'group', 'index', 'values', 'null', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', 'rowid', 'oid', 'j', 'k', 'n', 'l', 't',
  'r1', 'c0', 'c1', 'p', 'json', 'limit', 'offset', 'role', 'import', 'delete', 'create', 'if', 'for', 'in', 'like', 'and', 'not', 'message',
];

test('every word may be the name of an entity', async () => {
  const served = await serve(
    `module order.select\n${words.map((word) => `entity ${word} { id Int @id, text String @optional }`).join('\n')}`,
  );
  await check(
    served,
    words.flatMap((word): Step[] => [
      { ask: `POST /order.select/${word}`, body: { id: 1, text: word }, status: 201, is: { id: 1, text: word } },
      { ask: `GET /order.select/${word}/1`, status: 200, is: { id: 1, text: word } },
      { ask: `GET /order.select/${word}?text=${word}&@sort=-text`, status: 200, is: [{ id: 1, text: word }] },
      { ask: `PUT /order.select/${word}/1`, body: { text: 'x' }, status: 200, is: { id: 1, text: 'x' } },
      { ask: `DELETE /order.select/${word}/1`, status: 200 },
    ]),
  );
});

test('every word may be the name of an attribute, be filtered, sorted, selected and changed', async () => {
  const served = await serve(`module m\nentity E { id Int @id, ${words.map((word) => `${word} String @optional`).join(', ')} }`);
  const all = Object.fromEntries(words.map((word) => [word, `v ${word}`]));
  const none = Object.fromEntries(words.map((word) => [word, null]));
  await check(served, [
    { ask: 'POST /m/E', body: { id: 1, ...all }, status: 201, is: { id: 1, ...all } },
    { ask: 'POST /m/E', body: { id: 2 }, status: 201, is: { id: 2, ...none } },
    ...words.flatMap((word): Step[] => [
      { ask: `GET /m/E?${word}=v%20${word}&@select=${word}`, status: 200, is: [{ id: 1, [word]: `v ${word}` }] },
      { ask: `GET /m/E?${word}[null]=true&@select=id`, status: 200, is: [{ id: 2 }] },
      { ask: `GET /m/E?@sort=-${word}&@select=id&@limit=1`, status: 200, is: [{ id: 1 }], headers: { link: /next/ } },
      { ask: 'PUT /m/E/2', body: { [word]: 'new' }, status: 200, has: { [word]: 'new' } },
    ]),
  ]);
});

test('words may be identifiers, relationships and roles', async () => {
  const served = await serve(`
module select
entity from { where String @id, order Int @unique @optional }
entity group { select Int @id }
relationship contains contains(from, group)
relationship between between(from, group)
relationship event between(from @as query, from @as constructor)
`);
  await check(served, [
    { ask: 'POST /select/from', body: { where: 'x', contains: [{ select: 1 }] }, status: 201 },
    { ask: 'POST /select/from', body: { where: 'constructor', order: 3 }, status: 201 },
    { ask: 'GET /select/from/x/contains/group/1', status: 200, has: { select: 1 } },
    { ask: 'POST /select/between', body: { from: 'x', group: 1 }, status: 201 },
    { ask: 'GET /select/from/x/between/group', status: 200, has: [{ select: 1 }] },
    {
      ask: 'POST /select/event',
      body: { query: 'x', constructor: 'constructor' },
      status: 201,
      has: { query: 'x', constructor: 'constructor' },
    },
    { ask: 'GET /select/from/x/event/constructor', status: 200, has: [{ where: 'constructor' }] },
    { ask: 'GET /select/from/constructor/event/query', status: 200, has: [{ where: 'x' }] },
    { ask: 'GET /select/event?constructor=constructor', status: 200, has: [{ query: 'x' }] },
    { ask: 'GET /select/from?@include=contains,between,event', status: 200, has: [{ event: [] }, { event: [{ where: 'constructor' }] }] },
    { ask: 'POST /select/from', body: { where: 'y', order: 3 }, status: 409 },
  ]);
});

test('long names and many attributes work', async () => {
  const long = 'a'.repeat(50);
  const names = Array.from({ length: 300 }, (_, index) => `attribute${index}`);
  const served = await serve(`
module ${long}
entity ${long} { id Int @id, ${long}x Decimal @unique @optional }
entity ${long}b { id Int @id }
relationship ${long}contains contains(${long}, ${long}b)
relationship ${long}between between(${long}, ${long}b)
entity Wide { id Int @id, ${names.map((name) => `${name} Int @optional`).join(', ')} }
`);
  const base = `/${long}`;
  await check(served, [
    { ask: `POST ${base}/${long}`, body: { id: 1, [`${long}contains`]: [{ id: 2 }], [`${long}between`]: [] }, status: 201 },
    { ask: `POST ${base}/${long}between`, body: { [long]: 1, [`${long}b`]: 2 }, status: 201 },
    { ask: `GET ${base}/${long}/1?@tree=true`, status: 200, has: { [`${long}contains`]: [{ id: 2 }] } },
    { ask: `POST ${base}/Wide`, body: { id: 1, attribute299: 7 }, status: 201, has: { attribute299: 7, attribute0: null } },
    {
      ask: `PUT ${base}/Wide/1`,
      body: Object.fromEntries(names.map((name, index) => [name, index])),
      status: 200,
      has: { attribute150: 150 },
    },
    { ask: `GET ${base}/Wide?attribute150=150&@select=attribute1`, status: 200, is: [{ id: 1, attribute1: 1 }] },
  ]);
});
