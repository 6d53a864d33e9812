// Links by their ends: joins, filters and what is shown, for ends that stand under a parent and for those that do not.

import { test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const shop: Project = `
module m
entity Shop { id Int @id }
entity Item { id Int @id, name String @optional }
entity Code { code String @guid, no Int @id }
entity Customer { email String @id, n Int @default(1) }
entity Note { id Int @id, about String }
relationship ShopItem contains(Shop, Item)
relationship ShopCode contains(Shop, Code)
relationship Holds between(Item, Customer) { rank Int @optional }
relationship Fits between(Item, Code)
relationship Likes between(Item @as one, Item @as other)
workflow byId { {Item? {}, @join Holds {Item? Item.id}, @into {name Item.name, item Holds.Item, who Holds.Customer}, @orderBy(Holds.Item, Holds.Customer)} }
workflow byPath { {Item? {}, @join Holds {Item? Item.__path__}, @into {name Item.name, who Holds.Customer}, @orderBy(Item.name, Holds.Customer)} }
workflow turned { {Holds? {}, @join Item {id? Holds.Item}, @into {name Item.name, item Holds.Item}, @orderBy(name)} }
workflow alone { {Item? {}, @left_join Holds {Item? Item.id}, @into {name Item.name, who Holds.Customer, item Holds.Item}, @orderBy(name, who)} }
workflow three { {Shop? {}, @join Item {__path__?like "path://m$Shop/1/%"}, @join Holds {Item? Item.id}, @join Customer {email? Holds.Customer}, @into {s Shop.id, name Item.name, n Customer.n}, @orderBy(s, name)} }
workflow text { {Note? {}, @join Holds {Item? Note.about}, @into {id Note.id, who Holds.Customer}, @orderBy(id)} }
workflow computed { {Holds? {}, @join Customer {email? Holds.Customer}, @into {item Holds.Item, more Customer.n + 1}, @orderBy(item, more)} }
workflow both { {Holds? {}, @join Likes {one? Holds.Item}, @into {item Holds.Item, other Likes.other}} }
workflow grouped { {Holds? {}, @into {item Holds.Item, c @count(Holds.Customer)}, @groupBy(Holds.Item), @orderBy(item)} }
workflow least { {Holds? {}, @into {a @min(Holds.Item), b @max(Holds.Item)}} }
workflow codes { {Code? {}, @join Fits {Code? Code.no}, @into {code Fits.Code, item Fits.Item}} }
workflow guids { {Code? {}, @join Fits {Code? Code.code}, @into {code Fits.Code, no Code.no}} }
workflow found { {Holds {Item? found.item}} }
workflow others { {Holds {Item?!= others.item}} }
workflow among { {Holds {Item?in among.items}} }
workflow like { {Holds {Item?like like.pattern}} }
workflow instance {
  {Shop {id? 1}, ShopItem [{Item {id? 2}}]} @as [shop]
  {Holds {Item? shop.ShopItem}}
}
workflow made {
  {Shop {id 9}, ShopItem [{Item {id 1, name "nine"}}]} @as shop
  {Holds {Item shop.ShopItem, Customer "a"}}
  {Holds {Item? shop.ShopItem}}
}
workflow ranked { {Holds {Item ranked.item, Customer ranked.who, rank ranked.rank}, @upsert} }
`;

const path = (shopId: number, id: number): string => `path://m$Shop/${shopId}/m$ShopItem/m$Item/${id}`;

const start: readonly Step[] = [
  ...[1, 2].map(
    (id): Step => ({
      ask: 'POST /m/Shop',
      body: {
        id,
        ShopItem: [
          { id: 2, name: `two of ${id}` },
          { id: 10 + id, name: `ten of ${id}` },
        ],
        ShopCode: [{ code: `c${id}`, no: 7 }],
      },
      status: 201,
    }),
  ),
  { ask: 'POST /m/Customer', body: { email: 'a' }, status: 201 },
  { ask: 'POST /m/Customer', body: { email: 'b', n: 4 }, status: 201 },
  { ask: 'POST /m/Holds', body: { Item: path(1, 2), Customer: 'a' }, status: 201, has: { Item: path(1, 2), Customer: 'a' } },
  { ask: 'POST /m/Holds', body: { Item: path(2, 2), Customer: 'a' }, status: 201 },
  { ask: 'POST /m/Holds', body: { Item: 11, Customer: 'path://m$Customer/b' }, status: 201, has: { Item: path(1, 11), Customer: 'b' } },
  { ask: 'POST /m/Fits', body: { Item: path(1, 2), Code: 'c1' }, status: 201, has: { Item: path(1, 2), Code: 'c1' } },
  { ask: 'POST /m/Likes', body: { one: path(1, 2), other: path(2, 2) }, status: 201 },
  { ask: 'POST /m/Note', body: { id: 1, about: path(2, 2) }, status: 201 },
];

const filter = (query: string, items: readonly string[]): Step => ({
  ask: `GET /m/Holds?@sort=Item,Customer&${query}`,
  status: 200,
  is: items.map((Item) => ({ Item, Customer: expectedCustomer(Item), __Id__: expectAny, rank: null })),
});
const expectAny: unknown = { asymmetricMatch: () => true };
const expectedCustomer = (item: string): string => (item === path(1, 11) ? 'b' : 'a');
const all = [path(1, 2), path(1, 11), path(2, 2)];

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'a join over an end that stands under a parent finds its rows, by the identifier, the path or the guid of the instance',
    [
      {
        ask: 'POST /m/byId',
        body: {},
        status: 200,
        is: [
          { name: 'two of 1', item: path(1, 2), who: 'a' },
          { name: 'ten of 1', item: path(1, 11), who: 'b' },
          { name: 'two of 2', item: path(2, 2), who: 'a' },
        ],
      },
      {
        ask: 'POST /m/byPath',
        body: {},
        status: 200,
        is: [
          { name: 'ten of 1', who: 'b' },
          { name: 'two of 1', who: 'a' },
          { name: 'two of 2', who: 'a' },
        ],
      },
      {
        ask: 'POST /m/turned',
        body: {},
        status: 200,
        is: [
          { name: 'ten of 1', item: path(1, 11) },
          { name: 'two of 1', item: path(1, 2) },
          { name: 'two of 2', item: path(2, 2) },
        ],
      },
      {
        ask: 'POST /m/alone',
        body: {},
        status: 200,
        is: [
          { name: 'ten of 1', who: 'b', item: path(1, 11) },
          { name: 'ten of 2', who: null, item: null },
          { name: 'two of 1', who: 'a', item: path(1, 2) },
          { name: 'two of 2', who: 'a', item: path(2, 2) },
        ],
      },
      {
        ask: 'POST /m/three',
        body: {},
        status: 200,
        is: [1, 2].flatMap((s) => [
          { s, name: 'ten of 1', n: 4 },
          { s, name: 'two of 1', n: 1 },
        ]),
      },
      { ask: 'POST /m/codes', body: {}, status: 200, is: [{ code: 'c1', item: path(1, 2) }] },
      { ask: 'POST /m/guids', body: {}, status: 200, is: [{ code: 'c1', no: 7 }] },
      { ask: 'POST /m/both', body: {}, status: 200, is: [{ item: path(1, 2), other: path(2, 2) }] },
      { ask: 'POST /m/text', body: {}, status: 200, is: [{ id: 1, who: 'a' }] },
    ],
  ],
  [
    'groups, least values and computed columns show the path of an end, and sort as its instances do',
    [
      { ask: 'POST /m/grouped', body: {}, status: 200, is: all.map((item) => ({ item, c: 1 })) },
      { ask: 'POST /m/least', body: {}, status: 200, is: [{ a: path(1, 11), b: path(2, 2) }] },
      {
        ask: 'POST /m/computed',
        body: {},
        status: 200,
        is: [
          { item: path(1, 2), more: 2 },
          { item: path(1, 11), more: 5 },
          { item: path(2, 2), more: 2 },
        ],
      },
    ],
  ],
  [
    'a list of links is filtered by its ends, by path, guid or identifier',
    [
      filter('', all),
      filter(`Item=${path(1, 2)}`, [path(1, 2)]),
      filter('Item=2', [path(1, 2), path(2, 2)]),
      filter('Item=11', [path(1, 11)]),
      filter('Item=77', []),
      filter(`Item=${path(7, 2)}`, []),
      filter(`Item[ne]=${path(1, 2)}`, [path(1, 11), path(2, 2)]),
      filter(`Item[in]=11,${path(2, 2)}`, [path(1, 11), path(2, 2)]),
      filter('Item[null]=true', []),
      filter('Customer=b', [path(1, 11)]),
      filter('Customer=path://m$Customer/b', [path(1, 11)]),
      filter('Customer[gt]=a', [path(1, 11)]),
      filter('Item=2&Customer=a&@limit=5&@count=true', [path(1, 2), path(2, 2)]),
      { ask: 'GET /m/Fits?Code=c1', status: 200, has: [{ Code: 'c1' }] },
      { ask: 'GET /m/Fits?Code=7', status: 200, has: [{ Code: 'c1' }] },
      { ask: 'GET /m/Fits?Code=c2', status: 200, is: [] },
      { ask: 'GET /m/Holds?Item=x', status: 422, faults: ['Item type'] },
      { ask: 'GET /m/Holds?Item[lt]=2', status: 422, faults: ['Item operator'] },
      { ask: 'GET /m/Holds?Item[like]=p%25', status: 422, faults: ['Item operator'] },
      { ask: 'GET /m/Holds?@limit=1&@sort=-Item', status: 200, has: [{ Item: path(2, 2) }] },
    ],
  ],
  [
    'a pattern asks for links by an end that is an instance, a path or an identifier',
    [
      ...[path(1, 2), path(1, 11), 11].map(
        (item): Step => ({
          ask: 'POST /m/found',
          body: { item },
          status: 200,
          has: [{ Item: typeof item === 'string' ? item : path(1, 11) }],
        }),
      ),
      { ask: 'POST /m/found', body: { item: path(5, 5) }, status: 200, is: [] },
      { ask: 'POST /m/found', body: { item: null }, status: 200, is: [] },
      { ask: 'POST /m/found', body: { item: 'x' }, status: 200, is: [] },
      { ask: 'POST /m/others', body: { item: 2 }, status: 200, has: [{ Item: path(1, 11) }] },
      { ask: 'POST /m/others', body: { item: null }, status: 200, has: [{}, {}, {}] },
      { ask: 'POST /m/among', body: { items: [11, path(2, 2), null] }, status: 200, has: [{}, {}] },
      { ask: 'POST /m/among', body: { items: [] }, status: 200, is: [] },
      { ask: 'POST /m/like', body: { pattern: 'path://m$Shop/2/%' }, status: 200, has: [{ Item: path(2, 2) }] },
      { ask: 'POST /m/instance', body: {}, status: 200, has: [{ Item: path(1, 2) }] },
      { ask: 'POST /m/made', body: {}, status: 200, has: [{ Item: path(9, 1), Customer: 'a' }] },
    ],
  ],
  [
    'an upsert of a link finds it by its ends',
    [
      { ask: 'POST /m/ranked', body: { item: path(2, 2), who: 'a', rank: 3 }, status: 200, has: { Item: path(2, 2), rank: 3 } },
      { ask: 'POST /m/ranked', body: { item: path(2, 2), who: 'b', rank: 4 }, status: 200, has: { Item: path(2, 2), rank: 4 } },
      {
        ask: 'GET /m/Holds?@sort=rank,Item&@select=Item,Customer,rank',
        status: 200,
        has: [{ rank: null }, { rank: null }, { Customer: 'a', rank: 3 }, { Customer: 'b', rank: 4 }],
      },
    ],
  ],
];

