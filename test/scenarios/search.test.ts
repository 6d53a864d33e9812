// Full-text search: words without regard to case and accents, in lists and in workflows, on both surfaces.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';

const attributes = (mark: string) => `id Int @id, title String ${mark}, body String @optional ${mark}, secret String @optional @writeonly`;

const model = (mark: string) => `module m
entity Doc { ${attributes(mark)}, kind String @optional @enum("x", "y") }
entity Shelf { id Int @id }
relationship ShelfBook contains(Shelf, Book)
entity Book { id Int @id, title String ${mark} }
${mark === '' ? '' : flows}`;

const flows = `workflow find { {Doc? find.q} }
workflow best { {Doc? "red fox" {"limit": 1}} }
`;

const docs = [
  { id: 1, title: 'The Quick Brown Fox', body: 'jumps over the lazy dog', secret: 'canary' },
  { id: 2, title: 'Crème brûlée', body: 'a café in Besançon; naïve', kind: 'x' },
  { id: 3, title: 'red fox, RED fox', kind: 'x' },
  { id: 4, title: 'A fox', body: 'that is red, and not a dog', kind: 'y' },
  { id: 5, title: 'Don\'t "stop" OR NEAR* -now', body: '100% e-mail 42' },
];

const searches: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ['@search=fox', [3, 4, 1]],
  ['@search=FOX%20Red', [3, 4]],
  ['@search=creme+BRULEE', [2]],
  ['@search=cafe%CC%81', [2]],
  ['@search=caf', []],
  ['@search=canary', []],
  ['@search=dog', [4, 1]],
  ['@search=dog%20crème', []],
  ['@search=dog&@sort=id', [1, 4]],
  ['@search=fox&kind=x', [3]],
  ['@search=fox&@limit=1', [3]],
  ['@search=fox&@limit=1&@offset=1', [4]],
  ['@search=fox&@sort=-id&@limit=2', [4, 3]],
  ['@search=%22stop%22%20OR%20near', [5]],
  ['@search=don%27t', [5]],
  ['@search=-now*', [5]],
  ['@search=e-mail%2042', [5]],
  ['@search=fox&@or=(id=1,id=4)', [4, 1]],
];

