// Bodies in which nearly everything is wrong: the answer lists the first faults and says how many they are.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const model = `module m
entity Parent { id Int @id }
entity Child { id Int @id, kind @enum("a", "b") }
entity Tag { id Int @id, name String }
relationship Children contains (Parent, Child)
relationship Tags between (Parent, Tag)`;

const empty = (count: number) => Array.from({ length: count }, () => ({}));
const parent = (children: readonly unknown[]) => ({ id: 1, Children: children });

test('of more than 100 faults the first 100 are listed and all are counted', async () => {
  const served = await serve(model);
  await check(served, [
    { ask: 'POST /m/Parent', body: { id: 1, Children: empty(51) }, status: 422, code: 'attributes-invalid', has: { errorCount: 102 } },
    { ask: 'POST /m/Parent', body: { id: 1, Tags: empty(60) }, status: 422, has: { errorCount: 120 } },
    {
      ask: 'POST /m/Parent',
      body: parent(Array.from({ length: 200 }, (_, id) => ({ id, kind: 'c' }))),
      status: 422,
      has: { errorCount: 200 },
    },
    {
      ask: 'POST /m/Parent',
      body: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x${at}`, 1])),
      status: 422,
      has: { errorCount: 301 },
    },
  ]);
  const { text } = await served.post('/m/Parent', parent(empty(50)));
  expect(JSON.parse(text)).not.toHaveProperty('errorCount');
  expect(JSON.parse(text)).toHaveProperty('errors.length', 100);
});

test('a body of nothing but faults gets a short answer, and is not looked at to its end', async () => {
  const served = await serve(model, { limits: { keys: 1_000_000 } });
  const { status, text } = await served.ask({
    method: 'POST',
    target: '/m/Parent',
    headers: { 'content-type': 'application/json' },
    text: `{"id": 1, "Children": [${Array.from({ length: 300_000 }, () => '{}').join()}]}`,
  });
  expect(status).toBe(422);
  expect(JSON.parse(text)).toMatchObject({ errorCount: 10_000 });
  expect(text.length).toBeLessThan(10_000);
});

test('the earlier surface lists and counts faults too', async () => {
  const served = await serve(
    { 'm.platform': '(component :M)\n(entity :T {:Id {:type :Int :guid true} :N :Int})' },
    { surfaces: ['earlier'] },
  );
  const body = { 'M/T': { Id: 1, ...Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`x${at}`, 1])) } };
  await check(served, [{ ask: 'POST /api/M/T', body, status: 422, has: [{ errorCount: 151 }] }]);
});
