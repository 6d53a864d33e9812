// What a model drops is retired: hidden, kept, back when the model has it again, whatever happened in between.

import { expect, test } from 'vitest';
import { migrationStatus, planMigration, purgeRetired, schemaFigures } from '../../src/store/migration/migration.ts';
import type { Step } from '../support/table.ts';
import { asBefore, first, rows } from './changes.ts';
import { database, inSurface, surfaces, tablesOf } from './evolve.ts';

interface Story {
  readonly title: string;
  /** Without what is dropped. */
  readonly without: string;
  /** What happens meanwhile. */
  readonly meanwhile?: readonly Step[];
  /** The model that has it again; the first one where nothing is said. */
  readonly again?: string;
  readonly finally: readonly Step[];
}

const p1 = { id: 1, name: '10', kind: 'a', n: 7 };

const stories: readonly Story[] = [
  { title: 'an attribute', without: first.replace('name String @optional, ', ''), finally: asBefore },
  {
    title: 'an attribute, with instances that were made meanwhile',
    without: first.replace('name String @optional, ', ''),
    meanwhile: [{ ask: 'POST /m/P', body: { id: 9 }, status: 201 }],
    finally: [
      { ask: 'GET /m/P/9', status: 200, has: { id: 9, name: null } },
      { ask: 'GET /m/P/1', status: 200, is: p1 },
    ],
  },
  {
    title: 'a required attribute with a default, which instances made meanwhile get',
    without: first.replace('kind @enum("a", "b") @default("a"), ', ''),
    meanwhile: [{ ask: 'POST /m/P', body: { id: 9 }, status: 201 }],
    finally: [
      { ask: 'GET /m/P/9', status: 200, has: { id: 9, kind: 'a' } },
      { ask: 'GET /m/P/2', status: 200, has: { id: 2, kind: 'b' } },
    ],
  },
  {
    title: 'an attribute, under a new name',
    without: first.replace('name String @optional, ', ''),
    again: first.replace('name String', 'title String @was("name")').replace('@was("name") @optional', '@optional @was("name")'),
    finally: [{ ask: 'GET /m/P/1', status: 200, is: { id: 1, title: '10', kind: 'a', n: 7 } }],
  },
  {
    title: 'an attribute of an entity that has another name meanwhile',
    without: first.replace('name String @optional, ', '').replace('entity P {', 'entity Q { @was("P"),').replaceAll('(P,', '(Q,'),
    again: first.replace('entity P {', 'entity Q {').replaceAll('(P,', '(Q,'),
    finally: [{ ask: 'GET /m/Q/1', status: 200, is: p1 }],
  },
  {
    title: 'an entity with its links',
    without: first.replace(/entity T .*\n/, '').replace(/relationship L .*\n/, ''),
    finally: asBefore,
  },
  {
    title: 'a contained entity, whose parent was deleted meanwhile: it stands alone',
    without: first.replace(/entity N .*\n/, '').replace(/relationship D .*\n/, ''),
    meanwhile: [{ ask: 'DELETE /m/P/1/R/K/1', status: 200 }],
    finally: [{ ask: 'GET /m/N/5', status: 200, has: { id: 5 } }],
  },
  {
    title: 'a contained entity, whose parent has another name meanwhile',
    without: first
      .replace(/entity N .*\n/, '')
      .replace(/relationship D .*\n/, '')
      .replace('entity K {', 'entity C { @was("K"),')
      .replace('(P, K)', '(P, C)'),
    again: first.replace('entity K {', 'entity C {').replace('(P, K)', '(P, C)').replace('(K, N)', '(C, N)'),
    finally: [{ ask: 'GET /m/P/1/R/C/1/D/N/5', status: 200, is: { id: 5, __path__: 'path://m$P/1/m$R/m$C/1/m$D/m$N/5' } }],
  },
  { title: 'a contains relationship, with who stood under whom', without: first.replace(/relationship D .*\n/, ''), finally: asBefore },
  { title: 'a between relationship, with its links', without: first.replace(/relationship L .*\n/, ''), finally: asBefore },
];

for (const surface of surfaces) {
  for (const { title, without, meanwhile = [], again = first, finally: steps } of stories) {
    test(`${title} comes back (${surface} surface)`, async () => {
      const data = database();
      await data.serve(inSurface(first, surface), rows);
      await data.apply(inSurface(without, surface));
      await data.serve(inSurface(without, surface), meanwhile);
      await data.serve(inSurface(again, surface), steps);
    });
  }
}

