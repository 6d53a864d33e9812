// A type that contains itself: owners of an instance own everything below it, at any depth; rules decide about roots.

import { describe, expect, test } from 'vitest';
import type { Project } from '../../support/app.ts';
import { instances, type Person, type Surface, statuses, surfaces, valueIn, world } from '../people.ts';

/** Whether owners of what a node stands in own the node, which has rules of its own: through each of its two relationships. */
interface Inherited {
  readonly shelf: boolean;
  readonly below: boolean;
}

const projectOf = (surface: Surface, { shelf, below }: Inherited): Project => projects(shelf, below)[surface];

const projects = (shelf: boolean, below: boolean): Readonly<Record<Surface, Project>> => ({
  current: `module m
entity Shelf { id Int @id, rank Int }
entity Node { id Int @id, rank Int, @rbac [(roles: [planter], allow: [create])] }
entity Leaf { id Int @id, rank Int }
entity Badge { id Int @id, rank Int }
relationship ShelfNode contains(Shelf, Node)${shelf ? ' @inherit' : ''}
relationship Below contains(Node @as upper, Node @as lower)${below ? ' @inherit' : ''}
relationship NodeLeaf contains(Node, Leaf) { @rbac [(roles: [gardener], allow: [create])] }
relationship Holds between(Node @as From, Badge @as To) @assign(To -> From)
`,
  earlier: {
    'core.platform': `(component :m)
(entity :m/Shelf {:id {:type :Int :guid true} :rank :Int})
(entity :m/Node {:id {:type :Int :id true} :rank :Int :rbac [{:roles ["planter"] :allow [:create]}]})
(entity :m/Leaf {:id {:type :Int :id true} :rank :Int})
(entity :m/Badge {:id {:type :Int :guid true} :rank :Int})
(relationship :m/ShelfNode {:meta {:contains [:m/Shelf :m/Node]} :rbac {:inherit ${shelf}}})
(relationship :m/Below {:meta {:contains [:m/Node :m/Node :as [:upper :lower]]} :rbac {:inherit ${below}}})
(relationship :m/NodeLeaf {:meta {:contains [:m/Node :m/Leaf]} :rbac [{:roles ["gardener"] :allow [:create]}]})
(relationship :m/Holds {:meta {:between [:m/Node :m/Badge :as [:From :To]]} :rbac {:assign {:ownership [:To :-> :From]}}})
`,
  },
});

const path = (place: string): string =>
  `path://${place
    .split('/')
    .map((part) => (/^\d/.test(part) ? part : `m$${part}`))
    .join('/')}`;

