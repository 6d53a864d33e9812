// Moves under load: two instances on one database, callers that create, change, delete and move the same instances at once.

import { describe, expect, test } from 'vitest';
import { both, type Caller, fleet, type Instance, isLong } from './instances.ts';

const model = `module tree
entity Area { id Int @id, total Int @expr(sum(AreaShelf.Shelf.size)), shelves Int @expr(count(AreaShelf)) }
entity Shelf { id Int @id, size Int @default(1), books Int @expr(count(ShelfBook)) }
entity Book { id Int @id, size Int @default(1) }
entity Node { id Int @id, size Int @default(1), inner Int @expr(sum(Below.lower.size)) }
entity Leaf { id Int @id }
entity Tag { id Int @id }
relationship AreaShelf contains(Area, Shelf)
relationship ShelfBook contains(Shelf, Book)
relationship Below contains(Node @as upper, Node @as lower)
relationship NodeLeaf contains(Node, Leaf)
relationship LeafTag between(Leaf, Tag)
`;

const shared = fleet({ 'src/tree.al': model });
const withBoth = both(shared);
const writers = isLong ? 8 : 3;
const rounds = isLong ? 400 : 60;

describe('moves with two instances on one database', () => {
  test(`${writers} writers at each of two instances create, change, delete and move: no wrong path, no orphan, no wrong sum, no failure`, async () => {
    await withBoth(writers, async (callers, instances) => {
      const [first] = callers;
      for (const id of [1, 2, 3]) await first?.ask('POST', '/tree/Area', { id });
      for (const id of [1, 2]) await first?.ask('POST', '/tree/Tag', { id });
      for (let id = 1; id <= 6; id += 1) await first?.ask('POST', '/tree/Node', { id });
      const seen = new Map<string, number>();
      const all = callers.flatMap((asker, at) => Array.from({ length: writers }, (_, index) => write(asker, at * writers + index, seen)));
      await Promise.all(all);
      const wrong = [...seen.keys()].filter((each) => !/ (20[01]|404|409|422)$/.test(each));
      expect(wrong).toEqual([]);
      expect(seen.get('move shelf 200') ?? 0).toBeGreaterThan(0);
      expect(seen.get('move node 200') ?? 0).toBeGreaterThan(0);
      await expectSound(instances);
    });
  }, 1_200_000);

  test('two that are moved below each other at once never make a circle: one of them is refused', async () => {
    await withBoth(16, async ([one, other], instances) => {
      const pairs = isLong ? 500 : 60;
      const seen = new Set<string>();
      const race = async (number: number): Promise<void> => {
        const [a, b] = [1000 + 2 * number, 1001 + 2 * number];
        for (const id of [a, b]) await one?.ask('POST', '/tree/Node', { id });
        await one?.ask('POST', `/tree/Node/${b}/Below/Node`, { id: 1 });
        const [first, second] = await Promise.all([
          one?.ask('PUT', `/tree/Node/${a}`, { '@parent': `path://tree$Node/${b}/tree$Below/tree$Node/1` }),
          other?.ask('PUT', `/tree/Node/${b}`, { '@parent': `path://tree$Node/${a}` }),
        ]);
        seen.add([first, second].sort().join(' '));
      };
      for (let number = 0; number < pairs; number += 8) await Promise.all(Array.from({ length: 8 }, (_, index) => race(number + index)));
      expect([...seen]).toEqual(['200 422']);
      await expectSound(instances);
    });
  }, 1_200_000);
});

