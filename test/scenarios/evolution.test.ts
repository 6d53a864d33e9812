// A model that changes: what only adds is taken up, also under live traffic; anything else is refused and the old model keeps serving.

import { expect, test } from 'vitest';
import { StartRefused } from '../../src/store/store.ts';
import { open, type Project, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { check, type Step } from '../support/table.ts';

const first = `
module m
entity P { id Int @id, name String @optional, kind @enum("a", "b") @default("a") }
entity K { id Int @id }
relationship R contains(P, K)
relationship L between(P, K)
`;
const rows: readonly Step[] = [
  { ask: 'POST /m/P', body: { id: 1, name: 'x', R: [{ id: 1 }] }, status: 201 },
  { ask: 'POST /m/P', body: { id: 2, name: 'x' }, status: 201 },
  { ask: 'POST /m/L', body: { P: 1, K: 1 }, status: 201 },
];

const additive: readonly (readonly [title: string, next: Project, steps: readonly Step[]])[] = [
  ['the same model', first, [{ ask: 'GET /m/P/1', status: 200, is: { id: 1, name: 'x', kind: 'a' } }]],
  [
    'a new attribute with a default',
    first.replace('name String @optional,', 'name String @optional, n Int @default(7), f Float @default(0.1), t DateTime @default(now()),'),
    [
      { ask: 'GET /m/P/1', status: 200, has: { n: 7, f: 0.1, t: expect.stringMatching(/Z$/) } },
      { ask: 'GET /m/P?n=7&@select=id', status: 200, is: [{ id: 1 }, { id: 2 }] },
      { ask: 'PUT /m/P/1', body: { n: 8, f: 1e-300 }, status: 200, has: { n: 8, f: 1e-300 } },
    ],
  ],
  [
    'a new optional reference',
    first.replace('entity K {', 'entity K { other Int @ref(P.id) @optional,'),
    [
      { ask: 'GET /m/K/1', status: 200, has: { other: null } },
      { ask: 'PUT /m/K/1', body: { other: 2 }, status: 200, has: { other: 2 } },
      { ask: 'PUT /m/K/1', body: { other: 9 }, status: 422, faults: ['other reference'] },
      { ask: 'DELETE /m/P/2', status: 409, code: 'instance-referenced' },
    ],
  ],
  [
    'a second type of parent for children that are there',
    `${first}\nentity Q { id Int @id }\nrelationship S contains(Q, K)`,
    [
      { ask: 'GET /m/P/1/R/K/1', status: 200, has: { id: 1 } },
      { ask: 'POST /m/Q', body: { id: 1, S: [{ id: 1 }] }, status: 201 },
      { ask: 'GET /m/Q/1/S/K', status: 200, has: [{ id: 1 }] },
      { ask: 'DELETE /m/Q/1', status: 200 },
      { ask: 'GET /m/K', status: 200, has: [{ id: 1 }] },
    ],
  ],
  [
    'a new entity, new relationships, an index and more values of an enum',
    `${first.replace('"b")', '"b", "c")').replace('name String', 'name String @indexed')}\nentity Q { id Int @id }\nrelationship S contains(P, Q)\nrelationship T between(P, Q)`,
    [
      { ask: 'POST /m/P/1/S/Q', body: { id: 1 }, status: 201 },
      { ask: 'PUT /m/P/1', body: { kind: 'c' }, status: 200 },
      { ask: 'POST /m/T', body: { P: 2, Q: 1 }, status: 201 },
    ],
  ],
];

const refused: readonly (readonly [title: string, next: Project, sentence: RegExp])[] = [
  ['an entity is gone', 'module m\nentity P { id Int @id, name String @optional, kind @enum("a", "b") @default("a") }', /m\/K/],
  ['an attribute is gone', first.replace('name String @optional,', ''), /m\/P\.name/],
  ['a type changes', first.replace('name String', 'name Int'), /m\/P\.name/],
  ['a format is asked for that stored values need not have', first.replace('name String', 'name Email'), /m\/P\.name/],
  ['a value becomes a list', first.replace('name String', 'name String[]'), /m\/P\.name/],
  ['a required attribute without a default', first.replace('name String @optional,', 'name String @optional, n Int,'), /m\/P\.n/],
  ['unique over duplicates', first.replace('name String', 'name String @unique'), /m\/P .*name/],
  ['an enum without a value that is in use', first.replace('"a", "b"', '"b", "c"').replace('@default("a")', '@default("b")'), /m\/P\.kind/],
  ['another identifier', first.replace('id Int @id, name String @optional', 'id Int, name String @id'), /m\/P/],
  ['another kind of relationship', first.replace('R contains', 'R between').replace('L between(P, K)', 'L between(P, K)'), /m\//],
  ['a link that may stand once, where it stands twice', `${first.replace('L between(P, K)', 'L between(P, K) @one_many')}`, /./],
];

for (const [title, next, steps] of additive) {
  test(`${title}: taken up at the next start, and under live traffic`, async () => {
    const folder = folderForTest();
    const before = await open(first, { folder });
    await check(before, rows);
    await before.close();
    const after = await serve(next, { folder });
    await check(after, steps);
    const live = await serve(first);
    await check(live, rows);
    await live.reload(next);
    await check(live, steps);
  });
}

for (const [title, next, sentence] of refused) {
  test(`${title}: refused, and the old model keeps serving`, async () => {
    const served = await serve(first);
    await check(served, [...rows, { ask: 'POST /m/P/2/R/K', body: { id: 5 }, status: 201 }]);
    if (title.startsWith('a link')) await check(served, [{ ask: 'POST /m/L', body: { P: 2, K: 1 }, status: 201 }]);
    const thrown = await served.reload(next).catch((each: unknown) => each);
    expect(thrown).toBeInstanceOf(StartRefused);
    expect(String(thrown)).toMatch(sentence);
    await check(served, [
      {
        ask: 'GET /m/P',
        status: 200,
        is: [
          { id: 1, name: 'x', kind: 'a' },
          { id: 2, name: 'x', kind: 'a' },
        ],
      },
      { ask: 'GET /m/P/1/R/K', status: 200, has: [{ id: 1 }] },
      { ask: 'POST /m/P', body: { id: 9, kind: 'b' }, status: 201 },
    ]);
  });
}

test('requests that are under way while the model changes are answered', async () => {
  const served = await serve(first);
  await check(served, rows);
  const asked = Array.from({ length: 50 }, (_, index) => served.post('/m/P', { id: 100 + index }));
  await served.reload(first.replace('name String', 'name String @indexed'));
  expect(new Set((await Promise.all(asked)).map((each) => each.status))).toEqual(new Set([201]));
});
