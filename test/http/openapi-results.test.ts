// What the document says events give, as far as it is certain; that it is true of every form is checked where the forms are.

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { openapiOf } from '../../src/http/openapi/openapi.ts';
import { compile } from '../../src/plan/compile.ts';
import { modelOf, serve } from '../support/app.ts';
import { at, call, type Json, unlikeDescribed } from './openapi-client.ts';

const about = { name: 'test', version: '1.2.3' };

const shop = `module shop

entity Item { sku String @id, name String, stock Int @default(0), price Decimal @optional }
entity Crate { no Int @id }
record Receipt { total Decimal, note String @optional }
relationship CrateItem contains(Crate, Piece)
entity Piece { no Int @id }
event Plain { sku String, count Int @default(1), crate Crate @optional }
event Ask { sku String, many Int @optional }
event Again { n Int }
workflow Again { {Again {n Again.n}} }
workflow Found { {Item? {}} }
`;

const ref = (name: string) => ({ $ref: `#/components/schemas/shop.${name}` });
const list = (items: object) => ({ type: 'array', items });
const keyed = (name: string, schema: object) => ({
  type: 'object',
  properties: { [`shop/${name}`]: schema },
  required: [`shop/${name}`],
  additionalProperties: false,
});
const row = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) });
const isNull = { type: 'null' };
const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };
const created = keyed('Item', ref('Item-keyed'));
const found = list(ref('Item-tagged'));

const cases: readonly [title: string, body: string, current: object, earlier: object][] = [
  ['a create gives the instance', '{Item {sku "a", name "A"}}', ref('Item'), created],
  ['an upsert gives the instance', '{Item {sku "a", name "A"}, @upsert}', ref('Item'), created],
  [
    'a create with children gives the instance',
    '{Crate {no 1}, CrateItem [{Piece {no 1}}]}',
    ref('Crate'),
    keyed('Crate', ref('Crate-keyed')),
  ],
  ['a query gives a list', '{Item {sku? Ask.sku}}', list(ref('Item')), found],
  ['an update gives a list', '{Item {sku? Ask.sku, stock 3}}', list(ref('Item')), found],
  ['a delete gives a list', 'delete {Item {sku? Ask.sku}}', list(ref('Item')), found],
  ['an alias of an instance is that', '{Item {sku "a", name "A"}} @as item\nitem', ref('Item'), ref('Item-tagged')],
  ['an alias of a query is a list', '{Item? {}} @as all\nall', list(ref('Item')), found],
  [
    'a part of a query is an instance, or nothing',
    '{Item? {}} @as [first]\nfirst',
    { anyOf: [ref('Item'), isNull] },
    { anyOf: [ref('Item-tagged'), isNull] },
  ],
  ['a change of an alias gives a list', '{Item {sku "a", name "A"}} @as item\n{item {stock 2}}', list(ref('Item')), found],
  ['an attribute of an instance has its type', '{Item {sku "a", name "A"}} @as item\nitem.stock', int64, int64],
  ['so has one of the event', 'Ask.sku', text, text],
  ['a record is that', '{Receipt {total 3}}', ref('Receipt'), keyed('Receipt', ref('Receipt'))],
  ['an alias of a record has tags', '{Receipt {total 3}} @as r\nr', ref('Receipt'), ref('Receipt-tagged')],
  ['a literal has its type', '"done"', text, text],
  ['a comparison is a boolean', 'Ask.sku == "a"', { type: 'boolean' }, { type: 'boolean' }],
  [
    'a choice is one of its branches, or false',
    'if (Ask.sku == "a") { {Item {sku "a", name "A"}} }',
    { anyOf: [ref('Item'), { const: false }] },
    { anyOf: [created, { const: false }] },
  ],
  [
    'what is returned is a result too',
    'if (Ask.sku == "a") { return "early" }\n{Item? {}}',
    { anyOf: [list(ref('Item')), text] },
    { anyOf: [found, text] },
  ],
  ['what throws gives nothing', 'if (Ask.sku == "a") { throw("no") } else { 1 }', { type: 'integer' }, { type: 'integer' }],
  ['a handler is one more result', '{Item {sku? Ask.sku}} @empty "none"', { anyOf: [list(ref('Item')), text] }, { anyOf: [found, text] }],
  [
    'a loop gives a list',
    'for i in {Item? {}} { {Receipt {total i.stock}} }',
    list(ref('Receipt')),
    list(keyed('Receipt', ref('Receipt'))),
  ],
  ['a call gives what the other event gives', '{Found {}}', list(ref('Item')), found],
  ['an event that calls itself may give anything', '{Again {n 1}}', {}, {}],
  ['a name that a loop changes may be anything', '"a" @as x\nfor i in {Item? {}} { x @as y\ni @as x\ny }', list({}), list({})],
  [
    'aggregates have their types',
    '{Item? {}, @into {n @count(*), most @max(Item.stock), worth @sum(Item.price)}}',
    list(
      row({
        n: { type: 'integer' },
        most: { ...int64, type: ['integer', 'null'] },
        worth: { type: ['string', 'null'], format: 'decimal' },
      }),
    ),
    list(
      row({
        n: { type: 'integer' },
        most: { ...int64, type: ['integer', 'null'] },
        worth: { type: ['string', 'null'], format: 'decimal' },
      }),
    ),
  ],
  [
    'rows of a join have the names that were asked for',
    '{Item? {}, @left_join Crate {no? Item.stock}, @into {name Item.name, crate Crate.no}}',
    list(row({ name: { type: ['string', 'null'] }, crate: { ...int64, type: ['integer', 'null'] } })),
    list(row({ name: { type: ['string', 'null'] }, crate: { ...int64, type: ['integer', 'null'] } })),
  ],
  ['what nobody knows beforehand may be anything', 'Ask.sku + Ask.many', {}, {}],
];

