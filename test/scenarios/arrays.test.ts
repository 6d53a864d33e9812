// POST of an array to a collection: all of it in one transaction or none, on both surfaces; faults say which of them they are about.

import { describe, expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const source = `module m
entity Shelf { no Int @id, books Int @optional @expr(count(ShelfBook)) }
entity Book { isbn String @id, title String, author Email @ref(m/Author.email) @optional, secret Password @optional }
entity Author { email Email @id, name String @unique @optional }
entity Log { id UUID @id @default(uuid()), text String }
entity Seat { no Int @id, row Int @optional, code Int @expr(row * 10), by Email @ref(m/Author.email) @optional }
relationship ShelfBook contains(Shelf, Book)
relationship SeatSeat contains(Seat @as outer, Seat @as inner)
relationship Wrote between(Author, Shelf) { year Int @default(2000) }
workflow @after create:Author { {Log {text this.email}} }
workflow @before create:Author { if (this.name == "nobody") { throw("nobody writes") } }
`;

interface Form {
  readonly surface: 'current' | 'earlier';
  readonly at: (path: string) => string;
  readonly body: (type: string, each: readonly object[]) => unknown;
  readonly status: number;
  /** The answer to a create of several. */
  readonly several: (instances: readonly object[]) => unknown;
  readonly failure: (fields: object) => unknown;
}

const forms: readonly Form[] = [
  {
    surface: 'current',
    at: (path) => path,
    body: (_, each) => each,
    status: 201,
    several: (instances) => instances,
    failure: (fields) => fields,
  },
  {
    surface: 'earlier',
    at: (path) => `/api${path}`,
    body: (type, each) => each.map((attributes) => ({ [`m/${type}`]: attributes })),
    status: 200,
    several: (instances) => [{ status: 'ok', result: instances }],
    failure: (fields) => [fields],
  },
];

for (const { surface, at, body, status, several, failure } of forms) {
  const post = (path: string, type: string, each: readonly object[]): Pick<Step, 'ask' | 'body'> => ({
    ask: `POST ${at(path)}`,
    body: body(type, each),
  });
  const faults = (...errors: readonly object[]): unknown => failure({ code: 'attributes-invalid', errors });
  const rows: readonly (readonly [title: string, steps: readonly Step[]])[] = [
    [
      'an array creates all of them, and is answered with all of them, in order',
      [
        {
          ...post('/m/Author', 'Author', [{ email: 'b@x.org' }, { email: 'a@x.org', name: 'A' }]),
          status,
          has: several([{ email: 'b@x.org' }, { email: 'a@x.org' }]),
        },
        { ask: `GET ${at('/m/Author')}`, status: 200, has: [{ email: 'a@x.org' }, { email: 'b@x.org' }] },
        { ask: `GET ${at('/m/Log')}?@sort=text`, status: 200, has: [{ text: 'a@x.org' }, { text: 'b@x.org' }] },
        { ...post('/m/Author', 'Author', []), status, is: several([]) },
      ],
    ],
    [
      'under a parent, and with what is computed when all are there',
      [
        {
          ...post('/m/Shelf', 'Shelf', [{ no: 1 }, { no: 2 }]),
          status,
          has: several([
            { no: 1, books: 0 },
            { no: 2, books: 0 },
          ]),
        },
        {
          ...post('/m/Shelf/1/ShelfBook/Book', 'Book', [
            { isbn: 'x', title: 'X' },
            { isbn: 'y', title: 'Y', secret: 's3cr3t-enough' },
          ]),
          status,
          has: several([{ isbn: 'x', __path__: 'path://m$Shelf/1/m$ShelfBook/m$Book/x' }, { isbn: 'y' }]),
        },
        { ask: `GET ${at('/m/Shelf/1')}`, status: 200, has: { books: 2 } },
        { ...post('/m/Shelf/9/ShelfBook/Book', 'Book', [{ isbn: 'x', title: 'X' }]), status: 404 },
        { ...post('/m/Book', 'Book', [{ isbn: 'x', title: 'X' }]), status: 422, has: failure({ code: 'parent-required' }) },
      ],
    ],
    [
      'links, at their own path and from either end',
      [
        { ...post('/m/Author', 'Author', [{ email: 'a@x.org' }]), status },
        { ...post('/m/Shelf', 'Shelf', [{ no: 1 }, { no: 2 }]), status },
        {
          ...post('/m/Wrote', 'Wrote', [{ Author: 'a@x.org', Shelf: 1 }]),
          status,
          has: several([{ Author: 'a@x.org', Shelf: 1, year: 2000 }]),
        },
        {
          ...post('/m/Author/a@x.org/Wrote/Shelf', 'Shelf', [{ no: 2, '@link': { year: 1999 } }, { no: 3 }]),
          status,
          has: several([
            { no: 2, '@link': { year: 1999 } },
            { no: 3, '@link': { year: 2000 } },
          ]),
        },
        { ask: `GET ${at('/m/Wrote')}?@count=true`, status: 200, headers: { 'x-total-count': '3' } },
      ],
    ],
    [
      'one fault refuses the whole, and all faults are named by their positions',
      [
        {
          ...post('/m/Author', 'Author', [{ email: 'a@x.org' }, { email: 'none' }, { name: 5 }]),
          status: 422,
          has: faults({ attribute: '[1].email' }, { attribute: '[2].email' }, { attribute: '[2].name' }),
        },
        {
          ...post('/m/Author', 'Author', [
            { email: 'a@x.org', name: 'A' },
            { email: 'b@x.org', name: 'A' },
          ]),
          status: 409,
          holds: '"[1]: There is already',
        },
        { ...post('/m/Shelf', 'Shelf', [{ no: 5 }, { no: 6 }, { no: 5 }]), status: 409, holds: '"[2]: There is already' },
        { ...post('/m/Author', 'Author', [{ email: 'a@x.org' }, { email: 'b@x.org', name: 'nobody' }]), status: 422 },
        { ...post('/m/Shelf', 'Shelf', [{ no: 1 }]), status },
        {
          ...post('/m/Shelf/1/ShelfBook/Book', 'Book', [
            { isbn: 'x', title: 'X' },
            { isbn: 'y', title: 'Y', author: 'z@x.org' },
          ]),
          status: 422,
          has: faults({ attribute: '[1].author' }),
        },
        {
          ...post('/m/Seat', 'Seat', [{ no: 1, row: 1 }, { no: 2 }]),
          status: 422,
          has: faults({ attribute: '[1].code', code: 'required' }),
        },
        {
          ...post('/m/Seat', 'Seat', [{ no: 1, row: 1, SeatSeat: [{ no: 2, row: 2 }, { no: 3 }] }]),
          status: 422,
          has: faults({ attribute: '[0].SeatSeat[1].code', code: 'required' }),
        },
        {
          ...post('/m/Seat', 'Seat', [{ no: 1, row: 1, by: 'z@x.org' }, { no: 2 }]),
          status: 422,
          has: faults({ attribute: '[0].by', code: 'reference' }),
        },
        {
          ...post('/m/Seat', 'Seat', [{ no: 1, row: 1, SeatSeat: [{ no: 2, row: 2, by: 'z@x.org' }, { no: 3 }] }]),
          status: 422,
          has: faults({ attribute: '[0].SeatSeat[0].by', code: 'reference' }),
        },
        { ask: `GET ${at('/m/Seat')}`, status: 200, is: [] },
        { ask: `GET ${at('/m/Author')}`, status: 200, is: [] },
        { ask: `GET ${at('/m/Log')}`, status: 200, is: [] },
        { ask: `GET ${at('/m/Book')}`, status: 200, is: [] },
      ],
    ],
    [
      'what is no object, and an array anywhere else, is 400',
      [
        { ask: `POST ${at('/m/Author')}`, body: [1], status: 400 },
        { ask: `POST ${at('/m/Author')}`, body: [[]], status: 400 },
        { ...post('/m/Author', 'Author', [{ email: 'a@x.org' }]), status },
        { ask: `PUT ${at('/m/Author/a@x.org')}`, body: [], status: 400 },
      ],
    ],
  ];
  describe(`on the ${surface} surface`, () => {
    for (const [title, steps] of rows) test(title, async () => check(await serve(source, { surfaces: [surface] }), steps));

    test('an array with a key is created once', async () => {
      const { post: send, get } = await serve(source, { surfaces: [surface] });
      const all = body('Shelf', [{ no: 1 }, { no: 2 }]);
      const first = await send(at('/m/Shelf'), all, { 'idempotency-key': 'k' });
      const second = await send(at('/m/Shelf'), all, { 'idempotency-key': 'k' });
      expect([first.status, second.status, second.text]).toEqual([status, status, first.text]);
      expect((await get(at('/m/Shelf'))).body).toHaveLength(2);
    });
  });
}
