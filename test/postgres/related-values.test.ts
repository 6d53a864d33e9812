// Attributes that are computed from other instances, while many write at the same time: none of them is lost in the sum.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const model = `module m
entity Rate { code String @id, value Int }
entity P { id Int @id, sum Int @expr(sum(R.K.pay)), mean Float @expr(avg(R.K.pay)), count Int @expr(count(R)), linked Int @expr(sum(L.Q.x)) }
entity K { id Int @id, x Int, rate String @ref(Rate.code), pay Int @expr(x * rate.value) }
entity Q { id Int @id, x Int }
relationship R contains(P, K)
relationship L between(P, Q)
workflow add { {P {id? 1}, R {K {id add.id, x 1, rate "r"}}}; {P {id? 1}} @as [p]; p.count }
workflow raise { {Rate {code? "r", value raise.value}} }
`;

async function started() {
  // Nobody waits for a connection, however long the others take: that ends after five seconds.
  const served = await serve(model, { postgres: { pool: 50 } });
  for (const [target, body] of [
    ['/m/Rate', { code: 'r', value: 1 }],
    ['/m/P', { id: 1 }],
    ['/m/P', { id: 2 }],
    ['/m/Q', { id: 1, x: 1 }],
  ] as const)
    expect(await served.post(target, body)).toMatchObject({ status: 201 });
  return served;
}

const numbers = Array.from({ length: 50 }, (_, index) => index + 1);

test('fifty children that are made at once are all in the sum', async () => {
  const served = await started();
  const answers = await Promise.all(numbers.map((id) => served.post('/m/P/1/R/K', { id, x: id, rate: 'r' })));
  expect(answers.map((each) => each.status)).toEqual(numbers.map(() => 201));
  expect((await served.get('/m/P/1')).body).toMatchObject({ sum: 1275, mean: 25.5, count: 50 });
  const gone = await Promise.all(numbers.slice(0, 25).map((id) => served.remove(`/m/P/1/R/K/${id}`)));
  expect(gone.map((each) => each.status)).toEqual(gone.map(() => 200));
  expect((await served.get('/m/P/1')).body).toMatchObject({ sum: 950, count: 25 });
  expect(served.failures).toEqual([]);
});

test('so are those that workflows make, while what they are computed from changes', async () => {
  const served = await started();
  const asked = numbers
    .slice(0, 30)
    .flatMap((id) => [
      id % 2 === 0 ? served.post('/m/add', { id }) : served.post('/m/P/1/R/K', { id, x: 1, rate: 'r' }),
      ...(id % 5 === 0 ? [id % 10 === 0 ? served.post('/m/raise', { value: id }) : served.put('/m/Rate/r', { value: id })] : []),
    ]);
  const answers = await Promise.all(asked);
  expect(answers.filter((each) => each.status >= 300).map((each) => each.text)).toEqual([]);
  const { body: rate } = await served.get('/m/Rate/r');
  const value = Number(Reflect.get(Object(rate), 'value'));
  expect((await served.get('/m/P/1')).body).toMatchObject({ sum: 30 * value, count: 30 });
  const { body: children } = await served.get(`/m/K?pay[ne]=${value}`);
  expect(children).toEqual([]);
  expect(served.failures).toEqual([]);
});

test('a link that is made while what it leads to changes counts what that has become', async () => {
  const served = await started();
  for (const round of numbers.slice(0, 20)) {
    const [linked, changed] = await Promise.all([
      served.post('/m/L', { P: 2, Q: 1 }),
      round % 2 === 0 ? served.put('/m/Q/1', { x: round }) : served.put('/m/Q/1', { x: -round }),
    ]);
    expect([linked.status, changed.status]).toEqual([201, 200]);
    const { body } = await served.get('/m/Q/1');
    expect((await served.get('/m/P/2')).body).toMatchObject({ linked: Reflect.get(Object(body), 'x') });
    expect((await served.remove('/m/P/2/L/Q/1')).status).toBe(200);
    expect((await served.get('/m/P/2')).body).toMatchObject({ linked: 0 });
  }
  expect(served.failures).toEqual([]);
});
