// Computed attributes that look along relationships: stored, and true after every write, whoever makes it.

import { describe, expect, test } from 'vitest';
import { open, type Project, type Served, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { check, type Step } from '../support/table.ts';

const shop = `module shop
entity Product { code String @id, price Decimal, sold Int @expr(count(Sold)) }
entity Order {
  no Int @id, discount Int @default(0),
  total Decimal @expr(sum(OrderLine.Line.amount)), gross Decimal @expr(total * 1.5), lines Int @expr(count(OrderLine)),
  least Decimal @expr(min(OrderLine.amount)), most Decimal @expr(max(OrderLine.amount)), mean Decimal @expr(avg(OrderLine.amount)),
  owner String @expr(Owns.Person.name)
}
entity Line {
  n Int @id, qty Int, product String @ref(Product.code),
  amount Decimal @expr(qty * product.price), share Int @expr(OrderLine.Order.discount)
}
entity Person {
  id Int @id, name String,
  spent Decimal @expr(sum(Owns.Order.total)), orders Int[] @expr(Owns.Order.no), desk String @expr(Sits.Desk.place)
}
entity Desk { id Int @id, place String, sitter String @expr(Sits.Person.name) }
relationship OrderLine contains(Order, Line)
relationship Owns between(Person, Order) @one_many
relationship Sits between(Person, Desk) @one_one
relationship Sold between(Order, Product)
workflow fill {
  {Order {no? 1}, OrderLine {Line {n fill.n, qty 1, product "a"}}};
  {Order {no? 1}} @as [order];
  order.total
}
workflow many {
  for x in [11, 12, 13] { {Order {no? 1}, OrderLine {Line {n x, qty 2, product "b"}}} };
  {Order {no? 1}} @as [order];
  order
}
workflow cheaper { {Product {code? "a", price "0.10"}}; {Order {no? 1}} @as [order]; order.total }
workflow put { {Person {id 1, name put.name}, @upsert}; {Order {no? 1}} @as [order]; order.owner }
workflow clear { delete {Line {qty? 2}}; {Order {no? 1}} @as [order]; order.lines }
`;

const products: readonly Step[] = [
  { ask: 'POST /shop/Product', body: { code: 'a', price: '0.1' }, status: 201, has: { sold: 0 } },
  { ask: 'POST /shop/Product', body: { code: 'b', price: '0.2' }, status: 201 },
];
const order = (has: object): Step => ({ ask: 'GET /shop/Order/1', status: 200, has });
const lines = [
  { n: 1, qty: 1, product: 'a' },
  { n: 2, qty: 1, product: 'b' },
];
const filled: readonly Step[] = [...products, { ask: 'POST /shop/Order', body: { no: 1, OrderLine: lines }, status: 201 }];

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'of nothing the sum and the count are 0, and everything else is absent',
    [
      {
        ask: 'POST /shop/Order',
        body: { no: 1 },
        status: 201,
        is: { no: 1, discount: 0, total: '0', gross: '0.0', lines: 0, least: null, most: null, mean: null, owner: null },
      },
      {
        ask: 'POST /shop/Person',
        body: { id: 1, name: 'Ann' },
        status: 201,
        is: { id: 1, name: 'Ann', spent: '0', orders: [], desk: null },
      },
    ],
  ],
  [
    'children count from the moment they are made, in a tree too, and decimals stay exact',
    [
      ...products,
      {
        ask: 'POST /shop/Order',
        body: { no: 1, discount: 5, OrderLine: lines },
        status: 201,
        has: {
          total: '0.3',
          gross: '0.45',
          lines: 2,
          least: '0.1',
          most: '0.2',
          mean: '0.15',
          OrderLine: [{ amount: '0.1', share: 5 }, { amount: '0.2' }],
        },
      },
      { ask: 'POST /shop/Order/1/OrderLine/Line', body: { n: 3, qty: 3, product: 'a' }, status: 201, has: { amount: '0.3', share: 5 } },
      order({ total: '0.6', gross: '0.90', lines: 3, most: '0.3' }),
    ],
  ],
  [
    'a change of a child, of what it refers to, and a child that goes, change the sum',
    [
      ...filled,
      { ask: 'PUT /shop/Order/1/OrderLine/Line/1', body: { qty: 10 }, status: 200, has: { amount: '1.0' } },
      order({ total: '1.2' }),
      { ask: 'PUT /shop/Product/a', body: { price: '5' }, status: 200 },
      order({ total: '50.2', most: '50' }),
      { ask: 'PUT /shop/Order/1/OrderLine/Line/1', body: { product: 'b' }, status: 200, has: { amount: '2.0' } },
      order({ total: '2.2' }),
      { ask: 'DELETE /shop/Order/1/OrderLine/Line/1', status: 200 },
      order({ total: '0.2', lines: 1 }),
    ],
  ],
  [
    'what stands at the parent is seen below it',
    [
      ...filled,
      { ask: 'PUT /shop/Order/1', body: { discount: 7 }, status: 200 },
      { ask: 'GET /shop/Order/1/OrderLine/Line/2', status: 200, has: { share: 7 } },
      { ask: 'GET /shop/Line?share=7&@select=n', status: 200, has: [{ n: 1 }, { n: 2 }] },
    ],
  ],
  [
    'links count from both of their ends, until they or what they link are gone',
    [
      ...filled,
      {
        ask: 'POST /shop/Person',
        body: { id: 1, name: 'Ann', Owns: [{ no: 1 }, { no: 2 }] },
        status: 201,
        has: { spent: '0.3', orders: [1, 2] },
      },
      order({ owner: 'Ann' }),
      { ask: 'PUT /shop/Person/1', body: { name: 'Bea' }, status: 200 },
      order({ owner: 'Bea' }),
      { ask: 'POST /shop/Order/1/OrderLine/Line', body: { n: 3, qty: 1, product: 'a' }, status: 201 },
      { ask: 'GET /shop/Person/1', status: 200, has: { spent: '0.4' } },
      { ask: 'DELETE /shop/Person/1/Owns/Order/1', status: 200 },
      order({ owner: null }),
      { ask: 'GET /shop/Person/1', status: 200, has: { spent: '0', orders: [2] } },
      { ask: 'POST /shop/Owns', body: { __Id__: '00000000-0000-4000-8000-000000000001', Person: 1, Order: 1 }, status: 201 },
      { ask: 'GET /shop/Person/1', status: 200, has: { spent: '0.4', orders: [1, 2] } },
      { ask: 'DELETE /shop/Owns/00000000-0000-4000-8000-000000000001', status: 200 },
      { ask: 'GET /shop/Person/1', status: 200, has: { orders: [2] } },
      { ask: 'DELETE /shop/Order/2', status: 200 },
      { ask: 'GET /shop/Person/1', status: 200, has: { orders: [] } },
      { ask: 'POST /shop/Person/1/Owns/Order', body: { no: 1 }, status: 201, has: { owner: 'Bea' } },
      { ask: 'DELETE /shop/Person/1', status: 200 },
      order({ owner: null }),
      { ask: 'POST /shop/Order/1/Sold/Product', body: { code: 'a' }, status: 201, has: { sold: 1 } },
      { ask: 'DELETE /shop/Order/1', status: 200 },
      { ask: 'GET /shop/Product/a', status: 200, has: { sold: 0 } },
    ],
  ],
  [
    'one-one: each end sees the other',
    [
      {
        ask: 'POST /shop/Person',
        body: { id: 1, name: 'Ann', Sits: { id: 5, place: 'window' } },
        status: 201,
        has: { desk: 'window', Sits: { sitter: 'Ann' } },
      },
      { ask: 'PUT /shop/Desk/5', body: { place: 'door' }, status: 200, has: { sitter: 'Ann' } },
      { ask: 'GET /shop/Person/1', status: 200, has: { desk: 'door' } },
      { ask: 'DELETE /shop/Desk/5', status: 200 },
      { ask: 'GET /shop/Person/1', status: 200, has: { desk: null } },
    ],
  ],
  [
    'a stored value is filtered and sorted by, and nobody sets it',
    [
      ...filled,
      { ask: 'POST /shop/Order', body: { no: 2, OrderLine: [{ n: 1, qty: 9, product: 'b' }] }, status: 201 },
      { ask: 'GET /shop/Order?total[gt]=0.3&@select=no', status: 200, is: [{ no: 2 }] },
      { ask: 'GET /shop/Order?@sort=-total&@select=no', status: 200, is: [{ no: 2 }, { no: 1 }] },
      { ask: 'PUT /shop/Order/1', body: { total: '9' }, status: 422, faults: ['total computed'] },
      { ask: 'POST /shop/Order', body: { no: 3, total: '9' }, status: 422, faults: ['total computed'] },
      { ask: 'PUT /shop/Order/1', body: { total: '0.3', discount: 1 }, status: 200 },
    ],
  ],
  [
    'what a workflow writes counts at its next step',
    [
      ...filled,
      { ask: 'POST /shop/fill', body: { n: 3 }, status: 200, is: '0.4' },
      { ask: 'POST /shop/many', body: {}, status: 200, has: { total: '1.6', lines: 6 } },
      { ask: 'POST /shop/clear', body: {}, status: 200, is: 3 },
      { ask: 'POST /shop/cheaper', body: {}, status: 200, is: '0.40' },
      { ask: 'POST /shop/Person', body: { id: 1, name: 'Ann', Owns: [{ no: 1 }] }, status: 201 },
      { ask: 'POST /shop/put', body: { name: 'Zoe' }, status: 200, is: 'Zoe' },
      order({ owner: 'Zoe', lines: 3 }),
    ],
  ],
];

