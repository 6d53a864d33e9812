// `@parent` in a change moves an instance with everything below it: on both surfaces, with keys, paths, links, sums, versions and refusals.

import { describe, expect, test } from 'vitest';
import { type Served, serve } from '../support/app.ts';
import { askFor, check, property, type Step } from '../support/table.ts';

const source = `module m
entity Room { id Int @id, name String @optional, boxes Int @expr(count(RoomBox)), weight Int @expr(sum(RoomBox.Box.weight)) }
entity Cellar { id Int @id }
entity Box { id String @id, weight Int @default(1), code String @unique @optional, where String @optional @expr(RoomBox.Room.name), items Int @expr(count(BoxItem)) }
entity Item { id Int @id, note String @optional }
entity Tag { name String @id, seen Int @expr(count(BoxTag)) }
entity Use { id Int @id, of String @ref(Box.code) }
entity Folder { name String @id, text String @optional, size Int @default(1), inner Int @expr(sum(Inside.Inner.size)) }
entity Leaf { no Int @id }
entity Pin { id Int @id, leaf Int @optional }
entity Log { id UUID @id @default(uuid()), text String }
relationship RoomBox contains(Room, Box)
relationship CellarBox contains(Cellar, Box)
relationship BoxItem contains(Box, Item)
relationship BoxTag between(Box, Tag) { since Int @default(1) }
relationship ItemTag between(Item, Tag)
relationship Inside contains(Folder @as Outer, Folder @as Inner)
relationship FolderLeaf contains(Folder, Leaf)
relationship Kept contains(Leaf, Pin) @cascade(false)
workflow @before update:Item { if (this.note == "no") { throw("no such note") } }
workflow @before update:Leaf { {Log {text "before " + this.__path__}} }
workflow @after update:Leaf { {Log {text "after " + this.__path__}} }
workflow @after update:Pin { {Log {text "pin"}} }
`;

interface Form {
  readonly surface: 'current' | 'earlier';
  readonly at: (path: string) => string;
  readonly body: (type: string, attributes: object) => unknown;
  readonly created: number;
  readonly failure: (fields: object) => unknown;
}

const forms: readonly Form[] = [
  { surface: 'current', at: (path) => path, body: (_, attributes) => attributes, created: 201, failure: (fields) => fields },
  {
    surface: 'earlier',
    at: (path) => `/api${path}`,
    body: (type, attributes) => ({ [`m/${type}`]: attributes }),
    created: 200,
    failure: (fields) => [fields],
  },
];

const room = (id: number) => `path://m$Room/${id}`;
const box = (of: number, id: string) => `${room(of)}/m$RoomBox/m$Box/${id}`;
const item = (of: number, id: string, no: number) => `${box(of, id)}/m$BoxItem/m$Item/${no}`;
const folder = (...names: readonly string[]) => `path://m$Folder/${names.map(encodeURIComponent).join('/m$Inside/m$Folder/')}`;
const inside = (...names: readonly string[]) => `/m/Folder/${names.map(encodeURIComponent).join('/Inside/Folder/')}`;
const leaf = (no: number, ...names: readonly string[]) => `${folder(...names)}/m$FolderLeaf/m$Leaf/${no}`;

