// Models whose keys depend on each other: trees of one entity, several parents, links to what is contained, references, links with attributes.

import { expect, test } from 'vitest';
import type { Step } from '../support/table.ts';
import { database, inSurface, surfaces } from './evolve.ts';

interface Structure {
  readonly title: string;
  readonly model: string;
  readonly rows: readonly Step[];
  readonly next: string;
  readonly by: 'start' | 'apply';
  readonly answers: readonly Step[];
  /** What the first model answers, before and after. */
  readonly before: readonly Step[];
}

const tree = 'module m\nentity Node { id Int @id, label String @optional }\nrelationship Sub contains(Node @as parent, Node @as child)\n';
const treeRows: readonly Step[] = [{ ask: 'POST /m/Node', body: { id: 1, Sub: [{ id: 1, Sub: [{ id: 7 }] }, { id: 2 }] }, status: 201 }];
const treeBefore: readonly Step[] = [
  { ask: 'GET /m/Node/1/Sub/Node/1/Sub/Node/7', status: 200, has: { id: 7, __path__: 'path://m$Node/1/m$Sub/m$Node/1/m$Sub/m$Node/7' } },
  { ask: 'GET /m/Node/1/Sub/Node', status: 200, has: [{ id: 1 }, { id: 2 }] },
];

const two = `module m
entity A { id Int @id }
entity B { id Int @id }
entity K { id Int @id, note String @optional }
entity T { id String @id }
relationship RA contains(A, K)
relationship RB contains(B, K)
relationship L between(K, T) { since Int @optional }
`;
const twoRows: readonly Step[] = [
  { ask: 'POST /m/A', body: { id: 1, RA: [{ id: 1, note: 'a' }] }, status: 201 },
  { ask: 'POST /m/B', body: { id: 1, RB: [{ id: 2, note: 'b' }] }, status: 201 },
  { ask: 'POST /m/T', body: { id: 't' }, status: 201 },
  { ask: 'POST /m/L', body: { K: 'path://m$A/1/m$RA/m$K/1', T: 't', since: 3 }, status: 201 },
];
const twoBefore: readonly Step[] = [
  { ask: 'GET /m/A/1/RA/K', status: 200, is: [{ id: 1, note: 'a', __path__: 'path://m$A/1/m$RA/m$K/1' }] },
  { ask: 'GET /m/B/1/RB/K', status: 200, is: [{ id: 2, note: 'b', __path__: 'path://m$B/1/m$RB/m$K/2' }] },
  { ask: 'GET /m/T/t/L/K', status: 200, has: [{ id: 1, note: 'a' }] },
  { ask: 'GET /m/L', status: 200, has: [{ T: 't', since: 3 }] },
];

const refer = `module m
entity P { id Int @id, code String @unique }
entity Q { id Int @id, p Int @ref(P.id), code String @ref(P.code) @optional, @with_unique(p, code) }
`;
const referRows: readonly Step[] = [
  { ask: 'POST /m/P', body: { id: 1, code: 'x' }, status: 201 },
  { ask: 'POST /m/Q', body: { id: 1, p: 1, code: 'x' }, status: 201 },
];
const referBefore: readonly Step[] = [
  { ask: 'GET /m/Q', status: 200, is: [{ id: 1, p: 1, code: 'x' }] },
  { ask: 'DELETE /m/P/1', status: 409, code: 'instance-referenced' },
  { ask: 'POST /m/Q', body: { id: 2, p: 1, code: 'x' }, status: 409 },
];

const place = 'module m\nrecord Address { city String, zip Int @optional }\nentity H { id Int @id, at Address }\n';

const timed = 'module m\nentity D { id Int @id }\nentity V { no Int @id, at DateTime @unique }\nrelationship DV contains(D, V)\n';
const timedBefore: readonly Step[] = [
  { ask: 'GET /m/V', status: 200, is: [{ no: 1, at: '2026-01-01T10:00:00Z', __path__: 'path://m$D/1/m$DV/m$V/1' }] },
  { ask: 'POST /m/D/1/DV/V', body: { no: 2, at: '2026-01-01T10:00:00.0' }, status: 409, code: 'duplicate' },
];