describe('on the current surface', () => {
  for (const [title, steps] of tables) test(title, async () => check(await serve(shop), steps));
});

test('the version of an instance grows only when its value really changes', async () => {
  const served = await serve(shop);
  await check(served, filled);
  const tag = async () => (await served.get('/shop/Order/1')).headers['etag'];
  const before = await tag();
  await check(served, [{ ask: 'PUT /shop/Order/1/OrderLine/Line/1', body: { qty: 1 }, status: 200 }]);
  expect(await tag()).toBe(before);
  await check(served, [{ ask: 'PUT /shop/Order/1/OrderLine/Line/1', body: { qty: 2 }, status: 200 }]);
  expect(await tag()).not.toBe(before);
});

test('a computed value that does not fit refuses what led to it, and leaves no trace', async () => {
  const served = await serve(`module m
entity P { id Int @id, sum Int @expr(sum(R.K.x)), kind String @enum("a") @expr(max(R.K.t)) }
entity K { id Int @id, x Int, t String @default("a") }
relationship R contains(P, K)`);
  await check(served, [
    { ask: 'POST /m/P', body: { id: 1, R: [{ id: 1, x: 9007199254740991 }] }, status: 201 },
    { ask: 'POST /m/P/1/R/K', text: '{"id":2,"x":9223372036854775807}', status: 422, faults: ['P.sum type'] },
    { ask: 'POST /m/P/1/R/K', body: { id: 2, x: 1, t: 'b' }, status: 422, faults: ['P.kind value'] },
    { ask: 'GET /m/P/1/R/K', status: 200, is: [expect.objectContaining({ id: 1 })] },
    { ask: 'GET /m/P/1', status: 200, has: { sum: 9007199254740991, kind: 'a' } },
  ]);
});

