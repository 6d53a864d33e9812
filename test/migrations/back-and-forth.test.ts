// A model that goes back and forth: names that are swapped, types that change with their names, what is retired and comes back as something else; undo at each step.

import { expect, test } from 'vitest';
import type { Step } from '../support/table.ts';
import { database } from './evolve.ts';

const model = (attributes: string, more = ''): string => `module m\nentity A { id Int @id${attributes} }\n${more}`;
const rows: readonly Step[] = [
  { ask: 'POST /m/A', body: { id: 1, x: 3, y: 'b' }, status: 201 },
  { ask: 'POST /m/A', body: { id: 2, x: -4, y: 'ä"\'' }, status: 201 },
];
const first = model(', x Int @optional, y String @optional');
const asFirst: readonly Step[] = [
  {
    ask: 'GET /m/A',
    status: 200,
    is: [
      { id: 1, x: 3, y: 'b' },
      { id: 2, x: -4, y: 'ä"\'' },
    ],
  },
];

/** Each model with what it answers; from one to the next, and undone, and on again. */
const walk: readonly (readonly [model: string, first: object])[] = [
  [model(', x String @optional, y String @optional'), { id: 1, x: '3', y: 'b' }],
  [model(', x Decimal @optional, y String @optional'), { id: 1, x: '3', y: 'b' }],
  [model(', z Decimal @was("x") @optional, y String @optional'), { id: 1, z: '3', y: 'b' }],
  [model(', z String @was("x") @optional, y String[] @optional'), { id: 1, z: '3', y: ['b'] }],
  [model(', z String @was("x") @optional'), { id: 1, z: '3' }],
  [model(', z String @was("x") @optional, y Any @optional'), { id: 1, z: '3', y: ['b'] }],
  [model(', w Int @was("z") @optional, y Any @optional'), { id: 1, w: 3, y: ['b'] }],
  [model(', w Int @was("z") @optional @indexed, y String[] @optional'), { id: 1, w: 3, y: ['b'] }],
  [model(', w Int @was("z") @unique @optional, y String @optional'), { id: 1, w: 3, y: 'b' }],
  [model(', x Int @was("w") @optional, y String @optional'), { id: 1, x: 3, y: 'b' }],
  // And back.
  [model(', w Int @was("x") @unique @optional, y String @optional'), { id: 1, w: 3, y: 'b' }],
  [model(', w Int @was("x") @optional @indexed, y String[] @optional'), { id: 1, w: 3, y: ['b'] }],
  [model(', w Int @was("x") @optional, y Any @optional'), { id: 1, w: 3, y: ['b'] }],
  [model(', z String @was("w") @optional, y Any @optional'), { id: 1, z: '3', y: ['b'] }],
  [model(', z String @was("w") @optional'), { id: 1, z: '3' }],
  [model(', z String @was("w") @optional, y String[] @optional'), { id: 1, z: '3', y: ['b'] }],
  [model(', z Decimal @was("w") @optional, y String @optional'), { id: 1, z: '3', y: 'b' }],
  [model(', x Decimal @was("z") @optional, y String @optional'), { id: 1, x: '3', y: 'b' }],
  [model(', x String @optional, y String @optional'), { id: 1, x: '3', y: 'b' }],
  [first, { id: 1, x: 3, y: 'b' }],
];

test('a model changes twenty times, back and forth, undone and done again at each step, and nothing is lost', async () => {
  const data = database();
  await data.serve(first, rows);
  let [before, expected]: readonly [string, object] = [first, { id: 1, x: 3, y: 'b' }];
  for (const [next, answer] of walk) {
    await data.apply(next);
    await data.serve(next, [{ ask: 'GET /m/A/1', status: 200, is: answer }]);
    await data.undo();
    await data.serve(before, [{ ask: 'GET /m/A/1', status: 200, is: expected }]);
    await data.apply(next);
    await data.serve(next, [{ ask: 'GET /m/A/1', status: 200, is: answer }]);
    [before, expected] = [next, answer];
  }
  await data.serve(first, asFirst);
});

test('a unique text becomes one of any type, and is unique again when that is undone', async () => {
  const data = database();
  const unique = model(', x String @optional @unique');
  const again = { ask: 'POST /m/A', body: { id: 3, x: 'a' }, status: 409 };
  await data.serve(unique, [{ ask: 'POST /m/A', body: [{ id: 1, x: 'a' }, { id: 2 }], status: 201 }, again]);
  await data.apply(model(', x Any @optional'));
  await data.undo();
  await data.serve(unique, [again, { ask: 'GET /m/A/1', status: 200, is: { id: 1, x: 'a' } }]);
});

