// The matrix of access control: every user in every relation to an instance at every depth, on every path of either surface, against the oracle.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, isLarge, seed } from '../../support/form.ts';
import { surfaces } from '../people.ts';
import { type Around, type Cell, faultOf, shown } from './matrix/cells.ts';
import { flows } from './matrix/flows.ts';
import { readCells } from './matrix/reads.ts';
import { callers, canaries, levels, makeRows, types } from './matrix/rows.ts';
import { type MatrixWorld, openMatrix } from './matrix/world.ts';
import { deletions, deniedRank, writeCells } from './matrix/writes.ts';

let cells = 0;
const [admin = { name: 'admin', email: undefined, roles: [] }] = callers.filter(({ name }) => name === 'admin');

describe.each(surfaces)('on the %s surface', (surface) => {
  let world: MatrixWorld;
  beforeAll(async () => {
    world = await openMatrix(surface, { facts: makeRows(), callers, flows: flows[surface] });
  });
  afterAll(async () => {
    await world?.close();
    process.stdout.write(`matrix of access, ${surface}: ${cells} cells\n`);
  });

  test.each(callers)('$name sees what the rules show, on every path', async (caller) => {
    const around = { caller, world };
    await hold(some(readCells(around), callers.indexOf(caller)), around);
  });

  test.each(callers)('$name writes what the rules allow, on every path', async (caller) => {
    const around = { caller, world };
    await hold(some(writeCells(around), callers.indexOf(caller)), around);
  });

  test('what was denied has changed nothing', async () => {
    for (const type of types) expect((await ask(`${type}?rank=${deniedRank}`)).body).toEqual([]);
    const all = types.map((type) => ({ path: 'after writes', request: get(type), ...shown({ caller: admin, world }, type) }));
    await hold(all, { caller: admin, world });
  });

  test('who may delete an instance deletes it, and all below it', async () => {
    for (const { caller, cell } of deletions(world)) await hold([cell], { caller, world });
    for (const level of levels) expect((await ask(level)).text).not.toMatch(canaries);
  });

  const get = (place: string) => ({ method: 'GET', target: world.surface.at(place) });
  const ask = (place: string) => world.ask(admin, get(place));

  test('no text of a row is in a line of the log', () => {
    expect(world.logged().match(canaries)).toBeNull();
    expect(world.failures).toEqual([]);
  });
});

/**
 * A long run asks for everything; a short one for a quarter of what decides about many instances, and every sixteenth of the others, each caller for
 * other ones; on PostgreSQL for half of those.
 */
function some(all: readonly Cell[], begin: number): readonly Cell[] {
  const apart = counted({ long: 1, short: 2, postgres: 4 });
  return isLarge ? all : all.filter(({ decides }, at) => (at + begin + seed) % (apart * (decides > 4 ? 2 : 8)) === 0);
}

/** Nothing of this is changed by others, so that a few are asked at once. */
async function hold(all: readonly Cell[], around: Around): Promise<void> {
  const faults: string[] = [];
  const width = 8;
  for (let at = 0; at < all.length; at += width) {
    const answers = await Promise.all(all.slice(at, at + width).map((cell) => faultOf(cell, around)));
    faults.push(...answers.flatMap((fault) => fault ?? []));
  }
  cells += all.reduce((sum, { decides }) => sum + decides, 0);
  expect(faults.slice(0, 20).join('\n'), `${faults.length} differences`).toBe('');
}
