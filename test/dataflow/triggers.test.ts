// What writes set off, whoever made them: before and after, in the same transaction or behind it.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check } from '../support/table.ts';

const posts = `module m
entity Post { id Int @id, title String, slug String @optional, n Int @default(0) }
entity Note { id UUID @id @default(uuid()), text String }
`;

test('what runs before a create may change what is stored, for requests and for workflows', async () => {
  const served = await serve(`${posts}
workflow @before create:Post { {this {slug "s-" + this.title, n this.id * 10}} }
workflow make { {Post {id make.id, title "w"}} }`);
  await check(served, [
    { ask: 'POST /m/Post', body: { id: 1, title: 'a' }, status: 201, is: { id: 1, title: 'a', slug: 's-a', n: 10 } },
    { ask: 'POST /m/make', body: { id: 2 }, status: 200, is: { id: 2, title: 'w', slug: 's-w', n: 20 } },
    { ask: 'GET /m/Post/2', status: 200, has: { slug: 's-w', n: 20 } },
  ]);
});

test('what runs before an update may change what is stored', async () => {
  const served = await serve(`${posts}
workflow @before update:Post { {this {n 10 * this.id}} }`);
  await check(served, [
    { ask: 'POST /m/Post', body: { id: 3, title: 'a' }, status: 201, has: { n: 0 } },
    { ask: 'PUT /m/Post/3', body: { title: 'b' }, status: 200, has: { title: 'b', n: 30 } },
    { ask: 'GET /m/Post/3', status: 200, has: { title: 'b', n: 30 } },
  ]);
});

test('what a trigger makes of an attribute is checked like everything else', async () => {
  const served = await serve(`${posts}
workflow @before create:Post { {this {n this.title + "x"}} }`);
  await check(served, [{ ask: 'POST /m/Post', body: { id: 1, title: 'a' }, status: 422, faults: ['n type'] }]);
});

test('an event runs with the instance in an attribute that is named after its type', async () => {
  const served = await serve(`module m
entity Post { id Int @id, title String, @before {create check}, @after {create jot, delete jot} }
entity Note { id UUID @id @default(uuid()), text String }
event check { Post Post }
workflow check { if (check.Post.title == "bad") { throw("no such titles") } else { {check.Post {title check.Post.title + "!"}} } }
workflow jot { {Note {text jot.Post.title}} }`);
  await check(served, [
    { ask: 'POST /m/Post', body: { id: 1, title: 'bad' }, status: 422, code: 'dataflow-failed', has: { detail: 'no such titles' } },
    { ask: 'GET /m/Post', status: 200, is: [] },
    { ask: 'POST /m/Post', body: { id: 1, title: 'good' }, status: 201, has: { title: 'good!' } },
    { ask: 'DELETE /m/Post/1', status: 200 },
    { ask: 'GET /m/Note', status: 200, has: [{ text: 'good!' }, { text: 'good!' }] },
  ]);
});

test('a throw in a trigger rolls back its cause', async () => {
  const served = await serve(`${posts}
workflow @after create:Post { {Note {text this.title}} throw("not today") }
workflow both { {Note {text "before"}} {Post {id 1, title "x"}} }`);
  await check(served, [
    { ask: 'POST /m/Post', body: { id: 1, title: 'a' }, status: 422, code: 'dataflow-failed', has: { detail: 'not today' } },
    { ask: 'POST /m/both', body: {}, status: 422, code: 'dataflow-failed' },
    { ask: 'GET /m/Post', status: 200, is: [] },
    { ask: 'GET /m/Note', status: 200, is: [] },
  ]);
});

test('triggers that set each other off are cut', async () => {
  const served = await serve(`${posts}
workflow @after create:Post { {Post {id this.id + 1, title "next"}} }`);
  await check(served, [
    { ask: 'POST /m/Post', body: { id: 1, title: 'a' }, status: 422, code: 'dataflow-failed' },
    { ask: 'GET /m/Post', status: 200, is: [] },
  ]);
});

test('what is put off runs after the commit, and its failure harms nobody', async () => {
  const served = await serve(`module m
entity Post { id Int @id, title String, @after {create jot @async} }
entity Note { id UUID @id @default(uuid()), text String }
workflow jot { if (jot.Post.title == "bad") { throw("late") }; {Note {text jot.Post.title}} }`);
  expect((await served.post('/m/Post', { id: 1, title: 'bad' })).status).toBe(201);
  expect((await served.post('/m/Post', { id: 2, title: 'good' })).status).toBe(201);
  await expect.poll(async () => (await served.get('/m/Note')).body).toMatchObject([{ text: 'good' }]);
  expect(served.failures).toMatchObject([{ what: 'm/jot' }]);
});

test('what stands at the top of a file runs at every start, and may be repeated', async () => {
  const project = `${posts}\n{Post {id 1, title "a"}, @upsert}\n{Note {text "hello"}, @upsert}`;
  const served = await serve(project);
  await served.reload(project);
  await check(served, [
    { ask: 'GET /m/Post', status: 200, has: [{ id: 1 }] },
    { ask: 'GET /m/Note', status: 200, has: [{ text: 'hello' }] },
  ]);
});

test('a start-up statement that fails refuses the start', async () => {
  await expect(serve(`${posts}\n{Post {id 1 + "x", title "a"}}`)).rejects.toThrow(/what the model does at start failed: id must be/);
});
