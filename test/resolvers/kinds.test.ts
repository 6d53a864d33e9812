// Resolvers without code: in memory, and over HTTP against a server that really answers.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { askFor, check, fits, type Step } from '../support/table.ts';

const model = 'module m\nentity Person { id String @id, name String, age Int @optional }';

test('a resolver of type memory keeps instances while the service runs, and stores nothing', async () => {
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'memory', types: ['m/Person'] }] });
  await check(served, [
    { ask: 'POST /m/Person', body: { id: 'a', name: 'A' }, status: 201 },
    { ask: 'PUT /m/Person/a', body: { age: 3 }, status: 200, is: { id: 'a', name: 'A', age: 3 } },
    { ask: 'POST /m/Person', body: { id: 'a', name: 'B' }, status: 409, code: 'resolver-refused' },
    { ask: 'GET /m/Person?age[gte]=3', status: 200, is: [{ id: 'a', name: 'A', age: 3 }] },
    { ask: 'DELETE /m/Person/a', status: 200 },
    { ask: 'GET /m/Person/a', status: 404 },
  ]);
  await expect(served.kept.rows('SELECT count(*) FROM "m/Person"')).rejects.toThrow();
});

interface Other {
  readonly url: string;
  readonly asked: string[];
}

/** Its people have other names for their attributes, and come in pages of one. */
async function other(): Promise<Other> {
  const people = new Map([
    ['a', { key: 'a', full_name: 'A', years: 1 }],
    ['b', { key: 'b', full_name: 'B', years: 2 }],
  ]);
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-key'] ?? '-'}`);
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const send = (status: number, body?: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body === undefined ? '' : JSON.stringify(body));
    };
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://other');
    const id = decodeURIComponent(pathname.replace(/^\/v1\/people\/?/, ''));
    if (id === 'away') return send(302, undefined, { location: 'http://elsewhere.example.com/' });
    if (id === 'here') return send(302, undefined, { location: '/v1/people/a' });
    if (id === 'broken') return send(500, { secret: 'stack' });
    if (id === 'text') return void response.writeHead(200).end('<html>');
    if (id === 'large') return void response.writeHead(200).end(`"${'x'.repeat(17 * 1024 * 1024)}"`);
    if (request.method === 'POST') {
      const sent = JSON.parse(text);
      if (people.has(sent.key)) return send(409);
      people.set(sent.key, sent);
      return send(201, sent);
    }
    if (id === '') {
      const page = Number(searchParams.get('page') ?? 0);
      const link = page + 1 < people.size ? { link: `</v1/people?page=${page + 1}>; rel="next"` } : {};
      return send(200, { items: [...people.values()].slice(page, page + 1) }, link);
    }
    const found = people.get(id);
    if (found === undefined) return send(404);
    if (request.method === 'PUT') people.set(id, JSON.parse(text));
    if (request.method === 'DELETE') people.delete(id);
    return request.method === 'DELETE' ? send(204) : send(200, people.get(id));
  };
  const server = createServer((request, response) => void answer(request, response));
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/v1/`, asked };
}

test('a resolver of type rest speaks JSON over HTTP, with names mapped, pages followed and no redirect to another host', async () => {
  const { url, asked } = await other();
  const map = { id: 'key', name: 'full_name', age: 'years' };
  const config = { baseUrl: url, path: '/people', headers: { 'x-key': 'k' }, map, list: 'items', id: 'key' };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'rest', types: ['m/Person'], config }] });
  const steps: readonly Step[] = [
    {
      ask: 'GET /m/Person',
      status: 200,
      is: [
        { id: 'a', name: 'A', age: 1 },
        { id: 'b', name: 'B', age: 2 },
      ],
    },
    { ask: 'GET /m/Person/b', status: 200, is: { id: 'b', name: 'B', age: 2 } },
    { ask: 'GET /m/Person/no', status: 404, code: 'instance-not-found' },
    { ask: 'POST /m/Person', body: { id: 'c/d', name: 'C' }, status: 201, is: { id: 'c/d', name: 'C', age: null } },
    { ask: 'POST /m/Person', body: { id: 'a', name: 'C' }, status: 409, code: 'resolver-refused' },
    { ask: 'PUT /m/Person/c%2Fd', body: { age: 5 }, status: 200, is: { id: 'c/d', name: 'C', age: 5 } },
    { ask: 'DELETE /m/Person/c%2Fd', status: 200 },
    { ask: 'GET /m/Person?name=B&@sort=-age', status: 200, is: [{ id: 'b', name: 'B', age: 2 }] },
    { ask: 'GET /m/Person/here', status: 404 },
    { ask: 'GET /m/Person/text', status: 502, code: 'resolver-answer-invalid' },
    { ask: 'GET /m/Person/large', status: 502, code: 'resolver-answer-too-large' },
    { ask: 'GET /m/Person/a', status: 200 },
    { ask: 'GET /m/Person/away', status: 502, code: 'resolver-failed' },
    { ask: 'GET /m/Person/a', status: 200 },
    { ask: 'GET /m/Person/broken', status: 502, code: 'resolver-failed' },
  ];
  for (const step of steps) {
    const answer = await askFor(served, step);
    fits(step, answer);
    expect(answer.text).not.toContain('stack');
  }
  expect(asked.slice(0, 3)).toEqual(['GET /v1/people k', 'GET /v1/people?page=1 k', 'GET /v1/people/b k']);
  expect(asked).toContain('DELETE /v1/people/c%2Fd k');
});

/** What each request finds in the other system, and what that is asked; a text stands for a body that is not read. */
async function otherOf(rows: Map<string, Readonly<Record<string, unknown>>>, key: string): Promise<Other> {
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    asked.push(`${request.method} ${request.url}${text === '' ? '' : ` ${text}`}`);
    const id = decodeURIComponent((request.url ?? '').split('/')[2] ?? '');
    if (text !== '') rows.set(String(JSON.parse(text)[key]), JSON.parse(text));
    const found = id === '' ? [...rows.values()] : rows.get(id);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(text === '' ? JSON.stringify(found ?? null) : text);
  };
  const server = createServer((request, response) => void answer(request, response));
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, asked };
}

const links: readonly (readonly [link: string, isFollowed: boolean])[] = [
  ['<?page=2>; rel="next"', true],
  ['<?page=2>;rel=next', true],
  ['<?page=2> ; title="a, b; c" ; REL = "last Next"', true],
  ['<?page=1>; rel="first", <?page=2>; title="<x>, \\"y\\""; rel="next", <?page=9>; rel="last"', true],
  ['<?page=2,3>; rel=next', true],
  ['<?page=2>; rel="nextish"', false],
  ['<?page=2>; title="; rel=next"', false],
  ['<?page=2>; rel="prev"', false],
  ['<?page=2<>; rel=next', false],
  ['<?page=1>; title="a, <?page=2>; rel=next', false],
];

test.each(links)('a resolver of type rest follows the page that Link names as the next: %s', async (link, isFollowed) => {
  const server = createServer(({ url = '' }, response) => {
    const isFirst = !url.includes('page');
    response.writeHead(200, { 'content-type': 'application/json', ...(isFirst ? { link } : {}) });
    response.end(JSON.stringify([{ id: isFirst ? 'a' : 'b', name: url }]));
  });
  const port = await listen(server);
  const config = { baseUrl: `http://127.0.0.1:${port}/people` };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'rest', types: ['m/Person'], config }] });
  expect((await served.get('/m/Person')).body).toMatchObject(isFollowed ? [{ id: 'a' }, { id: 'b' }] : [{ id: 'a' }]);
});

