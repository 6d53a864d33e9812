// Owners and grants are data: only an owner or an admin makes, sees, changes and deletes those of an instance, whichever way they own it.

import { describe, expect, test } from 'vitest';
import { instances, type Person, statuses, surfaces, valueIn, world } from '../people.ts';
import { type ModelRules, projectOf } from './rules.ts';

const modelWith = (inherit: boolean): ModelRules => ({
  entities: [
    {
      name: 'Doc',
      rules: [
        { roles: ['reader'], allow: ['read'] },
        { roles: ['editor'], allow: ['read', 'update', 'delete'] },
      ],
    },
    { name: 'Page', within: { parent: 'Doc', relationship: 'DocPage', inherit }, rules: [{ roles: ['reader'], allow: ['read'] }] },
    { name: 'Team' },
  ],
  links: [
    { name: 'DocTeam', ends: [{ entity: 'Doc' }, { entity: 'Team' }], assign: { to: 'Team', from: 'Doc' } },
    { name: 'PageTeam', ends: [{ entity: 'Page' }, { entity: 'Team' }], assign: { to: 'Team', from: 'Page' } },
  ],
});

const page = 'path://m$Doc/1/m$DocPage/m$Page/5';
const values = (id: number) => ({ id, text: 'x', rank: 1 });

/** How somebody stands to `Doc/1` and to `Page/5` in it, and of which of the two they may assign: where owners of a `Doc` own its pages. */
const relations = [
  { name: 'nobody', roles: [], doc: 'hidden', page: 'hidden' },
  { name: 'reader', roles: ['reader'], doc: 'seen', page: 'seen' },
  { name: 'editor', roles: ['editor'], doc: 'seen', page: 'hidden' },
  { name: 'granted', roles: [], doc: 'seen', page: 'hidden' },
  { name: 'owner', roles: [], doc: 'owned', page: 'owned' },
  { name: 'inner', roles: [], doc: 'hidden', page: 'owned' },
  { name: 'linked', roles: [], doc: 'owned', page: 'owned' },
  { name: 'linkedpage', roles: [], doc: 'hidden', page: 'owned' },
] as const;

const settings = surfaces.flatMap((surface) => [true, false].map((inherit) => ({ surface, inherit })));

describe.each(settings)('on the $surface surface, where owners own what stands below: $inherit', ({ surface, inherit }) => {
  const created = surface === 'current' ? 201 : 200;

  async function staged() {
    const opened = await world(projectOf(modelWith(inherit), surface), surface);
    const { admin, join } = opened;
    const done = async (answer: ReturnType<Person['create']>): Promise<void> => {
      const { status, text } = await answer;
      if (status >= 300) throw new Error(text);
    };
    await done(admin.create('/m/Doc', [values(1), values(2)]));
    await done(admin.create('/m/Doc/1/DocPage/Page', values(5)));
    await done(admin.create('/m/Team', [values(7), values(8)]));
    await done(admin.create('/m/DocTeam', { Doc: 1, Team: 7 }));
    await done(admin.create('/m/PageTeam', { Page: page, Team: 8 }));
    const people = new Map<string, Person>();
    for (const { name, roles } of relations) people.set(name, await join(name, ...roles));
    const zoe = await join('zoe');
    const owner = (name: string, resource: string, resourceId: string) =>
      done(admin.assign('OwnershipAssignment', { resource, resourceId, assignee: `${name}@example.com` }));
    const grant = { resource: 'm/Doc', resourceId: '1', assignee: 'granted@example.com', actions: ['read', 'update', 'delete'] };
    await done(admin.assign('InstancePrivilegeAssignment', grant));
    await owner('owner', 'm/Doc', '1');
    await owner('inner', 'm/Page', page);
    await owner('linked', 'm/Team', '7');
    await owner('linkedpage', 'm/Team', '8');
    // Of instances that are not theirs.
    for (const { name } of relations) await owner(name, 'm/Doc', '2');
    return { ...opened, people, zoe };
  }

  test.each(relations)('$name assigns what they own', async ({ name, doc, page: ofPage }) => {
    const { people, zoe, admin } = await staged();
    const person = people.get(name) ?? zoe;
    const stations = [
      { resource: 'm/Doc', resourceId: '1', state: doc },
      { resource: 'm/Page', resourceId: page, state: doc === 'owned' && !inherit ? 'hidden' : ofPage },
    ];
    for (const { resource, resourceId, state } of stations) {
      const instance = { resource, resourceId, assignee: zoe.email };
      for (const [type, body] of [
        ['OwnershipAssignment', instance],
        ['InstancePrivilegeAssignment', { ...instance, actions: ['read'] }],
      ] as const) {
        const answer = await person.assign(type, body);
        const expected = { owned: [created], seen: [403], hidden: [403, 404, 422] }[state];
        expect(expected, `${type} of ${resource}: ${answer.text}`).toContain(answer.status);
        const place = resource === 'm/Doc' ? '/m/Doc/1' : '/m/Page/5';
        expect((await zoe.read(place)).status, place).toBe(state === 'owned' ? 200 : 404);
        const made = state === 'owned' ? answer : await admin.assign(type, body);
        const id = String(valueIn(made, 'id'));
        const seen = instances(await person.read(person.at(type))).map((each) => each['id'] ?? each['Id']);
        expect(seen.includes(id), `${type} of ${resource} is seen`).toBe(state === 'owned');
        expect(
          await statuses(
            () => person.read(person.at(type, id)),
            () => person.remove(person.at(type, id)),
          ),
        ).toEqual(state === 'owned' ? [200, 200] : [404, 404]);
        if (state !== 'owned') expect((await admin.remove(admin.at(type, id))).status).toBe(200);
        expect((await zoe.read(place)).status).toBe(404);
      }
    }
  });

  test('nobody makes themselves an owner, nor changes whom an assignment is for', async () => {
    const { people, admin, zoe } = await staged();
    const [owner, reader] = [people.get('owner') ?? zoe, people.get('reader') ?? zoe];
    expect((await reader.assign('OwnershipAssignment', { resource: 'm/Doc', resourceId: '1', assignee: reader.email })).status).toBe(403);
    const refused = await reader.assign('OwnershipAssignment', [
      { resource: 'm/Doc', resourceId: '1', assignee: reader.email },
      { resource: 'm/Doc', resourceId: '1', assignee: zoe.email },
    ]);
    expect(refused.status).toBe(403);
    const own = await owner.assign('OwnershipAssignment', { resource: 'm/Doc', resourceId: '1', assignee: zoe.email });
    expect((await zoe.change('/m/Doc/1', { rank: 4 })).status).toBe(200);
    // An owner can give all of it away, and then has nothing.
    const all = instances(await owner.read(owner.at('OwnershipAssignment')));
    const mine = all.find(
      (each) => (each['assignee'] ?? each['Assignee']) === owner.email && String(each['resourceId'] ?? each['ResourceId']) === '1',
    );
    expect(
      await statuses(
        () => owner.remove(owner.at('OwnershipAssignment', String(mine?.['id'] ?? mine?.['Id']))),
        () => owner.remove(owner.at('OwnershipAssignment', String(valueIn(own, 'id')))),
        () => owner.read('/m/Doc/1'),
        () => zoe.read('/m/Doc/1'),
        () => admin.read('/m/Doc/1'),
      ),
    ).toEqual([200, 404, 404, 200, 200]);
  });
});
