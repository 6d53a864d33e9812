// Attributes that are computed in another way than when they were stored: every instance has the value of the model that is served.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile } from '../../src/plan/compile.ts';
import { modelOf, open } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import type { Step } from '../support/table.ts';
import { database } from './evolve.ts';

const model = (attributes: string): string =>
  `module m\nentity A { id Int @id, n Int, ${attributes} }\nentity B { id Int @id, s Int @expr(sum(L.A.c)) }\nrelationship L between(A, B) { w Int, v Int @expr(w + 1) }\n`;
const first = model('c Int @expr(n * 2)');
const rows: readonly Step[] = [
  { ask: 'POST /m/A', body: { id: 1, n: 5 }, status: 201, has: { c: 10 } },
  { ask: 'POST /m/B', body: { id: 1 }, status: 201 },
  { ask: 'POST /m/L', body: { A: 1, B: 1, w: 1 }, status: 201, has: { v: 2 } },
];
const holds = (c: number, v: number): readonly Step[] => [
  { ask: 'GET /m/A', status: 200, is: [{ id: 1, n: 5, c }] },
  { ask: 'GET /m/B', status: 200, is: [{ id: 1, s: c }] },
  { ask: 'GET /m/L', status: 200, has: [{ v }] },
];

test('an attribute that is computed in another way is computed anew at the next start, with what builds on it', async () => {
  const data = database();
  await data.serve(first, rows);
  await data.serve(first.replace('n * 2', 'n * 3').replace('w + 1', 'w + 2'), holds(15, 3));
  await data.serve(first, holds(10, 2));
});

const called = `module m\nimport "f.js" @as f\n${model('c Int @expr(f.g(n))').slice('module m\n'.length)}`;
const functions: readonly (readonly [title: string, files: (factor: number) => Readonly<Record<string, string>>])[] = [
  ['a function of the application', (factor) => ({ 'core.al': called, 'f.js': `export const g = (n) => n * ${factor};` })],
  [
    'what a function of the application builds on',
    (factor) => ({
      'core.al': called.replace('f.js', 'f.ts'),
      'f.ts': `import { factor } from './factor.ts';\nexport const g = (n: number) => n * factor;`,
      'factor.ts': `export const factor = ${factor};`,
    }),
  ],
];
for (const [title, files] of functions) {
  test(`an attribute is computed anew at the next start where ${title} has changed, and not where it has not`, async () => {
    const data = database();
    await data.serve(files(2), rows);
    const version = async (factor: number): Promise<string | undefined> => {
      const served = await open(files(factor), { folder: data.folder });
      const { headers } = await served.get('/m/A/1');
      await served.close();
      return headers['etag'];
    };
    const before = await version(2);
    expect(await version(2)).toBe(before);
    await data.serve(files(3), holds(15, 2));
    expect(await version(3)).not.toBe(before);
  });
}

test('where the files of a project lie is no part of what its attributes are computed from', () => {
  const files = { 'core.al': called, 'f.js': 'export const g = (n) => n;' };
  const tables = ['one', 'two'].map((name) => compile(modelOf(files, join(folderForTest(), name))).tables);
  expect(tables[0]).toEqual(tables[1]);
});

test('a start that cannot compute an attribute of a stored instance says of which, and what to do', async () => {
  const data = database();
  const free = 'module m\nentity A { id Int @id, n Int @optional }\n';
  await data.serve(free, [{ ask: 'POST /m/A', body: { id: 7 }, status: 201 }]);
  const computed = free.replace('n Int @optional', 'n Int @optional, c Int @expr(n * 2)');
  expect(await data.refusal(computed)).toMatch(
    /of the stored instance 7, m\/A\.c is required.*: n is absent; make it @optional \(:optional true\), or let the expression/,
  );
  await data.serve(computed.replace('@expr', '@optional @expr'), [{ ask: 'GET /m/A/7', status: 200, is: { id: 7, n: null, c: null } }]);
});

test('an attribute that is no longer computed keeps its values, and whoever set them gets them back', async () => {
  const data = database();
  await data.serve(first, rows);
  const free = model('c Int');
  await data.serve(free, [...holds(10, 2), { ask: 'PUT /m/A/1', body: { c: 7 }, status: 200 }]);
  expect(await data.refusal(first)).toMatch(/m\/A\.c would be computed, but has values that somebody has set, in 1 instance: 1/);
  await data.apply(first);
  await data.serve(first, holds(10, 2));
  await data.undo();
  await data.serve(free, holds(7, 2));
});
