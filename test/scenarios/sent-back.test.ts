// What was read may be sent back as it is, however it was read; what is nested in it is never changed that way, and a difference is told.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open, type Project, type Served, serve } from '../support/app.ts';
import { isLarge } from '../support/form.ts';
import { check, type Step } from '../support/table.ts';

const model: Project = `
module m
record Size { width Decimal, note String @optional }
entity Shelf { id Int @id, label String @optional, size Size @optional, tags String[] @optional, extra Map @optional, opened DateTime @optional, weight Decimal @optional, ratio Float @optional, big Int @optional, count Int @expr(2 * id), widths Decimal[] @optional, twice Decimal @optional @expr(weight * 2) }
entity Book { isbn String @id, title String @optional, due Date @optional }
entity Page { no Int @id, text String @optional }
entity Reader { email String @id, name String @optional, code String @optional @writeonly }
entity Card { id Int @id }
relationship ShelfBook contains(Shelf, Book)
relationship BookPage contains(Book, Page)
relationship Inner contains(Shelf @as outer, Shelf @as inner)
relationship Reads between(Reader, Book) { stars Int, note String @optional, price Decimal @default(1.50) }
relationship Holds between(Reader, Card) @one_one
relationship Owns between(Reader, Shelf) @one_many
`;

const page = { no: 1, text: 'p', __path__: 'path://m$Shelf/1/m$ShelfBook/m$Book/a/m$BookPage/m$Page/1' };
const book = { isbn: 'a', title: 't', due: null, __path__: 'path://m$Shelf/1/m$ShelfBook/m$Book/a' };
const shelf = { id: 1, label: 'x' };
const start: readonly Step[] = [
  {
    ask: 'POST /m/Shelf',
    body: { ...shelf, ShelfBook: [{ isbn: 'a', title: 't', BookPage: [{ no: 1, text: 'p' }] }, { isbn: 'b' }] },
    status: 201,
  },
  { ask: 'POST /m/Reader', body: { email: 'r', Owns: [1], Holds: [{ id: 4 }] }, status: 201 },
  { ask: 'POST /m/Reader/r/Reads/Book', body: { isbn: 'a', '@link': { stars: 3 } }, status: 201 },
];
const inside = (BookPage: readonly unknown[], rest: object = {}) => ({ ShelfBook: [{ ...book, ...rest, BookPage }, { isbn: 'b' }] });

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'nested instances that are as they are stored are ignored, in any order and in part',
    [
      { ask: 'PUT /m/Shelf/1', body: { label: 'y', ...inside([page]) }, status: 200, has: { label: 'y' } },
      { ask: 'PUT /m/Shelf/1', body: { ShelfBook: [{ isbn: 'b' }, { isbn: 'a' }] }, status: 200 },
      { ask: 'PUT /m/Shelf/1', body: { Inner: [], Owns: { email: 'r', name: null }, outer: null }, status: 200 },
      { ask: 'PUT /m/Shelf/1/ShelfBook/Book/a', body: { title: 'n', ShelfBook: { id: 1, label: 'y' } }, status: 200, has: { title: 'n' } },
      { ask: 'PUT /m/Reader/r', body: { Holds: { id: 4 }, Reads: [{ isbn: 'a', '@link': { stars: 3, price: '1.5' } }] }, status: 200 },
    ],
  ],
  [
    'a nested instance that differs is 422, named by its path, and nothing is changed',
    [
      {
        ask: 'PUT /m/Shelf/1',
        body: { label: 'y', ...inside([{ ...page, text: 'q' }]) },
        status: 422,
        faults: ['ShelfBook[0].BookPage[0].text readonly'],
      },
      { ask: 'PUT /m/Shelf/1', body: { label: 'y', ...inside([]) }, status: 422, faults: ['ShelfBook[0].BookPage readonly'] },
      { ask: 'PUT /m/Shelf/1', body: inside([page, { no: 2, text: 'p' }]), status: 422, faults: ['ShelfBook[0].BookPage readonly'] },
      {
        ask: 'PUT /m/Shelf/1',
        body: inside([page], { title: 'q', more: 1 }),
        status: 422,
        faults: ['ShelfBook[0].title readonly', 'ShelfBook[0].more unknown'],
      },
      { ask: 'PUT /m/Shelf/1', body: { ShelfBook: [{ isbn: 'a' }, { isbn: 'a' }] }, status: 422, faults: ['ShelfBook readonly'] },
      { ask: 'PUT /m/Shelf/1', body: { ShelfBook: { isbn: 'a' } }, status: 422, faults: ['ShelfBook readonly'] },
      { ask: 'PUT /m/Shelf/1', body: { ShelfBook: ['a', 'b'], label: 3 }, status: 422, faults: ['ShelfBook readonly', 'label type'] },
      { ask: 'PUT /m/Shelf/1', body: { Owns: null }, status: 422, faults: ['Owns readonly'] },
      {
        ask: 'PUT /m/Reader/r',
        body: { Reads: [{ isbn: 'a', '@link': { stars: 4 } }] },
        status: 422,
        faults: ['Reads[0].@link.stars readonly'],
      },
      { ask: 'PUT /m/Reader/r', body: { Reads: [{ isbn: 'a', '@link': 3 }] }, status: 422, faults: ['Reads[0].@link type'] },
      { ask: 'PUT /m/Reader/r', body: { Holds: { id: 5 } }, status: 422, faults: ['Holds.id readonly'] },
      { ask: 'PUT /m/Reader/r', body: { Holds: [{ id: 4 }] }, status: 422, faults: ['Holds readonly'] },
      { ask: 'PUT /m/Reader/zzz', body: { Holds: null }, status: 404 },
      { ask: 'PUT /m/Reader/r', body: { Nothing: [] }, status: 422, faults: ['Nothing unknown'] },
      {
        ask: 'GET /m/Shelf/1?@tree=true',
        status: 200,
        has: { label: 'x', ShelfBook: [{ title: 't', BookPage: [{ text: 'p' }] }, { isbn: 'b' }] },
      },
    ],
  ],
  [
    'a value is the same in whatever form it is sent, also inside of a record or a list of a nested instance',
    [
      {
        ask: 'POST /m/Shelf',
        body: { id: 7, Inner: [{ id: 8, size: { width: 1.5 }, widths: [2.5], opened: '2026-01-01T10:00:00Z', weight: 4 }] },
        status: 201,
      },
      ...[
        { size: { note: null, width: '1.50' } },
        { widths: ['2.50'] },
        { opened: '2026-01-01T11:00:00.000+01:00' },
        { weight: '4.0', twice: 8 },
      ].map((same): Step => ({ ask: 'PUT /m/Shelf/7', body: { Inner: [{ id: 8, ...same }] }, status: 200 })),
      ...[{ size: { width: '1.51' } }, { widths: ['2.5', '2.5'] }, { opened: '2026-01-01T10:00:00.1Z' }].map(
        (other): Step => ({ ask: 'PUT /m/Shelf/7', body: { Inner: [{ id: 8, ...other }] }, status: 422 }),
      ),
    ],
  ],
  [
    'what does not fit is not the same as nothing',
    [
      { ask: 'PUT /m/Shelf/1', body: { twice: null }, status: 200 },
      { ask: 'PUT /m/Shelf/1', body: { twice: 'x' }, status: 422, faults: ['twice computed'] },
      { ask: 'PUT /m/Shelf/1', body: { twice: {} }, status: 422, faults: ['twice computed'] },
      {
        ask: 'PUT /m/Shelf/1',
        body: { ShelfBook: [{ isbn: 'a' }, { isbn: 'b', due: 'x' }] },
        status: 422,
        faults: ['ShelfBook[1].due readonly'],
      },
    ],
  ],
  [
    'on create what the service sets stays refused',
    [
      { ask: 'POST /m/Shelf/1/ShelfBook/Book', body: { ...book, isbn: 'z' }, status: 422, faults: ['__path__ system'] },
      { ask: 'POST /m/Shelf', body: { id: 6, count: 12 }, status: 422, faults: ['count computed'] },
    ],
  ],
];

