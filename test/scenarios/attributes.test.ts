// Attributes: annotations, records and lists.

import { expect, test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const shop: Project = {
  'core.al': `
module shop
import "rules.js" @as rules
record Address { city String, zip Int @optional, country String @default("CH") }
record Person { name String, home Address, others Address[] @optional }
entity Customer {
  id Int @id,
  who Person @optional,
  tags String[] @default(["new"])
}
entity Item {
  id Int @id,
  name String @unique,
  code String @optional,
  shelf Int @optional,
  price Decimal @optional @unique,
  @with_unique(code, shelf)
}
entity Even {
  id Int @id,
  n Int @check(rules.even) @optional,
  word String @check(rules.word) @optional,
  slow Int @check(rules.slow) @optional,
  bad Int @check(rules.broken) @optional,
  small Int @check(rules.below) @optional,
  top Int @default(10)
}
entity Total {
  id Int @id,
  price Float,
  count Int @default(2),
  total Float @expr(price * count),
  double Float @expr(total + total),
  label String @expr(rules.label(count)) @optional
}
entity Guarded {
  id Int @id,
  sku String @readonly,
  pin String @writeonly @optional,
  key String @secret @optional,
  password Password @optional,
  shown String @optional
}
entity Colour { name String @id, hue Int @optional }
entity Car {
  id Int @id,
  colour @ref(Colour.name) @optional,
  trim @oneof(Colour.name) @optional,
  item Int @ref(Item.id) @optional
}
entity Counter { id Int @id @default(autoincrement()), text String @optional }
entity Base { id Int @id, made Date @default(now()) }
entity Derived extends Base { more Int @default(1) }
`,
  'rules.js': `
export const even = (value) => value % 2 === 0;
export const word = (value, instance) => /^[a-z]+$/.test(value) || 'must be a word, not ' + value + ' on ' + instance.id;
export const slow = async (value) => { await new Promise((done) => setTimeout(done, 5)); return value > 0; };
export const broken = () => { throw new Error('the rule is broken'); };
export const below = (value, instance) => value < instance.top;
export const label = (count) => count + ' pieces';
`,
};

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'records and lists are attributes, checked to their depth',
    [
      {
        ask: 'POST /shop/Customer',
        body: { id: 1, who: { name: 'a', home: { city: 'b', zip: 8000 }, others: [{ city: 'c' }] }, tags: [] },
        status: 201,
        is: {
          id: 1,
          who: { name: 'a', home: { city: 'b', zip: 8000, country: 'CH' }, others: [{ city: 'c', zip: null, country: 'CH' }] },
          tags: [],
        },
      },
      { ask: 'POST /shop/Customer', body: { id: 2 }, status: 201, is: { id: 2, who: null, tags: ['new'] } },
      {
        ask: 'POST /shop/Customer',
        body: { id: 'x', who: { home: { zip: 'x', street: 1 }, others: [{ city: 'ok' }, { city: null }, 5] }, tags: ['a', 3] },
        status: 422,
        faults: [
          'id type',
          'who.name required',
          'who.home.city required',
          'who.home.zip type',
          'who.home.street unknown',
          'who.others[1].city required',
          'who.others[2] type',
          'tags[1] type',
        ],
      },
      {
        ask: 'PUT /shop/Customer/1',
        body: { who: { name: 'z', home: { city: 'q' } } },
        status: 200,
        has: { who: { name: 'z', others: null } },
      },
      { ask: 'PUT /shop/Customer/1', body: { who: { name: 'z' } }, status: 422, faults: ['who.home required'] },
      { ask: 'PUT /shop/Customer/1', body: { who: null, tags: ['x', 'y'] }, status: 200, is: { id: 1, who: null, tags: ['x', 'y'] } },
      { ask: 'POST /shop/Customer', text: '{"id":3,"who":{"name":"a","home":{"city":"b","__proto__":{"zip":1}}}}', status: 422 },
      { ask: 'GET /shop/Customer?tags=x', status: 422, faults: ['tags operator'] },
      { ask: 'GET /shop/Customer?who[null]=true&@select=id', status: 200, is: [{ id: 1 }, { id: 2 }] },
    ],
  ],
  [
    '@unique values are 409 when taken, on create and on update',
    [
      { ask: 'POST /shop/Item', body: { id: 1, name: 'a', price: '1.5' }, status: 201 },
      { ask: 'POST /shop/Item', body: { id: 2, name: 'a' }, status: 409, code: 'duplicate' },
      { ask: 'POST /shop/Item', body: { id: 2, name: 'A' }, status: 201 },
      { ask: 'PUT /shop/Item/2', body: { name: 'a' }, status: 409, code: 'duplicate' },
      { ask: 'PUT /shop/Item/2', body: { name: 'A' }, status: 200 },
      { ask: 'PUT /shop/Item/2', body: { price: 1.5 }, status: 409, code: 'duplicate' },
      { ask: 'PUT /shop/Item/2', body: { price: '1.50' }, status: 409, code: 'duplicate' },
      { ask: 'DELETE /shop/Item/1', status: 200 },
      { ask: 'PUT /shop/Item/2', body: { name: 'a', price: '1.50' }, status: 200, has: { name: 'a', price: '1.50' } },
    ],
  ],
  [
    '@with_unique holds for the values together; absent values do not clash',
    [
      { ask: 'POST /shop/Item', body: { id: 1, name: 'a', code: 'x', shelf: 1 }, status: 201 },
      { ask: 'POST /shop/Item', body: { id: 2, name: 'b', code: 'x', shelf: 2 }, status: 201 },
      { ask: 'POST /shop/Item', body: { id: 3, name: 'c', code: 'x', shelf: 1 }, status: 409, code: 'duplicate' },
      { ask: 'PUT /shop/Item/2', body: { shelf: 1 }, status: 409, code: 'duplicate' },
      { ask: 'POST /shop/Item', body: { id: 4, name: 'd', code: 'x' }, status: 201 },
      { ask: 'POST /shop/Item', body: { id: 5, name: 'e', code: 'x' }, status: 201 },
    ],
  ],
  [
    '@check calls a function of the application with the value and the instance',
    [
      { ask: 'POST /shop/Even', body: { id: 1, n: 4, word: 'abc', slow: 1 }, status: 201 },
      { ask: 'POST /shop/Even', body: { id: 2, n: 3, word: '5', slow: 0 }, status: 422, faults: ['n check', 'word check', 'slow check'] },
      { ask: 'POST /shop/Even', body: { id: 2, word: '5' }, status: 422, holds: 'must be a word, not 5 on 2' },
      { ask: 'PUT /shop/Even/1', body: { n: 5 }, status: 422, faults: ['n check'] },
      { ask: 'PUT /shop/Even/1', body: { n: 6, word: null }, status: 200, has: { n: 6, word: null } },
      { ask: 'POST /shop/Even', body: { id: 3, small: 9 }, status: 201 },
      { ask: 'POST /shop/Even', body: { id: 4, small: 9, top: 5 }, status: 422, faults: ['small check'] },
      { ask: 'POST /shop/Even', body: { id: 4, bad: 1 }, status: 422, faults: ['bad check'], holds: 'the rule is broken' },
      { ask: 'PUT /shop/Even/1', body: { bad: 1 }, status: 422, faults: ['bad check'] },
      { ask: 'GET /shop/Even?@select=id', status: 200, is: [{ id: 1 }, { id: 3 }] },
    ],
  ],
  [
    '@expr is computed on create and update, and never set by a client',
    [
      {
        ask: 'POST /shop/Total',
        body: { id: 1, price: 2.5 },
        status: 201,
        is: { id: 1, price: 2.5, count: 2, total: 5, double: 10, label: '2 pieces' },
      },
      { ask: 'PUT /shop/Total/1', body: { count: 4 }, status: 200, has: { total: 10, double: 20, label: '4 pieces' } },
      { ask: 'POST /shop/Total', body: { id: 2, price: 1, total: 5 }, status: 422, faults: ['total computed'] },
      { ask: 'PUT /shop/Total/1', body: { total: 11 }, status: 422, faults: ['total computed'] },
      { ask: 'PUT /shop/Total/1', body: { total: 10, count: 1 }, status: 200, has: { total: 2.5 } },
      { ask: 'GET /shop/Total?total=2.5&@select=double', status: 200, is: [{ id: 1, double: 5 }] },
    ],
  ],
  [
    '@readonly may be set on create only',
    [
      { ask: 'POST /shop/Guarded', body: { id: 1, sku: 'a' }, status: 201, is: { id: 1, sku: 'a', shown: null } },
      { ask: 'PUT /shop/Guarded/1', body: { sku: 'b' }, status: 422, faults: ['sku readonly'] },
      { ask: 'PUT /shop/Guarded/1', body: { sku: 'a', shown: 'x' }, status: 200, is: { id: 1, sku: 'a', shown: 'x' } },
    ],
  ],
  [
    '@writeonly, @secret and Password are in no answer, and cannot be asked for',
    [
      {
        ask: 'POST /shop/Guarded',
        body: { id: 1, sku: 'a', pin: 'CANARY', key: 'CANARY', password: 'CANARY' },
        status: 201,
        is: { id: 1, sku: 'a', shown: null },
      },
      { ask: 'GET /shop/Guarded/1', status: 200, is: { id: 1, sku: 'a', shown: null } },
      { ask: 'GET /shop/Guarded', status: 200, is: [{ id: 1, sku: 'a', shown: null }] },
      { ask: 'PUT /shop/Guarded/1', body: { pin: 'CANARY2', password: 'x' }, status: 200, is: { id: 1, sku: 'a', shown: null } },
      { ask: 'PUT /shop/Guarded/1', body: { password: 5, key: {} }, status: 422, faults: ['password type', 'key type'] },
      { ask: 'GET /shop/Guarded/1?@tree=true', status: 200, is: { id: 1, sku: 'a', shown: null } },
      ...['pin', 'key', 'password'].flatMap((name): Step[] => [
        { ask: `GET /shop/Guarded?${name}=CANARY`, status: 422, faults: [`${name} unknown`] },
        { ask: `GET /shop/Guarded?${name}[null]=false`, status: 422, faults: [`${name} unknown`] },
        { ask: `GET /shop/Guarded?@sort=${name}`, status: 422, faults: ['@sort unknown'] },
        { ask: `GET /shop/Guarded?@select=${name}`, status: 422, faults: ['@select unknown'] },
      ]),
      { ask: 'DELETE /shop/Guarded/1', status: 200, is: { id: 1, sku: 'a', shown: null } },
    ],
  ],
  [
    '@ref and @oneof must point at what exists',
    [
      { ask: 'POST /shop/Colour', body: { name: 'red' }, status: 201 },
      { ask: 'POST /shop/Car', body: { id: 1, colour: 'red', trim: 'red' }, status: 201 },
      {
        ask: 'POST /shop/Car',
        body: { id: 2, colour: 'blue', trim: 'green', item: 4 },
        status: 422,
        faults: ['colour reference', 'trim reference', 'item reference'],
      },
      { ask: 'PUT /shop/Car/1', body: { colour: 'blue' }, status: 422, faults: ['colour reference'] },
      { ask: 'PUT /shop/Car/1', body: { colour: null }, status: 200, has: { colour: null } },
      { ask: 'DELETE /shop/Colour/red', status: 200 },
      { ask: 'GET /shop/Car/1', status: 200, has: { trim: 'red' } },
    ],
  ],
  [
    'what is referred to cannot be deleted',
    [
      { ask: 'POST /shop/Colour', body: { name: 'red' }, status: 201 },
      { ask: 'POST /shop/Car', body: { id: 1, colour: 'red' }, status: 201 },
      { ask: 'DELETE /shop/Colour/red', status: 409, code: 'instance-referenced' },
      { ask: 'GET /shop/Colour/red', status: 200 },
      { ask: 'DELETE /shop/Car/1', status: 200 },
      { ask: 'DELETE /shop/Colour/red', status: 200 },
    ],
  ],
  [
    'autoincrement counts up',
    [
      { ask: 'POST /shop/Counter', body: {}, status: 201, has: { id: 1 }, headers: { location: '/shop/Counter/1' } },
      { ask: 'POST /shop/Counter', body: { text: 'b' }, status: 201, has: { id: 2 } },
      { ask: 'POST /shop/Counter', body: { id: 40 }, status: 201, has: { id: 40 } },
      { ask: 'POST /shop/Counter', body: {}, status: 201, has: { id: 41 } },
    ],
  ],
  [
    'extends copies the attributes',
    [
      {
        ask: 'POST /shop/Derived',
        body: { id: 1 },
        status: 201,
        has: { id: 1, made: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), more: 1 },
      },
      { ask: 'GET /shop/Base', status: 200, is: [] },
    ],
  ],
];

