// Instances that are put back, in whatever order: what is computed from others is as true as if they had been created.

import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { noRecorder } from '../../src/engine/engine.ts';
import { noFunctions } from '../../src/engine/eval/functions.ts';
import { type RestoreParts, restore } from '../../src/engine/restore/restore.ts';
import { restoreTogether } from '../../src/engine/restore/together.ts';
import { compile } from '../../src/plan/compile.ts';
import { openStore } from '../../src/store/open.ts';
import type { Value } from '../../src/values/value.ts';
import { modelOf } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';

const model = `module m
entity P { id Int @id, sum Int @expr(sum(R.K.x)), most Int @expr(max(L.Q.size)), next Int @ref(P.id) @optional, after Int @expr(next.sum) }
entity K { id Int @id, x Int, of Int @expr(R.P.id), alone Int @expr(F.Q.id) }
entity Q { id Int @id, size Int }
relationship R contains(P, K)
relationship F contains(Q, K) @cascade(false)
relationship L between(P, Q)`;

async function started() {
  const clock = systemClock();
  const plan = compile(modelOf(model));
  const store = openStore({ type: 'sqlite', file: `${folderForTest()}/test.db` }, clock);
  onTestFinished(() => store.close());
  await store.migrate(plan.tables);
  const limits = { memory: 16 * 1024 * 1024, tree: { instances: 100, depth: 10, bytes: 1_000_000 }, flow: { steps: 100, time: 600 } };
  const parts: RestoreParts = { plan, store, clock, functions: noFunctions, hash: async (text) => text, limits, recorder: noRecorder };
  const planOf = (type: string) => {
    const found = plan.entities.get(`m/${type}`) ?? plan.links.get(`m/${type}`);
    if (found === undefined) throw new Error(type);
    return found;
  };
  const items = (all: readonly (readonly [string, Value])[]) => all.map(([type, body]) => ({ plan: planOf(type), body }));
  const rows = async (type: string) => {
    const { shapes } = planOf(type);
    const all = { ...shapes.byKey, where: { kind: 'all' }, order: [{ column: planOf(type).key, descending: false }] } as const;
    return (await store.read((reader) => reader.rows(all, []))).map((row) => JSON.parse(row.json));
  };
  return { parts, items, rows };
}

const child = (parent: number, id: number, x: number): readonly [string, Value] => [
  'K',
  { id, x, __path__: `path://m$P/${parent}/m$R/m$K/${id}`, __version: 5 },
];

test('what is put back counts, also for what was there before', async () => {
  const { parts, items, rows } = await started();
  const first = items([['P', { id: 1, __version: 7 }], ['Q', { id: 1, size: 4 }], child(1, 1, 10), child(1, 2, 20), ['L', { P: 1, Q: 1 }]]);
  expect(await restore(first, parts)).toEqual(first.map(() => ({ kind: 'added' })));
  expect(await rows('P')).toEqual([{ id: 1, sum: 30, most: 4, next: null, after: null }]);
  const second = items([child(1, 3, 5), ['Q', { id: 2, size: 9 }], ['L', { P: 1, Q: 2 }], child(9, 1, 1), child(1, 1, 10)]);
  expect((await restore(second, parts)).map((each) => each.kind)).toEqual(['added', 'added', 'added', 'waits', 'same']);
  expect(await rows('P')).toMatchObject([{ sum: 35, most: 9 }]);
  expect(await rows('K')).toMatchObject([{ of: 1 }, { of: 1 }, { of: 1 }]);
});

test('instances that point at each other are put back with what follows from each other', async () => {
  const { parts, items, rows } = await started();
  const circle = items([['P', { id: 1, next: 2 }], ['P', { id: 2, next: 1 }], child(2, 1, 6)]);
  expect((await restoreTogether(circle, parts)).map((each) => each.kind)).toEqual(['added', 'added', 'added']);
  expect(await rows('P')).toMatchObject([
    { sum: 0, after: 6 },
    { sum: 6, after: 0 },
  ]);
});

test('a child that outlived its parent is put back once, with its version', async () => {
  const { parts, items, rows } = await started();
  const freed = items([['K', { id: 1, x: 1, of: null, alone: null, __detached: true, __version: 3 }]]);
  expect(await restore(freed, parts)).toEqual([{ kind: 'added' }]);
  expect(await restore(freed, parts)).toEqual([{ kind: 'same' }]);
  expect(await rows('K')).toHaveLength(1);
});