for (const mark of ['', '@fulltext']) {
  describe(mark === '' ? 'all texts' : 'marked attributes', () => {
    test('a list gives the instances in which all words stand, those that answer best first', async () => {
      const app = await serve(model(mark));
      for (const each of docs) await app.post('/m/Doc', each);
      for (const [query, ids] of searches) {
        const answer = await app.get(`/m/Doc?${query}`);
        expect([query, answer.status, answer.body]).toMatchObject([query, 200, ids.map((id) => ({ id }))]);
        expect(answer.body).toHaveLength(ids.length);
      }
    });

    test('pages go on behind a cursor, in the order of the rank', async () => {
      const app = await serve(model(mark));
      for (const each of docs) await app.post('/m/Doc', each);
      const seen: unknown[] = [];
      let next: string | undefined = '/m/Doc?@search=fox&@limit=1&@count=true&@select=id';
      while (next !== undefined) {
        const answer = await app.get(next);
        expect(answer.headers['x-total-count']).toBe('3');
        seen.push(answer.body);
        next = /<([^>]*)>/.exec(answer.headers['link'] ?? '')?.[1];
      }
      expect(seen).toEqual([[{ id: 3 }], [{ id: 4 }], [{ id: 1 }]]);
      // How well an instance answers is known for these words alone.
      const cursor = /@after=([\w-]+)/.exec((await app.get('/m/Doc?@search=fox&@limit=1')).headers['link'] ?? '')?.[1];
      for (const [query, status] of [
        ['@search=fox', 200],
        ['@search=FOX&@limit=2', 200],
        ['@search=quick', 422],
        ['@search=fox+quick', 422],
        ['@search=fox&@sort=id', 422],
        ['@limit=1', 422],
      ] as const)
        expect([query, (await app.get(`/m/Doc?${query}&@after=${cursor}`)).status]).toEqual([query, status]);
    });

    test('a search without a word, with too many of them or of too many characters is 422', async () => {
      const app = await serve(model(mark));
      const many = Array.from({ length: 17 }, (_, at) => `w${at}`).join('+');
      for (const words of ['', '%20', '%3F%21', many, 'w'.repeat(1001)]) {
        const answer = await app.get(`/m/Doc?@search=${words}`);
        expect([words, answer.status]).toEqual([words, 422]);
        expect(answer.body).toMatchObject({ code: 'query-invalid', errors: [{ attribute: '@search' }] });
      }
      expect((await app.get('/m/Shelf?@search=x')).body).toMatchObject({ errors: [{ attribute: '@search', code: 'unknown' }] });
      expect((await app.get('/m/Doc/1?@search=x')).status).toBe(422);
      expect((await app.post('/m/Doc', { id: 9, title: 'many words '.repeat(60_000) })).status).toBe(mark === '' ? 201 : 422);
    });

    test('the earlier surface searches lists in the same way', async () => {
      const app = await serve(model(mark), { surfaces: ['current', 'earlier'] });
      for (const each of docs) await app.post('/m/Doc', each);
      const { body } = await app.get('/api/m/Doc?@search=FOX%20red&@limit=1');
      expect(JSON.stringify(body)).toContain('red fox, RED fox');
      expect(JSON.stringify(body)).not.toContain('that is red');
      expect((await app.get('/api/m/Doc?@search=')).status).toBe(422);
    });

    test('a workflow gives the instances in which all words stand', async () => {
      const app = await serve(mark === '' ? `${model(mark)}${flows}` : model(mark));
      for (const each of docs) await app.post('/m/Doc', each);
      const found = async (q: unknown) => (await app.post('/m/find', { q })).body;
      expect(await found('FOX red')).toMatchObject([{ id: 3 }, { id: 4 }]);
      expect(await found('nothing')).toEqual([]);
      expect((await app.post('/m/best', {})).body).toMatchObject([{ id: 3 }]);
      expect((await app.post('/m/find', { q: '?!' })).status).toBe(422);
    });

    test('what is changed, deleted or removed with its parent is found as it is then', async () => {
      const app = await serve(model(mark));
      const titles = async (query: string) => (await app.get(`/m/Book?${query}`)).body;
      await app.post('/m/Shelf', {
        id: 1,
        ShelfBook: [
          { id: 1, title: 'Alpha beta' },
          { id: 2, title: 'beta Gamma' },
        ],
      });
      expect(await titles('@search=beta')).toMatchObject([{ id: 1 }, { id: 2 }]);
      await app.put('/m/Shelf/1/ShelfBook/Book/1', { title: 'Delta' });
      expect(await titles('@search=beta')).toMatchObject([{ id: 2 }]);
      expect(await titles('@search=delta')).toMatchObject([{ id: 1 }]);
      expect((await app.get('/m/Shelf/1/ShelfBook/Book?@search=gamma')).body).toMatchObject([{ id: 2 }]);
      await app.remove('/m/Shelf/1/ShelfBook/Book/2');
      expect(await titles('@search=gamma')).toEqual([]);
      await app.remove('/m/Shelf/1');
      expect(await titles('@search=delta')).toEqual([]);
      await app.post('/m/Shelf', { id: 1, ShelfBook: [{ id: 1, title: 'Alpha' }] });
      expect(await titles('@search=delta')).toEqual([]);
      expect(await titles('@search=alpha')).toMatchObject([{ id: 1 }]);
    });
  });
}

const shown = 'id Int @id, title String, body String @optional, secret String @optional @writeonly, mail Email @optional';
const byMeta: readonly (readonly [declarations: string, searched: readonly (readonly [words: string, ids: readonly number[]])[]])[] = [
  [
    `entity Doc { ${shown}, @meta {"fullTextSearch": "*"} }`,
    [
      ['fox', [1]],
      ['dog', [1]],
      ['canary', []],
      ['example', []],
    ],
  ],
  [
    `entity Doc { ${shown}, @meta {"fullTextSearch": ["title"]} }`,
    [
      ['fox', [1]],
      ['dog', []],
    ],
  ],
  [
    `entity Doc { ${shown}, @meta {"fullTextSearchAttributes": ["body", "mail"]} }`,
    [
      ['fox', []],
      ['dog', [1]],
      ['example', [1]],
    ],
  ],
  [
    `record Base { title String, @meta {"fullTextSearch": "*"} }
entity Doc extends Base { id Int @id, body String @optional, secret String @optional, mail Email @optional }`,
    [
      ['fox', [1]],
      ['dog', []],
    ],
  ],
];