const tied = (relationship: string): string =>
  `module m\nentity E { id Int @id }\nentity K { id Int @id }\n${relationship === 'none' ? '' : `relationship R ${relationship}(E, K)\n`}`;

test.each([
  [['contains', 'none', 'between', 'contains']],
  [['between', 'none', 'contains', 'between']],
  [['contains', 'between', 'none', 'contains', 'between']],
  [['between', 'contains', 'none', 'between', 'contains']],
])('a relationship that was %j in turn is what it was when all of that is undone', async (turns) => {
  const data = database();
  const [first = ''] = turns;
  const stands = (id: number): object => (first === 'contains' ? { id, __path__: `path://m$E/0/m$R/m$K/${id}` } : { id });
  const asFirst: readonly Step[] = [{ ask: 'GET /m/E/0/R/K', status: 200, is: [stands(10), stands(11)] }];
  await data.serve(tied(first), [{ ask: 'POST /m/E', body: { id: 0, R: [{ id: 10 }, { id: 11 }] }, status: 201 }, ...asFirst]);
  for (const turn of turns.slice(1)) {
    await data.apply(tied(turn));
    await data.serve(tied(turn), [{ ask: 'GET /m/K', status: 200, has: [{ id: 10 }, { id: 11 }] }]);
  }
  for (const _ of turns.slice(1)) await data.undo();
  await data.serve(tied(first), asFirst);
});

interface Case {
  readonly title: string;
  readonly next: string;
  readonly answers?: readonly Step[];
  /** Why nobody does it. */
  readonly blocked?: RegExp;
}

const cases: readonly Case[] = [
  {
    title: 'two attributes swap their names',
    next: model(', y Int @was("x") @optional, x String @was("y") @optional'),
    blocked: /go in two steps/,
  },
  {
    title: 'an attribute gets another name and another type at once',
    next: model(', price Decimal @was("x") @optional, y String @optional'),
    answers: [{ ask: 'GET /m/A/2', status: 200, is: { id: 2, price: '-4', y: 'ä"\'' } }],
  },
  {
    title: 'two attributes say that they were the same one: the first of them was',
    next: model(', p Int @was("x") @optional, q Int @was("x") @optional, y String @optional'),
    answers: [{ ask: 'GET /m/A/1', status: 200, is: { id: 1, p: 3, q: null, y: 'b' } }],
  },
  {
    title: 'names with words of SQL, quotes of none, and 63 bytes',
    next: model(`, select Int @was("x") @optional, ${'ü'.repeat(31)}x String @was("y") @optional`),
    answers: [{ ask: 'GET /m/A/1', status: 200, is: { id: 1, select: 3, [`${'ü'.repeat(31)}x`]: 'b' } }],
  },
  {
    title: 'an entity, its identifier and an attribute get other names, and the identifier another type',
    next: 'module m\nentity Order { @was("A"), group String @id @was("id"), table Int @was("x") @optional, y String @optional }\n',
    answers: [{ ask: 'GET /m/Order/1', status: 200, is: { group: '1', table: 3, y: 'b' } }],
  },
  {
    title: 'an attribute becomes the identifier, and the identifier is retired',
    next: 'module m\nentity A { y String @id, x Int @optional }\n',
    answers: [
      { ask: 'GET /m/A/b', status: 200, is: { y: 'b', x: 3 } },
      { ask: 'POST /m/A', body: { y: 'new' }, status: 201 },
      { ask: 'DELETE /m/A/new', status: 200 },
    ],
  },
];
for (const { title, next, answers = [], blocked } of cases) {
  test(`${title}, and undo takes it back`, async () => {
    const data = database();
    await data.serve(first, rows);
    if (blocked !== undefined) {
      await expect(data.apply(next)).rejects.toThrow(blocked);
    } else {
      await data.apply(next);
      await data.serve(next, answers);
      // What the model says of former names stays in it.
      await data.serve(next, answers);
      expect(await data.apply(next)).toEqual([]);
      await data.undo();
    }
    await data.serve(first, asFirst);
  });
}

