// `GET /platform/model`: what a caller is told of the model, and of what may be done with it.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { surfaces, world } from './people.ts';

const source = `module news
entity Post { id Int @id, title String, size Int @default(9007199254740993), state @enum("draft", "done") @default("draft"),
  @rbac [(roles: [user], allow: [create, read]), (roles: [editor], allow: [update], where: auth.user = this.title)] }
entity Draft { id Int @id }
relationship PostDraft between(Post, Draft)
event publish { id Int, @rbac [(roles: [editor], allow: [create])] }
workflow publish { {Post {id? publish.id}} }
`;

test.each(surfaces)('the model is described with what the caller may do, on the %s surface', async (surface) => {
  const { served, join, admin } = await world(source, surface);
  const [ann, eva] = [await join('ann', 'user'), await join('eva', 'editor')];
  const describedTo = async ({ headers }: { headers: Readonly<Record<string, string>> }) => {
    const { status, body, text } = await served.get('/platform/model', headers);
    expect(status).toBe(200);
    // A default that JavaScript cannot hold is exact all the same.
    expect(text).toContain('"defaultValue":9007199254740993');
    const { entities, relationships, events, caller } = Object(body);
    const named = (name: string) => Object(entities.find((each: { name: string }) => each.name === name));
    return { post: named('news/Post'), draft: named('news/Draft'), link: relationships[0], publish: events[0], caller };
  };
  const toAnn = await describedTo(ann);
  expect(toAnn.post.path).toBe(surface === 'current' ? '/news/Post' : '/api/news/Post');
  expect(toAnn.post.operations).toEqual({ create: 'all', read: 'all', update: 'some', delete: 'some' });
  expect(toAnn.draft.operations).toMatchObject({ create: 'none', read: 'some' });
  expect(toAnn.link.operations).toMatchObject({ read: 'some' });
  expect(toAnn.publish).toMatchObject({ name: 'news/publish', mayRun: false });
  expect(toAnn.caller).toEqual({ email: ann.email, roles: ['user'], isAdmin: false });
  const toEva = await describedTo(eva);
  expect(toEva.post.operations).toMatchObject({ create: 'none', update: 'some' });
  expect(toEva.publish.mayRun).toBe(true);
  const toAdmin = await describedTo(admin);
  expect(toAdmin.draft.operations).toEqual({ create: 'all', read: 'all', update: 'all', delete: 'all' });
  // A link is read by whoever reads both of its ends.
  expect(toAdmin.link.operations).toMatchObject({ read: 'all' });
  expect(toAdmin.caller.isAdmin).toBe(true);
  expect((await served.get('/platform/model')).status).toBe(401);
  expect((await served.post('/platform/model', {}, ann.headers)).status).toBe(405);
});

test('attributes, relationships and where they lead are described', async () => {
  const { get } = await serve(`module m
record Address { city String }
entity A { id Int @id, home Address @optional, tags String[], c Int @ref(C.id) @optional }
entity C { id Int @id }
entity B { id Int @id, double Int @expr(id * 2) }
relationship AB contains(A, B)
relationship Knows between(A, A @as Known) { since Date }
`);
  const { entities, relationships, records } = Object((await get('/platform/model')).body);
  const [a] = entities;
  expect(a.attributes).toMatchObject([
    { name: 'id', type: 'Int', identifier: true, required: true },
    { name: 'home', kind: 'record', record: 'm/Address', required: false },
    { name: 'tags', type: 'String', list: true },
    { name: 'c', reference: { entity: 'm/C', attribute: 'id' } },
  ]);
  expect(a.steps).toContainEqual(
    expect.objectContaining({ relationship: 'm/AB', kind: 'contains', segment: 'AB', name: 'B', target: 'm/B' }),
  );
  expect(relationships.map(({ name, kind, cascade }: Record<string, unknown>) => [name, kind, cascade])).toEqual([
    ['m/AB', 'contains', true],
    ['m/Knows', 'between', false],
  ]);
  expect(records).toMatchObject([{ name: 'm/Address' }]);
  expect((await get('/platform/model?x=1')).status).toBe(422);
});

test('operators are told the statements behind an event and the rules of an entity, and nobody else', async () => {
  const { served, join, admin } = await world({ 'news.al': `${source}workflow @after create:Post { {Draft {id this.id}} }\n` });
  const ann = await join('ann', 'user');
  const ask = (query: string, { headers }: { headers: Readonly<Record<string, string>> }) =>
    served.get(`/platform/explain?${query}`, headers);
  const event = await ask('event=news/publish', admin);
  expect(event).toMatchObject({ status: 200, body: { summary: expect.stringMatching(/^only reads; statements for /) } });
  const [step] = Object(event.body).steps;
  expect(step).toMatchObject({ number: '1', text: '{Post {id? publish.id}}', line: 7, steps: [] });
  expect(step.lines[0]).toMatch(/^SELECT .*"news\/Post"/);
  expect(event.text).not.toContain(served.folder);
  // Under the names of `/platform/source`.
  const { files } = Object((await served.get('/platform/source', admin.headers)).body);
  expect(files.map(({ file }: { file: string }) => file)).toEqual(['src/news.al']);
  for (const explained of [step, Object((await ask('entity=news/Post', admin)).body)]) expect(explained.file).toBe('src/news.al');
  expect((await ask('entity=news/Post', admin)).body).toMatchObject({
    line: 2,
    rules: ['(roles: [user], allow: [create, read])', '(roles: [editor], allow: [update], where: auth.user = this.title)'],
    triggers: [{ when: 'after', operation: 'create', line: 8 }],
  });
  expect((await ask('entity=news/Draft', admin)).body).toMatchObject({ rules: [], triggers: [] });
  const refused: readonly (readonly [query: string, status: number])[] = [
    ['event=news/other', 404],
    ['entity=news/other', 404],
    ['', 422],
    ['event=news/publish&entity=news/Post', 422],
    ['other=1', 422],
  ];
  for (const [query, status] of refused) expect([query, (await ask(query, admin)).status]).toEqual([query, status]);
  expect((await ask('event=news/publish', ann)).status).toBe(403);
  expect((await served.get('/platform/explain?event=news/publish')).status).toBe(401);
});