const cascading = `module m
entity House { id Int @id, rooms Int @expr(count(Rooms)), size Int @expr(sum(Rooms.size)) }
entity Room { id Int @id, size Int, kind Int @ref(Kind.id) @cascade(true) @optional, house Int @expr(Rooms.House.id), floor Int @expr(Floors.Floor.no) }
entity Floor { id Int @id, no Int, rooms Int @expr(count(Floors)) }
entity Kind { id Int @id }
entity Club { id Int @id, size Int @expr(sum(Meets.Room.size)) }
relationship Rooms contains(House, Room)
relationship Floors contains(Floor, Room) @cascade(false)
relationship Meets between(Club, Room)`;

describe('what goes along', () => {
  test('a tree that goes takes its links with it, and children that outlive their parent see none', async () => {
    const served = await serve(cascading);
    await check(served, [
      {
        ask: 'POST /m/House',
        body: {
          id: 1,
          Rooms: [
            { id: 1, size: 4 },
            { id: 2, size: 5 },
          ],
        },
        status: 201,
        has: { rooms: 2, size: 9 },
      },
      { ask: 'POST /m/Club', body: { id: 1, Meets: [{ id: 1 }, { id: 2 }] }, status: 201, has: { size: 9 } },
      {
        ask: 'POST /m/Floor',
        body: { id: 1, no: 3, Floors: [{ id: 9, size: 1 }] },
        status: 201,
        has: { rooms: 1, Floors: [{ floor: 3, house: null }] },
      },
      { ask: 'POST /m/Club/1/Meets/Room', body: { id: 9 }, status: 201 },
      { ask: 'GET /m/Club/1', status: 200, has: { size: 10 } },
      { ask: 'DELETE /m/Floor/1', status: 200 },
      { ask: 'GET /m/Room/9', status: 200, has: { floor: null } },
      { ask: 'PUT /m/Room/9', body: { size: 2 }, status: 200 },
      { ask: 'GET /m/Club/1', status: 200, has: { size: 11 } },
      { ask: 'DELETE /m/House/1', status: 200 },
      { ask: 'GET /m/Club/1', status: 200, has: { size: 2 } },
    ]);
  });

  test('so does what goes because it refers to something that goes', async () => {
    const served = await serve(cascading);
    await check(served, [
      { ask: 'POST /m/Kind', body: { id: 1 }, status: 201 },
      {
        ask: 'POST /m/House',
        body: {
          id: 1,
          Rooms: [
            { id: 1, size: 4, kind: 1 },
            { id: 2, size: 5 },
          ],
        },
        status: 201,
      },
      { ask: 'POST /m/Club', body: { id: 1, Meets: [{ id: 1 }, { id: 2 }] }, status: 201, has: { size: 9 } },
      { ask: 'DELETE /m/Kind/1', status: 200 },
      { ask: 'GET /m/House/1', status: 200, has: { rooms: 1, size: 5 } },
      { ask: 'GET /m/Club/1', status: 200, has: { size: 5 } },
    ]);
  });
});

