// What a guard hides from a caller is not there: on no path, on neither surface, in no answer, header, log line or error. Every cell is asked of a
// store with all rows, compared with what does not exist, and asked once more of a store that has no hidden rows: all three must say the same.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, everyNth, isLarge, seed } from '../support/form.ts';
import { type Around, type Cell, faultOf, type Tried } from './guarded-cells.ts';
import { filtersOf } from './guarded-filters.ts';
import { flowsOf, joinsOf, replaysOf } from './guarded-flows.ts';
import { type GuardCase, guards } from './guarded-guards.ts';
import { deniedLinks, hiddenLinks, linkWrites } from './guarded-links.ts';
import { movesOf, refusedMoves } from './guarded-moves.ts';
import { linkReads, readsOf } from './guarded-reads.ts';
import { denialsOf, refusalsOf } from './guarded-refusals.ts';
import {
  type CallerName,
  callers,
  type Entry,
  entities,
  everyRow,
  placeOf,
  sees,
  sightOf,
  type Tie,
  withoutHidden,
} from './guarded-rows.ts';
import { searchesOf } from './guarded-search.ts';
import { sortsOf } from './guarded-sorts.ts';
import { openWorld, surfaces, type World } from './guarded-world.ts';
import { deletesOf, writesOf } from './guarded-writes.ts';

let whole: World;
let atStart: unknown;
let cells = 0;

beforeAll(async () => {
  whole = await openWorld(everyRow);
  atStart = await whole.stored();
});
afterAll(async () => {
  await whole?.close();
  process.stdout.write(`guards: ${cells} cells\n`);
});

/** A text or a code of any row: values are in no line of a log, whoever may see them. */
const canary = /canary|code\d+z/;

/** All of them in a long run; else each where it is most different from the others. */
function callersOf({ name, writes }: GuardCase): readonly CallerName[] {
  if (isLarge) return callers;
  if (name === 'by an attribute') return ['ann', 'anonymous'];
  return writes === 'seen' ? ['ann', 'bob'] : ['ann'];
}

describe.each(guards)('a guard $name', (guard) => {
  test.each(callersOf(guard))('hides what %s does not see', async (caller) => {
    const sight = sightOf(guard, caller);
    const isHiding = sight.hidden.entries.length + sight.hidden.ties.length > 0;
    const rest = isHiding ? await openWorld(withoutHidden(sight)) : undefined;
    whole.use(guard);
    rest?.use(guard);
    try {
      const arounds = surfaces.map((surface) => ({ sight, caller, surface }));
      const moves = arounds.flatMap((around) => refusedMoves(around, deniedBy(guard, around)));
      const links = arounds.flatMap((each) => linkCellsOf(guard, each));
      const all = [
        ...some(
          arounds.flatMap((each) => cellsOf(guard, each)),
          guard,
          caller,
        ),
        ...links,
        ...moves,
      ];
      const faults = await faultsOf(all, { whole, rest, sight, caller });
      expect(faults.slice(0, 20), `${faults.length} cells`).toEqual([]);
      expect(await whole.stored(), 'nothing was written').toEqual(atStart);
      expect(whole.logged()).not.toMatch(canary);
      expect(whole.served.failures).toEqual([]);
    } finally {
      await rest?.close();
    }
  });
});

test('what is hidden is in no line that is logged for a request, at any level', async () => {
  const world = await whole.overSocket();
  for (const [at, guard] of guards.entries()) {
    const sight = sightOf(guard, 'ann');
    whole.use(guard);
    const all = surfaces.flatMap((surface) => [
      ...cellsOf(guard, { sight, caller: 'ann', surface }),
      ...linkCellsOf(guard, { sight, caller: 'ann', surface }),
    ]);
    const faults = await faultsOf(
      all.filter((_, index) => (index + at + seed) % (isLarge ? 5 : 201) === 0),
      { whole: world, rest: undefined, sight, caller: 'ann' },
    );
    expect(faults.slice(0, 20), `${faults.length} cells`).toEqual([]);
  }
  const logged = whole.logged();
  expect(logged.match(/"msg":"request"/g)?.length).toBeGreaterThan(30);
  expect(logged).not.toMatch(canary);
  expect(whole.served.failures).toEqual([]);
});

/** Those who see some rows, and write them. */
const writers = guards
  .filter(({ writes }) => writes === 'seen')
  .flatMap((guard) => (['ann', 'bob'] as const).map((caller) => ({ guard, caller, name: guard.name })));

