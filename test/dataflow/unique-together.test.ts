// An update of many instances is checked for uniqueness as a whole: whatever the order of the rows, and only for what really clashes.

import { test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const model = `module m
entity Item { id Int @id, n Int @unique, shelf Int @default(1), place Int @default(0), note String @optional, @with_unique(shelf, place) }
entity Part { no Int @id, rank Int @unique, next Int @expr(rank + 1) @unique }
entity Log { id UUID @id @default(uuid()), n Int }
entity Team { id Int @id }
relationship Plays between(Item, Team) { shirt Int @unique }
relationship ItemPart contains(Item, Part)
workflow @after update:Item { {Log {n this.n}} }
workflow up { {Item {id?> 0, n Item.n + 1}} }
workflow down { {Item {id?> 0, n Item.n - 1}} }
workflow turned { {Item {id?> 0, n 4 - Item.n}} }
workflow moved { {Item {id?> 0, place Item.place + 1}} }
workflow named { {Item {id?> 0}} @as all; {all {n all.n + 1}} }
workflow low { {Item {id?< 3, n Item.n + 1}} }
workflow same { {Item {id?> 0, n 7}} }
workflow noted { {Item {id?> 0, note "x"}} }
workflow parts { {Part {no?> 0, rank Part.rank + 1}} }
workflow shirts { {Plays {shirt?> 0, shirt Plays.shirt + 1}} }
`;

const items: readonly Step[] = [1, 2, 3].map((id) => ({ ask: 'POST /m/Item', body: { id, n: id, place: id }, status: 201 }));
const numbers = (...all: number[]): Step => ({
  ask: 'GET /m/Item?@select=n',
  status: 200,
  is: all.map((n, index) => ({ id: index + 1, n })),
});

const scenarios: readonly [title: string, steps: readonly Step[]][] = [
  [
    'each may take the value of the next, or of the one before, or they change places',
    [
      ...items,
      { ask: 'POST /m/up', body: {}, status: 200, has: [{ n: 2 }, { n: 3 }, { n: 4 }] },
      { ask: 'POST /m/down', body: {}, status: 200 },
      numbers(1, 2, 3),
      { ask: 'POST /m/turned', body: {}, status: 200, has: [{ n: 3 }, { n: 2 }, { n: 1 }] },
      numbers(3, 2, 1),
      { ask: 'POST /m/up', body: {}, status: 200 },
      numbers(4, 3, 2),
      { ask: 'GET /m/Log?@count=true&@limit=0', status: 200, headers: { 'x-total-count': '12' } },
    ],
  ],
  [
    'so do values that are unique together, what a name stands for, what is computed, and attributes of links',
    [
      ...items,
      { ask: 'POST /m/named', body: {}, status: 200, has: [{ n: 2 }, { n: 3 }, { n: 4 }] },
      { ask: 'POST /m/moved', body: {}, status: 200, has: [{ place: 2 }, { place: 3 }, { place: 4 }] },
      ...[1, 2, 3].map((no): Step => ({ ask: 'POST /m/Item/1/ItemPart/Part', body: { no, rank: no }, status: 201 })),
      {
        ask: 'POST /m/parts',
        body: {},
        status: 200,
        has: [
          { rank: 2, next: 3 },
          { rank: 3, next: 4 },
          { rank: 4, next: 5 },
        ],
      },
      { ask: 'POST /m/Team', body: { id: 1 }, status: 201 },
      ...[1, 2, 3].map((id): Step => ({ ask: 'POST /m/Plays', body: { Item: id, Team: 1, shirt: id }, status: 201 })),
      { ask: 'POST /m/shirts', body: {}, status: 200 },
      { ask: 'GET /m/Plays?shirt[gt]=3', status: 200, has: [{ shirt: 4 }] },
    ],
  ],
  [
    'what clashes with one that is not changed, or with another that is, is 409 and changes nothing',
    [
      ...items,
      { ask: 'POST /m/low', body: {}, status: 409, code: 'duplicate', has: { pattern: 'update m/Item' } },
      { ask: 'POST /m/same', body: {}, status: 409, code: 'duplicate', has: { pattern: 'update m/Item' } },
      numbers(1, 2, 3),
      { ask: 'GET /m/Log', status: 200, is: [] },
      {
        ask: 'POST /m/noted',
        body: {},
        status: 200,
        has: [
          { n: 1, note: 'x' },
          { n: 2, note: 'x' },
          { n: 3, note: 'x' },
        ],
      },
    ],
  ],
];

for (const [title, steps] of scenarios) test(title, async () => check(await serve(model), steps));