test.each(byMeta)('attributes that @meta of the type names are searched, as if marked: %s', async (declarations, searched) => {
  const app = await serve(`module m\n${declarations}`);
  expect(await app.post('/m/Doc', { id: 1, title: 'Red fox', body: 'no dog', secret: 'canary', mail: 'a@example.org' })).toMatchObject({
    status: 201,
  });
  for (const [words, ids] of searched) {
    expect([words, (await app.get(`/m/Doc?@search=${words}&@select=id`)).body]).toEqual([words, ids.map((id) => ({ id }))]);
  }
  // Kept in an index: what has too many words for one is refused.
  const many = 'many words '.repeat(91_000);
  expect((await app.post('/m/Doc', { id: 2, title: '', [declarations.includes('["body"') ? 'body' : 'title']: many })).status).toBe(422);
});

const identified = [
  ['an attribute id', 'entity Doc { id Int @id, title String }', { id: 1 }, { id: 2 }],
  ['an identifier of another name', 'entity Doc { slug String @id, title String }', { slug: 'a/b' }, { slug: 'c/d' }],
  ['a generated identifier', 'entity Doc { title String }', {}, {}],
] as const;

test.each(identified)('what was found is asked for again by __path__? x.id: %s', async (_title, declaration, one, other) => {
  const app = await serve(`module m
${declaration}
event find { words String }
workflow find { {Doc? find.words} @as [x]; {Doc {__path__? x.id}} }
workflow change { {Doc? "fox"} @as [x]; {Doc {__path__? x.id, title "Blue fox"}} }
workflow each { for x in {Doc? "red"} { {Doc {__path__? x.id}} } }
workflow gone { {Doc? "fox"} @as found; delete {Doc {__path__? found.id}} }`);
  await app.post('/m/Doc', { ...one, title: 'Red fox' });
  await app.post('/m/Doc', { ...other, title: 'Red dog' });
  expect((await app.post('/m/find', { words: 'FOX' })).body).toMatchObject([{ ...one, title: 'Red fox' }]);
  expect((await app.post('/m/find', { words: 'cat' })).body).toEqual([]);
  expect((await app.post('/m/each', {})).body).toMatchObject([[{ title: 'Red fox' }], [{ title: 'Red dog' }]]);
  expect((await app.post('/m/change', {})).body).toMatchObject([{ ...one, title: 'Blue fox' }]);
  expect((await app.post('/m/gone', {})).body).toMatchObject([{ title: 'Blue fox' }]);
  expect((await app.get('/m/Doc')).body).toMatchObject([{ title: 'Red dog' }]);
});

test('what was found under a parent is asked for again by __path__? x.id, and not what has its identifier under another', async () => {
  const app = await serve(`module m
entity Shelf { id Int @id }
entity Doc { id Int @id, title String }
relationship ShelfDoc contains (Shelf, Doc)
workflow find { {Doc? "fox"} @as [x]; {Doc {__path__? x.id}} }`);
  await app.post('/m/Shelf', { id: 1, ShelfDoc: [{ id: 7, title: 'Red dog' }] });
  await app.post('/m/Shelf', { id: 2, ShelfDoc: [{ id: 7, title: 'Red fox' }] });
  const found = { id: 7, title: 'Red fox', __path__: 'path://m$Shelf/2/m$ShelfDoc/m$Doc/7' };
  expect((await app.post('/m/find', {})).body).toEqual([found]);
});

test('a model of the earlier syntax marks attributes and searches in dataflows', async () => {
  const app = await serve(
    {
      'core.platform': `(component :N)
(entity :Doc {:Id {:type :Int :guid true} :Title {:type :String :fulltext true} :Body {:type :String :optional true}})
(event :Find {:Words :String})
(dataflow :Find [:search :Doc :Find.Words {:limit 1}])`,
    },
    { surfaces: ['earlier'] },
  );
  for (const [id, title, body] of [
    [1, 'Crème', 'fox'],
    [2, 'crème crème', ''],
  ] as const)
    await app.post('/api/N/Doc', { 'N/Doc': { Id: id, Title: title, Body: body } });
  const found = await app.post('/api/N/Find', { 'N/Find': { Words: 'CREME' } });
  expect(found.text).toContain('"Id":2');
  expect(found.text).not.toContain('"Id":1');
  expect((await app.get('/api/N/Doc?@search=fox')).text).not.toContain('"Id":1');
});
