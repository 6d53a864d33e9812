// A model changes in every way over filled tables, on both surfaces: nothing is lost, each refusal says what to do, undo restores.

import { describe, expect, test } from 'vitest';
import { asBefore, type Evolution, evolutions, first, rows } from './changes.ts';
import { type Database, database, inSurface, type SurfaceName, surfaces } from './evolve.ts';

const outcomes = {
  start: 'a start does it, and undo takes it back',
  apply: 'a start refuses it, apply does it, and undo takes it back',
  nobody: 'refused by both, and nothing is changed',
} as const;

for (const surface of surfaces) {
  describe(`a model of the ${surface} surface changes over filled tables`, () => {
    for (const evolution of evolutions) test(`${evolution.title}: ${outcomes[evolution.by]}`, () => evolve(evolution, surface));
  });
}

async function evolve({ next, by, says, answers = [] }: Evolution, surface: SurfaceName): Promise<void> {
  const [before, after] = [inSurface(first, surface), inSurface(next, surface)];
  const data = database();
  await data.serve(before, [...rows, ...asBefore]);
  if (by !== 'start') expect(await data.refusal(after)).toMatch(says ?? /^$/);
  if (by === 'nobody') return refusedByAll(data, before, after, says);
  if (by === 'apply') {
    await data.serve(before, asBefore);
    expect(await data.apply(after)).not.toEqual([]);
  }
  await data.serve(after, answers);
  // Once more, as any other start.
  await data.serve(after, []);
  expect(await data.undo()).not.toEqual([]);
  await data.serve(before, asBefore);
}

async function refusedByAll(
  data: Database,
  before: ReturnType<typeof inSurface>,
  after: ReturnType<typeof inSurface>,
  says = /^$/,
): Promise<void> {
  await expect(data.apply(after)).rejects.toThrow(says);
  await data.serve(before, asBefore);
}
