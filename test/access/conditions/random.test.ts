// Random conditions over random rows: each caller sees the rows for which the oracle says that the condition holds, in lists and one by one.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counted } from '../../support/form.ts';
import { instances, type Person, type World, world } from '../people.ts';
import { type Asked, type Condition, holds, type Kind, type Named, type Operator, type Plain, textOf } from './oracle.ts';

/** Attributes of the rows, of what they refer to, and of profiles. */
const attributes: Readonly<Record<string, readonly [type: string, kind: Kind, values: readonly Plain[]]>> = {
  n: ['Int', 'number', [1, 2, 3, null]],
  d: ['Decimal', 'number', ['1', '1.0', '2.50', '2.5', '-3', null]],
  s: ['String', 'text', ['a', 'A', 'ab', 'é', '', null]],
  t: ['String', 'text', ['a', 'A', 'b', null]],
  day: ['Date', 'date', ['2024-01-01', '2024-02-29', '2025-01-01', null]],
  at: [
    'DateTime',
    'datetime',
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z', '2024-01-01T02:00:00+02:00', '2025-01-01T00:00:00Z', null],
  ],
  time: ['Time', 'time', ['10:00:00', '10:00:00.000', '09:59:59', null]],
};

type Row = Readonly<Record<string, Plain>>;
const names = Object.keys(attributes);
const attributeText = names.map((name) => `${name} ${attributes[name]?.[0]} @optional`).join(', ');

const row: fc.Arbitrary<Row> = fc.record(
  Object.fromEntries(names.map((name) => [name, fc.constantFrom(...(attributes[name]?.[2] ?? []))])),
);

/** By the path from the row: own, of the one that it refers to, of the one that this refers to, of those that it is linked with. */
const prefixes = ['', 'near.', 'near.far.', 'Rel.Tag.'] as const;

const nameds: readonly Named[] = names.flatMap((name) => {
  const kind = attributes[name]?.[1] ?? 'text';
  return [...prefixes.map((prefix): Named => ({ of: 'this', path: `${prefix}${name}`, kind })), { of: 'auth', path: name, kind }];
});

const operators: readonly Operator[] = ['=', '!=', '<', '<=', '>', '>='];

/** The values that an attribute may be compared with. */
function valuesFor({ path }: Named): readonly Plain[] {
  return (attributes[path.slice(path.lastIndexOf('.') + 1)]?.[2] ?? []).filter((each) => each !== null);
}

const leaf: fc.Arbitrary<Condition> = fc.constantFrom(...nameds).chain((left): fc.Arbitrary<Condition> => {
  const value = fc.constantFrom(...valuesFor(left));
  const operator = fc.constantFrom(...operators);
  const type = (named: Named): string => attributes[named.path.slice(named.path.lastIndexOf('.') + 1)]?.[0] ?? '';
  const alike = nameds.filter((each) => each.path !== left.path && type(each) === type(left));
  return fc.oneof(
    fc.record({ kind: fc.constant('compare' as const), left: fc.constant(left), operator, right: value }),
    fc.record({ kind: fc.constant('compare' as const), left: fc.constant(left), operator, right: fc.constantFrom(...alike) }),
    fc.record({ kind: fc.constant('null' as const), left: fc.constant(left), isNull: fc.boolean() }),
    fc.record({ kind: fc.constant('in' as const), left: fc.constant(left), items: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('between' as const), left: fc.constant(left), low: value, high: value }),
    ...(left.kind === 'text'
      ? [
          fc.record({ kind: fc.constant('like' as const), left: fc.constant(left), pattern: fc.constantFrom('a%', '_', '%b', 'A') }),
          fc.record({
            kind: fc.constant('compare' as const),
            left: fc.constant(left),
            operator: fc.constantFrom('=' as const, '!=' as const),
            right: fc.constantFrom('auth.user' as const, 'auth.id' as const),
          }),
        ]
      : []),
  );
});

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    leaf,
    fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), parts: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), part: tie('condition') }),
  ),
}));

const index = (most: number): fc.Arbitrary<number | null> => fc.option(fc.nat({ max: most - 1 }), { nil: null });