test('an identifier becomes one of the type Any, with what stands below it and points at it, and undo takes it back', async () => {
  const data = database();
  const typed = (type: string): string => `module m
entity A { id ${type} @id }
entity B { id ${type} @id }
entity R { no Int @id, a ${type} @ref(A.id) }
relationship AB contains(A, B)
relationship AR between(A, R)
relationship BR between(B, R)
`;
  for (const [type, id, plain] of [
    ['Int', 7, '7'],
    ['String', '7', '%227%22'],
    ['String', 'a b', 'a%20b'],
  ] as const) {
    const before = typeof id === 'number' ? String(id) : encodeURIComponent(id);
    const answers = (segment: string): readonly Step[] => [
      { ask: `GET /m/A/${segment}/AB/B/${segment}`, status: 200, is: { id, __path__: `path://m$A/${segment}/m$AB/m$B/${segment}` } },
      { ask: 'GET /m/R/1', status: 200, is: { no: 1, a: id } },
      { ask: 'GET /m/R/1/AR/A', status: 200, is: [{ id }] },
      { ask: `GET /m/R/1/BR/B/${segment}`, status: 200, has: { id } },
      { ask: `DELETE /m/A/${segment}`, status: 409 },
    ];
    await data.serve(typed(type), [
      { ask: 'POST /m/A', body: { id }, status: 201 },
      { ask: `POST /m/A/${before}/AB/B`, body: { id }, status: 201 },
      { ask: 'POST /m/R', body: { no: 1, a: id }, status: 201 },
      { ask: 'POST /m/AR', body: { A: id, R: 1 }, status: 201 },
      { ask: 'POST /m/BR', body: { B: id, R: 1 }, status: 201 },
      ...answers(before),
    ]);
    await data.apply(typed('Any'));
    await data.serve(typed('Any'), answers(plain));
    expect(await data.apply(typed('Any'))).toEqual([]);
    await data.undo();
    await data.serve(typed(type), [
      ...answers(before),
      { ask: 'DELETE /m/R/1', status: 200 },
      { ask: `DELETE /m/A/${before}`, status: 200 },
    ]);
    await data.apply('module m\n');
  }
});

test('what is retired, comes back with another type, and is undone twice, is what it was', async () => {
  const data = database();
  const gone = model(', y String @optional');
  const other = model(', x Boolean @optional, y String @optional');
  await data.serve(first, rows);
  await data.apply(gone);
  await expect(data.apply(other)).rejects.toThrow(/x .* would become Boolean/);
  const text = model(', x String @optional, y String @optional');
  await data.apply(text);
  await data.serve(text, [{ ask: 'GET /m/A/1', status: 200, has: { x: '3' } }]);
  await data.undo();
  await data.serve(gone, [{ ask: 'GET /m/A/1', status: 200, is: { id: 1, y: 'b' } }]);
  await data.undo();
  await data.serve(first, asFirst);
});

test('two entities that swap their names are refused, and go in two steps', async () => {
  const data = database();
  const two = 'module m\nentity A { id Int @id }\nentity B { id Int @id, n Int }\n';
  const swapped = 'module m\nentity B { @was("A"), id Int @id }\nentity A { @was("B"), id Int @id, n Int }\n';
  await data.serve(two, [
    { ask: 'POST /m/A', body: { id: 1 }, status: 201 },
    { ask: 'POST /m/B', body: { id: 2, n: 7 }, status: 201 },
  ]);
  await expect(data.apply(swapped)).rejects.toThrow(/go in two steps/);
  const between = 'module m\nentity C { @was("A"), id Int @id }\nentity A { @was("B"), id Int @id, n Int }\n';
  await data.apply('module m\nentity C { @was("A"), id Int @id }\nentity B { id Int @id, n Int }\n');
  await data.apply(between);
  const done = 'module m\nentity B { @was("C"), id Int @id }\nentity A { @was("B"), id Int @id, n Int }\n';
  await data.apply(done);
  await data.serve(done, [
    { ask: 'GET /m/B', status: 200, is: [{ id: 1 }] },
    { ask: 'GET /m/A', status: 200, is: [{ id: 2, n: 7 }] },
  ]);
});

test('the last five migrations can be undone, one after the other, and no more', async () => {
  const data = database();
  const attributes = [1, 2, 3, 4, 5, 6].map((each) => `, x${each} Int @optional`);
  for (const count of [0, 1, 2, 3, 4, 5, 6]) await data.serve(model(attributes.slice(0, count).join('')), []);
  for (const count of [6, 5, 4, 3, 2]) expect(await data.undo()).toEqual([`m/A.x${count} is retired; nothing is stored in it`]);
  await expect(data.undo()).rejects.toThrow(/Migration 2 \(start\) cannot be undone any more/);
});