for (const { surface, at, body, created, failure } of forms) {
  const get = (path: string, has: unknown): Step => ({ ask: `GET ${at(path)}`, status: 200, has });
  const none = (path: string): Step => ({ ask: `GET ${at(path)}`, status: 404 });
  const post = (path: string, type: string, attributes: object): Step => ({
    ask: `POST ${at(path)}`,
    body: body(type, attributes),
    status: created,
  });
  const put = (path: string, type: string, attributes: object, rest: Omit<Step, 'ask'>): Step => ({
    ask: `PUT ${at(path)}`,
    body: body(type, attributes),
    ...rest,
  });
  const refused = (attribute: string, code: string): Pick<Step, 'status' | 'has'> => ({
    status: 422,
    has: failure({ code: 'attributes-invalid', errors: [{ attribute, code }] }),
  });
  const rooms: readonly Step[] = [
    post('/m/Room', 'Room', { id: 1, name: 'one' }),
    post('/m/Room', 'Room', { id: 2, name: 'two' }),
    post('/m/Room/1/RoomBox/Box', 'Box', { id: 'a', weight: 5, code: 'A' }),
    post('/m/Room/1/RoomBox/Box', 'Box', { id: 'b' }),
    post('/m/Room/1/RoomBox/Box/a/BoxItem/Item', 'Item', { id: 1 }),
    post('/m/Room/1/RoomBox/Box/a/BoxItem/Item', 'Item', { id: 2 }),
    post('/m/Room/1/RoomBox/Box/b/BoxItem/Item', 'Item', { id: 3 }),
    post('/m/Tag', 'Tag', { name: 't' }),
    post('/m/Room/1/RoomBox/Box/a/BoxTag/Tag', 'Tag', { name: 't', '@link': { since: 7 } }),
    post('/m/ItemTag', 'ItemTag', { Item: item(1, 'a', 1), Tag: 't' }),
    post('/m/Use', 'Use', { id: 1, of: 'A' }),
  ];
  const folders: readonly Step[] = [
    post('/m/Folder', 'Folder', { name: 'a' }),
    post('/m/Folder', 'Folder', { name: 'b/ü' }),
    post(`${inside('a')}/Inside/Folder`, 'Folder', { name: 'c', size: 3 }),
    post(`${inside('a', 'c')}/Inside/Folder`, 'Folder', { name: 'd', size: 4 }),
    post(`${inside('a', 'c', 'd')}/FolderLeaf/Leaf`, 'Leaf', { no: 1 }),
  ];
  const rows: readonly (readonly [title: string, steps: readonly Step[]])[] = [
    [
      'a child moves to another parent with everything below it, its links, references and sums',
      [
        ...rooms,
        put(
          '/m/Room/1/RoomBox/Box/a',
          'Box',
          { '@parent': room(2) },
          { status: 200, has: { id: 'a', where: 'two', __path__: box(2, 'a') } },
        ),
        none('/m/Room/1/RoomBox/Box/a'),
        none('/m/Room/1/RoomBox/Box/a/BoxItem/Item/1'),
        get('/m/Room/2/RoomBox/Box/a', { id: 'a', weight: 5, items: 2, __path__: box(2, 'a') }),
        get('/m/Room/2/RoomBox/Box/a/BoxItem/Item', [
          { id: 1, __path__: item(2, 'a', 1) },
          { id: 2, __path__: item(2, 'a', 2) },
        ]),
        get('/m/Item', [
          { id: 3, __path__: item(1, 'b', 3) },
          { id: 1, __path__: item(2, 'a', 1) },
          { id: 2, __path__: item(2, 'a', 2) },
        ]),
        get('/m/Room/1', { boxes: 1, weight: 1 }),
        get('/m/Room/2', { boxes: 1, weight: 5 }),
        get('/m/BoxTag', [{ Box: box(2, 'a'), Tag: 't', since: 7 }]),
        get('/m/ItemTag', [{ Item: item(2, 'a', 1), Tag: 't' }]),
        get(`/m/ItemTag?Item=${encodeURIComponent(item(2, 'a', 1))}`, [{ Tag: 't' }]),
        get('/m/Tag/t/BoxTag/Box', [{ id: 'a', __path__: box(2, 'a') }]),
        get('/m/Use?of=A', [{ id: 1 }]),
        get('/m/Room?@include=RoomBox.BoxItem', [
          { id: 1, RoomBox: [{ id: 'b' }] },
          { id: 2, RoomBox: [{ id: 'a', BoxItem: [{ id: 1 }, { id: 2 }] }] },
        ]),
        // What is there can be changed, added to and deleted as anything else.
        post('/m/Room/2/RoomBox/Box/a/BoxItem/Item', 'Item', { id: 9 }),
        get('/m/Box/a', { items: 3 }),
        { ask: `DELETE ${at('/m/Room/1')}`, status: 200 },
        get('/m/Item', [{ id: 1 }, { id: 2 }, { id: 9 }]),
        put('/m/Room/2', 'Room', { name: 'new' }, { status: 200 }),
        get('/m/Box/a', { where: 'new' }),
      ],
    ],
    [
      'other attributes change in the same request, by PATCH too, and at the flat and the linked path',
      [
        ...rooms,
        {
          ...put('/m/Box/a', 'Box', { '@parent': room(2), weight: 8 }, { status: 200, has: { weight: 8, __path__: box(2, 'a') } }),
          ask: `PATCH ${at('/m/Box/a')}`,
        },
        get('/m/Room/1', { boxes: 1, weight: 1 }),
        get('/m/Room/2', { boxes: 1, weight: 8 }),
        put(
          '/m/Tag/t/BoxTag/Box/a',
          'Box',
          { '@parent': room(1), '@link': { since: 9 } },
          { status: 200, has: { weight: 8, __path__: box(1, 'a'), '@link': { since: 9 } } },
        ),
        get('/m/Room/1', { boxes: 2, weight: 9 }),
        get('/m/Room/2', { boxes: 0, weight: 0 }),
      ],
    ],
    [
      'the present parent moves nothing: what was read may be sent back with it',
      [
        ...rooms,
        put('/m/Box/a', 'Box', { '@parent': room(1), id: 'a', __path__: box(1, 'a') }, { status: 200, has: { __path__: box(1, 'a') } }),
        ...folders,
        put('/m/Folder/a', 'Folder', { '@parent': null }, { status: 200, has: { __path__: null } }),
        put(inside('a', 'c'), 'Folder', { '@parent': folder('a') }, { status: 200, has: { __path__: folder('a', 'c') } }),
      ],
    ],
    [
      'what contains itself moves at any depth, to the top and down again',
      [
        ...folders,
        get('/m/Folder/a', { inner: 3 }),
        put(inside('a', 'c'), 'Folder', { '@parent': folder('b/ü') }, { status: 200, has: { __path__: folder('b/ü', 'c'), inner: 4 } }),
        get(inside('b/ü', 'c', 'd'), { __path__: folder('b/ü', 'c', 'd') }),
        get(`${inside('b/ü', 'c', 'd')}/FolderLeaf/Leaf/1`, { __path__: leaf(1, 'b/ü', 'c', 'd') }),
        get('/m/Folder/a', { inner: 0 }),
        get(inside('b/ü'), { inner: 3 }),
        put(inside('b/ü', 'c'), 'Folder', { '@parent': null }, { status: 200, has: { name: 'c', __path__: null } }),
        get(inside('c', 'd'), { __path__: folder('c', 'd') }),
        get(inside('b/ü'), { inner: 0 }),
        put(inside('b/ü'), 'Folder', { '@parent': folder('c', 'd') }, { status: 200, has: { __path__: folder('c', 'd', 'b/ü') } }),
        put(
          '/m/Folder/a',
          'Folder',
          { '@parent': folder('c', 'd', 'b/ü') },
          { status: 200, has: { __path__: folder('c', 'd', 'b/ü', 'a') } },
        ),
        get(inside('c', 'd', 'b/ü'), { inner: 1 }),
        get(inside('c', 'd'), { inner: 1 }),
        get('/m/Folder/c', { inner: 4 }),
      ],
    ],
    [
      'a move to itself or below itself, to a parent of another kind or in another relationship is refused',
      [
        ...rooms,
        ...folders,
        post('/m/Cellar', 'Cellar', { id: 1 }),
        put('/m/Folder/a', 'Folder', { '@parent': folder('a') }, refused('@parent', 'value')),
        put('/m/Folder/a', 'Folder', { '@parent': folder('a', 'c', 'd') }, refused('@parent', 'value')),
        put('/m/Folder/a', 'Folder', { '@parent': folder('a', 'none') }, refused('@parent', 'value')),
        put('/m/Box/a', 'Box', { '@parent': 'path://m$Cellar/1' }, refused('@parent', 'value')),
        put('/m/Box/a', 'Box', { '@parent': folder('a') }, refused('@parent', 'value')),
        put('/m/Box/a', 'Box', { '@parent': box(1, 'b') }, refused('@parent', 'value')),
        put('/m/Item/1', 'Item', { '@parent': room(1) }, refused('@parent', 'value')),
        put('/m/Box/a', 'Box', { '@parent': 'path://m$Room/x' }, refused('@parent', 'value')),
        put('/m/Box/a', 'Box', { '@parent': '1' }, refused('@parent', 'value')),
        put('/m/Box/a', 'Box', { '@parent': 'path://' }, refused('@parent', 'value')),
        get('/m/Box/a', { __path__: box(1, 'a') }),
        get('/m/Folder/a', { inner: 3 }),
      ],
    ],
    [
      'a parent that does not exist is refused as a reference to nothing, with all else that is wrong',
      [
        ...rooms,
        put('/m/Box/a', 'Box', { '@parent': room(9) }, refused('@parent', 'reference')),
        put('/m/Item/1', 'Item', { '@parent': box(2, 'a') }, refused('@parent', 'reference')),
        put(
          '/m/Box/a',
          'Box',
          { '@parent': room(9), weight: 'x', id: 'z', nothing: 1 },
          {
            status: 422,
            has: failure({
              errors: expect.arrayContaining([
                expect.objectContaining({ attribute: '@parent', code: 'reference' }),
                expect.objectContaining({ attribute: 'weight' }),
                expect.objectContaining({ attribute: 'id', code: 'readonly' }),
                expect.objectContaining({ attribute: 'nothing', code: 'unknown' }),
              ]),
            }),
          },
        ),
      ],
    ],
    [
      'a value that can be no parent, and a type that has none, is refused with its reason',
      [
        ...rooms,
        ...[1, true, {}, [room(2)]].map((value) => put('/m/Box/a', 'Box', { '@parent': value }, refused('@parent', 'type'))),
        put('/m/Box/a', 'Box', { '@parent': null }, refused('@parent', 'required')),
        put('/m/Room/1', 'Room', { '@parent': room(2) }, refused('@parent', 'unknown')),
        put('/m/Room/1', 'Room', { '@parent': null }, refused('@parent', 'unknown')),
        { ...post('/m/Room', 'Room', { id: 3, '@parent': null }), ...refused('@parent', 'unknown') },
        { ...post('/m/Room/1/RoomBox/Box', 'Box', { id: 'n', '@parent': room(1) }), ...refused('@parent', 'unknown') },
        put('/m/Box/none', 'Box', { '@parent': room(2) }, { status: 404 }),
        put('/m/Room/2/RoomBox/Box/a', 'Box', { '@parent': room(2) }, { status: 404 }),
        ...folders,
        put(inside('a', 'none'), 'Folder', { '@parent': null }, { status: 404 }),
        put(inside('a', 'none'), 'Folder', { text: 'x' }, { status: 404 }),
        { ask: `DELETE ${at(inside('a', 'none'))}`, status: 404 },
      ],
    ],
    [
      'a place that is taken is 409, and nothing has moved',
      [
        ...rooms,
        ...folders,
        post('/m/Room/2/RoomBox/Box', 'Box', { id: 'a' }),
        put('/m/Room/1/RoomBox/Box/a', 'Box', { '@parent': room(2) }, { status: 409, has: failure({ code: 'duplicate' }) }),
        get('/m/Room/1/RoomBox/Box/a/BoxItem/Item', [{ id: 1 }, { id: 2 }]),
        get('/m/Room/1', { boxes: 2, weight: 6 }),
        post(`${inside('a', 'c')}/Inside/Folder`, 'Folder', { name: 'a' }),
        put(inside('a', 'c', 'a'), 'Folder', { '@parent': null }, { status: 409 }),
        post(`${inside('a', 'c')}/Inside/Folder`, 'Folder', { name: 'c' }),
        put(inside('a', 'c', 'c'), 'Folder', { '@parent': folder('a') }, { status: 409 }),
      ],
    ],
    [
      'triggers of updates run for the instance that is moved, before and after, and not for what is below it',
      [
        ...folders,
        post(`${inside('a', 'c', 'd')}/FolderLeaf/Leaf/1/Kept/Pin`, 'Pin', { id: 1 }),
        put(`${inside('a', 'c', 'd')}/FolderLeaf/Leaf/1`, 'Leaf', { '@parent': folder('a') }, { status: 200 }),
        get('/m/Log?@sort=text', [{ text: `after ${leaf(1, 'a')}` }, { text: `before ${leaf(1, 'a')}` }]),
        get('/m/Pin/1', { __path__: `${leaf(1, 'a')}/m$Kept/m$Pin/1` }),
        put(inside('a', 'c'), 'Folder', { '@parent': null }, { status: 200 }),
        { ask: `GET ${at('/m/Log')}?@count=true`, status: 200, headers: { 'x-total-count': '2' } },
      ],
    ],
    [
      'a child that outlived its parent gets a parent again',
      [
        ...folders,
        post(`${inside('a', 'c', 'd')}/FolderLeaf/Leaf/1/Kept/Pin`, 'Pin', { id: 1 }),
        post(`${inside('b/ü')}/FolderLeaf/Leaf`, 'Leaf', { no: 2 }),
        { ask: `DELETE ${at('/m/Folder/a')}`, status: 200 },
        get('/m/Pin/1', { __path__: null }),
        put('/m/Pin/1', 'Pin', { '@parent': leaf(2, 'b/ü') }, { status: 200, has: { __path__: `${leaf(2, 'b/ü')}/m$Kept/m$Pin/1` } }),
        get(`${inside('b/ü')}/FolderLeaf/Leaf/2/Kept/Pin`, [{ id: 1 }]),
      ],
    ],
  ];
  describe(`moves, ${surface} surface`, () => {
    test.each(rows)('%s', async (_, steps) => {
      await check(await serve(source, { surfaces: ['current', 'earlier'] }), steps);
    });
  });
}

