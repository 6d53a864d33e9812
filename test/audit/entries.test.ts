// What the audit trail holds of what was done, on both surfaces: each row that was changed, as it was and as it is, and who did it.

import { describe, expect, test } from 'vitest';
import { type Options, type Project, type Served, serve } from '../support/app.ts';

const current = `module blog
entity Post { id Int @id, title String, text String @optional, secret Password @optional, hint String @writeonly @optional,
  comments Int @expr(count(PostComment)), @meta {"audit": true} }
entity Comment { id Int @id, text String, @meta {"audit": true} }
entity Person { id Int @id, name String, salary Decimal @meta {"audit": true} @optional, pin Password @meta {"audit": true} @optional }
entity Note { id Int @id, text String @optional }
relationship PostComment contains(Post, Comment)
relationship Likes between(Person, Post) @meta {"audit": true}
workflow rename { {Post {id? rename.id, title rename.title}} }
workflow breaks { {Post {id 90, title "never"}}; throw("no") }
`;

const earlier: Project = {
  'blog.platform': `(component :blog)
(entity :blog/Post {:id {:type :Int :guid true} :title :String :text {:type :String :optional true} :secret {:type :Password :optional true}
  :hint {:type :String :optional true :write-only true}
  :meta {:audit true}})
(entity :blog/Comment {:id {:type :Int :id true} :text :String :meta {:audit true}})
(relationship :blog/PostComment {:meta {:contains [:blog/Post :blog/Comment]}})
(entity :blog/Note {:id {:type :Int :guid true}})
`,
};

const options: Options = { audit: {}, surfaces: ['current', 'earlier'] };