test('a resolver of type rest: an instance that has moved to a later page meanwhile is one, as it is there', async () => {
  const pages = [
    [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'before' },
    ],
    [
      { id: 'b', name: 'after' },
      { id: 'c', name: 'C' },
    ],
  ];
  const server = createServer(({ url = '' }, response) => {
    const [page, link] = url.includes('page') ? [pages[1], {}] : [pages[0], { link: '<?page=1>; rel=next' }];
    response.writeHead(200, { 'content-type': 'application/json', ...link }).end(JSON.stringify(page));
  });
  const port = await listen(server);
  const config = { baseUrl: `http://127.0.0.1:${port}/people` };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'rest', types: ['m/Person'], config }] });
  const { body, headers } = await served.get('/m/Person?@count=true');
  expect(body).toMatchObject([{ id: 'a' }, { id: 'b', name: 'after' }, { id: 'c' }]);
  expect(headers['x-total-count']).toBe('3');
});

const mapped: readonly (readonly [title: string, config: object, there: Readonly<Record<string, unknown>>, asked: readonly string[]])[] = [
  [
    'attributes that are not in the map go by their own names',
    { map: { name: 'full-name' } },
    { id: 'a', 'full-name': 'A', age: 1 },
    ['GET /people/a', 'GET /people/a', 'PUT /people/a {"id":"a","full-name":"A","age":2}', 'GET /people'],
  ],
  [
    'a field of the map is that of its attribute alone, also where others have its name or its attribute has another one there',
    { map: { name: 'age', age: 'years' } },
    { id: 'a', age: 'A', years: 1, name: 'somebody else' },
    ['GET /people/a', 'GET /people/a', 'PUT /people/a {"id":"a","age":"A","years":2}', 'GET /people'],
  ],
  [
    'where another attribute identifies an instance there, it is looked for among all, and changed by that one',
    { id: 'name' },
    { id: 'a', name: 'A', age: 1 },
    ['GET /people', 'GET /people', 'PUT /people/A {"id":"a","name":"A","age":2}', 'GET /people/A'],
  ],
];

