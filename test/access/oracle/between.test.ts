// Links: who makes, sees and removes them by owning their ends, and whom `:assign` makes an owner while they exist.

import { describe, expect, test } from 'vitest';
import { sampled } from '../../support/form.ts';
import { instances, type Person, type Surface, statuses, surfaces, valueIn, type World, world } from '../people.ts';
import { decideLink, type Facts, type Link, type Row, type User } from './oracle.ts';
import { endName, type LinkRules, type ModelRules, projectOf } from './rules.ts';

const ends = [
  { entity: 'A', role: 'From' },
  { entity: 'B', role: 'To' },
] as const;

const links: readonly LinkRules[] = [
  { name: 'Plain', ends },
  { name: 'OfFrom', ends, owner: 'From' },
  { name: 'OfTo', ends, owner: 'To' },
  { name: 'Assigns', ends, assign: { to: 'To', from: 'From' } },
  { name: 'AssignsBack', ends, assign: { to: 'From', from: 'To' } },
  { name: 'OfToAssigns', ends, owner: 'To', assign: { to: 'To', from: 'From' } },
  { name: 'ByRole', ends, rules: [{ roles: ['linker'], allow: ['create', 'read', 'delete'] }] },
];

const model: ModelRules = {
  entities: [
    { name: 'A', rules: [{ roles: ['reader'], allow: ['read'] }] },
    { name: 'B', rules: [{ roles: ['reader'], allow: ['read'] }] },
    { name: 'Part', within: { parent: 'A', relationship: 'APart' } },
  ],
  links,
};

const users = [
  ['rita', ['reader']],
  ['nina', []],
  ['lena', ['linker']],
  ['rolf', ['reader', 'linker']],
] as const;

/** Which ends of a pair every user owns. */
const owned = ['both', 'From', 'To', 'none'] as const;

/** Who owns which ends of which link: a third of them in the short form. */
const asked = sampled(
  users.flatMap(([name, roles]) => links.flatMap((rules) => owned.map((which) => ({ name, roles, rules, which })))),
  3,
);

interface Stage extends World {
  readonly people: ReadonlyMap<string, Person>;
  readonly facts: Facts;
  pair(which: (typeof owned)[number]): readonly [Row, Row];
}

async function stage(surface: Surface): Promise<Stage> {
  const opened = await world(projectOf(model, surface), surface);
  const people = new Map<string, Person>();
  for (const [name, roles] of users) people.set(name, await opened.join(name, ...roles));
  const pairs = new Map(owned.map((which, at) => [which, [row('A', at), row('B', at)] as const]));
  const all = [...pairs].flatMap(([which, [from, to]]) =>
    users.flatMap(([name]) => {
      const assignee = `${name}@example.com`;
      const own = { both: [from, to], From: [from], To: [to], none: [] }[which];
      return own.map((each) => ({ row: each, assignee }));
    }),
  );
  for (const type of ['A', 'B'])
    await done(
      opened.admin.create(
        `/m/${type}`,
        [...pairs.values()]
          .flat()
          .filter((each) => each.type === type)
          .map(attributes),
      ),
    );
  await done(
    opened.admin.assign(
      'OwnershipAssignment',
      all.map(({ row: { type, id }, assignee }) => ({ resource: `m/${type}`, resourceId: String(id), assignee })),
    ),
  );
  const facts = { model, rows: [...pairs.values()].flat(), links: [], owners: all, grants: [] };
  return { ...opened, people, facts, pair: (which) => pairs.get(which) ?? [row('A', 0), row('B', 0)] };
}

function row(type: string, id: number): Row {
  return { type, id, text: `${type}${id}` };
}

function attributes({ id, text }: Row) {
  return { id, text, rank: 1 };
}

