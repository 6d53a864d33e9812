// Random sequences of writes: afterwards every attribute that is computed from other instances is what a small application in memory says.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';
import { counted } from '../support/form.ts';

const model = `module m
import "own.js" @as own
entity Rate { code String @id, value Int }
entity Team { id Int @id, bonus Int, cost Int @expr(sum(Members.Person.pay)), size Int @expr(count(Members)), led String @expr(Leads.Boss.name) }
entity Person { id Int @id, hours Int, rate String @ref(Rate.code), pay Int @expr(own.plus(hours * rate.value, Members.Team.bonus)) }
entity Boss { id Int @id, name String, cost Int @expr(sum(Leads.Team.cost)), best Int @expr(max(Knows.Person.pay)), twice Int @expr(own.plus(cost, cost)), friends Int[] @expr(Knows.Person.id) }
relationship Members contains(Team, Person)
relationship Leads between(Boss, Team) @one_many
relationship Knows between(Boss, Person)
`;

const project = { 'core.al': model, 'own.js': 'export const plus = (one, other) => one + other;' };

/** More than one statement takes at once. */
const crowd = Array.from({ length: 130 }, (_, index) => index + 101);

type Write =
  | { readonly kind: 'team' | 'drop-team'; readonly id: number; readonly bonus: number; readonly people: readonly number[] }
  | {
      readonly kind: 'person' | 'change' | 'drop-person';
      readonly id: number;
      readonly team: number;
      readonly hours: number;
      readonly rate: string;
    }
  | { readonly kind: 'crowd'; readonly id: number; readonly bonus: number }
  | { readonly kind: 'rate'; readonly rate: string; readonly value: number }
  | { readonly kind: 'boss' | 'rename' | 'drop-boss'; readonly id: number; readonly name: string }
  | { readonly kind: 'lead' | 'unlead'; readonly id: number; readonly team: number }
  | { readonly kind: 'know' | 'forget'; readonly id: number; readonly team: number; readonly person: number };

const id = fc.integer({ min: 1, max: 3 });
const rate = fc.constantFrom('low', 'high');
const small = fc.integer({ min: 0, max: 9 });
const name = fc.constantFrom('Ann', 'Bob');
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constantFrom('team', 'team', 'drop-team'), id, bonus: small, people: fc.uniqueArray(id, { maxLength: 3 }) }),
  fc.record({ kind: fc.constantFrom('person', 'person', 'change', 'drop-person'), id, team: id, hours: small, rate }),
  fc.record({ kind: fc.constant('crowd'), id, bonus: small }),
  fc.record({ kind: fc.constant('rate'), rate, value: small }),
  fc.record({ kind: fc.constantFrom('boss', 'boss', 'rename', 'drop-boss'), id, name }),
  fc.record({ kind: fc.constantFrom('lead', 'lead', 'unlead'), id, team: id }),
  fc.record({ kind: fc.constantFrom('know', 'know', 'forget'), id, team: id, person: id }),
);

interface Person {
  hours: number;
  rate: string;
}

/** The same in memory, and nothing in it stored that can be computed. */
interface World {
  readonly rates: Map<string, number>;
  readonly teams: Map<number, { bonus: number; readonly people: Map<number, Person> }>;
  readonly bosses: Map<number, { name: string; readonly leads: Set<number>; readonly knows: Set<string> }>;
}

/** What is asked of the service, and what it means where the service does it. */
function requestOf(each: Write): readonly [method: string, target: string, body: unknown, done: (world: World) => void] {
  const person = (hours: number, code: string): Person => ({ hours, rate: code });
  switch (each.kind) {
    case 'team': {
      const people = each.people.map((one) => ({ id: one, hours: one, rate: 'low' }));
      const made = () => new Map(each.people.map((one) => [one, person(one, 'low')]));
      return [
        'POST',
        '/m/Team',
        { id: each.id, bonus: each.bonus, Members: people },
        (world) => world.teams.set(each.id, { bonus: each.bonus, people: made() }),
      ];
    }
    case 'crowd': {
      const people = crowd.map((one) => ({ id: one, hours: one % 7, rate: one % 2 === 0 ? 'low' : 'high' }));
      const made = () => new Map(people.map((one) => [one.id, person(one.hours, one.rate)]));
      return [
        'POST',
        '/m/Team',
        { id: each.id, bonus: each.bonus, Members: people },
        (world) => world.teams.set(each.id, { bonus: each.bonus, people: made() }),
      ];
    }
    case 'drop-team':
      return ['DELETE', `/m/Team/${each.id}`, undefined, (world) => dropTeam(world, each.id)];
    case 'person':
      return [
        'POST',
        `/m/Team/${each.team}/Members/Person`,
        { id: each.id, hours: each.hours, rate: each.rate },
        (world) => world.teams.get(each.team)?.people.set(each.id, person(each.hours, each.rate)),
      ];
    case 'change':
      return [
        'PUT',
        `/m/Team/${each.team}/Members/Person/${each.id}`,
        { hours: each.hours, rate: each.rate },
        (world) => world.teams.get(each.team)?.people.set(each.id, person(each.hours, each.rate)),
      ];
    case 'drop-person':
      return [
        'DELETE',
        `/m/Team/${each.team}/Members/Person/${each.id}`,
        undefined,
        (world) => {
          world.teams.get(each.team)?.people.delete(each.id);
          for (const boss of world.bosses.values()) boss.knows.delete(`${each.team} ${each.id}`);
        },
      ];
    case 'rate':
      return ['PUT', `/m/Rate/${each.rate}`, { value: each.value }, (world) => world.rates.set(each.rate, each.value)];
    case 'boss':
      return [
        'POST',
        '/m/Boss',
        { id: each.id, name: each.name },
        (world) => world.bosses.set(each.id, { name: each.name, leads: new Set(), knows: new Set() }),
      ];
    case 'rename':
      return [
        'PUT',
        `/m/Boss/${each.id}`,
        { name: each.name },
        (world) => {
          const boss = world.bosses.get(each.id);
          if (boss !== undefined) boss.name = each.name;
        },
      ];
    case 'drop-boss':
      return ['DELETE', `/m/Boss/${each.id}`, undefined, (world) => world.bosses.delete(each.id)];
    case 'lead':
      return ['POST', '/m/Leads', { Boss: each.id, Team: each.team }, (world) => world.bosses.get(each.id)?.leads.add(each.team)];
    case 'unlead':
      return [
        'DELETE',
        `/m/Boss/${each.id}/Leads/Team/${each.team}`,
        undefined,
        (world) => world.bosses.get(each.id)?.leads.delete(each.team),
      ];
    case 'know': {
      const path = `path://m$Team/${each.team}/m$Members/m$Person/${each.person}`;
      return [
        'POST',
        '/m/Knows',
        { Boss: each.id, Person: path },
        (world) => world.bosses.get(each.id)?.knows.add(`${each.team} ${each.person}`),
      ];
    }
    default:
      return [
        'DELETE',
        `/m/Team/${each.team}/Members/Person/${each.person}/Knows/Boss/${each.id}`,
        undefined,
        (world) => world.bosses.get(each.id)?.knows.delete(`${each.team} ${each.person}`),
      ];
  }
}