for (const [title, steps] of tables) test(title, async () => check(await serve(shop), [...start, ...steps]));

const q = (where: unknown, items: readonly string[]): Step => ({
  ask: 'POST /q',
  body: { Query: { from: 'm/Holds', where, 'order-by': ['Item'] } },
  status: 200,
  has: items.map((Item) => ({ Item })),
});

test('the earlier surface filters links by their ends too, in lists and in query objects', async () => {
  const served = await serve(shop, { surfaces: ['current', 'earlier'] });
  await check(served, [
    ...start,
    { ask: `GET /api/m/Holds?Item=${path(2, 2)}`, status: 200, has: [{ '-*-type-*-': 'm/Holds', Item: path(2, 2), Customer: 'a' }] },
    q(['=', 'Item', path(1, 2)], [path(1, 2)]),
    q(['=', 'Item', 2], [path(1, 2), path(2, 2)]),
    q(['<>', 'Item', 2], [path(1, 11)]),
    q(['in', 'Item', [path(1, 2), 11]], [path(1, 2), path(1, 11)]),
    q(['and', ['=', 'Item', 2], ['=', 'Customer', 'a']], [path(1, 2), path(2, 2)]),
    { ask: 'POST /q', body: { Query: { from: 'm/Holds', where: ['<', 'Item', 2] } }, status: 422 },
  ]);
});