describe('moves', () => {
  test('each row that moves has a new version, the links that show it too; If-Match is honoured', async () => {
    const served = await serve(source);
    await fill(served);
    const paths = ['/m/Room/1/RoomBox/Box/a', '/m/Room/1/RoomBox/Box/a/BoxItem/Item/1'];
    const before = await tags(served, paths);
    const [link] = await linkTags(served);
    const put = (match: string) =>
      askFor(served, { ask: 'PUT /m/Box/a', body: { '@parent': room(2) }, send: { 'if-match': match }, status: 0 });
    expect((await put('"1"')).status).toBe(412);
    const answer = await put(before[0] ?? '');
    expect(answer.status).toBe(200);
    const after = await tags(served, ['/m/Room/2/RoomBox/Box/a', '/m/Room/2/RoomBox/Box/a/BoxItem/Item/1']);
    expect(answer.headers['etag']).toBe(after[0]);
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    const [linkAfter] = await linkTags(served);
    expect(linkAfter).toMatch(/"\d+"/);
    expect(linkAfter).not.toBe(link);
    expect((await put(before[0] ?? '')).status).toBe(412);
  });

  test('thousands of instances move together, in several statements, and others are answered meanwhile', async () => {
    const served = await serve(source);
    for (const id of [1, 2]) await served.post('/m/Room', { id });
    const items = Array.from({ length: 4500 }, (_, id) => ({ id }));
    expect((await served.post('/m/Room/1/RoomBox/Box', { id: 'a', BoxItem: items })).status).toBe(201);
    const moved = served.put('/m/Box/a', { '@parent': room(2) });
    const others = await Promise.all([served.get('/m/Room/1'), served.post('/m/Room', { id: 3 })]);
    expect([(await moved).status, ...others.map(({ status }) => status)]).toEqual([200, 200, 201]);
    const { body, headers } = await served.get('/m/Room/2/RoomBox/Box/a/BoxItem/Item?@count=true');
    expect(headers['x-total-count']).toBe('4500');
    const paths = Array.isArray(body) ? body.map((each) => property(each, '__path__')) : [];
    expect(paths).toEqual(items.map(({ id }) => item(2, 'a', id)));
    expect((await served.get('/m/Item?@count=true&@limit=1')).headers['x-total-count']).toBe('4500');
  });

  test('more than may be in a tree is not moved, and says so', async () => {
    const served = await serve(source, { limits: { tree: { size: 3, depth: 10, bytes: 1_000_000 } } });
    await fill(served);
    const put = () => askFor(served, { ask: 'PUT /m/Box/a', body: { '@parent': room(2) }, status: 0 });
    // Two items, and two links.
    const refused = await put();
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: 'tree-too-large' });
    await served.remove('/m/Room/1/RoomBox/Box/a/BoxTag/Tag/t');
    expect((await put()).status).toBe(200);
    expect(served.failures).toEqual([]);
  });
});

