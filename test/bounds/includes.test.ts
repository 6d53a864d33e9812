// Includes over several levels are bounded by how many instances they hold for one, however small these are.

import { expect, test } from 'vitest';
import { type Project, type Served, serve } from '../support/app.ts';

const dense: Project = `
module dense
entity A { id Int @id }
entity B { id Int @id }
entity Shelf { id Int @id }
entity Book { id Int @id }
relationship AB between(A, B)
relationship Holds contains(Shelf, Book)
relationship Wants between(A, Book)
`;

/** Each of these many of one entity is linked with each of the other: 30 * 30 * 30 is more than 10,000. */
const size = 30;

async function linked(): Promise<Served> {
  const served = await serve(dense);
  const all = Array.from({ length: size }, (_, id) => ({ id }));
  expect((await served.post('/dense/A', { id: 0, AB: all })).status).toBe(201);
  for (const { id } of all.slice(1)) expect((await served.post('/dense/A', { id, AB: all })).status).toBe(201);
  return served;
}

const tooLarge = { status: 422, body: { code: 'include-too-large', detail: expect.stringContaining('/dense/A/{id}/AB/B') } };

test('a dense link of small instances over three levels is 422 include-too-large, for one and in a list, in every order', async () => {
  const served = await linked();
  for (const target of ['/dense/A/1', '/dense/A', '/dense/A?@sort=-id', '/dense/A?@limit=1'])
    expect(await served.get(`${target}${target.includes('?') ? '&' : '?'}@include=AB.AB.AB`), target).toMatchObject(tooLarge);
  expect(served.failures).toEqual([]);
});

test('what is not more than 10,000 in all is answered, over several levels too', async () => {
  const served = await linked();
  const { status, text } = await served.get('/dense/A/1?@include=AB.AB');
  expect([status, text.match(/"id":/g)?.length]).toEqual([200, 1 + size + size * size]);
  const list = await served.get('/dense/A?@include=AB.AB');
  expect([list.status, list.text.match(/"id":/g)?.length]).toEqual([200, size * (1 + size + size * size)]);
});

test('levels of one instance each multiply nothing', async () => {
  const served = await serve(dense);
  const books = Array.from({ length: 200 }, (_, id) => ({ id }));
  expect((await served.post('/dense/Shelf', { id: 1, Holds: books })).status).toBe(201);
  const { status, text } = await served.get('/dense/Shelf/1/Holds/Book?@include=Holds.Holds');
  // 200 books, each on one shelf, which holds 200: 40,000 in all, and 200 for each.
  expect([status, text.match(/"id":/g)?.length]).toEqual([200, 200 * 202]);
});

test('nested instances that are sent back are compared within the same limits', async () => {
  const served = await linked();
  const body = { AB: [{ id: 0, AB: [{ id: 0, AB: [{ id: 0 }] }] }] };
  expect(await served.put('/dense/A/1', body)).toMatchObject(tooLarge);
  const read = await served.get('/dense/A/1?@include=AB.AB');
  expect((await served.put('/dense/A/1', read.body)).status).toBe(200);
});

test('nested instances that are sent back and are more bytes than a request may hold are 422 include-too-large', async () => {
  const served = await serve(
    'module m\nentity Author { id Int @id }\nentity Post { id Int @id, body String }\nrelationship Wrote between(Author, Post) @one_many',
  );
  expect((await served.post('/m/Author', { id: 1 })).status).toBe(201);
  const body = 'x'.repeat(1_000_000);
  for (let id = 1; id <= 18; id += 1) expect((await served.post('/m/Author/1/Wrote/Post', { id, body })).status).toBe(201);
  const detail = expect.stringContaining('/m/Author/{id}/Wrote/Post');
  expect(await served.put('/m/Author/1', { Wrote: [{ id: 1 }] })).toMatchObject({
    status: 422,
    body: { code: 'include-too-large', detail },
  });
  expect(served.failures).toEqual([]);
});
