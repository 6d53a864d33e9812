// Writes that need several rows and tables come to them in one order: many at once wait for each other in turn, and never in a circle.

import { expect, test } from 'vitest';
import { type Answer, type Served, serve as serveProject } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { deadlocksIn } from '../support/postgres.ts';

const serve = (model: string) => serveProject({ 'core.al': model }, { postgres: { pool: 32 } });

const threeLevels = `module a
entity A { id Int @id, total Decimal @expr(sum(AB.B.total)) }
entity B { id Int @id, price Decimal @default(1), a Int @expr(AB.A.id), total Decimal @expr(sum(BC.C.cost)) }
entity C { id UUID @id @default(uuid()), cost Decimal, price Decimal @expr(BC.B.price) }
relationship AB contains(A, B)
relationship BC contains(B, C)
workflow spend { {B {id? spend.b}, BC [{C {cost 1.5}}]} }
workflow reprice { {B {id? reprice.b, price reprice.price}} }
`;

const mixed: Readonly<Record<string, (served: Served, n: number) => Promise<Answer>>> = {
  requests: (served, n) =>
    n % 2 === 0 ? served.post('/a/A/1/AB/B/0/BC/C', { cost: '1.5' }) : served.put('/a/A/1/AB/B/0', { price: `${n}.5` }),
  workflows: (served, n) => (n % 2 === 0 ? served.post('/a/spend', { b: 0 }) : served.post('/a/reprice', { b: 0, price: n })),
  'both, and another parent in between': (served, n) => {
    if (n % 3 === 0) return served.post(`/a/A/1/AB/B/${n % 2}/BC/C`, { cost: '1.5' });
    return n % 3 === 1 ? served.put(`/a/A/1/AB/B/${n % 2}`, { price: `${n}.5` }) : served.post('/a/spend', { b: n % 2 });
  },
};

for (const [title, ask] of Object.entries(mixed)) {
  test(`parents and children that look at each other over three levels are written by 12 at once: ${title}`, async () => {
    const served = await serve(threeLevels);
    expect((await served.post('/a/A', { id: 1, AB: [{ id: 0 }, { id: 1 }] })).status).toBe(201);
    const before = await deadlocksIn(served);
    for (let round = 0; round < 4; round += 1) succeeded(await Promise.all(numbers(12).map((n) => ask(served, n))));
    const { body: made } = await served.get('/a/C?@limit=1000');
    const count = Array.isArray(made) ? made.length : -1;
    expect((await served.get('/a/A/1')).body).toMatchObject({ total: (count * 1.5).toFixed(1) });
    for (const { id, price } of await listOf(served, '/a/B'))
      expect(await listOf(served, `/a/A/1/AB/B/${id}/BC/C?price[ne]=${price}`)).toEqual([]);
    expect(await deadlocksIn(served)).toBe(before);
    expect(served.failures).toEqual([]);
  });
}

test('thirty at once that go by the highest number write thirty different ones, also where the identifier is counted up', async () => {
  const served = await serve(`module j
entity J { id Int @id @autoincrement, kind String, no Int }
workflow nj {
  {J {kind? nj.kind}, @into {top @max(J.no)}} @as [m]
  {J {kind nj.kind, no either(m.top, 0) + 1}}
}`);
  const before = await deadlocksIn(served);
  succeeded(await Promise.all(numbers(30).map(() => served.post('/j/nj', { kind: 'a' }))));
  const rows = await listOf(served, '/j/J?@sort=no');
  expect(rows.map(({ no }) => no)).toEqual(numbers(30));
  expect(rows.map(({ id }) => id)).toEqual(numbers(30));
  expect(await deadlocksIn(served)).toBe(before);
  expect(served.failures).toEqual([]);
});

test('a link to an instance that others move at the same time is made', async () => {
  const served = await serve(`module a
entity A { id Int @id }
entity B { id Int @id, vin String @guid }
entity X { id Int @id }
relationship AB contains(A, B)
relationship L between(X, B)`);
  await served.post('/a/A', [{ id: 1, AB: [{ id: 7, vin: 'V7' }] }, { id: 2 }]);
  await served.post(
    '/a/X',
    numbers(60).map((id) => ({ id })),
  );
  let done = false;
  const moving = (async () => {
    for (let n = 0; !done; n += 1) succeeded([await served.put('/a/B/V7', { '@parent': `path://a$A/${1 + (n % 2)}` })]);
  })();
  const linked: Answer[] = [];
  for (const x of numbers(60)) linked.push(await served.post('/a/L', { X: x, B: 'V7' }));
  done = true;
  await moving;
  succeeded(linked);
  expect(await listOf(served, '/a/L')).toHaveLength(60);
  expect(served.failures).toEqual([]);
});

test('an instance that others move at the same time is read, by its identifier and by a link', async () => {
  const served = await serve(`module a
entity A { id Int @id }
entity B { id Int @id, vin String @guid }
entity X { id Int @id }
relationship AB contains(A, B)
relationship L between(X, B)`);
  await served.post('/a/A', [{ id: 1, AB: [{ id: 7, vin: 'V7' }] }, { id: 2 }]);
  await served.post('/a/X', { id: 1 });
  await served.post('/a/L', { X: 1, B: 'V7' });
  let done = false;
  const moving = (async () => {
    for (let n = 0; !done; n += 1) await served.put('/a/B/V7', { '@parent': `path://a$A/${1 + (n % 2)}` });
  })();
  const statuses = new Map<string, number>();
  const rounds = counted({ long: 600, short: 100 });
  for (let round = 0; round < rounds; round += 1) {
    for (const path of ['/a/B/7', '/a/X/1/L/B/V7']) {
      const key = `${path} ${(await served.get(path)).status}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    }
  }
  done = true;
  await moving;
  expect([...statuses]).toEqual([
    ['/a/B/7 200', rounds],
    ['/a/X/1/L/B/V7 200', rounds],
  ]);
  expect((await served.get('/a/B/8')).status).toBe(404);
});

/** Of the database, as far as the server has counted them. */
async function listOf(served: Served, path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { body, text } = await served.get(path);
  if (!Array.isArray(body)) throw new Error(text);
  return body;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function succeeded(answers: readonly Answer[]): void {
  expect(answers.filter((each) => each.status >= 300).map((each) => `${each.status} ${each.text}`)).toEqual([]);
}