describe('a result is described as far as it is certain', () => {
  for (const [title, body, current, earlier] of cases) {
    test(title, () => {
      const document = openapiOf(compile(modelOf(`${shop}workflow Ask {\n${body}\n}\n`)), { ...about, earlier: 'create' });
      expect([resultIn(document, '/shop/Ask'), resultIn(document, '/api/shop/Ask')]).toEqual([current, earlier]);
    });
  }

  test('an event without a workflow gives its own attributes', () => {
    const document = openapiOf(compile(modelOf(shop)), { ...about, earlier: 'create' });
    const attributes = row({ sku: text, count: int64, crate: {} });
    expect([resultIn(document, '/shop/Plain'), resultIn(document, '/api/shop/Plain')]).toEqual([attributes, keyed('Plain', attributes)]);
  });

  test('the envelope is described where every answer stands in it', () => {
    const source = `${shop}workflow Ask {\n{Item {sku "a", name "A"}}\n}\n`;
    const document = openapiOf(compile(modelOf(source)), { ...about, earlier: 'all' });
    const answer = row({ status: { const: 'ok' }, result: list(created) });
    expect(resultIn(document, '/api/shop/Ask')).toEqual({ ...list(answer), minItems: 1, maxItems: 1 });
  });
});

describe('the events of the earlier surface', () => {
  const source = `${shop}workflow Ask {\nif (Ask.sku == "a") { {Item {sku "a", name "A"}} } else { throw("no") }\n}\n`;

  test('are described alone where only that is served, and the document passes the linter', async () => {
    const document = openapiOf(compile(modelOf(source)), { ...about, current: false, earlier: 'create' });
    const events = Object.keys(document.paths).filter(
      (path) => path.startsWith('/api/') && 'post' in at(document, 'paths', path) && !('get' in at(document, 'paths', path)),
    );
    expect(events).toEqual(['/api/shop/Plain', '/api/shop/Ask', '/api/shop/Again', '/api/shop/Found']);
    const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test('answer as they are described, also when they fail', async () => {
    const { app } = await serve(source, { surfaces: ['earlier'] });
    const bodies: readonly [status: number, path: string, body: unknown][] = [
      [200, '/api/shop/Ask', { 'shop/Ask': { sku: 'a' } }],
      [200, '/api/shop/Plain', { 'shop/Plain': { sku: 'a' } }],
      [200, '/api/shop/Found', { 'shop/Found': {} }],
      [409, '/api/shop/Ask', { 'shop/Ask': { sku: 'a' } }],
      [422, '/api/shop/Ask', { 'shop/Ask': { sku: 'b' } }],
      [422, '/api/shop/Ask', { 'shop/Ask': {} }],
      [400, '/api/shop/Ask', { sku: 'a' }],
      [400, '/api/shop/Ask', '{'],
    ];
    for (const [status, path, body] of bodies) {
      const answer = await call(app, 'POST', path, { body });
      expect([answer.status, await unlikeDescribed(app, path, answer)], answer.text).toEqual([status, []]);
    }
  });
});

function resultIn(document: unknown, path: string): Json {
  return at(document, 'paths', path, 'post', 'responses', '200', 'content', 'application/json', 'schema');
}