describe.each(surfaces)('on the %s surface', (surface) => {
  const created = surface === 'current' ? 201 : 200;

  /** Two trees of four levels, one of them on a shelf; `11` is the first below `1`, `111` below that. */
  async function planted(inherited: Inherited = { shelf: true, below: true }) {
    const opened = await world(projectOf(surface, inherited), surface);
    const { admin } = opened;
    const node = (id: number) => ({ id, rank: 1 });
    const done = async (place: string, id: number): Promise<void> => {
      const { status, text } = await admin.create(place, node(id));
      if (status >= 300) throw new Error(text);
    };
    await done('/m/Shelf', 9);
    await done('/m/Badge', 7);
    await done('/m/Node', 1);
    await done('/m/Shelf/9/ShelfNode/Node', 2);
    for (const root of ['/m/Node/1', '/m/Shelf/9/ShelfNode/Node/2']) {
      let [place, id] = [root, Number(root.at(-1))];
      for (let depth = 0; depth < 3; depth += 1) {
        id = id * 10 + 1;
        await done(`${place}/Below/Node`, id);
        place = `${place}/Below/Node/${id}`;
      }
      await done(`${place}/NodeLeaf/Leaf`, id * 10);
    }
    return opened;
  }
  const places = {
    1: 'Node/1',
    11: 'Node/1/Below/Node/11',
    111: 'Node/1/Below/Node/11/Below/Node/111',
    9: 'Shelf/9',
    21: 'Shelf/9/ShelfNode/Node/2/Below/Node/21',
  } as const;
  const seen = async (person: Person) => instances(await person.read('/m/Node')).map(({ id }) => Number(id));
  const leaves = async (person: Person) => instances(await person.read('/m/Leaf')).map(({ id }) => Number(id));

  test.each([
    [1, [1, 11, 111, 1111], [11110]],
    [11, [11, 111, 1111], [11110]],
    [111, [111, 1111], [11110]],
    [9, [2, 21, 211, 2111], [21110]],
    [21, [21, 211, 2111], [21110]],
  ] as const)('who owns %i owns what is below it, and nothing above or beside it', async (id, nodes, leaf) => {
    const { admin, join } = await planted();
    const ann = await join('ann');
    const owner = { resource: `m/${places[id].split('/').at(-2)}`, resourceId: id === 9 ? '9' : path(places[id]), assignee: ann.email };
    expect(await seen(ann)).toEqual([]);
    const given = await admin.assign('OwnershipAssignment', owner);
    expect(given.status, given.text).toBe(created);
    expect((await seen(ann)).sort()).toEqual([...nodes].sort());
    expect(await leaves(ann)).toEqual(leaf);
    for (const each of [1, 11, 111, 1111, 2, 21, 211, 2111]) {
      const mine = nodes.some((own) => own === each);
      expect((await ann.change(`/m/Node/${each}`, { rank: 3 })).status, String(each)).toBe(mine ? 200 : 404);
    }
    await admin.remove(admin.at('OwnershipAssignment', String(valueIn(given, 'id'))));
    expect(await seen(ann)).toEqual([]);
  });

  test('who owns an instance by a link owns what is below it, while the link exists', async () => {
    const { admin, join } = await planted();
    const [ann, bob] = [await join('ann'), await join('bob')];
    await admin.assign('OwnershipAssignment', { resource: 'm/Badge', resourceId: '7', assignee: ann.email });
    expect((await admin.create('/m/Holds', { From: path(places[11]), To: 7 })).status).toBe(created);
    expect((await seen(ann)).sort()).toEqual([11, 111, 1111]);
    expect([await leaves(ann), await seen(bob), await leaves(bob)]).toEqual([[11110], [], []]);
    const grant = { resource: 'm/Node', resourceId: path(places[111]), assignee: bob.email, actions: ['read'] };
    expect(
      await statuses(
        () => ann.change('/m/Node/1111', { rank: 2 }),
        () => ann.change('/m/Node/1', { rank: 2 }),
        () => ann.assign('InstancePrivilegeAssignment', grant),
        () => bob.read('/m/Node/111'),
        () => bob.read('/m/Node/1111'),
        () => admin.remove(`/m/${places[11]}/Holds/Badge/7`),
        () => ann.read('/m/Node/11'),
        () => ann.read('/m/Node/1111'),
      ),
    ).toEqual([200, 404, created, 200, 404, 200, 404, 404]);
  });

  test.each([
    { shelf: true, below: false },
    { shelf: false, below: true },
    { shelf: false, below: false },
  ])('where a shelf passes its owners on is $shelf, and a node $below, everything else is owned for itself', async (inherited) => {
    const { admin, join } = await planted(inherited);
    const { shelf, below } = inherited;
    const all = [1, 11, 111, 1111, 2, 21, 211, 2111];
    const whose = (id: number): readonly number[] => (below ? all.filter((each) => String(each).startsWith(String(id))) : [id]);
    for (const id of [1, 11, 111, 9, 21] as const) {
      const ann = await join(`ann${id}`);
      const owner = { resource: `m/${places[id].split('/').at(-2)}`, resourceId: id === 9 ? '9' : path(places[id]), assignee: ann.email };
      expect((await admin.assign('OwnershipAssignment', owner)).status).toBe(created);
      const nodes = id === 9 ? (shelf ? whose(2) : []) : whose(id);
      expect([id, (await seen(ann)).sort()]).toEqual([id, [...nodes].sort()]);
      expect([id, await leaves(ann)]).toEqual([id, nodes.filter((each) => each > 1000).map((each) => each * 10)]);
      for (const each of all) {
        const mine = nodes.includes(each);
        expect([id, each, (await ann.change(`/m/Node/${each}`, { rank: 3 })).status]).toEqual([id, each, mine ? 200 : 404]);
      }
      // Whom they may make an owner of what is below follows from what they own.
      const handed = { resource: 'm/Node', resourceId: path(`${places[111]}/Below/Node/1111`), assignee: ann.email };
      expect([id, (await ann.assign('OwnershipAssignment', handed)).status]).toEqual([id, nodes.includes(1111) ? created : 404]);
    }
  });

  test.each([
    [true, [11, 111, 1111], [11110]],
    [false, [11], []],
  ] as const)('a link gives an instance, and what is below it where nodes pass their owners on: %s', async (below, nodes, leaf) => {
    const { admin, join } = await planted({ shelf: false, below });
    const ann = await join('ann');
    await admin.assign('OwnershipAssignment', { resource: 'm/Badge', resourceId: '7', assignee: ann.email });
    expect((await admin.create('/m/Holds', { From: path(places[11]), To: 7 })).status).toBe(created);
    expect((await seen(ann)).sort()).toEqual(nodes);
    expect(await leaves(ann)).toEqual(leaf);
  });

  test('a role that may create makes roots, and below an instance only who owns it, or by a rule of the relationship besides', async () => {
    const { admin, join } = await planted();
    const [ann, bob, eve] = [await join('ann', 'planter'), await join('bob', 'gardener'), await join('eve', 'planter', 'gardener')];
    for (const { email } of [ann, bob, eve]) {
      const grant = { resource: 'm/Node', resourceId: '1', assignee: email, actions: ['read'] };
      expect((await admin.assign('InstancePrivilegeAssignment', { ...grant, resourceId: path(places[1]) })).status).toBe(created);
    }
    const node = (id: number) => ({ id, rank: 1 });
    expect(
      await statuses(
        () => ann.create('/m/Node', node(5)),
        () => bob.create('/m/Node', node(6)),
        () => ann.create('/m/Node/5/Below/Node', node(51)),
        () => ann.create('/m/Node/1/Below/Node', node(12)),
        () => ann.create('/m/Node/1/NodeLeaf/Leaf', node(13)),
        () => bob.create('/m/Node/1/NodeLeaf/Leaf', node(14)),
        () => eve.create('/m/Node/1/Below/Node', node(15)),
      ),
    ).toEqual([created, 403, created, 403, 403, 403, 403]);
  });
});