for (const [title, steps] of tables) test(title, async () => check(await serve(model), [...start, ...steps]));

test('the earlier surface takes back tags and what stands under ->, keyed or as it was read', async () => {
  const served = await serve(model, { surfaces: ['current', 'earlier'] });
  await check(served, start);
  const tree = (await served.get('/api/m/Shelf/1/__tree')).body;
  const changed = JSON.parse(JSON.stringify(tree).replace('"title":"t"', '"title":"other"'));
  const wrong = JSON.parse(JSON.stringify(tree).replace('"-*-type-*-":"m/Book"', '"-*-type-*-":"m/Page"'));
  const errors = (...attributes: readonly string[]) => [{ errors: attributes.map((attribute) => ({ attribute })) }];
  await check(served, [
    { ask: 'PUT /api/m/Shelf/1', body: tree, status: 200, has: { '-*-type-*-': 'm/Shelf', label: 'x' } },
    { ask: 'PUT /api/m/Shelf/1', body: { 'm/Shelf': tree }, status: 200 },
    { ask: 'PUT /api/m/Shelf/1', body: { Data: tree }, status: 200 },
    { ask: 'PUT /api/m/Shelf/1', body: { 'm/Shelf': changed }, status: 422, has: errors('ShelfBook[0].title') },
    { ask: 'PUT /api/m/Shelf/1', body: wrong, status: 422, has: errors('ShelfBook[0].-*-type-*-') },
    { ask: 'PUT /api/m/Shelf/1', body: { 'm/Shelf': { '-*-type-*-': 'm/Book' } }, status: 422, has: errors('-*-type-*-') },
    { ask: 'PUT /api/m/Shelf/1', body: { 'm/Shelf': { '->': { 'm/Nothing': [] } } }, status: 422, has: errors('m/Nothing') },
    { ask: 'POST /api/m/Shelf', body: { 'm/Shelf': { '-*-type-*-': 'm/Shelf', id: 7 } }, status: 422 },
    ...[
      { '->': { 'm/Owns': [{ email: 'r' }] }, status: 200 },
      { '->': { 'm/Owns': [{ email: 'r' }, { email: 's' }] }, status: 422 },
    ].map(({ status, ...sent }): Step => ({ ask: 'PUT /api/m/Shelf/1', body: { 'm/Shelf': sent }, status })),
  ]);
});