function dropTeam(world: World, id: number): void {
  world.teams.delete(id);
  for (const boss of world.bosses.values()) {
    boss.leads.delete(id);
    for (const known of boss.knows) if (known.startsWith(`${id} `)) boss.knows.delete(known);
  }
}

function payOf(world: World, team: number, person: Person): number {
  return person.hours * (world.rates.get(person.rate) ?? 0) + (world.teams.get(team)?.bonus ?? 0);
}

function costOf(world: World, team: number): number {
  return [...(world.teams.get(team)?.people.values() ?? [])].reduce((sum, each) => sum + payOf(world, team, each), 0);
}

/** Everything that is computed, as the service lists it. */
function expected(world: World): object {
  const byNumber = <T>(one: readonly [number, T], other: readonly [number, T]) => one[0] - other[0];
  const leaderOf = (team: number) => [...world.bosses.values()].find((boss) => boss.leads.has(team))?.name ?? null;
  const teams = [...world.teams].sort(byNumber);
  return {
    teams: teams.map(([id, { people }]) => ({ id, cost: costOf(world, id), size: people.size, led: leaderOf(id) })),
    people: teams.flatMap(([id, { people }]) =>
      [...people].sort(byNumber).map(([own, each]) => ({ id: own, pay: payOf(world, id, each) })),
    ),
    bosses: [...world.bosses].sort(byNumber).map(([id, { leads, knows }]) => {
      const friends = [...knows].map((each) => each.split(' ').map(Number));
      const pays = friends.map(([team = 0, own = 0]) =>
        payOf(world, team, world.teams.get(team)?.people.get(own) ?? { hours: 0, rate: '' }),
      );
      const cost = [...leads].reduce((sum, team) => sum + costOf(world, team), 0);
      return {
        id,
        cost,
        twice: cost * 2,
        best: pays.length === 0 ? null : Math.max(...pays),
        friends: friends.map(([, own]) => own).sort(),
      };
    }),
  };
}

async function listed(served: Served): Promise<object> {
  const pick = async (type: string, names: readonly string[]) => {
    const { body } = await served.get(`/m/${type}`);
    const rows: readonly object[] = Array.isArray(body) ? body : [];
    return rows.map((row) => Object.fromEntries(names.map((each) => [each, sorted(Reflect.get(row, each))])));
  };
  return {
    teams: await pick('Team', ['id', 'cost', 'size', 'led']),
    people: await pick('Person', ['id', 'pay']),
    bosses: await pick('Boss', ['id', 'cost', 'twice', 'best', 'friends']),
  };
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value;
}

test('after any writes every computed value is what the instances say', async () => {
  const served = await open(project);
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 5, maxLength: 25 }), async (writes) => {
        for (const type of ['Boss', 'Team']) for (const one of [1, 2, 3]) await served.remove(`/m/${type}/${one}`);
        const world: World = {
          rates: new Map([
            ['low', 1],
            ['high', 3],
          ]),
          teams: new Map(),
          bosses: new Map(),
        };
        for (const [code, value] of world.rates) {
          await served.post('/m/Rate', { code, value });
          await served.put(`/m/Rate/${code}`, { value });
        }
        for (const each of writes) {
          const [method, target, body, done] = requestOf(each);
          const headers = body === undefined ? {} : { 'content-type': 'application/json' };
          const answer = await served.ask({ method, target, headers, ...(body === undefined ? {} : { text: JSON.stringify(body) }) });
          if (answer.status < 300) done(world);
          expect(answer.status, answer.text).toBeLessThan(500);
        }
        expect(await listed(served)).toEqual(expected(world));
      }),
      { numRuns: counted({ long: 1000, short: 10, postgres: 5 }) },
    );
  } finally {
    await served.close();
  }
});