test('triggers see what their cause has changed; the service itself sets off none', async () => {
  const served = await serve(`module m
entity P { id Int @id, sum Int @expr(sum(R.K.x)) }
entity K { id Int @id, x Int }
entity Seen { id Int @id, sum Int }
relationship R contains(P, K)
workflow @after create:K { {P {id? 1}} @as [p]; {Seen {id K.id, sum p.sum}} }
workflow @after update:P { {Seen {id 99, sum 0}} }`);
  await check(served, [
    {
      ask: 'POST /m/P',
      body: {
        id: 1,
        R: [
          { id: 1, x: 2 },
          { id: 2, x: 3 },
        ],
      },
      status: 201,
      has: { sum: 5 },
    },
    { ask: 'POST /m/P/1/R/K', body: { id: 3, x: 4 }, status: 201 },
    {
      ask: 'GET /m/Seen',
      status: 200,
      is: [
        { id: 1, sum: 2 },
        { id: 2, sum: 5 },
        { id: 3, sum: 9 },
      ],
    },
  ]);
});

test('functions of the application take lists, and chains of computed values go as far as they lead', async () => {
  const files: Project = {
    'f.js':
      'export function median(xs) { const s = [...xs].sort((a, b) => a - b); return s.length === 0 ? null : s[Math.floor(s.length / 2)]; }',
    'core.al': `module m
import "f.js" @as f
entity A { id Int @id, all Int @expr(sum(AB.B.all) + 1), mid Int @expr(f.median(AB.B.all)), any Boolean @expr(id in AB.B.all) }
entity B { id Int @id, all Int @expr(sum(BC.C.x)), top Int @expr(AB.A.all) }
entity C { id Int @id, x Int, top Int @expr(BC.B.top) }
relationship AB contains(A, B)
relationship BC contains(B, C)`,
  };
  await check(await serve(files), [
    {
      ask: 'POST /m/A',
      body: {
        id: 1,
        AB: [
          {
            id: 1,
            BC: [
              { id: 1, x: 5 },
              { id: 2, x: 6 },
            ],
          },
          { id: 2, BC: [{ id: 1, x: 1 }] },
          { id: 3 },
        ],
      },
      status: 201,
      has: { all: 13, mid: 1, any: true },
    },
    { ask: 'GET /m/C?@select=top', status: 200, has: [{ top: 13 }, { top: 13 }, { top: 13 }] },
    { ask: 'PUT /m/A/1/AB/B/2/BC/C/1', body: { x: 7 }, status: 200, has: { top: 19 } },
    { ask: 'GET /m/A/1', status: 200, has: { all: 19, mid: 7, any: false } },
  ]);
});

test('an entity that is related to itself looks the way that its role says', async () => {
  const served = await serve(`module m
entity Person {
  id Int @id, age Int @optional, born Date @optional,
  boss Int @expr(Leads.boss.id), ages Int @expr(sum(Leads.report.age)), known Int @expr(count(Leads.report.age)), all Int @expr(count(Leads.report)),
  oldest Date @expr(min(Leads.report.born)), parts Int @expr(count(Team.part)), whole Int @expr(Team.whole.id)
}
relationship Leads between(Person @as boss, Person @as report) @one_many
relationship Team contains(Person @as whole, Person @as part)`);
  const none = { boss: null, ages: 0, known: 0, all: 0, oldest: null, parts: 0, whole: null };
  await check(served, [
    { ask: 'POST /m/Person', body: { id: 1, Team: [{ id: 4 }] }, status: 201, has: { ...none, parts: 1, Team: [{ ...none, whole: 1 }] } },
    { ask: 'POST /m/Person', body: { id: 2, age: 20, born: '2001-02-03' }, status: 201 },
    { ask: 'POST /m/Person', body: { id: 3, born: '1999-02-03' }, status: 201 },
    { ask: 'POST /m/Leads', body: { boss: 1, report: 2 }, status: 201 },
    { ask: 'POST /m/Leads', body: { boss: 1, report: 3 }, status: 201 },
    { ask: 'POST /m/Leads', body: { boss: 2, report: 1 }, status: 201 },
    { ask: 'GET /m/Person/1', status: 200, has: { boss: 2, ages: 20, known: 1, all: 2, oldest: '1999-02-03' } },
    { ask: 'PUT /m/Person/3', body: { age: 1 }, status: 200, has: { boss: 1 } },
    { ask: 'DELETE /m/Person/2', status: 200 },
    { ask: 'GET /m/Person/1', status: 200, has: { boss: null, ages: 1, known: 1, all: 1 } },
  ]);
});