for (const [title, steps] of tables) {
  test(title, async () => check(await serve(shop), steps));
}

test('Password and @secret are stored as an argon2id hash, @writeonly plain', async () => {
  const served = await serve(shop);
  await check(served, [{ ask: 'POST /shop/Guarded', body: { id: 1, sku: 'a', pin: 'p1', key: 'k1', password: 's1' }, status: 201 }]);
  const stored = () => served.kept.rows('SELECT * FROM "shop/Guarded"');
  const [row] = await stored();
  expect(row).toMatchObject({ pin: 'p1', key: expect.stringMatching(/^\$argon2id\$/), password: expect.stringMatching(/^\$argon2id\$/) });
  await check(served, [{ ask: 'PUT /shop/Guarded/1', body: { password: 's2', key: null, pin: null }, status: 200 }]);
  const [changed] = await stored();
  expect(changed).toMatchObject({ pin: null, key: null, password: expect.stringMatching(/^\$argon2id\$/) });
  expect(changed?.['password']).not.toBe(row?.['password']);
});

test('numbers handed out at the same time differ', async () => {
  const served = await serve(shop);
  const answers = await Promise.all(Array.from({ length: 30 }, () => served.post('/shop/Counter', {})));
  const ids = answers.map((each) => Object(each.body).id);
  expect(new Set(ids).size).toBe(30);
});

