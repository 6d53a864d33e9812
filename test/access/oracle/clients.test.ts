// The matrix of access control once more, asked by GraphQL and told by streams: what each caller is shown, may change and is told is what the oracle says.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { counted, isLarge, seed } from '../../support/form.ts';
import { surfaces } from '../people.ts';
import { shown } from './matrix/cells.ts';
import { type GraphqlCell, graphqlFault, graphqlReads, graphqlWrites } from './matrix/graphql.ts';
import { type Caller, callers, canaries, makeRows, types } from './matrix/rows.ts';
import { expectUnchanged } from './matrix/unchanged.ts';
import { type MatrixWorld, openMatrix } from './matrix/world.ts';

const [admin = { name: 'admin', email: undefined, roles: [] }] = callers.filter(({ name }) => name === 'admin');
const cells = { graphql: 0, streams: 0 };

afterAll(() => {
  process.stdout.write(`matrix of access: ${cells.graphql} cells by GraphQL, ${cells.streams} by streams\n`);
});

describe.each(surfaces)('on the %s surface', (surface) => {
  let world: MatrixWorld;
  beforeAll(async () => {
    world = await openMatrix(surface, { facts: makeRows(), callers, graphql: true });
  });
  afterAll(() => world?.close());

  test('each caller is told by streams of what the rules show, and of nothing else', async () => {
    const own = callers.filter(({ email }) => email !== undefined);
    const streams = await Promise.all(own.flatMap((caller) => types.flatMap((type) => told(caller, type))));
    for (const each of streams) await each.present();
    for (const { type, id, parent } of world.facts.rows) {
      if (!isLarge && parent !== undefined && id % 3 !== 0) continue;
      const target = `${world.surface.at(type)}/${id}`;
      const body = surface === 'current' ? { rank: 6 } : { Data: { rank: 6 } };
      const { status, text } = await world.ask(admin, { method: 'PUT', target, body });
      if (status !== 200) throw new Error(text);
    }
    for (const each of streams) await each.changed();
    const [anonymous] = callers.filter(({ email }) => email === undefined);
    if (anonymous !== undefined) for (const type of types) expect((await world.watch(anonymous, world.surface.at(type))).status).toBe(401);
  });

  /** By REST and by a subscription. */
  async function told(caller: Caller, type: string) {
    const query = `subscription { ${type.charAt(0).toLowerCase()}${type.slice(1)}Changes(initial: true) { kind instance { id text } } }`;
    const { shows, decides } = shown({ caller, world }, type);
    const changed = shows.filter((text) => {
      const row = world.facts.rows.find((each) => each.text === text);
      return row !== undefined && (isLarge || row.parent === undefined || row.id % 3 === 0);
    });
    const readings = await Promise.all([
      world.watch(caller, `${world.surface.at(type)}?@initial=true`),
      world.watch(caller, '/graphql', { query }),
    ]);
    const textsIn = (from: number, each: (typeof readings)[number]): readonly string[] =>
      each.told.slice(from).flatMap(({ data }) => JSON.stringify(data).match(canaries) ?? []);
    return {
      async present() {
        for (const each of readings) {
          await each.until(shows.length + 1);
          expect([...textsIn(0, each)].sort(), `${caller.name} ${type}`).toEqual([...shows].sort());
          cells.streams += decides;
        }
      },
      async changed() {
        for (const each of readings) {
          await each.until(shows.length + 1 + changed.length);
          expect([...textsIn(shows.length + 1, each)].sort(), `${caller.name} ${type}`).toEqual([...changed].sort());
          cells.streams += decides;
          await each.close();
        }
      },
    };
  }

  test.each(callers)('$name is shown by GraphQL what the rules show', async (caller) => {
    await hold(graphqlReads({ caller, world }), caller);
  });

  test.each(callers)('$name changes by GraphQL what the rules allow', async (caller) => {
    await hold(graphqlWrites({ caller, world }), caller);
  });

  test('what was denied has changed nothing, and nothing was deleted', async () => {
    await expectUnchanged(world);
    expect(world.logged().match(canaries)).toBe(null);
  });

  /** A long run asks for everything; a short one for every twentieth of what decides about one instance, each caller for other ones; on PostgreSQL for a third. */
  async function hold(all: readonly GraphqlCell[], caller: Caller): Promise<void> {
    const begin = callers.indexOf(caller);
    const apart = counted({ long: 1, short: 1, postgres: 3 });
    const some = isLarge ? all : all.filter(({ decides }, at) => (at + begin + seed) % (apart * (decides > 1 ? 1 : 20)) === 0);
    const faults: string[] = [];
    for (const each of some) {
      const fault = await graphqlFault(each, { caller, world });
      if (fault !== undefined) faults.push(fault);
      cells.graphql += each.decides;
    }
    expect(faults.slice(0, 10).join('\n'), `${faults.length} differences`).toBe('');
  }
});
