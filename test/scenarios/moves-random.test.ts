// Random moves among creates, changes, deletes and links: after each step everything is as an oracle in plain code has it, and a start finds every row in its place.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { counted, isLarge } from '../support/form.ts';
import { property } from '../support/table.ts';
import { addressOf, Forest, model, type Place, pathOf, type Step, types } from './moves-oracle.ts';

const id = fc.integer({ min: 1, max: 3 });
const area: fc.Arbitrary<Place> = id.map((each) => [{ type: 'Area', id: each }]);
const below = (above: fc.Arbitrary<Place>, type: Place[number]['type']): fc.Arbitrary<Place> =>
  fc.tuple(above, id).map(([at, each]) => [...at, { type, id: each }]);
const shelf = below(area, 'Shelf');
const book = below(shelf, 'Book');
const node: fc.Arbitrary<Place> = fc
  .array(id, { minLength: 1, maxLength: 4 })
  .map((ids) => ids.map((each) => ({ type: 'Node', id: each })));
const nodeOrTop: fc.Arbitrary<Place> = fc.oneof({ arbitrary: node, weight: 3 }, { arbitrary: fc.constant([]), weight: 1 });
const leaf = below(node, 'Leaf');
const place = fc.oneof(area, shelf, book, node, leaf);
const size = fc.integer({ min: 0, max: 9 });

const moves: fc.Arbitrary<Step> = fc
  .oneof(fc.tuple(shelf, area), fc.tuple(book, shelf), fc.tuple(node, nodeOrTop), fc.tuple(leaf, node))
  .chain(([at, to]) => fc.option(size, { nil: undefined }).map((given): Step => ({ kind: 'move', at, to, size: given })));
const steps: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('create' as const), at: place, size }), weight: 5 },
  { arbitrary: moves, weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('change' as const), at: fc.oneof(shelf, book, node, leaf), size }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('delete' as const), at: place }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant('link' as const), at: fc.oneof(book, leaf), tag: fc.integer({ min: 1, max: 2 }) }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('refer' as const), at: book, id }), weight: 1 },
);

test('random moves leave what an oracle has, after each of them, and every row in its place', { timeout: 1_200_000 }, async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 30, maxLength: 60, size: 'max' }), async (all) => {
      const folder = temporaryFolder();
      const served = await open(model, { folder, surfaces: ['current', 'earlier'] });
      try {
        for (const [status, kind] of await run(served, all)) seen.set(`${kind} ${status}`, (seen.get(`${kind} ${status}`) ?? 0) + 1);
        expect(served.failures).toEqual([]);
        expect(await served.kept.dangling()).toEqual([]);
      } finally {
        await served.close();
      }
      // A start looks at the key and the path of every row.
      const again = await open(model, { folder });
      expect(again.warnings).toEqual([]);
      await again.close();
    }),
    { numRuns: counted({ long: 150, short: 3, postgres: 2 }), endOnFailure: true },
  );
  // A few moves need not have all of them: those that every forest begins with have.
  if (isLarge)
    for (const status of [200, 404, 409, 422]) expect(seen.get(`move ${status}`) ?? 0, `moves of status ${status}`).toBeGreaterThan(0);
});

async function run(served: Served, all: readonly Step[]): Promise<readonly (readonly [status: number, kind: string])[]> {
  const tags = [1, 2];
  for (const each of tags) await served.post('/m/Tag', { id: each });
  const forest = new Forest(tags);
  // Some to begin with: otherwise most of what is moved is not there.
  for (const [step, status] of beginning) expect([await send(served, step, forest), forest.apply(step)]).toEqual([status, status]);
  const answers: (readonly [number, string])[] = [];
  for (const [index, step] of all.entries()) {
    const status = await send(served, step, forest, index % 2 === 0);
    expect(status, `step ${index}: ${JSON.stringify(step)}`).toBe(forest.apply(step));
    expect(await content(served), `after step ${index}: ${JSON.stringify(step)}`).toEqual(expected(forest));
    answers.push([status, step.kind]);
  }
  return answers;
}