test('functions of the application may be TypeScript', async () => {
  const served = await serve({
    'core.al': 'module m\nimport "rules.ts" @as rules\nentity E { id Int @id @check(rules.positive) }',
    'rules.ts': 'export function positive(value: number): boolean | string { return value > 0 ? true : "not " + (value as number); }',
  });
  await check(served, [
    { ask: 'POST /m/E', body: { id: 1 }, status: 201 },
    { ask: 'POST /m/E', body: { id: -1 }, status: 422, faults: ['id check'], holds: 'not -1' },
  ]);
});

test('a function that the file does not export refuses the start', async () => {
  const project = {
    'core.al': 'module m\nimport "rules.js" @as rules\nentity E { id Int @id @check(rules.nothing) }',
    'rules.js': 'export const other = 1;',
  };
  await expect(serve(project)).rejects.toThrow(/core\.al:3:30: rules\.js exports no function `nothing`\.$/);
});

test('defaults inside a record are filled in, those that depend on the time too', async () => {
  const served = await serve(`module m
record Stamp { id UUID @default(uuid()), at DateTime @default(now()), unit String @default("mm") }
entity E { id Int @id, stamp Stamp, more Stamp[] @optional }`);
  const stamp = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), at: expect.stringMatching(/Z$/), unit: 'mm' };
  await check(served, [
    { ask: 'POST /m/E', body: { id: 1, stamp: {} }, status: 201, is: { id: 1, stamp, more: null } },
    { ask: 'PUT /m/E/1', body: { more: [{ unit: 'cm' }] }, status: 200, has: { more: [{ ...stamp, unit: 'cm' }] } },
  ]);
});

test('a value that others refer to cannot be changed under them', async () => {
  const served = await serve(`module m
entity A { id Int @id, code String @unique }
entity B { id Int @id, code String @ref(A.code) }`);
  await check(served, [
    { ask: 'POST /m/A', body: { id: 1, code: 'x' }, status: 201 },
    { ask: 'POST /m/B', body: { id: 1, code: 'x' }, status: 201 },
    { ask: 'PUT /m/A/1', body: { code: 'y' }, status: 409, code: 'instance-referenced' },
    { ask: 'GET /m/B/1', status: 200, is: { id: 1, code: 'x' } },
  ]);
});
