// The library's model: checks and computations by functions, loans that are not made twice, data that is there from the start.

import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { check, property, type Step } from '../support/table.ts';
import { created, openModel, refused, serveModel } from './models.ts';

const isbn = '9780306406157';
const central = '/api/Library.Core/Library/Central';

const book = (values: object): Step['body'] => ({
  'Library.Core/Book': { ISBN: isbn, Title: 'Time', Authors: ['A. B.', 'C. D.'], ...values },
});

test('what is made at start is there, and is not made again by the next start', async () => {
  const kept = temporaryFolder();
  for (const _ of ['first start', 'second start']) {
    const served = await openModel('library', kept);
    await check(served, [
      { ask: 'GET /api/Library.Core/Library', status: 200, has: [{ Name: 'Central', Opened: '1901-05-01' }] },
      { ask: 'GET /api/Library.Core/Card', status: 200, has: [{ Number: 'C-HEAD', Holder: 'head@library.example', Role: 'librarian' }] },
    ]);
    await served.close();
  }
});

test('a book has a valid ISBN, and its spine is computed', async () => {
  const served = await serveModel('library');
  await check(served, [
    {
      ask: `POST ${central}/Books/Book`,
      body: book({}),
      status: 200,
      has: created({ ISBN: isbn, Copies: 1, Spine: 'TIME - A. B., C. D.' }),
    },
    {
      ask: `PUT ${central}/Books/Book/${isbn}`,
      body: { 'Library.Core/Book': { Title: 'Space' } },
      status: 200,
      has: { Spine: 'SPACE - A. B., C. D.' },
    },
    {
      ask: `POST ${central}/Books/Book`,
      body: book({ ISBN: '9780306406158' }),
      status: 422,
      has: refused('attributes-invalid', ['ISBN', 'check']),
    },
    {
      ask: `POST ${central}/Books/Book`,
      body: book({ ISBN: 'x', Copies: 0 }),
      status: 422,
      has: refused('attributes-invalid', ['ISBN', 'check'], ['Copies', 'check']),
    },
  ]);
});

test('a book is lent while there are copies, and once to the same member', async () => {
  const served = await serveModel('library');
  const members: unknown[] = [];
  for (const name of ['ann', 'bob']) {
    const { body } = await served.post(`${central}/Membership/Member`, {
      'Library.Core/Member': { Email: `${name}@x.example`, Name: name },
    });
    members.push(property(property(property(body, '0'), 'result'), '0'));
  }
  const [ann, bob] = members.map((each) => property(each, 'Id'));
  const lend = (member: unknown) =>
    served.post('/api/Library.Core/BookCheckout', { 'Library.Core/BookCheckout': { Member: member, Book: isbn } });
  await check(served, [
    { ask: `POST ${central}/Books/Book`, body: book({}), status: 200 },
    // Each member got a card.
    { ask: 'GET /api/Library.Core/Card?Role=member', status: 200, has: [{ Number: expect.stringMatching(/^C-[0-9A-F]{12}$/) }, {}] },
  ]);
  const first = await lend(ann);
  expect(first.body).toMatchObject({ 'Library.Core/Checkout': { Member: ann, Book: isbn, Days: 28 } });
  const again = await lend(ann);
  expect([again.status, property(again.body, 'Member')]).toEqual([200, ann]);
  const refusal = await lend(bob);
  expect([refusal.status, refusal.body]).toMatchObject([422, [{ code: 'dataflow-failed', message: 'All copies of this book are out.' }]]);
  expect((await served.get('/api/Library.Core/Checkout')).body).toHaveLength(1);
});