test('what stands under a parent is linked from the other side by its guid or its path alone, at the nested path and in bodies', async () => {
  const served = await serve(`module m
entity Building { id Int @id }
entity Flat { no Int @id, code String @guid, size Int }
relationship Has contains(Building, Flat)
entity Tenant { id Int @id }
relationship Contract between(Tenant, Flat) { rent Int }`);
  const flat = (building: number, no: number) => `path://m$Building/${building}/m$Has/m$Flat/${no}`;
  const link = { rent: 5 };
  const contract = '/m/Tenant/1/Contract/Flat';
  await check(served, [
    { ask: 'POST /m/Building', body: { id: 1, Has: [{ no: 1, code: 'B1-1', size: 1 }] }, status: 201 },
    { ask: 'POST /m/Building', body: { id: 2, Has: [1, 2].map((no) => ({ no, code: `B2-${no}`, size: no })) }, status: 201 },
    { ask: 'POST /m/Tenant', body: { id: 1 }, status: 201 },
    { ask: `POST ${contract}`, body: { code: 'B2-1', '@link': link }, status: 201, has: { no: 1, __path__: flat(2, 1), '@link': link } },
    { ask: `POST ${contract}`, body: { code: 'B2-1', '@link': link }, status: 409, code: 'duplicate' },
    { ask: `POST ${contract}`, body: { __path__: flat(1, 1), '@link': link }, status: 201, has: { code: 'B1-1', '@link': link } },
    { ask: `POST ${contract}`, body: { no: 2, '@link': link }, status: 201, has: { code: 'B2-2' } },
    { ask: `POST ${contract}`, body: { no: 1, '@link': link }, status: 409, code: 'identifier-ambiguous' },
    { ask: `POST ${contract}`, body: { code: 'none', '@link': link }, status: 422, faults: ['code reference'] },
    { ask: `POST ${contract}`, body: { __path__: flat(9, 9), '@link': link }, status: 422, faults: ['__path__ reference'] },
    { ask: `POST ${contract}`, body: { __path__: 'path://m$Tenant/1', '@link': link }, status: 422 },
    { ask: `POST ${contract}`, body: { code: 5, '@link': link }, status: 422, faults: ['no required', 'code type', 'size required'] },
    { ask: `POST ${contract}`, body: { code: 'B1-1' }, status: 422, faults: ['@link.rent required'] },
    {
      ask: 'POST /m/Tenant',
      body: {
        id: 2,
        Contract: [
          { code: 'B1-1', '@link': link },
          { __path__: flat(2, 1), '@link': link },
        ],
      },
      status: 201,
      has: { Contract: [{ code: 'B1-1' }, { code: 'B2-1', '@link': link }] },
    },
    { ask: 'POST /m/Tenant', body: { id: 3, Contract: { code: 'no', '@link': link } }, status: 422, faults: ['Contract.code reference'] },
    { ask: `GET ${contract}`, status: 200, has: ['B1-1', 'B2-1', 'B2-2'].map((code) => ({ code, '@link': link })) },
    { ask: 'GET /m/Tenant/2/Contract/Flat', status: 200, has: ['B1-1', 'B2-1'].map((code) => ({ code, '@link': link })) },
    { ask: 'GET /m/Flat', status: 200, has: [{ no: 1 }, { no: 1 }, { no: 2 }] },
    {
      ask: 'POST /m/Contract',
      body: { __Id__: '00000000-0000-4000-8000-000000000001', Tenant: 2, Flat: 'B2-2', rent: 1 },
      status: 201,
    },
    {
      ask: 'PUT /m/Contract/00000000-0000-4000-8000-000000000001',
      body: { Flat: 'B1-1' },
      status: 422,
      has: {
        errors: [
          { attribute: 'Flat', code: 'system', message: 'is an end of the link, which is not changed: delete the link and link anew' },
        ],
      },
    },
    { ask: 'PUT /m/Contract/00000000-0000-4000-8000-000000000001', body: { Flat: 'B2-2', rent: 2 }, status: 200, has: { rent: 2 } },
  ]);
  const plain = await serve(shop);
  await check(plain, [
    {
      ask: 'POST /m/Shop',
      body: {
        id: 1,
        ShopItem: [{ id: 1 }],
        ShopCode: [
          { no: 7, code: 'c7' },
          { no: 8, code: 'c8' },
        ],
      },
      status: 201,
    },
    { ask: 'POST /m/Shop/1/ShopItem/Item', body: { id: 2, Fits: ['c7', 8] }, status: 201, has: { Fits: [{ no: 7 }, { no: 8 }] } },
    { ask: 'POST /m/Customer', body: { email: 'x', Holds: [path(1, 2)] }, status: 201, has: { Holds: [{ id: 2 }] } },
    { ask: 'POST /m/Customer', body: { email: 'y', Holds: [path(1, 9)] }, status: 422, faults: ['Holds[0].__path__ reference'] },
  ]);
});