const structures: readonly Structure[] = [
  {
    title: 'a relationship is renamed whose children have a unique DateTime',
    model: timed,
    rows: [{ ask: 'POST /m/D', body: { id: 1, DV: [{ no: 1, at: '2026-01-01T10:00:00Z' }] }, status: 201 }],
    before: timedBefore,
    next: timed.replace('DV contains(D, V)', 'DW contains(D, V) @was("DV")'),
    by: 'start',
    answers: [
      { ask: 'GET /m/V', status: 200, is: [{ no: 1, at: '2026-01-01T10:00:00Z', __path__: 'path://m$D/1/m$DW/m$V/1' }] },
      { ask: 'POST /m/D/1/DW/V', body: { no: 2, at: '2026-01-01T10:00:00.0' }, status: 409, code: 'duplicate' },
    ],
  },
  {
    title: 'an entity that contains itself is renamed',
    model: tree,
    rows: treeRows,
    before: treeBefore,
    next: tree.replace('entity Node {', 'entity Part { @was("Node"),').replaceAll('Node @as', 'Part @as'),
    by: 'start',
    answers: [
      {
        ask: 'GET /m/Part/1/Sub/Part/1/Sub/Part/7',
        status: 200,
        has: { id: 7, __path__: 'path://m$Part/1/m$Sub/m$Part/1/m$Sub/m$Part/7' },
      },
      { ask: 'POST /m/Part', body: { id: 1 }, status: 409 },
      { ask: 'POST /m/Part/1/Sub/Part', body: { id: 2 }, status: 409 },
    ],
  },
  {
    title: 'the relationship of an entity with itself is renamed',
    model: tree,
    rows: treeRows,
    before: treeBefore,
    next: tree.replace('Sub contains(Node @as parent, Node @as child)', 'Below contains(Node @as parent, Node @as child) @was("Sub")'),
    by: 'start',
    answers: [{ ask: 'GET /m/Node/1/Below/Node/1/Below/Node/7', status: 200, has: { id: 7 } }],
  },
  {
    title: 'one of two parents is renamed',
    model: two,
    rows: twoRows,
    before: twoBefore,
    next: two.replace('entity A {', 'entity C { @was("A"),').replace('(A, K)', '(C, K)'),
    by: 'start',
    answers: [
      { ask: 'GET /m/C/1/RA/K', status: 200, is: [{ id: 1, note: 'a', __path__: 'path://m$C/1/m$RA/m$K/1' }] },
      { ask: 'GET /m/B/1/RB/K', status: 200, has: [{ id: 2 }] },
      { ask: 'GET /m/T/t/L/K', status: 200, has: [{ id: 1 }] },
      { ask: 'POST /m/L', body: { K: 'path://m$C/1/m$RA/m$K/1', T: 't' }, status: 409 },
    ],
  },
  {
    title: 'one of two contains relationships goes, and its children stand alone',
    model: two,
    rows: twoRows,
    before: twoBefore,
    next: two.replace(/relationship RA .*\n/, ''),
    by: 'apply',
    answers: [
      { ask: 'GET /m/K/1', status: 200, has: { id: 1, note: 'a' } },
      { ask: 'GET /m/B/1/RB/K', status: 200, has: [{ id: 2 }] },
      { ask: 'GET /m/T/t/L/K', status: 200, has: [{ id: 1 }] },
    ],
  },
  {
    title: 'a relationship of the same name gets another parent: the old places are retired, and nobody is moved',
    model: two,
    rows: twoRows,
    before: twoBefore,
    next: two.replace('RA contains(A, K)', 'RA contains(T, K)'),
    by: 'apply',
    answers: [
      { ask: 'GET /m/T/t/RA/K', status: 200, is: [] },
      { ask: 'GET /m/K/1', status: 200, has: { note: 'a' } },
      { ask: 'GET /m/B/1/RB/K', status: 200, has: [{ id: 2 }] },
    ],
  },
  {
    title: 'the attribute of a link goes, and so does its end’s name',
    model: two,
    rows: twoRows,
    before: twoBefore,
    next: two.replace('{ since Int @optional }', '').replace('between(K, T)', 'between(K @as child, T @as thing)'),
    by: 'apply',
    answers: [
      { ask: 'GET /m/L', status: 200, has: [{ thing: 't' }] },
      { ask: 'GET /m/T/t/L/K', status: 200, has: [{ id: 1 }] },
    ],
  },
  {
    title: 'what references lead to is renamed, and they still lead there',
    model: refer,
    rows: referRows,
    before: referBefore,
    next: refer
      .replace(
        'entity P { id Int @id, code String @unique }',
        'entity O { @was("P"), no Int @id @was("id"), key String @unique @was("code") }',
      )
      .replace('@ref(P.id)', '@ref(O.no)')
      .replace('@ref(P.code)', '@ref(O.key)'),
    by: 'start',
    answers: [
      { ask: 'GET /m/Q', status: 200, is: [{ id: 1, p: 1, code: 'x' }] },
      { ask: 'GET /m/O/1', status: 200, is: { no: 1, key: 'x' } },
      { ask: 'DELETE /m/O/1', status: 409, code: 'instance-referenced' },
      { ask: 'PUT /m/Q/1', body: { p: 9 }, status: 422, faults: ['p reference'] },
      { ask: 'POST /m/Q', body: { id: 2, p: 1, code: 'x' }, status: 409 },
    ],
  },
  {
    title: 'what refers is renamed, with what is unique together',
    model: refer,
    rows: referRows,
    before: referBefore,
    next: refer
      .replace('p Int @ref(P.id), code', 'owner Int @ref(P.id) @was("p"), code')
      .replace('@with_unique(p, code)', '@with_unique(owner, code)'),
    by: 'start',
    answers: [
      { ask: 'GET /m/Q', status: 200, is: [{ id: 1, owner: 1, code: 'x' }] },
      { ask: 'DELETE /m/P/1', status: 409, code: 'instance-referenced' },
      { ask: 'POST /m/Q', body: { id: 2, owner: 1, code: 'x' }, status: 409 },
    ],
  },
  {
    title: 'a record has another name, and is the same',
    model: place,
    rows: [{ ask: 'POST /m/H', body: { id: 1, at: { city: 'Oslo', zip: 1 } }, status: 201 }],
    before: [{ ask: 'GET /m/H/1', status: 200, is: { id: 1, at: { city: 'Oslo', zip: 1 } } }],
    next: place.replaceAll('Address', 'Place'),
    by: 'start',
    answers: [{ ask: 'GET /m/H/1', status: 200, is: { id: 1, at: { city: 'Oslo', zip: 1 } } }],
  },
  {
    title: 'a reference goes, and what it led to can be deleted',
    model: refer,
    rows: referRows,
    before: [{ ask: 'GET /m/Q', status: 200, is: [{ id: 1, p: 1, code: 'x' }] }],
    next: 'module m\nentity P { id Int @id, code String @unique }\nentity Q { id Int @id }\n',
    by: 'apply',
    answers: [
      { ask: 'DELETE /m/P/1', status: 200 },
      { ask: 'POST /m/P', body: { id: 1, code: 'x' }, status: 201 },
    ],
  },
];