/** Numbers that are the same in each run, and differ from writer to writer. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 7919 + 17;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

async function write(asker: Caller, seed: number, seen: Map<string, number>): Promise<void> {
  const pick = numbers(seed);
  const id = (most: number): number => 1 + pick(most);
  const shelf = () => `/tree/Area/${id(3)}/AreaShelf/Shelf/${id(4)}`;
  const steps: readonly (readonly [kind: string, ask: () => readonly [method: string, path: string, body?: object]])[] = [
    ['create shelf', () => ['POST', `/tree/Area/${id(3)}/AreaShelf/Shelf`, { id: id(4), ShelfBook: [{ id: 1 }, { id: 2 }] }]],
    ['move shelf', () => ['PUT', shelf(), { '@parent': `path://tree$Area/${id(3)}` }]],
    ['move shelf', () => ['PUT', shelf(), { '@parent': `path://tree$Area/${id(3)}`, size: id(9) }]],
    ['create book', () => ['POST', `${shelf()}/ShelfBook/Book`, { id: id(4) }]],
    [
      'move book',
      () => ['PUT', `${shelf()}/ShelfBook/Book/${id(4)}`, { '@parent': `path://tree$Area/${id(3)}/tree$AreaShelf/tree$Shelf/${id(4)}` }],
    ],
    ['change shelf', () => ['PUT', shelf(), { size: id(9) }]],
    ['change book', () => ['PUT', `/tree/Book/${id(4)}`, { size: id(9) }]],
    ['delete shelf', () => ['DELETE', shelf()]],
    ['create node', () => ['POST', `/tree/Node/${id(6)}/Below/Node`, { id: id(6), NodeLeaf: [{ id: id(99) }] }]],
    ['move node', () => ['PUT', `/tree/Node/${id(6)}`, { '@parent': `path://tree$Node/${id(6)}` }]],
    [
      'move node',
      () => ['PUT', `/tree/Node/${id(6)}/Below/Node/${id(6)}`, { '@parent': pick(2) === 0 ? null : `path://tree$Node/${id(6)}` }],
    ],
    ['change node', () => ['PUT', `/tree/Node/${id(6)}/Below/Node/${id(6)}`, { size: id(9) }]],
    ['delete node', () => ['DELETE', `/tree/Node/${id(6)}/Below/Node/${id(6)}/Below/Node/${id(6)}`]],
    ['create leaf', () => ['POST', `/tree/Node/${id(6)}/NodeLeaf/Leaf`, { id: id(99) }]],
    ['link leaf', () => ['POST', '/tree/LeafTag', { Leaf: id(99), Tag: id(2) }]],
  ];
  for (let round = 0; round < rounds; round += 1) {
    const [kind, ask] = steps[pick(steps.length)] ?? ['none', () => ['GET', '/health'] as const];
    const status = await asker.ask(...ask());
    seen.set(`${kind} ${status}`, (seen.get(`${kind} ${status}`) ?? 0) + 1);
  }
}

/** Of each contained type: rows that do not begin where their parent ends. Nothing has failed. */
async function expectSound(instances: readonly Instance[]): Promise<void> {
  for (const { running } of instances) expect(running.said()).not.toMatch(/"level":"error"|"status":500/);
  const below = (child: string, parent: string, relationship: string, path: string, key: string, id: string) =>
    `SELECT '${child}' AS type, c."__path__" AS path FROM "tree/${child}" c LEFT JOIN "tree/${parent}" p ON p.${id} = c."__parent_tree$${relationship}"
     WHERE c."__parent_tree$${relationship}" IS NOT NULL AND (p.id IS NULL
       OR c."__path__" IS DISTINCT FROM ${path} || '/tree$${relationship}/tree$${child}/' || c.id
       OR c."__key" IS DISTINCT FROM ${key} || E'\\x01tree/${relationship}\\x01' || lpad(to_hex(c.id # (-9223372036854775808)::bigint), 16, '0'))`;
  const root = (type: string) => `'path://tree$${type}/' || p.id`;
  const rootKey = (type: string) => `E'tree/${type}\\x01' || lpad(to_hex(p.id # (-9223372036854775808)::bigint), 16, '0')`;
  const queries = [
    below('Shelf', 'Area', 'AreaShelf', root('Area'), rootKey('Area'), 'id'),
    below('Book', 'Shelf', 'ShelfBook', 'p."__path__"', 'p."__key"', '"__key"'),
    below('Node', 'Node', 'Below', `coalesce(p."__path__", ${root('Node')})`, 'p."__key"', '"__key"'),
    below('Leaf', 'Node', 'NodeLeaf', `coalesce(p."__path__", ${root('Node')})`, 'p."__key"', '"__key"'),
    `SELECT 'no parent' AS type, "__path__" AS path FROM "tree/Shelf" WHERE "__parent_tree$AreaShelf" IS NULL`,
    `SELECT 'sum of area' AS type, a.id::text AS path FROM "tree/Area" a WHERE a.total <> (SELECT coalesce(sum(s.size), 0) FROM "tree/Shelf" s WHERE s."__parent_tree$AreaShelf" = a.id)
      OR a.shelves <> (SELECT count(*) FROM "tree/Shelf" s WHERE s."__parent_tree$AreaShelf" = a.id)`,
    `SELECT 'sum of node' AS type, n."__key" AS path FROM "tree/Node" n WHERE n.inner <> (SELECT coalesce(sum(s.size), 0) FROM "tree/Node" s WHERE s."__parent_tree$Below" = n."__key")`,
    // From the top down, each is reached once: what is in a circle is not.
    `WITH RECURSIVE reached AS (SELECT "__key" FROM "tree/Node" WHERE "__parent_tree$Below" IS NULL
       UNION ALL SELECT n."__key" FROM "tree/Node" n JOIN reached r ON n."__parent_tree$Below" = r."__key")
     SELECT 'circle' AS type, "__key" AS path FROM "tree/Node" WHERE "__key" NOT IN (SELECT "__key" FROM reached)`,
  ];
  for (const sql of queries) expect(await shared().rows(sql), sql).toEqual([]);
}