test('links whose ends were deleted meanwhile are told, with the ways out, and nothing is changed', async () => {
  const data = database();
  const without = first.replace(/relationship L .*\n/, '');
  await data.serve(first, rows);
  await data.apply(without);
  await data.serve(without, [{ ask: 'DELETE /m/T/1', status: 200 }]);
  expect(await data.refusal(first)).toMatch(
    /1 instance of m\/L would point by T at what m\/T does not hold: \S+\n.*make what they point at\n.*purge/,
  );
  await data.serve(without, [{ ask: 'POST /m/T', body: { id: 1, label: 'x' }, status: 201 }]);
  await data.serve(first, asBefore);
});

test('what comes back with another type is converted by apply, and the first values are kept for the way back', async () => {
  const data = database();
  await data.serve(first, rows);
  await data.apply(first.replace('name String @optional, ', ''));
  const asNumber = first.replace('name String', 'name Int');
  expect(await data.refusal(asNumber)).toMatch(/m\/P\.name is stored as String and would become Int/);
  await data.apply(asNumber);
  await data.serve(asNumber, [{ ask: 'GET /m/P/1', status: 200, is: { ...p1, name: 10 } }]);
  await data.apply(first);
  await data.serve(first, asBefore);
});

test('a type that changes there and back gives back the values as they were, except those that were changed', async () => {
  const data = database();
  const written = first.replace('n Int @optional', 'n Decimal @optional');
  const asNumber = first.replace('n Int @optional', 'n Float @optional');
  await data.serve(written, [
    { ask: 'POST /m/P', body: { id: 1, n: '1.50' }, status: 201 },
    { ask: 'POST /m/P', body: { id: 2, n: '2.50' }, status: 201 },
  ]);
  await data.apply(asNumber);
  await data.serve(asNumber, [
    { ask: 'PUT /m/P/2', body: { n: 3.5 }, status: 200 },
    { ask: 'POST /m/P', body: { id: 3, n: 4.5 }, status: 201 },
  ]);
  await data.undo();
  await data.serve(written, [
    {
      ask: 'GET /m/P?@select=n',
      status: 200,
      is: [
        { id: 1, n: '1.50' },
        { id: 2, n: '3.5' },
        { id: 3, n: '4.5' },
      ],
    },
  ]);
});

test('an attribute of the same name and another identity does not get the values of the retired one after a purge', async () => {
  const data = database();
  await data.serve(first, rows);
  const without = first.replace('name String @optional, ', '');
  await data.apply(without);
  expect((await data.schema((session) => migrationStatus(session, tablesOf(without)))).retired).toMatchObject([
    { name: 'm/P.name', rows: 2 },
  ]);
  expect(await data.schema((session) => purgeRetired(session, {}))).toEqual(['m/P.name (String) is removed, with 2 rows']);
  await data.serve(first, [{ ask: 'GET /m/P/1', status: 200, is: { ...p1, name: null } }]);
});

test('how many things are retired is told without reading a row of them: it is asked while the service works', async () => {
  const data = database();
  await data.serve(first, rows);
  const without = first.replace('name String @optional, ', '');
  await data.apply(without);
  const statements: string[] = [];
  const figures = await data.schema((session) => {
    const { executor } = session;
    const listening: typeof executor = {
      run: (sql, parameters) => executor.run(sql, parameters),
      rows: (sql, parameters) => {
        statements.push(sql);
        return executor.rows(sql, parameters);
      },
    };
    return schemaFigures({ ...session, executor: listening }, tablesOf(without));
  });
  expect(figures).toMatchObject({ fits: true, retired: 1, history: [{ kind: 'start' }, { kind: 'apply' }] });
  expect(statements.filter((each) => each.includes('"m/P"'))).toEqual([]);
});

test('@was that stays in the model changes nothing, nor does one that names what the model still has', async () => {
  const data = database();
  await data.serve(first, rows);
  const renamed = first.replace('name String @optional', 'title String @optional @was("name")');
  await data.serve(renamed, []);
  expect((await data.schema((session) => planMigration(session, tablesOf(renamed)))).changes).toEqual([]);
  const both = renamed.replace('n Int', 'name Int @optional, n Int');
  await data.serve(both, [
    { ask: 'GET /m/P/1', status: 200, is: { id: 1, title: '10', kind: 'a', name: null, n: 7 } },
    { ask: 'PUT /m/P/1', body: { name: 1 }, status: 200 },
  ]);
});
