// The matrix of access control over entities that a resolver keeps: whoever is shown, makes or changes what, on every path, is the same as where they are stored.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLarge, seed } from '../../support/form.ts';
import type { Surface } from '../people.ts';
import { type Around, faultOf, shown } from './matrix/cells.ts';
import { flows } from './matrix/flows.ts';
import { graphqlFault, graphqlReads, graphqlWrites } from './matrix/graphql.ts';
import { mcpFault, mcpReads, mcpWrites } from './matrix/mcp.ts';
import { readCells } from './matrix/reads.ts';
import { type Caller, callers, canaries, levels, makeRows, types } from './matrix/rows.ts';
import { agents, type CallingModel, callingModel, toolFaults, toolReads, toolWrites } from './matrix/tools.ts';
import { type MatrixWorld, openMatrix } from './matrix/world.ts';
import { deletions, deniedRank, writeCells } from './matrix/writes.ts';

/** Milliseconds: all of one caller's cells take long on a busy machine. */
const longest = 1_800_000;
const [admin = { name: 'admin', email: undefined, roles: [] }] = callers.filter(({ name }) => name === 'admin');

/** All entities, and one whose parents and children are stored. */
const settings: readonly [surface: Surface, elsewhere: readonly string[]][] = [
  ['current', types],
  ['earlier', ['C']],
  ['earlier', types],
  ['current', ['B']],
];

describe.each(isLarge ? settings : settings.slice(0, 2))('on the %s surface, where %s are kept elsewhere', (surface, elsewhere) => {
  let world: MatrixWorld;
  let model: CallingModel;
  let cells = 0;
  let differences = 0;
  /** Those of agents and assistants. */
  const hasTools = surface === 'current';
  beforeAll(async () => {
    model = await callingModel();
    const text = hasTools ? `${flows.current}\n${agents}` : flows.earlier;
    const clients = { graphql: true, mcp: hasTools, ...(hasTools ? { llm: model.llm } : {}) };
    world = await openMatrix(surface, { facts: makeRows(), callers, flows: text, elsewhere, ...clients });
  });
  afterAll(async () => {
    await world?.close();
    await model?.close();
    process.stdout.write(`matrix of access, ${surface}, ${elsewhere.join()} elsewhere: ${cells} cells, ${differences} differences\n`);
  });

  // What some callers make would be seen by others: all of them read first.
  test.each(callers)(
    '$name is shown what the rules show, on every path and by every client',
    async (caller) => {
      const around = { caller, world };
      await hold(around, readCells(around), (cell) => faultOf(cell, around));
      await hold(around, graphqlReads(around), (cell) => graphqlFault(cell, around));
      if (!hasTools || caller.email === undefined) return;
      await hold(around, mcpReads(around), (cell) => mcpFault(cell, around));
      const asked = some(toolReads(around), caller);
      count(await toolFaults(asked, around, model), asked);
    },
    longest,
  );

  test.each(callers)(
    '$name changes what the rules allow, on every path and by every client',
    async (caller) => {
      const around = { caller, world };
      await hold(around, writeCells(around), (cell) => faultOf(cell, around));
      await hold(around, graphqlWrites(around), (cell) => graphqlFault(cell, around));
      if (!hasTools || caller.email === undefined) return;
      await hold(around, mcpWrites(around), (cell) => mcpFault(cell, around));
      const asked = some(toolWrites(around), caller);
      count(await toolFaults(asked, around, model), asked);
    },
    longest,
  );

  test('what was denied has changed nothing, and who may delete an instance deletes it and all below it', async () => {
    const ask = (place: string) => world.ask(admin, { method: 'GET', target: world.surface.at(place) });
    for (const type of types) {
      expect((await ask(`${type}?rank=${deniedRank}`)).body).toEqual([]);
      const { text } = await ask(`${type}?@limit=1000`);
      for (const each of shown({ caller: admin, world }, type).shows) expect(text).toContain(each);
    }
    for (const { caller, cell } of deletions(world))
      count(
        [await faultOf(cell, { caller, world })].flatMap((each) => each ?? []),
        [cell],
      );
    for (const level of levels) expect((await ask(level)).text).not.toMatch(canaries);
    expect([world.logged().match(canaries), world.failures]).toEqual([null, []]);
  });

  interface Decides {
    readonly decides: number;
  }

  async function hold<T extends Decides>(
    { caller }: Around,
    all: readonly T[],
    ask: (cell: T) => Promise<string | undefined>,
  ): Promise<void> {
    const asked = some(all, caller);
    const faults: string[] = [];
    for (const cell of asked) faults.push(...[await ask(cell)].flatMap((fault) => fault ?? []));
    count(faults, asked);
  }

  /** A short run asks for some of it, each caller for other ones; a long one for ten times as much. */
  function some<T extends Decides>(all: readonly T[], caller: Caller): readonly T[] {
    const begin = callers.indexOf(caller);
    const apart = isLarge ? 1 : 10;
    return all.filter(({ decides }, at) => (at + begin + seed) % (apart * (decides > 4 ? 2 : 20)) === 0);
  }

  function count(faults: readonly string[], asked: readonly Decides[]): void {
    cells += asked.reduce((sum, { decides }) => sum + decides, 0);
    differences += faults.length;
    expect(faults.slice(0, 20).join('\n'), `${faults.length} differences`).toBe('');
  }
});