const beginning: readonly (readonly [step: Step, status: number])[] = [
  ...(
    [
      ...[1, 2].map((each): Step => ({ kind: 'create', at: [{ type: 'Area', id: each }], size: 0 })),
      ...[1, 2].map((each): Step => ({ kind: 'create', at: shelfAt(each), size: each })),
      ...[1, 2].map((each): Step => ({ kind: 'create', at: [...shelfAt(1), { type: 'Book', id: each }], size: 5 })),
      ...[1, 2, 3].map((each): Step => ({ kind: 'create', at: nodesAt(each), size: each })),
      { kind: 'create', at: nodesAt(1, 2), size: 4 },
      { kind: 'create', at: nodesAt(1, 2, 3), size: 2 },
      { kind: 'create', at: [...nodesAt(1, 2, 3), { type: 'Leaf', id: 1 }], size: 1 },
    ] satisfies readonly Step[]
  ).map((step) => [step, 201] as const),
  [{ kind: 'move', at: shelfAt(2), to: [{ type: 'Area', id: 2 }], size: 3 }, 200],
  [{ kind: 'move', at: nodesAt(3), to: nodesAt(1, 2), size: 3 }, 409],
  [{ kind: 'move', at: nodesAt(1), to: nodesAt(1, 2), size: 3 }, 422],
  [{ kind: 'move', at: shelfAt(3), to: [{ type: 'Area', id: 2 }], size: 3 }, 404],
];

function shelfAt(each: number): Place {
  return [
    { type: 'Area', id: 1 },
    { type: 'Shelf', id: each },
  ];
}

function nodesAt(...ids: readonly number[]): Place {
  return ids.map((each) => ({ type: 'Node', id: each }));
}

/** Changes and moves by either surface. */
async function send(served: Served, step: Step, forest: Forest, isEarlier = false): Promise<number> {
  const type = step.at.at(-1)?.type ?? 'Node';
  const put = async (body: object): Promise<number> => {
    const at = addressOf(step.at);
    return (await (isEarlier ? served.put(`/api${at}`, { [`m/${type}`]: body }) : served.put(at, body))).status;
  };
  switch (step.kind) {
    case 'create': {
      const at = step.at.length === 1 ? `/m/${type}` : addressOf(step.at).replace(/\/\d+$/, '');
      const code = type === 'Book' ? { code: forest.code } : {};
      const own = type === 'Area' ? {} : { size: step.size };
      return (await served.post(at, { id: step.at.at(-1)?.id, ...own, ...code })).status;
    }
    case 'change':
      return put({ size: step.size });
    case 'move':
      return put({ '@parent': step.to.length === 0 ? null : pathOf(step.to), ...(step.size === undefined ? {} : { size: step.size }) });
    case 'delete':
      return (await served.remove(addressOf(step.at))).status;
    case 'link':
      return (await served.post(`/m/${type}Tag`, { [type]: pathOf(step.at), Tag: step.tag })).status;
    case 'refer':
      return (await served.post('/m/Ref', { id: step.id, book: forest.codeOf(step.at) })).status;
  }
}

async function content(served: Served): Promise<object> {
  const found: Record<string, readonly string[]> = {};
  for (const type of types) {
    const { body } = await served.get(`/m/${type}`);
    found[type] = Array.isArray(body) ? sorted(body) : [];
  }
  return found;
}

function expected(forest: Forest): object {
  return Object.fromEntries(Object.entries(forest.instances()).map(([type, instances]) => [type, sorted(instances)]));
}

function sorted(instances: readonly unknown[]): readonly string[] {
  return instances.map(textOf).sort();
}

/** Without the identifier of a link, which is made up. */
function textOf(instance: unknown): string {
  const names = Object.keys(Object(instance)).filter((name) => name !== '__Id__');
  return JSON.stringify(names.sort().map((name) => [name, property(instance, name)]));
}
