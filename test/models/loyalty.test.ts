// The loyalty model: a purchase earns points by its amount, computed by a function of the model.

import { expect, test } from 'vitest';
import { check, type Step } from '../support/table.ts';
import { created, refused, serveModel } from './models.ts';

const purchase = (customer: string, amount: number, earns: number): Step => ({
  ask: 'POST /api/Loyalty.Core/Purchase',
  body: { 'Loyalty.Core/Purchase': { Customer: customer, Amount: amount } },
  status: 200,
  has: created({ Customer: customer, Amount: amount, Earns: earns }),
});

const points = (customer: string, sum: number): Step => ({
  ask: 'POST /api/Loyalty.Core/FetchPoints',
  body: { 'Loyalty.Core/FetchPoints': { Customer: customer } },
  status: 200,
  is: sum,
});

test('purchases of 6000, 2500, 1500 and 500 earn 17 points', async () => {
  const served = await serveModel('loyalty');
  const customer = (email: string): Step => ({
    ask: 'POST /api/Loyalty.Core/Customer',
    body: { 'Loyalty.Core/Customer': { Email: email, Name: 'N' } },
    status: 200,
  });
  await check(served, [
    customer('a@x.example'),
    customer('b@x.example'),
    points('a@x.example', 0),
    purchase('a@x.example', 6000, 10),
    purchase('a@x.example', 2500, 5),
    purchase('a@x.example', 1500, 2),
    purchase('a@x.example', 500, 0),
    purchase('b@x.example', 2000, 5),
    points('a@x.example', 17),
    points('b@x.example', 5),
    { ask: 'GET /api/Loyalty.Core/Customer/a@x.example/Points/Point', status: 200, has: [{}, {}, {}] },
  ]);
});

test('a purchase that is refused earns nothing', async () => {
  const served = await serveModel('loyalty');
  const body = (values: object) => ({ 'Loyalty.Core/Purchase': values });
  await check(served, [
    {
      ask: 'POST /api/Loyalty.Core/Purchase',
      body: body({ Customer: 'no@x.example', Amount: 9000 }),
      status: 422,
      has: refused('attributes-invalid', ['Customer', 'reference']),
    },
    {
      ask: 'POST /api/Loyalty.Core/Purchase',
      body: body({ Customer: 'no@x.example', Amount: -1 }),
      status: 422,
      has: refused('attributes-invalid', ['Amount', 'check']),
    },
    { ask: 'GET /api/Loyalty.Core/Point', status: 200, is: [] },
  ]);
  expect((await served.get('/api/Loyalty.Core/Purchase')).body).toEqual([]);
});