const given = fc.record({
  conditions: fc.array(condition, { minLength: 12, maxLength: 12 }),
  rows: fc.array(fc.record({ row, near: index(3), tags: fc.uniqueArray(fc.nat({ max: 2 }), { maxLength: 2 }) }), {
    minLength: 8,
    maxLength: 8,
  }),
  near: fc.array(fc.record({ row, far: index(2) }), { minLength: 3, maxLength: 3 }),
  far: fc.array(row, { minLength: 2, maxLength: 2 }),
  tags: fc.array(row, { minLength: 3, maxLength: 3 }),
  profiles: fc.array(row, { minLength: 3, maxLength: 3 }),
});

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function projectOf({ conditions }: Given): string {
  const own = conditions.map(
    (each, at) => `entity E${at} { id Int @id, near Int @ref(Near.id) @optional, ${attributeText},
  @rbac [(roles: [user], allow: [read], where: ${textOf(each).replaceAll('this.Rel.', `this.E${at}Tag.`)})] }
relationship E${at}Tag between(E${at}, Tag)`,
  );
  return `module m
entity Far { id Int @id, ${attributeText} }
entity Near { id Int @id, far Int @ref(Far.id) @optional, ${attributeText} }
entity Tag { id Int @id, ${attributeText} }
entity Staff { id Int @id, email Email, ${attributeText}, @profile(email) }
${own.join('\n')}`;
}

async function made(person: Person, path: string, values: readonly object[]): Promise<void> {
  if (values.length === 0) return;
  const { status, text } = await person.create(path, values);
  if (status >= 300) throw new Error(`${path}: ${text}`);
}

async function fill(admin: Person, all: Given, people: readonly Person[]): Promise<void> {
  const numbered = (each: Row, at: number): object => ({ id: at, ...each });
  await made(admin, '/m/Far', all.far.map(numbered));
  await made(
    admin,
    '/m/Near',
    all.near.map((each, at) => ({ ...numbered(each.row, at), far: each.far })),
  );
  await made(admin, '/m/Tag', all.tags.map(numbered));
  // The second one has one instance of her own, the third two.
  const owners = [people[1], people[2], people[2]];
  await made(
    admin,
    '/m/Staff',
    all.profiles.map((each, at) => ({ ...numbered(each, at), email: owners[at]?.email.toUpperCase() })),
  );
  for (const at of all.conditions.keys()) {
    await made(
      admin,
      `/m/E${at}`,
      all.rows.map((each, id) => ({ ...numbered(each.row, id), near: each.near })),
    );
    await made(
      admin,
      `/m/E${at}Tag`,
      all.rows.flatMap(({ tags }, id) => tags.map((tag) => ({ [`E${at}`]: id, Tag: tag }))),
    );
  }
}

function askedBy(
  all: Given,
  at: number,
  row: Given['rows'][number],
  { email, id }: { readonly email: string; readonly id: string },
): Asked {
  const near = row.near === null ? undefined : all.near[row.near];
  const far = near?.far === null || near?.far === undefined ? undefined : all.far[near.far];
  const from: Readonly<Record<(typeof prefixes)[number], readonly (Row | undefined)[]>> = {
    '': [row.row],
    'near.': [near?.row],
    'near.far.': [far],
    'Rel.Tag.': row.tags.map((each) => all.tags[each]),
  };
  return {
    user: email,
    id,
    profiles: [[], all.profiles.slice(0, 1), all.profiles.slice(1)][at] ?? [],
    values(path) {
      const prefix = prefixes.findLast((each) => path.startsWith(each)) ?? '';
      return from[prefix].flatMap((each) => (each === undefined ? [] : [each[path.slice(prefix.length)] ?? null]));
    },
  };
}

async function idOf({ served }: World, { headers }: Person): Promise<string> {
  return String(Reflect.get(Object((await served.get('/platform.auth/me', headers)).body), 'id'));
}

test('any condition over any rows', async () => {
  await fc.assert(
    fc.asyncProperty(given, async (all) => {
      const open = await world(projectOf(all), 'current', { isOpen: true });
      try {
        const people = [await open.invite('dan', 'user'), await open.invite('ann', 'user'), await open.invite('bob', 'user')];
        await fill(open.admin, all, people);
        for (const [who, person] of people.entries()) {
          const caller = { email: person.email, id: await idOf(open, person) };
          for (const [at, each] of all.conditions.entries()) {
            const expected = all.rows.flatMap((row, id) => (holds(each, askedBy(all, who, row, caller)) ? [id] : []));
            expect(
              instances(await person.read(`/m/E${at}`)).map(({ id }) => id),
              `${textOf(each)} for ${person.email}`,
            ).toEqual(expected);
            const single = (await person.read(`/m/E${at}/${at % all.rows.length}`)).status;
            expect(single, textOf(each)).toBe(expected.includes(at % all.rows.length) ? 200 : 404);
          }
        }
      } finally {
        await open.served.close();
      }
    }),
    // A smaller example costs a service for each step.
    { numRuns: counted({ long: 60, short: 3, postgres: 2 }), endOnFailure: true },
  );
});