test.each(writers)('writes of $caller change nothing that a guard $name hides', async ({ guard, caller }) => {
  const sight = sightOf(guard, caller);
  const own = await openWorld(everyRow);
  const rest = await openWorld(withoutHidden(sight));
  own.use(guard);
  rest.use(guard);
  try {
    const before = await own.stored();
    const creates = guard.sees !== sees.exists;
    const writings = surfaces.map((surface, at) => ({ sight, caller, surface, creates, first: 7000 + at * 1000 }));
    const all = [...writings.flatMap(writesOf), ...writings.flatMap(movesOf), ...deletesOf(writings)];
    const faults = await faultsOf(all, { whole: own, rest, sight, caller });
    expect(faults.slice(0, 20), `${faults.length} cells`).toEqual([]);
    const left = await own.stored();
    const find = (stored: typeof left, { type, text }: Entry) => stored[type]?.find((row) => row['text'] === text);
    for (const entry of sight.hidden.entries) {
      // It goes with what contains it, and with nothing else.
      const isGone = entry.parent !== undefined && find(left, entry.parent) === undefined;
      expect(find(left, entry), placeOf(entry)).toEqual(isGone ? undefined : find(before, entry));
    }
    expect(own.logged()).not.toMatch(canary);
    expect(own.served.failures).toEqual([]);
  } finally {
    await own.close();
    await rest.close();
  }
});

/** Those who may write links of their own, and anything else. */
const linkers = guards
  .filter(({ writes }) => writes === 'own links')
  .flatMap((guard) => (['ann', 'bob'] as const).map((caller) => ({ guard, caller, name: guard.name })));

test.each(linkers)('links of $caller change nothing that a guard $name hides', async ({ guard, caller }) => {
  const sight = sightOf(guard, caller);
  const own = await openWorld(everyRow);
  const rest = await openWorld(withoutHidden(sight));
  own.use(guard);
  rest.use(guard);
  try {
    const before = await own.stored();
    const writings = surfaces.map((surface, at) => ({ sight, caller, surface, creates: true, first: 7000 + at * 1000 }));
    const faults = await faultsOf(linkWrites(writings), { whole: own, rest, sight, caller });
    expect(faults.slice(0, 20), `${faults.length} cells`).toEqual([]);
    const left = await own.stored();
    const find = (stored: typeof left, { type, text }: Tie) => stored[type]?.find((row) => row['text'] === text);
    for (const tie of everyRow.ties.filter(({ owner }) => owner !== caller)) expect(find(left, tie), tie.text).toEqual(find(before, tie));
    expect(own.logged()).not.toMatch(canary);
    expect(own.served.failures).toEqual([]);
  } finally {
    await own.close();
    await rest.close();
  }
});

/** Each guard and caller begins at another one, so that every path is asked by some of them; on PostgreSQL every third is. */
function some(all: readonly Cell[], guard: GuardCase, caller: CallerName): readonly Cell[] {
  const first = guards.slice(0, guards.indexOf(guard)).flatMap(callersOf).length + callersOf(guard).indexOf(caller) + 1;
  return isLarge ? all : everyNth(all, counted({ long: 1, short: 66, postgres: 132 }), first + seed);
}

function deniedBy({ writes }: GuardCase, { caller }: Around): (entry: Entry) => boolean {
  return ({ owner }) => writes === 'none' || (writes === 'own' && owner !== caller);
}

function cellsOf(guard: GuardCase, around: Around): readonly Cell[] {
  const isDenied = deniedBy(guard, around);
  return [
    ...entities.flatMap((type) => [
      ...readsOf(type, around),
      ...filtersOf(type, around),
      ...sortsOf(type, around),
      ...searchesOf(type, around),
      ...flowsOf(type, around),
    ]),
    ...linkReads(around),
    ...joinsOf(around),
    ...replaysOf(around),
    ...entities.flatMap((type) => [...refusalsOf(type, around), ...denialsOf(type, around, isDenied)]),
  ];
}

/** All of them, whatever the run. */
function linkCellsOf({ writes }: GuardCase, around: Around): readonly Cell[] {
  if (writes === 'own links') return [...hiddenLinks(around), ...deniedLinks(around, ({ owner }) => owner !== around.caller, false)];
  return writes === 'no links' ? deniedLinks(around, () => true, true) : hiddenLinks(around);
}

async function faultsOf(all: readonly Cell[], tried: Tried): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const cell of all) {
    const fault = await faultOf(cell, tried);
    if (fault !== undefined) faults.push(fault);
  }
  cells += all.length;
  return faults;
}
