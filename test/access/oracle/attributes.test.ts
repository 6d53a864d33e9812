// Random rules of an attribute: what each user sees of it, finds and sorts by it, sets and changes is what the oracle says, and nothing else tells its value.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counted } from '../../support/form.ts';
import { type Surface, surfaces } from '../people.ts';
import { pinned } from './matrix/pins.ts';
import { type Caller, canaries, placeOf } from './matrix/rows.ts';
import { type MatrixWorld, openMatrix } from './matrix/world.ts';
import { canRead, decide, decideCreate, mayEverReadPin, mayWithPin, owns, type Row, seesPin, visible } from './oracle.ts';

const flows = (surface: Surface): string =>
  ['P', 'Q', 'R', 'S']
    .map((type) =>
      surface === 'current'
        ? `workflow all${type} { {${type}? {}} }\nworkflow sorted${type} { {${type}? {}, @orderBy(pin)} }\nworkflow most${type} { {${type}? {}, @into {m @max(${type}.pin), n @count(${type}.pin)}} }`
        : `(event :m/all${type} {})(dataflow :m/all${type} {:m/${type}? {}})`,
    )
    .join('\n');

test.each(surfaces)('any rules of an attribute and any rows, on the %s surface', async (surface) => {
  await fc.assert(
    fc.asyncProperty(pinned, async (given) => {
      const world = await openMatrix(surface, { ...given, flows: flows(surface), graphql: surface === 'current' });
      try {
        const found: string[] = [];
        for (const caller of given.callers) await look(world, caller, found);
        for (const caller of given.callers) await change(world, caller, found);
        expect(found.slice(0, 5).join('\n')).toBe('');
        expect(world.failures).toEqual([]);
      } finally {
        await world.close();
      }
    }),
    { numRuns: counted({ long: 60, short: 3, postgres: 2 }), endOnFailure: true },
  );
});

/** What the caller may be told at all. */
function tellable(caller: Caller, { facts }: MatrixWorld): ReadonlySet<string> {
  const rows = visible(caller, facts.rows, facts);
  const links = facts.links.filter(({ ends }) => ends.every((end) => canRead(caller, end, facts)));
  return new Set([
    ...[...rows, ...links].map(({ text }) => text),
    ...rows.flatMap((row) => (seesPin(caller, row, facts) ? (row.pin ?? []) : [])),
  ]);
}

async function look(world: MatrixWorld, caller: Caller, found: string[]): Promise<void> {
  const { facts, surface } = world;
  const known = tellable(caller, world);
  const ask = async (path: string, request: Parameters<MatrixWorld['ask']>[1], expected: unknown, read: (text: string) => unknown) => {
    const { status, text } = await world.ask(caller, request);
    const wrong = (text.match(canaries) ?? []).filter((each) => !known.has(each));
    const told = status < 300 ? read(text) : status;
    if (wrong.length > 0) found.push(`${path} ${surface.name} ${caller.name}: tells ${wrong.join()}: ${JSON.stringify(request)}`);
    else if (JSON.stringify(told) !== JSON.stringify(expected))
      found.push(
        `${path} ${surface.name} ${caller.name}: ${JSON.stringify(told)} in place of ${JSON.stringify(expected)}: ${JSON.stringify(request)} ${text.slice(0, 200)}`,
      );
  };
  for (const { name: type } of facts.model.entities) {
    const rows = visible(
      caller,
      facts.rows.filter((row) => row.type === type),
      facts,
    );
    const pinOf = (row: Row): string | null => (seesPin(caller, row, facts) ? (row.pin ?? null) : null);
    const shown = rows.map((row) => [row.id, pinOf(row)]).toSorted(byId);
    const pins = rows.flatMap((row) => pinOf(row) ?? []).toSorted();
    const isAsked = mayEverReadPin(caller, type, facts);
    const get = (query: string) => ({ method: 'GET', target: `${surface.at(type)}${query}` }) as const;
    await ask('list', get(''), shown, idsAndPins);
    await ask('list sorted', get('?@sort=pin'), isAsked ? pins : 422, pinsOnly);
    await ask('list sorted', get('?@sort=-pin'), isAsked ? pins.toReversed() : 422, pinsOnly);
    await ask('list of those that have one', get('?pin[null]=false'), isAsked ? pins : 422, sortedPins);
    await ask('list like', get('?pin[like]=canary%25'), isAsked ? pins : 422, sortedPins);
    for (const row of facts.rows.filter((each) => each.type === type && each.pin !== undefined).slice(0, 3)) {
      const isFound = canRead(caller, row, facts) && pinOf(row) !== null;
      await ask('find by the value', get(`?pin=${row.pin}`), isAsked ? (isFound ? [row.pin] : []) : 422, sortedPins);
      await ask(
        'find by the value, or another',
        get(`?@or=(pin=${row.pin},rank=99)`),
        isAsked ? (isFound ? [row.pin] : []) : 422,
        sortedPins,
      );
    }
    for (const row of facts.rows.filter((each) => each.type === type))
      await ask(
        'one',
        { method: 'GET', target: surface.at(placeOf(row).split('/').slice(-2).join('/')) },
        canRead(caller, row, facts) ? [[row.id, pinOf(row)]] : 404,
        idsAndPins,
      );
    const run = (name: string) =>
      ({ method: 'POST', target: surface.at(name), body: surface.body({ type: name, attributes: {} }) }) as const;
    await ask('workflow', run(`all${type}`), shown, idsAndPins);
    if (surface.name !== 'current') continue;
    await ask('sorted workflow', run(`sorted${type}`), isAsked ? pins : 403, pinsOnly);
    await ask('greatest', run(`most${type}`), isAsked ? [pins.at(-1) ?? null, pins.length] : 403, greatest);
    const field = `${type.toLowerCase()}List`;
    const graphql = (query: string) => ({ method: 'POST', target: '/graphql', body: { query } }) as const;
    await ask('graphql', graphql(`{ ${field}(limit: 1000) { id pin } }`), shown, idsAndPins);
    if (isAsked)
      await ask('graphql where', graphql(`{ ${field}(limit: 1000, where: {pin: {like: "canary%"}}) { id pin } }`), pins, sortedPins);
  }
}