for (const surface of surfaces) {
  for (const { title, model, rows, next, by, answers, before } of structures) {
    test(`${title} (${surface} surface)`, async () => {
      const data = database();
      await data.serve(inSurface(model, surface), [...rows, ...before]);
      if (by === 'apply') {
        expect(await data.refusal(inSurface(next, surface))).toMatch(/migrate apply/);
        await data.apply(inSurface(next, surface));
      }
      await data.serve(inSurface(next, surface), answers);
      await data.undo();
      await data.serve(inSurface(model, surface), before);
    });
  }
}

test('two that say they were the same: the first of them was', async () => {
  const data = database();
  await data.serve('module m\nentity P { id Int @id, a Int }\n', [{ ask: 'POST /m/P', body: { id: 1, a: 5 }, status: 201 }]);
  await data.serve('module m\nentity P { id Int @id, b Int @optional @was("a"), c Int @optional @was("a") }\n', [
    { ask: 'GET /m/P', status: 200, is: [{ id: 1, b: 5, c: null }] },
  ]);
  await data.serve('module m\nentity Q { @was("P"), id Int @id, b Int @optional, c Int @optional }\nentity R { @was("P"), id Int @id }\n', [
    { ask: 'GET /m/Q', status: 200, is: [{ id: 1, b: 5, c: null }] },
    { ask: 'GET /m/R', status: 200, is: [] },
  ]);
});

test('links of one entity with itself do not become contains, and it is told why', async () => {
  const data = database();
  const model = 'module m\nentity N { id Int @id }\nrelationship L between(N @as one, N @as other)\n';
  const next = model.replace('between(N @as one, N @as other)', 'contains(N @as one, N @as other)');
  await data.serve(model, [
    { ask: 'POST /m/N', body: { id: 1 }, status: 201 },
    { ask: 'POST /m/L', body: { one: 1, other: 1 }, status: 201 },
  ]);
  await expect(data.apply(next)).rejects.toThrow(/m\/L ties instances of one entity.*\n.*another name/);
});

test('a relationship that contains an entity in itself becomes between', async () => {
  const data = database();
  await data.serve(tree, treeRows.concat({ ask: 'DELETE /m/Node/1/Sub/Node/1', status: 200 }));
  const next = tree.replace('contains(', 'between(');
  await data.apply(next);
  await data.serve(next, [{ ask: 'GET /m/Node/1/Sub/Node', status: 200, has: [{ id: 2 }] }]);
});

test('children with the same identifier do not stand alone by it, but by a guid', async () => {
  const data = database();
  const model = 'module m\nentity P { id Int @id }\nentity K { id Int @id }\nrelationship R contains(P, K)\n';
  await data.serve(model, [
    { ask: 'POST /m/P', body: { id: 1, R: [{ id: 5 }] }, status: 201 },
    { ask: 'POST /m/P', body: { id: 2, R: [{ id: 5 }] }, status: 201 },
  ]);
  await expect(data.apply(model.replace(/relationship .*\n/, ''))).rejects.toThrow(
    /2 instances have the same id: path:.*\n.*give it a @guid first/,
  );
  const known = model.replace('entity K { id Int @id }', 'entity K { uid UUID @guid @default(uuid()), id Int @id }');
  await data.serve(known, [{ ask: 'GET /m/P/1/R/K/5', status: 200, has: { uid: expect.any(String) } }]);
  const alone = known.replace(/relationship .*\n/, '');
  await expect(data.apply(alone)).rejects.toThrow(/m\/K holds instances with the same id, which would have to be unique/);
  const numbered = alone.replace('@default(uuid()), id Int @id', '@default(uuid()), id Int');
  await data.apply(numbered);
  await data.serve(numbered, [{ ask: 'GET /m/K', status: 200, has: [{ id: 5 }, { id: 5 }] }]);
  await data.undo();
  await data.serve(known, [{ ask: 'GET /m/P/2/R/K/5', status: 200, has: { id: 5 } }]);
});