async function done(answer: Promise<{ readonly status: number; readonly text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(text);
}

describe.each(surfaces)('on the %s surface', (surface) => {
  const created = surface === 'current' ? 201 : 200;

  test('who owns both ends links and unlinks them, or who owns the end that `:owner` names, or whose role may', async () => {
    const { people, facts, pair, admin } = await stage(surface);
    const differences: string[] = [];
    for (const { name, roles, rules, which } of asked) {
      const person = people.get(name);
      const user: User = { email: `${name}@example.com`, roles };
      if (person === undefined) continue;
      const [from, to] = pair(which);
      const link: Link = { type: rules.name, ends: [from, to] };
      const decision = decideLink(user, link, facts);
      const isKnown = (each: Row) => decideLink(user, { type: 'Plain', ends: [each, each] }, facts) !== 'not found';
      const flat = { allowed: created, forbidden: 403, 'not found': 422, unauthenticated: 401 }[decision];
      const nested = { allowed: created, forbidden: 403, 'not found': isKnown(from) ? 422 : 404, unauthenticated: 401 }[decision];
      const place = `/m/A/${from.id}/${rules.name}/B`;
      // While it exists, the link itself may make its user an owner of the other end.
      const unlinking = decideLink(user, link, { ...facts, links: [link] });
      const unlinks = { allowed: 200, forbidden: 403, 'not found': 404, unauthenticated: 401 }[unlinking];
      const seen = await statuses(
        () => person.create(`/m/${rules.name}`, { From: from.id, To: to.id }),
        () => admin.remove(`${place}/${to.id}`),
        () => person.create(place, { id: to.id }),
        () => admin.remove(`${place}/${to.id}`),
        () => admin.create(`/m/${rules.name}`, { From: from.id, To: to.id }),
        () => person.remove(`${place}/${to.id}`),
        () => admin.remove(`${place}/${to.id}`),
      );
      const gone = decision === 'allowed' ? 200 : 404;
      const expected = [flat, gone, nested, gone, created, unlinks, unlinking === 'allowed' ? 404 : 200];
      if (seen.join() !== expected.join())
        differences.push(`${name} ${rules.name} owns ${which}: ${seen.join()} in place of ${expected.join()}`);
    }
    expect(differences.join('\n')).toBe('');
  });

  test('a link is seen where both of its ends are, from either end', async () => {
    const { people, pair, admin } = await stage(surface);
    const tie = async (type: string): Promise<void> => {
      for (const which of owned)
        await done(admin.create(`/m/${type}`, { From: pair(which)[0].id, To: pair(which)[1].id, text: `link ${which}` }));
    };
    const seenBy = async (name: string, type: string) => {
      const found = instances((await people.get(name)?.read(`/m/${type}`)) ?? { status: 0, headers: {}, text: '', body: [] });
      return found.map((each) => String(each['text']).slice('link '.length)).sort();
    };
    for (const name of ['Plain', 'OfFrom', 'OfTo', 'ByRole']) {
      await tie(name);
      expect(await seenBy('rita', name)).toEqual(['From', 'To', 'both', 'none']);
      expect(await seenBy('nina', name)).toEqual(['both']);
      expect(await seenBy('lena', name)).toEqual(['both']);
    }
    await tie('Assigns');
    // Whoever owns To owns From while they are linked, and so sees both.
    expect(await seenBy('nina', 'Assigns')).toEqual(['To', 'both']);
    const [from, to] = pair('From');
    const nina = people.get('nina');
    expect(
      await statuses(
        () => nina?.read(`/m/B/${to.id}/Plain/A`) ?? admin.read('/'),
        () => nina?.read(`/m/A/${from.id}/Plain/B`) ?? admin.read('/'),
      ),
    ).toEqual([404, 200]);
  });

  test.each(links.filter(({ assign }) => assign !== undefined))(
    '$name: owners of one end own the other while the link exists',
    async (rules) => {
      const { join, admin } = await world(projectOf(model, surface), surface);
      const [ann, bob] = [await join('ann'), await join('bob')];
      const [giver, taken] = rules.assign?.to === 'To' ? (['B', 'A'] as const) : (['A', 'B'] as const);
      for (const type of ['A', 'B'])
        await done(
          admin.create(
            `/m/${type}`,
            [1, 2].map((id) => attributes(row(type, id))),
          ),
        );
      await done(admin.create('/m/A/1/APart/Part', attributes(row('Part', 5))));
      const own = async (person: Person, type: string, id: number) =>
        String(
          valueIn(
            await admin.assign('OwnershipAssignment', { resource: `m/${type}`, resourceId: String(id), assignee: person.email }),
            'id',
          ),
        );
      const tie = (from: number, to: number) => done(admin.create(`/m/${rules.name}`, { From: from, To: to }));
      const untie = (from: number, to: number) => done(admin.remove(`/m/A/${from}/${rules.name}/B/${to}`));
      const uses = (person: Person) =>
        statuses(
          () => person.read(`/m/${taken}/1`),
          () => person.change(`/m/${taken}/1`, { rank: 2 }),
        );
      const [may, mayNot] = [
        [200, 200],
        [404, 404],
      ];
      const first = await own(ann, giver, 1);
      expect(await uses(ann)).toEqual(mayNot);
      await tie(1, 1);
      expect(await uses(ann), 'linked').toEqual(may);
      if (taken === 'A') expect((await ann.read('/m/A/1/APart/Part/5')).status).toBe(200);
      expect(await uses(bob), 'of another').toEqual(mayNot);
      await own(bob, giver, 1);
      expect(await uses(bob), 'an owner who came later').toEqual(may);
      await done(admin.remove(admin.at('OwnershipAssignment', first)));
      expect(await uses(ann), 'an owner who went').toEqual(mayNot);
      await own(ann, taken, 1);
      await untie(1, 1);
      expect(await uses(bob), 'unlinked').toEqual(mayNot);
      expect(await uses(ann), 'what was held otherwise stays').toEqual(may);
      const other = (id: number): [number, number] => (giver === 'B' ? [1, id] : [id, 1]);
      await own(bob, giver, 2);
      await tie(...other(1));
      await tie(...other(2));
      await untie(...other(2));
      expect(await uses(bob), 'by another link').toEqual(may);
      await done(admin.remove(`/m/${giver}/1`));
      expect(await uses(bob), 'the end is deleted, and the link with it').toEqual(mayNot);
    },
  );

  test('a friendship: the owner of From links to anyone, and owners of To own From until it ends', async () => {
    const friends: ModelRules = {
      entities: [{ name: 'Person', rules: [{ roles: ['user'], allow: ['create', 'read'] }] }],
      links: [
        {
          name: 'Friend',
          ends: [
            { entity: 'Person', role: 'From' },
            { entity: 'Person', role: 'To' },
          ],
          owner: 'From',
          assign: { to: 'To', from: 'From' },
        },
      ],
    };
    expect(friends.links[0]?.ends.map(endName)).toEqual(['From', 'To']);
    const { join } = await world(projectOf(friends, surface), surface);
    const [ann, bob] = [await join('ann', 'user'), await join('bob', 'user')];
    await done(ann.create('/m/Person', attributes(row('Person', 1))));
    await done(bob.create('/m/Person', attributes(row('Person', 2))));
    const change = () => bob.change('/m/Person/1', { rank: 3 });
    expect(
      await statuses(
        change,
        () => bob.create('/m/Friend', { From: 1, To: 2 }),
        () => ann.create('/m/Friend', { From: 1, To: 2 }),
        change,
        () => ann.change('/m/Person/2', { rank: 3 }),
        () => ann.remove('/m/Person/1/Friend/Person/2'),
        change,
      ),
    ).toEqual([403, 403, created, 200, 403, 200, 403]);
  });
});