test('a tree as deep as one can be read is sent back', async () => {
  const served = await serve(model);
  const nest = (id: number): object => (id === 11 ? { id } : { id, Inner: [nest(id + 1)] });
  await check(served, [{ ask: 'POST /m/Shelf', body: nest(1), status: 201 }]);
  const tree = await served.get('/m/Shelf/1?@tree=true');
  expect(tree.status).toBe(200);
  await check(served, [
    { ask: 'PUT /m/Shelf/1', text: tree.text, status: 200 },
    { ask: 'PUT /m/Shelf/1', text: tree.text.replace('"id":11,"label":null', '"id":11,"label":"x"'), status: 422 },
    { ask: 'PUT /m/Shelf/1', body: nest(-5), status: 422 },
  ]);
});

const text = fc.constantFrom('', 'a', 'ä"\\', '~:x', '^1', '2026-01-01', 'path://m$Shelf/1');
const decimal = fc.constantFrom('0', '1.50', '-3.000', '12345678901234567890.5');
const shelves = fc.array(
  fc.record({
    label: fc.option(text),
    size: fc.option(fc.record({ width: decimal, note: fc.option(text) })),
    tags: fc.option(fc.array(text, { maxLength: 2 })),
    extra: fc.option(
      fc.dictionary(
        fc.constantFrom('b', 'a', '2', '10'),
        fc.oneof(text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
        { maxKeys: 3 },
      ),
    ),
    opened: fc.option(fc.constantFrom('2026-01-01T10:00:00Z', '2026-01-01T10:00:00.5+02:00', '2026-01-01T10:00:00')),
    weight: fc.option(decimal),
    ratio: fc.option(fc.constantFrom(0.1, 1e21, -2.5e-9, 3)),
    big: fc.option(fc.constantFrom(0, -5, 9007199254740991)),
    books: fc.array(
      fc.record({ title: fc.option(text), due: fc.option(fc.constant('2026-02-28')), pages: fc.array(text, { maxLength: 2 }) }),
      { maxLength: 3 },
    ),
    inner: fc.array(fc.array(fc.option(text), { maxLength: 2 }), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 2 },
);

/** Every way to read something of a shelf, with the path where it is sent back. */
const ways: readonly (readonly [read: string, write: string])[] = [
  ['/m/Shelf/1', '/m/Shelf/1'],
  ['/m/Shelf/1?@tree=true', '/m/Shelf/1'],
  ['/m/Shelf/1?@include=ShelfBook', '/m/Shelf/1'],
  ['/m/Shelf/1?@include=ShelfBook.BookPage.BookPage,Inner.outer,Inner.Inner,Owns.Reads,ShelfBook.Reads.Owns&@select=label', '/m/Shelf/1'],
  ['/m/Shelf/1/ShelfBook/Book/b0?@include=ShelfBook.Owns,BookPage,Reads', '/m/Shelf/1/ShelfBook/Book/b0'],
  ['/m/Book/b0?@tree=true', '/m/Book/b0'],
  ['/m/Reader/r?@include=Reads.BookPage,Holds.Holds,Owns.Inner', '/m/Reader/r'],
  ['/m/Reader/r/Reads/Book/b0', '/m/Reader/r/Reads/Book/b0'],
  ['/m/Reader/r/Reads/Book/b0?@tree=true', '/m/Reader/r/Reads/Book/b0'],
  ['/m/Reader/r/Reads/Book/b0?@include=ShelfBook,Reads', '/m/Reader/r/Reads/Book/b0'],
  ['/m/Reads/l', '/m/Reads/l'],
  ['/api/m/Shelf/1', '/api/m/Shelf/1'],
  ['/api/m/Shelf/1/__tree', '/api/m/Shelf/1'],
  ['/api/m/Shelf/1?@include=ShelfBook.Reads,Inner,Owns', '/api/m/Shelf/1'],
  ['/api/m/Reader/r/Reads/Book/b0?@include=ShelfBook', '/api/m/Reader/r/Reads/Book/b0'],
  ['/api/m/Reads/l', '/api/m/Reads/l'],
];
const medias = ['application/json', 'application/transit+json'];

async function everything(served: Served): Promise<readonly string[]> {
  const lists = ['Shelf?@include=Inner.Inner', 'Book', 'Page', 'Reader', 'Reads', 'Holds', 'Owns'];
  const texts: string[] = [];
  for (const each of lists) texts.push((await served.get(`/m/${each}`)).text);
  return texts;
}

async function filled(served: Served, made: readonly { readonly books: readonly object[] }[]): Promise<void> {
  const [first] = made;
  for (const [index, each] of made.entries()) {
    const { books, inner, ...own } = JSON.parse(JSON.stringify(each));
    const body = {
      id: index + 1,
      ...own,
      ShelfBook: books.map(({ pages, ...rest }: { pages: string[] }, no: number) => ({
        isbn: `b${no}`,
        ...rest,
        BookPage: pages.map((content, at) => ({ no: at, text: content })),
      })),
      Inner: inner.map((below: string[], no: number) => ({
        id: 10 * (no + 1),
        Inner: below.map((label, at) => ({ id: 100 + at, label })),
      })),
    };
    expect((await served.post('/m/Shelf', body)).text, JSON.stringify(body)).toContain('"id"');
  }
  expect((await served.post('/m/Reader', { email: 'r', code: 'c', Owns: [{ id: 1 }], Holds: [{ id: 4 }] })).status).toBe(201);
  const isbn = 'path://m$Shelf/1/m$ShelfBook/m$Book/b0';
  if ((first?.books.length ?? 0) > 0)
    expect(
      (await served.post('/m/Reads', { __Id__: '01980000-0000-7000-8000-000000000001', Reader: 'r', Book: isbn, stars: 2 })).status,
    ).toBe(201);
}

async function emptied(served: Served): Promise<void> {
  for (const type of ['Reader', 'Shelf', 'Card']) {
    const all: unknown = (await served.get(`/m/${type}?@select=${type === 'Reader' ? 'email' : 'id'}`)).body;
    for (const each of Array.isArray(all) ? all : [])
      if (each.__path__ === undefined || each.__path__ === null) await served.remove(`/m/${type}/${each.email ?? each.id}`);
  }
}

test('whatever was read is sent back, in every form and media type: 200, and nothing is changed', async () => {
  const served = await open(model, { surfaces: ['current', 'earlier'] });
  try {
    await fc.assert(
      fc.asyncProperty(shelves, async (made) => {
        await emptied(served);
        await filled(served, made);
        const before = await everything(served);
        for (const [read, write] of ways) {
          const target = read.replace('/Reads/l', '/Reads/01980000-0000-7000-8000-000000000001');
          for (const media of medias) {
            const answer = await served.get(target, { accept: media });
            if (answer.status === 404 || answer.status === 409) continue;
            expect(answer.status, `${target} ${answer.text}`).toBe(200);
            const at = write.replace('/Reads/l', '/Reads/01980000-0000-7000-8000-000000000001');
            const sent = await served.ask({ method: 'PUT', target: at, headers: { 'content-type': media }, text: answer.text });
            expect(sent.status, `${target} ${media}\n${answer.text}\n${sent.text}`).toBe(200);
            expect(await everything(served), `${target} ${media}\n${answer.text}`).toEqual(before);
          }
        }
      }),
      { numRuns: isLarge ? 40 : 3 },
    );
  } finally {
    await served.close();
  }
  expect(served.failures).toEqual([]);
});
