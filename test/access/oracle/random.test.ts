// Random rules, users and rows: what each user sees, changes, creates and links is what the oracle says.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counted } from '../../support/form.ts';
import { surfaces } from '../people.ts';
import { type Cell, faultOf } from './matrix/cells.ts';
import { type RandomSetting, setting } from './matrix/random.ts';
import { lists, nested, single } from './matrix/reads.ts';
import { type Caller, placeOf } from './matrix/rows.ts';
import { type MatrixWorld, nameOf, openMatrix } from './matrix/world.ts';
import { refusedDeletes, updates } from './matrix/writes.ts';
import { decideCreate, decideLink, type Row } from './oracle.ts';

test.each(surfaces)('any rules and any rows, on the %s surface', async (surface) => {
  await fc.assert(
    fc.asyncProperty(setting, async (given) => {
      const world = await openMatrix(surface, given);
      try {
        expect((await differences(world, given)).slice(0, 5).join('\n')).toBe('');
        expect(world.failures).toEqual([]);
      } finally {
        await world.close();
      }
    }),
    // A smaller example costs a service for each step.
    { numRuns: counted({ long: 60, short: 2, postgres: 1 }), endOnFailure: true },
  );
});

async function differences(world: MatrixWorld, { callers }: RandomSetting): Promise<readonly string[]> {
  const found: string[] = [];
  const look = async (cells: readonly Cell[], caller: Caller): Promise<void> => {
    for (const cell of cells) found.push(...[await faultOf(cell, { caller, world })].flatMap((fault) => fault ?? []));
  };
  for (const caller of callers) {
    const around = { caller, world };
    const { rows, model } = world.facts;
    await look(
      model.entities.flatMap(({ name }) => lists(name, around)),
      caller,
    );
    await look(
      rows.flatMap((row) => [...single(row, around), ...nested(row, around)]),
      caller,
    );
  }
  for (const caller of callers) {
    const around = { caller, world };
    const { rows } = world.facts;
    await look(
      rows.flatMap((row) => updates(row, around)),
      caller,
    );
    await look(
      rows.flatMap((row) => refusedDeletes(row, around).filter(({ path }) => path.startsWith('delete'))),
      caller,
    );
    await look(linkCells(world, caller), caller);
    await look(creates(world, callers, caller), caller);
  }
  return found;
}

/** Links that are refused: every other one would make owners. */
function linkCells({ facts, surface }: MatrixWorld, caller: Caller): readonly Cell[] {
  return facts.model.links.flatMap(({ name: type, ends: [first, second] }) => {
    const [from, to] = [first, second].map(({ entity }) => facts.rows.filter((row) => row.type === entity));
    return (from ?? []).slice(0, 4).flatMap((one) =>
      (to ?? []).slice(-4).flatMap((other): readonly Cell[] => {
        const decision = decideLink(caller, { type, ends: [one, other] }, facts);
        if (one === other || decision === 'allowed') return [];
        const body = surface.body({ type, attributes: { From: nameOf(one), To: nameOf(other) } });
        const status = decision === 'not found' ? 422 : [403, 409];
        return [{ path: 'link', request: { method: 'POST', target: surface.at(type), body }, status, shows: [], decides: 1 }];
      }),
    );
  });
}

/** Of every type, at its top or under every instance that may contain it. */
function creates({ facts, surface }: MatrixWorld, callers: readonly Caller[], caller: Caller): readonly Cell[] {
  let id = 100_000 * (1 + callers.indexOf(caller));
  return facts.model.entities.flatMap(({ name: type, within }) => {
    const parents: readonly (Row | undefined)[] =
      within === undefined ? [undefined] : facts.rows.filter((row) => row.type === within.parent);
    return parents.flatMap((parent) =>
      [caller.email, undefined].map((boss): Cell => {
        const named = boss === undefined ? {} : { boss };
        const decision = decideCreate(caller, type, named, parent, facts);
        id += 1;
        const body = surface.body({ type, attributes: { id, text: 'made', rank: 1, ...named } });
        const target = surface.at(parent === undefined ? type : `${placeOf(parent)}/${within?.relationship}/${type}`);
        const status = { allowed: surface.name === 'current' ? 201 : 200, forbidden: 403, 'not found': 404, unauthenticated: 401 }[
          decision
        ];
        return { path: 'create', request: { method: 'POST', target, body }, status, shows: [], decides: 1 };
      }),
    );
  });
}