/** Values that are sent are no canaries. */
async function change(world: MatrixWorld, caller: Caller, found: string[]): Promise<void> {
  const { facts, surface } = world;
  const known = tellable(caller, world);
  const ask = async (path: string, method: 'PUT' | 'POST', target: string, body: unknown, expected: number): Promise<void> => {
    const { status, text } = await world.ask(caller, { method, target, body });
    const wrong = (text.match(canaries) ?? []).filter((each) => !known.has(each));
    if (status !== expected || wrong.length > 0)
      found.push(
        `${path} ${surface.name} ${caller.name}: ${status} in place of ${expected}, tells ${wrong.join()}: ${target} ${JSON.stringify(body)} ${text.slice(0, 200)}`,
      );
  };
  for (const row of facts.rows) {
    const isOwner = owns(caller, row, facts);
    const target = surface.at(placeOf(row).split('/').slice(-2).join('/'));
    const body = (pin: string | null) => (surface.name === 'current' ? { pin } : { Data: { pin } });
    const isRead = mayWithPin(caller, 'read', row, isOwner, facts);
    const isSet = mayWithPin(caller, 'update', row, isOwner, facts);
    const decision = decide(caller, 'update', row, 'flat', facts);
    const asIs = decision === 'not found' ? 404 : decision === 'allowed' && (isSet || isRead) ? 200 : 403;
    // What may be set is set to what it is, so that the facts stay true; sent as it is, what may only be read is no change at all.
    if (!(isSet && decision === 'allowed')) await ask('change', 'PUT', target, body('changed'), decision === 'not found' ? 404 : 403);
    await ask('change to what it is', 'PUT', target, body(row.pin ?? null), asIs);
  }
  let id = 200_000 * (1 + caller.name.length);
  for (const { name: type, within } of facts.model.entities) {
    const parents = within === undefined ? [undefined] : facts.rows.filter((row) => row.type === within.parent).slice(0, 2);
    for (const parent of parents)
      for (const boss of [caller.email, undefined]) {
        const named = boss === undefined ? {} : { boss };
        const decision = decideCreate(caller, type, named, parent, facts);
        const isSet = mayWithPin(caller, 'create', { type, ...named }, true, facts);
        id += 1;
        const made = surface.name === 'current' ? 201 : 200;
        const status = decision === 'allowed' ? (isSet ? made : 403) : decision === 'not found' ? 404 : 403;
        // Only what is refused: what is made would be in the lists of others.
        if (status === made) continue;
        const target = surface.at(parent === undefined ? type : `${placeOf(parent)}/${within?.relationship}/${type}`);
        await ask(
          'create',
          'POST',
          target,
          surface.body({ type, attributes: { id, text: 'made', rank: 1, pin: 'given', ...named } }),
          status,
        );
      }
  }
}

type Shown = readonly [id: number, pin: string | null];

/** The instances of an answer, whatever stands around them. */
function rowsIn(text: string): readonly Shown[] {
  const rows: Shown[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (typeof value === 'object' && value !== null) {
      const [id, pin] = [Reflect.get(value, 'id'), Reflect.get(value, 'pin')];
      if (typeof id === 'number') rows.push([id, typeof pin === 'string' ? pin : null]);
      for (const each of Object.values(value)) visit(each);
    }
  };
  visit(JSON.parse(text));
  return rows;
}

const byId = ([one]: readonly unknown[], [other]: readonly unknown[]): number => Number(one) - Number(other);
const idsAndPins = (text: string) => rowsIn(text).toSorted(byId);
const pinsOnly = (text: string) => rowsIn(text).flatMap(([, pin]) => pin ?? []);
const sortedPins = (text: string) => pinsOnly(text).toSorted();

function greatest(text: string): readonly unknown[] {
  const [row] = [JSON.parse(text)].flat();
  return [row.m, row.n];
}
