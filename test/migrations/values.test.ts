// Values and names that a migration must not leave as they were: lists, enums in lists, times of day, case, names that move on.

import { expect, test } from 'vitest';
import type { Step } from '../support/table.ts';
import { database } from './evolve.ts';

interface Row {
  readonly title: string;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly next: string;
  readonly by: 'start' | 'apply' | 'nobody';
  readonly says?: RegExp;
  readonly becomes?: Readonly<Record<string, unknown>>;
  /** Why it cannot be undone: a map has rules that are not those of a record. */
  readonly stays?: RegExp;
}

const entity = (attributes: string): string => `module m\nrecord R { a Int }\nentity A { id Int @id, ${attributes} }\n`;

const table: readonly Row[] = [
  {
    title: 'a list of numbers becomes a list of texts',
    model: entity('l Int[]'),
    body: { l: [1, 2] },
    next: entity('l String[]'),
    by: 'apply',
    becomes: { l: ['1', '2'] },
  },
  {
    title: 'a map becomes a list of maps',
    model: entity('l Map'),
    body: { l: { a: 1 } },
    next: entity('l Map[]'),
    by: 'apply',
    becomes: { l: [{ a: 1 }] },
  },
  {
    title: 'a list of one record becomes a map',
    model: entity('l R[]'),
    body: { l: [{ a: 1 }] },
    next: entity('l Map'),
    by: 'apply',
    becomes: { l: { a: 1 } },
    stays: /m\/A\.l is stored as Map and would become m\/R\[\]/,
  },
  {
    title: 'a list of two records is no map',
    model: entity('l R[]'),
    body: { l: [{ a: 1 }, { a: 2 }] },
    next: entity('l Map'),
    by: 'nobody',
    says: /m\/A\.l is stored as m\/R\[\] and would become Map, but 1 instance holds a value that does not fit: 1/,
  },
  {
    title: 'a list holds a value that its enum no longer has',
    model: entity('l String[] @enum("a", "b", "c")'),
    body: { l: ['a', 'c'] },
    next: entity('l String[] @enum("a", "b")'),
    by: 'nobody',
    says: /1 stored instance holds a value of m\/A\.l that the model no longer allows: 1/,
  },
  {
    title: 'a new date is filled with a date, a new time with a time',
    model: entity('x Int @optional'),
    body: {},
    next: entity('x Int @optional, d Date @default(now()), t Time @default(now())'),
    by: 'start',
    becomes: { d: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), t: expect.stringMatching(/^\d\d:\d\d:\d\d(\.\d+)?$/) },
  },
  {
    title: 'two attributes swap their names',
    model: entity('a String, b String'),
    body: { a: '1', b: '2' },
    next: entity('a String @was("b"), b String @was("a")'),
    by: 'nobody',
    says: /m\/A\.a says @was\("b"\), but b is stored and in the model as well/,
  },
  {
    title: 'an attribute is renamed, and another has its name',
    model: entity('a String'),
    body: { a: '1' },
    next: entity('b String @optional @was("a"), a String @optional'),
    by: 'nobody',
    says: /m\/A\.b says @was\("a"\), but a is stored/,
  },
];

const asked = (body: Readonly<Record<string, unknown>>): readonly Step[] => [{ ask: 'GET /m/A/1', status: 200, has: { id: 1, ...body } }];

for (const { title, model, body, next, by, says, becomes, stays } of table) {
  test(`${title}: ${by === 'nobody' ? 'it is refused, and nothing changes' : `${by} does it, and undo ${stays === undefined ? 'takes it back' : 'is refused'}`}`, async () => {
    const data = database();
    await data.serve(model, [{ ask: 'POST /m/A', body: { id: 1, ...body }, status: 201 }]);
    if (by !== 'start') expect(await data.refusal(next)).toMatch(says ?? /platform migrate apply/);
    if (by === 'nobody') {
      await expect(data.apply(next)).rejects.toThrow(says);
      return data.serve(model, asked(body));
    }
    if (by === 'apply') await data.apply(next);
    await data.serve(next, asked(becomes ?? {}));
    if (stays !== undefined) return expect(data.undo()).rejects.toThrow(stays);
    await data.undo();
    return data.serve(model, asked(body));
  });
}

test('what was renamed once may keep its @was while another attribute gets the old name', async () => {
  const data = database();
  await data.serve(entity('a String'), [{ ask: 'POST /m/A', body: { id: 1, a: '1' }, status: 201 }]);
  await data.serve(entity('b String @was("a")'), asked({ b: '1' }));
  await data.serve(entity('b String @was("a"), a String @optional'), asked({ b: '1', a: null }));
  await data.serve(entity('b String @was("a"), a String @optional, c Int @optional'), asked({ b: '1', a: null, c: null }));
});

test('a name that changes only in its case keeps its data, and so does what is retired under both', async () => {
  const data = database();
  const item = (name: string, attributes: string): string => `module m\nentity ${name} id Int @id, ${attributes} }\n`;
  await data.serve(item('A {', 'Note String'), [{ ask: 'POST /m/A', body: { id: 1, Note: 'n' }, status: 201 }]);
  await data.serve(item('a { @was("A"),', 'note String @was("Note")'), [{ ask: 'GET /m/a/1', status: 200, is: { id: 1, note: 'n' } }]);
  await data.apply(item('a {', 'x Int @optional'));
  await data.serve(item('a {', 'x Int @optional, Note String @optional'), [
    { ask: 'PATCH /m/a/1', body: { Note: 'N' }, status: 200, is: { id: 1, x: null, Note: 'N' } },
  ]);
  await data.apply(item('a {', 'x Int @optional'));
  await data.serve(item('a {', 'x Int @optional, note String @optional'), [
    { ask: 'GET /m/a/1', status: 200, is: { id: 1, x: null, note: 'n' } },
  ]);
});

test('a table of the same name from elsewhere is left alone, and told', async () => {
  const data = database();
  const model = entity('x Int @optional');
  await data.schema(async ({ executor }) => {
    await executor.run('CREATE TABLE "m/A" ("other" INTEGER)');
    await executor.run('INSERT INTO "m/A" VALUES (7)');
  });
  expect(await data.refusal(model)).toMatch(/m\/A is new, but the database has a table of that name from elsewhere\n.*store\.dbname/);
  expect(await data.schema(async ({ executor }) => (await executor.rows('SELECT * FROM "m/A"')).length)).toBe(1);
});

test('a reference between decimals that is added compares what is stored by its value', async () => {
  const data = database();
  const model = 'module m\nentity P { id Int @id, price Decimal @unique }\nentity R { id Int @id, price Decimal @optional }\n';
  await data.serve(model, [
    { ask: 'POST /m/P', body: { id: 1, price: '1.50' }, status: 201 },
    { ask: 'POST /m/R', body: { id: 1, price: '1.5' }, status: 201 },
  ]);
  await data.serve(model.replace('Decimal @optional', 'Decimal @optional @ref(P.price)'), [
    { ask: 'GET /m/R/1', status: 200, has: { price: '1.5' } },
    { ask: 'DELETE /m/P/1', status: 409 },
    { ask: 'POST /m/R', body: { id: 2, price: '1.500' }, status: 201 },
    { ask: 'POST /m/R', body: { id: 3, price: '1.6' }, status: 422 },
  ]);
});