describe('one write for many owners', () => {
  const model = `module m
entity Rate { id Int @id, by Int }
entity Item { id Int @id, rate Int @ref(Rate.id), cost Int @expr(rate.by * id) }
workflow raise { {Rate {id? 1, by raise.by}}; {Rate {id? 1}} @as [rate]; rate.by }
workflow fill { for n in fill.all { {Item {id n, rate 1}} } }`;
  const filled = async (owners: number, steps: number): Promise<Served> => {
    const folder = folderForTest();
    const first = await open(model, { folder, limits: { flow: { steps: 100_000, time: 60 } } });
    const all = Array.from({ length: owners }, (_, index) => index + 1);
    await check(first, [
      { ask: 'POST /m/Rate', body: { id: 1, by: 1 }, status: 201 },
      { ask: 'POST /m/fill', body: { all }, status: 200 },
    ]);
    await first.close();
    return serve(model, { folder, limits: { flow: { steps, time: 60 } } });
  };

  test('computes as many instances as an event has steps, and refuses a write that would compute more', async () => {
    const served = await filled(10, 10);
    await check(served, [
      { ask: 'PUT /m/Rate/1', body: { by: 2 }, status: 200 },
      { ask: 'GET /m/Item/10', status: 200, has: { cost: 20 } },
      { ask: 'POST /m/Item', body: { id: 11, rate: 1 }, status: 201 },
      { ask: 'PUT /m/Rate/1', body: { by: 3 }, status: 422, has: { code: 'dataflow-limit' } },
      { ask: 'POST /m/raise', body: { by: 3 }, status: 422, has: { code: 'dataflow-limit' } },
      { ask: 'GET /m/Rate/1', status: 200, has: { by: 2 } },
      { ask: 'GET /m/Item/1', status: 200, has: { cost: 2 } },
    ]);
  });

  test('lets other requests through meanwhile', async () => {
    const served = await filled(2000, 100_000);
    let answered = 0;
    let isDone = false;
    const write = served.put('/m/Rate/1', { by: 2 }).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      expect((await served.get('/m/Item/1')).status).toBe(200);
      answered += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await write).status).toBe(200);
    expect(answered).toBeGreaterThan(10);
    await check(served, [{ ask: 'GET /m/Item/2000', status: 200, has: { cost: 4000 } }]);
  });
});

describe('a model that changes on filled tables', () => {
  const plain = 'module m\nentity P { id Int @id }\nentity K { id Int @id, x Int }\nrelationship R contains(P, K)';
  const withSum = plain.replace('entity P { id Int @id', 'entity P { id Int @id, sum Int @expr(sum(R.K.x))');
  const rows: readonly Step[] = [
    {
      ask: 'POST /m/P',
      body: {
        id: 1,
        R: [
          { id: 1, x: 2 },
          { id: 2, x: 3 },
        ],
      },
      status: 201,
    },
  ];
  const sum = (value: number): Step => ({ ask: 'GET /m/P/1', status: 200, has: { sum: value } });

  test('a new attribute is computed for what is there, and a changed one anew', async () => {
    const folder = folderForTest();
    const first = await open(plain, { folder });
    await check(first, rows);
    await first.close();
    const second = await open(withSum, { folder });
    await check(second, [sum(5), { ask: 'POST /m/P/1/R/K', body: { id: 3, x: 4 }, status: 201 }, sum(9)]);
    await second.close();
    const third = await serve(withSum.replace('sum(R.K.x)', 'sum(R.K.x) * 2'), { folder });
    await check(third, [sum(18)]);
  });

  test('under live traffic too', async () => {
    const served = await serve(plain);
    await check(served, rows);
    await served.reload(withSum);
    await check(served, [sum(5), { ask: 'DELETE /m/P/1/R/K/1', status: 200 }, sum(3)]);
  });
});
