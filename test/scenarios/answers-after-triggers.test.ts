// The answer to a write, and its ETag, show the row as it is when everything that it set off is done.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, property, type Step } from '../support/table.ts';

const current = `module m
entity Post { id Int @id, title String, slug String @optional, n Int @default(0), words Int @expr(n * 2) }
entity Order { id Int @id, lines Int @default(0), sum Int @expr(sum(OrderLine.Line.amount)) }
entity Line { id Int @id, amount Int, no Int @default(0) }
entity Club { id Int @id, members Int @default(0) }
entity Person { id Int @id, clubs Int @default(0) }
relationship OrderLine contains(Order, Line)
relationship Member between(Person, Club) { no Int @default(0) }
entity Gone { id Int @id, n Int @default(0) }
workflow @before create:Post { {this {title this.title + "!"}} }
workflow @after create:Post { {this {slug "s-" + this.title}} }
workflow @after update:Post { if (this.n < 3) { {Post {id? this.id, n this.n + 1}} } }
workflow @after create:Line { {Line {id? this.id, no this.amount * 10}}; {Order {id?>= 0, lines Order.lines + 1}} }
workflow @after update:Order { if (this.lines == 90) { {Order {id? this.id}, OrderLine {Line {id 90, amount 90}}} } }
workflow @after create:Member { {this {no 7}}; {Club {id? 1, members Club.members + 1}}; {Person {id? 1, clubs Person.clubs + 1}} }
workflow @after update:Gone { delete {Gone {id? this.id}} }
workflow make { {Post {id make.id, title "w"}} }
workflow edit { {Post {id? edit.id, title "e"}} }
workflow place { {Order {id place.id}, OrderLine [{Line {id 5, amount 1}}, {Line {id 6, amount 2}}]} }
workflow join { {Person {id join.id}, Member [{Club {id 1}}]} }
`;

const scenarios: readonly [title: string, steps: readonly Step[]][] = [
  [
    'a create, before and after which something runs',
    [
      { ask: 'POST /m/Post', body: { id: 1, title: 'a' }, status: 201, is: { id: 1, title: 'a!', slug: 's-a!', n: 1, words: 2 } },
      { ask: 'POST /m/make', body: { id: 2 }, status: 200, is: { id: 2, title: 'w!', slug: 's-w!', n: 1, words: 2 } },
    ].map((step) => ({ ...step, is: { ...step.is, n: 3, words: 6 } })),
  ],
  [
    'an update after which something runs',
    [
      { ask: 'POST /m/Post', body: { id: 1, title: 'a', n: 5 }, status: 201 },
      { ask: 'PUT /m/Post/1', body: { n: 1 }, status: 200, has: { n: 3, words: 6 } },
      { ask: 'PUT /m/Post/1', body: { n: 0, title: 'b' }, status: 200, has: { n: 3, title: 'b' } },
      { ask: 'POST /m/edit', body: { id: 1 }, status: 200, has: [{ title: 'e', n: 3 }] },
    ],
  ],
  [
    'a tree whose children change each other and their parent',
    [
      {
        ask: 'POST /m/Order',
        body: {
          id: 1,
          OrderLine: [
            { id: 1, amount: 1 },
            { id: 2, amount: 2 },
          ],
        },
        status: 201,
        has: { lines: 2, sum: 3, OrderLine: [{ no: 10 }, { no: 20 }] },
      },
      { ask: 'POST /m/Order/1/OrderLine/Line', body: { id: 3, amount: 3 }, status: 201, has: { no: 30 } },
      { ask: 'PUT /m/Order/1', body: { lines: 90 }, status: 200, has: { lines: 91, sum: 96 } },
      { ask: 'POST /m/place', body: { id: 2 }, status: 200, has: { lines: 2, sum: 3, OrderLine: [{ no: 10 }, { no: 20 }] } },
    ],
  ],
  [
    'links, and what they join',
    [
      { ask: 'POST /m/Club', body: { id: 1 }, status: 201 },
      { ask: 'POST /m/Person', body: { id: 1, Member: [{ id: 1 }] }, status: 201, has: { clubs: 1, Member: [{ members: 1 }] } },
      { ask: 'POST /m/Person', body: { id: 2 }, status: 201 },
      { ask: 'POST /m/Person/2/Member/Club', body: { id: 1 }, status: 201, has: { members: 2 } },
      { ask: 'POST /m/Person', body: { id: 3 }, status: 201 },
      { ask: 'POST /m/Member', body: { Person: 3, Club: 1 }, status: 201, has: { no: 7 } },
      { ask: 'DELETE /m/Person/1', status: 200 },
      { ask: 'POST /m/join', body: { id: 1 }, status: 200, has: { clubs: 1, Member: [{ members: 4 }] } },
    ],
  ],
  [
    'what a trigger removes is shown as it was',
    [
      { ask: 'POST /m/Gone', body: { id: 1 }, status: 201 },
      { ask: 'PUT /m/Gone/1', body: { n: 1 }, status: 200, has: { n: 1 } },
      { ask: 'GET /m/Gone/1', status: 404 },
    ],
  ],
];

for (const [title, steps] of scenarios) test(title, async () => check(await serve(current), steps));

test('the ETag of the answer is that of the row, on create and on update', async () => {
  const served = await serve(current);
  const made = await served.post('/m/Post', { id: 1, title: 'a' });
  expect(made.headers['etag']).toBe((await served.get('/m/Post/1')).headers['etag']);
  const changed = await served.put('/m/Post/1', { n: 1 }, { 'if-match': made.headers['etag'] ?? '' });
  expect(changed.status).toBe(200);
  expect(changed.headers['etag']).toBe((await served.get('/m/Post/1')).headers['etag']);
  expect((await served.put('/m/Post/1', { title: 'c' }, { 'if-match': changed.headers['etag'] ?? '' })).status).toBe(200);
});

test('so it is on the earlier surface', async () => {
  const served = await serve(
    {
      'm.platform': `(component :M)
(entity :E {:Id {:type :Int :guid true} :N {:type :Int :default 0} :S {:type :String :optional true}})
(dataflow [:after :create :M/E] {:M/E {:Id? :Instance.Id :S "made"}})
(dataflow [:after :update :M/E] [:match [:= :Instance.S "made"] {:M/E {:Id? :Instance.Id :S "changed"}}])
`,
    },
    { surfaces: ['earlier'] },
  );
  const made = await served.post('/api/M/E', { 'M/E': { Id: 1 } });
  expect(property(made.body, '0'), made.text).toMatchObject({ status: 'ok', result: [{ Id: 1, S: 'changed' }] });
  const put = await served.put('/api/M/E/1', { 'M/E': { S: 'made', N: 2 } });
  expect(put.body, put.text).toMatchObject({ N: 2, S: 'changed' });
  expect(put.headers['etag']).toBe((await served.get('/api/M/E/1')).headers['etag']);
});
