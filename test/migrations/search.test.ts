// Full-text search over a model that changes: attributes are marked and unmarked, renamed, retired, restored and retyped, keys change; then all of it is undone.

import { test } from 'vitest';
import type { Step } from '../support/table.ts';
import { database } from './evolve.ts';

const model = (attributes: string, more = ''): string => `module m
entity Shelf { id Int @id }
entity Doc { id Int @id, ${attributes} }
relationship ShelfDoc contains (Shelf, Doc)
${more}`;

const find = (words: string, ids: readonly number[]): Step => ({
  ask: `GET /m/Doc?@search=${encodeURIComponent(words)}&@sort=id`,
  status: 200,
  has: ids.map((id) => ({ id })),
});

const rows: readonly Step[] = [
  {
    ask: 'POST /m/Shelf',
    body: {
      id: 1,
      ShelfDoc: [
        { id: 1, title: 'Grüne Äpfel', body: 'am Baum' },
        { id: 2, title: 'Birnen', body: 'neben APFEL, 12' },
      ],
    },
    status: 201,
  },
];

type Found = readonly (readonly [words: string, ids: readonly number[]])[];

/** Each model, what is found then, and what is added afterwards with what is found of it. */
const walk: readonly (readonly [model: string, found: Found, added: object, alsoFound: Found])[] = [
  [model('title String, body String @optional'), [['apfel', [1, 2]]], { id: 3, title: 'Drei' }, [['drei', [3]]]],
  [
    model('title String @fulltext, body String @optional'),
    [
      ['apfel', [1]],
      ['drei', [3]],
    ],
    { id: 4, title: 'Vier Apfel' },
    [['APFEL', [1, 4]]],
  ],
  [
    model('title String @fulltext, body String @optional @fulltext'),
    [
      ['äpfel', [1, 2, 4]],
      ['baum gruene', []],
      ['baum grune', [1]],
    ],
    { id: 5, title: '5', body: 'Baum' },
    [['baum', [1, 5]]],
  ],
  [
    model('name String @was("title") @fulltext, body String @optional @fulltext'),
    [['baum äpfel', [1]]],
    { id: 6, name: 'Sechs' },
    [['sechs', [6]]],
  ],
  [
    model('name String @was("title") @unique, body String @optional @fulltext'),
    [
      ['apfel', [2]],
      ['sechs', []],
    ],
    { id: 7, name: 'x', body: 'Sechs' },
    [['sechs', [7]]],
  ],
  [
    model('name String @was("title"), body String @optional', 'workflow w { {Doc? "apfel"} }'),
    [['apfel', [1, 2, 4]]],
    { id: 8, name: 'Acht' },
    [['acht', [8]]],
  ],
  [
    model('name String @was("title"), body String @optional', 'entity Other { id Int @id, text String @fulltext }'),
    [['apfel', [1, 2, 4]]],
    { id: 9, name: 'Neun' },
    [['neun', [9]]],
  ],
];

const steps = (found: Found): readonly Step[] => found.map(([words, ids]) => find(words, ids));

test('an index of words follows the model, and holds the words of what is stored', async () => {
  const data = database();
  await data.serve(walk[0]?.[0] ?? '', rows);
  for (const [text, found, added, alsoFound] of walk)
    await data.serve(text, [...steps(found), { ask: 'POST /m/Shelf/1/ShelfDoc/Doc', body: added, status: 201 }, ...steps(alsoFound)]);
});

test('what is searched is retired, restored, retyped and undone with its words', async () => {
  const data = database();
  const marked = model('title String @fulltext, body String @optional @fulltext');
  await data.serve(marked, rows);
  const without = model('title String @fulltext');
  await data.apply(without);
  await data.serve(without, [find('apfel', [1]), { ask: 'PUT /m/Doc/2', body: { title: 'Kirschen' }, status: 200 }, find('kirschen', [2])]);
  await data.serve(marked, [find('apfel', [1, 2]), find('kirschen 12', [2])]);
  const gone = 'module m\nentity Shelf { id Int @id }';
  await data.apply(gone);
  await data.serve(marked, [find('apfel', [1, 2])]);
  await data.undo();
  await data.undo();
  await data.serve(marked, [find('apfel', [1, 2])]);
  // Keys and foreign keys that change make the table anew.
  const keyed = marked
    .replace('entity Doc { id Int @id', 'entity Doc { id String @id')
    .replace('body', 'shelf Int @optional @ref(Shelf.id), body');
  await data.apply(keyed);
  await data.serve(keyed, [
    { ask: 'GET /m/Doc?@search=kirschen', status: 200, has: [{ id: '2' }] },
    { ask: 'DELETE /m/Shelf/1/ShelfDoc/Doc/2', status: 200 },
    { ask: 'GET /m/Doc?@search=kirschen', status: 200, is: [] },
    { ask: 'GET /m/Doc?@search=apfel', status: 200, has: [{ id: '1' }] },
  ]);
});
