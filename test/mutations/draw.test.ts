// What the mutation tool draws, and in which order the tests are asked.

import { expect, test } from 'vitest';
import { Random } from '../applications/random.ts';
import { batches } from './attempt.ts';
import { byRoom, drawn, quotas } from './draw.ts';
import { equivalents, lost } from './equivalent.ts';
import { type Mutation, mutationsOf } from './operators.ts';
import { bits, reachOf, type Unit } from './reach.ts';
import { digestOf, sources } from './sources.ts';

const some = (file: string, count: number) =>
  mutationsOf(file, Array.from({ length: count }, (_, at) => `const x${at} = ${at};`).join('\n'));
const rooms = byRoom([...some('src/a/a.ts', 90), ...some('src/a/b.ts', 9), ...some('src/b/c.ts', 9), ...some('src/d.ts', 9)]);

test('rooms are the folders below src, and what lies beside them', () => {
  expect([...rooms.keys()]).toEqual(['a', 'b', 'base']);
});

test.each([1, 2, 3, 4, 5])('each room is drawn from, the larger ones more often, with the seed %i', (seed) => {
  const found = quotas(rooms, 60, new Random(seed));
  expect([...found.values()].reduce((sum, each) => sum + each, 0)).toBe(60);
  expect(Math.min(...found.values())).toBeGreaterThanOrEqual(2);
  expect([...quotas(rooms, 2, new Random(seed)).values()].sort()).toEqual([0, 1, 1]);
});

test('the same seed draws the same, one of each file', () => {
  const draw = (seed: number) => drawn(rooms.get('a') ?? [], new Random(seed));
  expect(draw(7)).toEqual(draw(7));
  expect(
    draw(7)
      .map(({ file }) => file)
      .sort(),
  ).toEqual(['src/a/a.ts', 'src/a/b.ts']);
});

const unit = (file: string, seconds: number, project = 'sqlite', entered: readonly number[] = [], passed = true): Unit => ({
  ...{ project, file, seconds, passed },
  entered: bits(entered.join('\n')),
});

test('the cheapest files are asked first, and those on the server last', () => {
  const reaching = [
    unit('a', 5),
    unit('b', 1),
    unit('c', 3),
    unit('d', 50),
    unit('a', 5, 'postgres'),
    unit('s', 9, 'postgres'),
    unit('e', 0, 'sqlite', [], false),
  ];
  const found = batches(reaching, { first: 2, seconds: 20 });
  expect(found.map(({ project, units }) => [project, ...units.map(({ file }) => file)])).toEqual([
    ['sqlite', 'b', 'c'],
    ['sqlite', 'a'],
    ['postgres', 's'],
  ]);
});

const text = 'const x = 1;\nexport const f = () => 2;';
const recorded = {
  at: '',
  sources: {
    'src/a.ts': { digest: digestOf(text), first: 0, regions: [{ start: text.indexOf('2'), end: text.indexOf('2') + 1 }], imports: [] },
    'src/door.ts': { digest: '', first: 1, regions: [], imports: ['src/a.ts'] },
    'src/b.ts': { digest: '', first: 1, regions: [{ start: 0, end: 1 }], imports: ['src/door.ts'] },
  },
  loaded: bits(''),
  units: [unit('one', 1, 'sqlite', [0]), unit('two', 1, 'sqlite', [1]), unit('three', 1, 'sqlite', [9])],
};

const reached: readonly (readonly [title: string, at: number, text: string, files: readonly string[]])[] = [
  ['in a function, by those that enter it', 3, text, ['one']],
  ['of a module, by those that enter it or what imports it', 0, text, ['one', 'two']],
  ['of a source that has changed since, by those that enter any of it', 3, `${text} `, ['one', 'two']],
];

test.each(reached)('a place is reached, %s', (_, at, source, files) => {
  const places = mutationsOf('src/a.ts', text).filter(({ operator }) => operator === 'number');
  const mutation: Mutation | undefined = places[at === 0 ? 0 : 1];
  expect(mutation && reachOf(recorded)(mutation, source).map(({ file }) => file)).toEqual(files);
});

test('what is said to be equivalent stands in the source', () => {
  const texts = sources();
  const files = new Set(equivalents.map(({ file }) => file));
  expect(
    lost(
      [...files].flatMap((file) => mutationsOf(file, texts.get(file) ?? '')),
      texts,
    ),
  ).toEqual([]);
});