async function fill(served: Served): Promise<void> {
  for (const id of [1, 2]) await served.post('/m/Room', { id });
  await served.post('/m/Room/1/RoomBox/Box', { id: 'a', BoxItem: [{ id: 1 }, { id: 2 }] });
  await served.post('/m/Tag', { name: 't' });
  await served.post('/m/BoxTag', { Box: box(1, 'a'), Tag: 't' });
  await served.post('/m/ItemTag', { Item: item(1, 'a', 1), Tag: 't' });
}

/** Of the links by which items are tagged. */
async function linkTags(served: Served): Promise<readonly string[]> {
  const { body } = await served.get('/m/ItemTag');
  const ids = Array.isArray(body) ? body.map((each) => `/m/ItemTag/${String(property(each, '__Id__'))}`) : [];
  return tags(served, ids);
}

async function tags(served: Served, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) found.push((await served.get(path)).headers['etag'] ?? '');
  return found;
}

describe('what is moved while it is read', () => {
  /** What 40 reads are answered while the box goes from room to room. */
  async function readWhileMoved(items: readonly object[], target: string): Promise<readonly string[]> {
    const served = await serve(source);
    for (let id = 0; id < 500; id += 1) await served.post('/m/Room', { id });
    await served.post('/m/Room/0/RoomBox/Box', { id: 'moved', BoxItem: items });
    const answers = new Set<string>();
    const reads = { left: 40 };
    const mover = async () => {
      for (let id = 1; reads.left > 0; id = (id + 1) % 500)
        expect((await served.put('/m/Box/moved', { '@parent': `path://m$Room/${id}` })).status).toBe(200);
    };
    const reader = async () => {
      for (; reads.left > 0; reads.left -= 1) {
        const answer = served
          .get(target)
          .then(({ status, body, headers }) =>
            Array.isArray(body) ? `${status} ${body.length} of ${headers['x-total-count']}` : `${status}`,
          );
        answers.add(await answer.catch(() => 'cut'));
      }
    };
    await Promise.all([mover(), reader(), reader()]);
    return [...answers];
  }

  test('is found, also where reading it takes long', async () => {
    expect(await readWhileMoved([{ id: 1, note: 'x'.repeat(600_000) }], '/m/Item/1')).toEqual(['200']);
  });

  test('has all that stands below it in its list, or the list is cut', async () => {
    const items = Array.from({ length: 900 }, (_, id) => ({ id, note: `${id % 7} ${'x'.repeat(200)}` }));
    const answers = await readWhileMoved(items, '/m/Box/moved/BoxItem/Item?@sort=-note&@limit=900&@count=true');
    expect(answers.filter((each) => each !== 'cut')).toEqual(['200 900 of 900']);
  });
});
