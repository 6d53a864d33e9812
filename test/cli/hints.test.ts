// The calls that a start proposes, made from the model.

import { expect, test } from 'vitest';
import { hints } from '../../src/cli/run/hints.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { link } from '../../src/model/link/link.ts';
import { curlLines } from './harness.ts';

const uuid = '0190a5c4-7a4e-7cc3-9a3e-1f6f0c8d2b11';
const plain = { address: 'http://h:1', surface: 'current', auth: undefined, uuid: () => uuid } as const;

const cases: readonly (readonly [title: string, source: string, expected: readonly unknown[]])[] = [
  [
    'create with the required attributes, list, read one',
    'entity Item { name String @id, price Decimal, note String @optional, made DateTime @default(now()) }',
    ['POST /m/Item {"name":"name-2b11","price":"9.90"}', 'GET /m/Item', 'GET /m/Item/name-2b11'],
  ],
  [
    'a generated identifier is named, so that the third call can be pasted',
    'entity Item { id UUID @id @default(uuid()), title String }',
    [`POST /m/Item {"id":"${uuid}","title":"A title"}`, 'GET /m/Item', `GET /m/Item/${uuid}`],
  ],
  [
    'values fit their types',
    'record Address { street String, zip Int @optional }\n' +
      'entity Item { no Int @id, state @enum("on", "off"), mail Email, at Address, tags String[], on Boolean, day Date, link URL }',
    [
      'POST /m/Item {"no":1,"state":"on","mail":"ada@example.com","at":{"street":"A street"},"tags":["A tags"],"on":true,"day":"2030-01-31","link":"https://example.com/"}',
      'GET /m/Item',
      'GET /m/Item/1',
    ],
  ],
  [
    'values fit what is asked of them besides',
    'entity Item { no Int @id, code String @format("[A-Z]{2}[0-9]"), size Int @enum(3, 5), word Keyword, many BigInteger }',
    ['POST /m/Item {"no":1,"code":"AA1","size":3,"word":"word","many":"12"}', 'GET /m/Item', 'GET /m/Item/1'],
  ],
  [
    'the first entity that stands on its own',
    'entity Child { n Int @id }\nentity Parent { n Int @id }\nrelationship R contains(Parent, Child)',
    ['POST /m/Parent {"n":1}', 'GET /m/Parent', 'GET /m/Parent/1'],
  ],
  ['none where there is no entity', 'event ping { at DateTime }', []],
];

for (const [title, source, expected] of cases) {
  test(title, () => {
    const { unit, diagnostics } = currentFrontEnd.read({ file: 'm.al', text: `module m\n${source}\n` });
    const linked = link([unit]);
    expect([...diagnostics, ...linked.diagnostics]).toEqual([]);
    if (linked.model === undefined) throw new Error('no model');
    const calls = curlLines(hints(linked.model, plain).join('\n'));
    expect(
      calls.map(({ method, url, body }) => [method, url.replace('http://h:1', ''), body].filter((part) => part !== undefined).join(' ')),
    ).toEqual(expected);
  });
}

test('a value with a quote is safe in a shell', () => {
  const { unit } = currentFrontEnd.read({ file: 'm.al', text: `module m\nentity Item { state @enum("it's") }\n` });
  const { model } = link([unit]);
  if (model === undefined) throw new Error('no model');
  expect(hints(model, plain)[0]).toBe(`curl http://h:1/m/Item -H 'Content-Type: application/json' -d '{"state":"it'\\''s"}'`);
});

test('on the earlier surface the paths are under /api, and bodies are keyed', () => {
  const { unit } = currentFrontEnd.read({ file: 'm.al', text: 'module m\nentity Item { no Int @id }\n' });
  const { model } = link([unit]);
  if (model === undefined) throw new Error('no model');
  expect(hints(model, { ...plain, surface: 'earlier' })).toEqual([
    `curl http://h:1/api/m/Item -H 'Content-Type: application/json' -d '{"m/Item":{"no":1}}'`,
    'curl http://h:1/api/m/Item',
    'curl http://h:1/api/m/Item/1',
  ]);
});