interface Entry {
  readonly id: string;
  readonly operation: string;
  readonly type: string;
  readonly instance: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

async function entriesOf(served: Served): Promise<readonly Entry[]> {
  const { body } = await served.get('/platform.audit/Entry');
  return JSON.parse(JSON.stringify(body));
}

async function told(served: Served): Promise<readonly unknown[]> {
  return (await entriesOf(served)).map(({ operation, type, instance, before, after }) => [operation, type, instance, before, after]);
}

describe('the audit trail has an entry for each row that was changed', () => {
  test('created, updated and deleted, by whom nobody knows, with the request', async () => {
    const served = await serve(current, options);
    await served.post('/blog/Post', { id: 1, title: 'a', text: 'x', secret: 'hunter2', hint: 'dog' });
    await served.put('/blog/Post/1', { title: 'b' });
    await served.remove('/blog/Post/1');
    const [a, b] = [
      { id: 1, title: 'a', text: 'x', comments: 0 },
      { id: 1, title: 'b', text: 'x', comments: 0 },
    ];
    expect(await told(served)).toEqual([
      ['create', 'blog/Post', '1', null, a],
      ['update', 'blog/Post', '1', a, b],
      ['delete', 'blog/Post', '1', b, null],
    ]);
    const { text, body } = await served.get('/platform.audit/Entry');
    expect(text).not.toMatch(/hunter2|dog|argon/);
    expect(body).toMatchObject([{ user: null, requestId: 'test', outcome: 'done', run: null, toolCall: null }, {}, {}]);
  });

  test('what is below it, what is computed from it, and what goes with it', async () => {
    const served = await serve(current, options);
    await served.post('/blog/Post', {
      id: 1,
      title: 'a',
      PostComment: [
        { id: 1, text: 'x' },
        { id: 2, text: 'y' },
      ],
    });
    const path = (id: number) => `path://blog$Post/1/blog$PostComment/blog$Comment/${id}`;
    const comment = (id: number, text: string) => ({ id, text, __path__: path(id) });
    const post = (comments: number) => ({ id: 1, title: 'a', text: null, comments });
    const made = await told(served);
    expect(made).toHaveLength(3);
    expect(made).toEqual(
      expect.arrayContaining([
        ['create', 'blog/Post', '1', null, post(2)],
        ['create', 'blog/Comment', path(1), null, comment(1, 'x')],
        ['create', 'blog/Comment', path(2), null, comment(2, 'y')],
      ]),
    );
    await served.remove('/blog/Post/1/PostComment/Comment/2');
    const removed = (await told(served)).slice(3);
    expect(removed).toHaveLength(2);
    expect(removed).toEqual(
      expect.arrayContaining([
        ['delete', 'blog/Comment', path(2), comment(2, 'y'), null],
        ['update', 'blog/Post', '1', post(2), post(1)],
      ]),
    );
    await served.remove('/blog/Post/1');
    const gone = (await told(served)).slice(5);
    expect(gone).toHaveLength(2);
    expect(gone).toEqual(
      expect.arrayContaining([
        ['delete', 'blog/Post', '1', post(1), null],
        ['delete', 'blog/Comment', path(1), comment(1, 'x'), null],
      ]),
    );
  });

  test('links that are marked, made and removed', async () => {
    const served = await serve(current, options);
    await served.post('/blog/Person', { id: 7, name: 'Ann' });
    await served.post('/blog/Post', { id: 1, title: 'a' });
    await served.post('/blog/Likes', { Person: 7, Post: 1 });
    await served.remove('/blog/Post/1');
    const link = { Person: 7, Post: 1, __Id__: expect.any(String) };
    const found = (await told(served)).slice(2);
    expect(found).toHaveLength(3);
    expect(found).toEqual(
      expect.arrayContaining([
        ['create', 'blog/Likes', expect.any(String), null, link],
        ['delete', 'blog/Likes', expect.any(String), link, null],
        ['delete', 'blog/Post', '1', expect.anything(), null],
      ]),
    );
  });

  test('of a type with marked attributes, those attributes alone, where one of them changed', async () => {
    const served = await serve(current, options);
    await served.post('/blog/Person', { id: 7, name: 'Ann', salary: '12.50', pin: '1234' });
    await served.put('/blog/Person/7', { name: 'Anna' });
    await served.put('/blog/Person/7', { salary: '13.00' });
    await served.put('/blog/Person/7', { pin: '4321' });
    await served.remove('/blog/Person/7');
    expect(await told(served)).toEqual([
      ['create', 'blog/Person', '7', null, { salary: '12.50' }],
      ['update', 'blog/Person', '7', { salary: '12.50' }, { salary: '13.00' }],
      // That a secret changed is told, and nothing of it.
      ['update', 'blog/Person', '7', { salary: '13.00' }, { salary: '13.00' }],
      ['delete', 'blog/Person', '7', { salary: '13.00' }, null],
    ]);
  });

  test('what workflows do, and nothing of what failed or did not fit', async () => {
    const served = await serve(current, options);
    await served.post('/blog/Post', { id: 1, title: 'a' });
    expect((await served.post('/blog/Post', { id: 1, title: 'b' })).status).toBe(409);
    expect((await served.post('/blog/Post', { id: 'x' })).status).toBe(422);
    expect((await served.post('/blog/breaks', {})).status).toBe(422);
    expect((await served.put('/blog/Post/2', { title: 'b' })).status).toBe(404);
    expect((await served.post('/blog/Note', { id: 1 })).status).toBe(201);
    expect((await served.post('/blog/rename', { id: 1, title: 'c' })).status).toBe(200);
    expect((await entriesOf(served)).map(({ operation, after }) => [operation, Object(after).title])).toEqual([
      ['create', 'a'],
      ['update', 'c'],
    ]);
  });

  test('of more than a part of them at once, in their order, and what is more than a request may hold is refused', async () => {
    const served = await serve(`${current}workflow all { for n in all.list { {Post {id? n, title "b"}} }; 1 }`, {
      ...options,
      limits: { memory: 512 * 1024 },
    });
    const made = async (first: number, bytes: number): Promise<readonly number[]> => {
      const list = Array.from({ length: 300 }, (_, index) => first + index);
      await served.post(
        '/blog/Post',
        list.map((id) => ({ id, title: 'a', text: 'x'.repeat(bytes) })),
      );
      return list;
    };
    const list = await made(0, 1000);
    expect((await served.post('/blog/all', { list })).status).toBe(200);
    const changed = (await entriesOf(served)).filter(({ operation }) => operation === 'update');
    expect(changed.map(({ instance, before, after }) => [instance, Object(before).title, Object(after).title])).toEqual(
      list.map((id) => [String(id), 'a', 'b']),
    );
    const larger = await made(1000, 2000);
    expect(await served.post('/blog/all', { list: larger })).toMatchObject({ status: 422, body: { code: 'limit-exceeded' } });
    expect(await entriesOf(served)).toHaveLength(3 * list.length);
  });

  test('on the earlier surface, under its own names', async () => {
    const served = await serve(earlier, options);
    await served.post('/api/blog/Post', {
      'blog/Post': { id: 1, title: 'a', secret: 'hunter2', hint: 'dog' },
      'blog/PostComment': [{ 'blog/Comment': { id: 5, text: 'x' } }],
    });
    await served.put('/api/blog/Post/1', { Data: { title: 'b' } });
    const { body, text } = await served.get('/api/Platform.Kernel.Audit/Entry?Operation=update');
    expect(body).toMatchObject([
      {
        '-*-type-*-': 'Platform.Kernel.Audit/Entry',
        Id: expect.any(String),
        Time: expect.stringMatching(/Z$/),
        User: null,
        Operation: 'update',
        Type: 'blog/Post',
        Instance: '1',
        Before: { id: 1, title: 'a', text: null },
        After: { id: 1, title: 'b', text: null },
        RequestId: 'test',
        Outcome: 'done',
        Run: null,
        ToolCall: null,
      },
    ]);
    expect((await served.get('/api/Platform.Kernel.Audit/Entry')).body).toHaveLength(3);
    expect(text).not.toMatch(/hunter2|dog|argon/);
  });
});