for (const [title, config, there, expected] of mapped)
  test(`a resolver of type rest: ${title}`, async () => {
    const { url, asked } = await otherOf(new Map([[expected[0] === 'GET /people' ? 'A' : 'a', there]]), 'id');
    const served = await serve(model, {
      resolvers: [{ name: 'm/people', kind: 'rest', types: ['m/Person'], config: { baseUrl: url, path: 'people', ...config } }],
    });
    await check(served, [
      { ask: 'GET /m/Person/a', status: 200, is: { id: 'a', name: 'A', age: 1 } },
      { ask: 'PUT /m/Person/a', body: { age: 2 }, status: 200, is: { id: 'a', name: 'A', age: 2 } },
      { ask: 'GET /m/Person?name=A&@select=id', status: 200, has: [{ id: 'a' }] },
    ]);
    expect(asked).toEqual(expected);
  });

test('a resolver of type rest changes the instance that is named, also where the change is of what identifies it there', async () => {
  const rows = new Map([
    ['A', { id: 'a', name: 'A' }],
    ['B', { id: 'b', name: 'B' }],
  ]);
  const { url, asked } = await otherOf(rows, 'name');
  const config = { baseUrl: url, path: 'people', id: 'name' };
  const served = await serve(model, { resolvers: [{ name: 'm/people', kind: 'rest', types: ['m/Person'], config }] });
  await check(served, [
    { ask: 'PUT /m/Person/a', body: { name: '..' }, status: 422, code: 'resolver-refused' },
    { ask: 'PUT /m/Person/a', body: { name: 'B' }, status: 200, is: { id: 'a', name: 'B', age: null } },
  ]);
  expect(asked.filter((each) => each.startsWith('PUT'))).toEqual(['PUT /people/A {"id":"a","name":"B","age":null}']);
});

const refused: readonly (readonly [title: string, settings: Parameters<typeof serve>[1], message: string])[] = [
  ['a type that is not there', { resolvers: [{ name: 'm/r', kind: 'memory', types: ['m/Nobody'] }] }, 'm/Nobody, which is no entity'],
  ['no type at all', { resolvers: [{ name: 'm/r', kind: 'memory' }] }, 'needs the types'],
  [
    'a map of an attribute that is not there',
    { resolvers: [{ name: 'm/r', kind: 'sql', types: ['m/Person'], config: { file: 'a.db', table: 'a', map: { nmae: 'n' } } }] },
    'maps nmae, which is no attribute of m/Person',
  ],
  [
    'a map to the name of an attribute that is not mapped',
    { resolvers: [{ name: 'm/r', kind: 'rest', types: ['m/Person'], config: { baseUrl: 'http://localhost', map: { name: 'age' } } }] },
    'maps both name and age to the field age',
  ],
  [
    'a map of two attributes to one field',
    {
      resolvers: [
        { name: 'm/r', kind: 'rest', types: ['m/Person'], config: { baseUrl: 'http://localhost', map: { id: 'full', name: 'full' } } },
      ],
    },
    'maps both id and name to the field full',
  ],
  ['a resolver that the model does not have', { resolvers: [{ name: 'm/r', timeout: 1 }] }, 'declared nowhere'],
];

for (const [title, settings, message] of refused)
  test(`a configuration with ${title} is refused at start`, async () => {
    await expect(serve(model, settings)).rejects.toThrow(message);
  });
