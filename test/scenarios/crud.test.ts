// Create, read, update and delete of one entity.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const model = `
module blog
entity Post {
  id UUID @id @default(uuid()),
  title String,
  note String @optional,
  rank Int @default(3),
  made DateTime @default(now())
}
entity Tag { name String @id, weight Float @optional }
entity Log { text String }
`;

const hello: Step = { ask: 'POST /blog/Tag', body: { name: 'hello', weight: 1.5 }, status: 201 };

const tables: readonly (readonly [title: string, steps: readonly Step[]])[] = [
  [
    'a create answers 201 with the instance and where it is',
    [
      {
        ask: 'POST /blog/Tag',
        body: { name: 'a', weight: 2 },
        status: 201,
        is: { name: 'a', weight: 2 },
        headers: { location: '/blog/Tag/a', etag: /^"[^"]+"$/, 'content-type': 'application/json' },
      },
      { ask: 'GET /blog/Tag/a', status: 200, is: { name: 'a', weight: 2 }, headers: { etag: /^"[^"]+"$/ } },
    ],
  ],
  [
    'wrong method 405 with Allow, whatever the method',
    [
      { ask: 'PROPFIND /blog/Tag', status: 405, code: 'method-not-allowed', headers: { allow: 'GET, HEAD, POST, OPTIONS' } },
      { ask: 'TRACE /blog/Tag/a', status: 405, headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' } },
      { ask: 'TRACE /', status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } },
    ],
  ],
  [
    'an identifier that every client reads as a way to another path is refused',
    [
      { ask: 'POST /blog/Tag', body: { name: '..' }, status: 422, faults: ['name value'] },
      { ask: 'POST /blog/Tag', body: { name: '.' }, status: 422, faults: ['name value'] },
      { ask: 'POST /blog/Tag', body: { name: '' }, status: 422, faults: ['name value'] },
    ],
  ],
  [
    'PUT lists everything that does not fit, what cannot change included',
    [
      { ask: 'POST /blog/Tag', body: { name: 'a' }, status: 201 },
      {
        ask: 'PUT /blog/Tag/a',
        body: { name: 'b', weight: 'x', more: 1 },
        status: 422,
        faults: ['name readonly', 'weight type', 'more unknown'],
      },
      { ask: 'PUT /blog/Tag/nobody', body: { name: 'b', weight: 'x' }, status: 422, faults: ['weight type'] },
    ],
  ],
  ['an empty collection is 200 and []', [{ ask: 'GET /blog/Post', status: 200, is: [], headers: { 'content-type': 'application/json' } }]],
  [
    'absent optional attributes are null in answers',
    [
      { ask: 'POST /blog/Tag', body: { name: 'a' }, status: 201, is: { name: 'a', weight: null } },
      { ask: 'GET /blog/Tag', status: 200, is: [{ name: 'a', weight: null }] },
    ],
  ],
  [
    'PUT changes only the attributes sent',
    [
      hello,
      { ask: 'PUT /blog/Tag/hello', body: { weight: 7 }, status: 200, is: { name: 'hello', weight: 7 }, headers: { etag: /./ } },
      { ask: 'PUT /blog/Tag/hello', body: {}, status: 200, is: { name: 'hello', weight: 7 } },
      { ask: 'GET /blog/Tag/hello', status: 200, is: { name: 'hello', weight: 7 } },
    ],
  ],
  [
    'PATCH is the same as PUT',
    [
      hello,
      { ask: 'PATCH /blog/Tag/hello', body: { weight: null }, status: 200, is: { name: 'hello', weight: null } },
      { ask: 'PATCH /blog/Tag/nobody', body: { weight: null }, status: 404, code: 'instance-not-found' },
    ],
  ],
  [
    'what was read may be sent back unchanged; a changed identifier is 422',
    [
      hello,
      { ask: 'PUT /blog/Tag/hello', body: { name: 'hello', weight: 3 }, status: 200, is: { name: 'hello', weight: 3 } },
      { ask: 'PUT /blog/Tag/hello', body: { name: 'other', weight: 4 }, status: 422, faults: ['name readonly'] },
      { ask: 'GET /blog/Tag/hello', status: 200, is: { name: 'hello', weight: 3 } },
    ],
  ],
  [
    'DELETE answers with the deleted instance, which is then gone',
    [
      hello,
      { ask: 'DELETE /blog/Tag/hello', status: 200, is: { name: 'hello', weight: 1.5 } },
      { ask: 'GET /blog/Tag/hello', status: 404, code: 'instance-not-found' },
      { ask: 'DELETE /blog/Tag/hello', status: 404, code: 'instance-not-found' },
      { ask: 'PUT /blog/Tag/hello', body: { weight: 1 }, status: 404, code: 'instance-not-found' },
      { ask: 'GET /blog/Tag', status: 200, is: [] },
      hello,
    ],
  ],
  [
    'a duplicate identifier is 409 and changes nothing',
    [
      hello,
      { ask: 'POST /blog/Tag', body: { name: 'hello', weight: 9 }, status: 409, code: 'duplicate' },
      { ask: 'GET /blog/Tag', status: 200, is: [{ name: 'hello', weight: 1.5 }] },
    ],
  ],
  [
    'every attribute that does not fit is listed',
    [
      {
        ask: 'POST /blog/Post',
        body: { id: 'x', note: 5, rank: 'three', made: 'yesterday', extra: 1, constructor: 2 },
        status: 422,
        code: 'attributes-invalid',
        faults: ['id type', 'title required', 'note type', 'rank type', 'made type', 'extra unknown', 'constructor unknown'],
      },
      { ask: 'GET /blog/Post', status: 200, is: [] },
    ],
  ],
  [
    'null clears an optional attribute and is 422 for a required one',
    [
      { ask: 'POST /blog/Post', body: { title: null, note: null }, status: 422, faults: ['title required'] },
      { ask: 'POST /blog/Post', body: { title: 'a', rank: null }, status: 422, faults: ['rank required'] },
      { ask: 'POST /blog/Tag', body: { name: 'a', weight: null }, status: 201, is: { name: 'a', weight: null } },
      { ask: 'PUT /blog/Tag/a', body: { name: null }, status: 422, faults: ['name readonly'] },
    ],
  ],
  ['empty text is a value', [{ ask: 'POST /blog/Post', body: { title: '', note: '' }, status: 201, has: { title: '', note: '' } }]],
  [
    'an identifier that no path could name is refused',
    [{ ask: 'POST /blog/Tag', body: { name: '' }, status: 422, faults: ['name value'] }],
  ],
  [
    'a body that is not an object, or is missing, is 400',
    [
      { ask: 'POST /blog/Tag', status: 400, code: 'body-invalid' },
      { ask: 'PUT /blog/Tag/a', status: 400, code: 'body-invalid' },
      ...['[1]', '[[{"name":"a"}]]', '"a"', '1', 'null', 'true', '1.00000000000000000001'].map(
        (text): Step => ({ ask: 'POST /blog/Tag', text, status: 400, code: 'body-invalid' }),
      ),
      { ask: 'POST /blog/Tag', text: '{"name":', status: 400, code: 'body-unreadable' },
      { ask: 'POST /blog/Tag', text: '{"name":"a","name":"b"}', status: 400, code: 'body-unreadable' },
      { ask: 'POST /blog/Tag', text: '\ufeff{"name":"a"}', status: 400, code: 'body-unreadable' },
      { ask: 'GET /blog/Tag', status: 200, is: [] },
    ],
  ],
  [
    'system attributes on create are 422',
    [
      {
        ask: 'POST /blog/Tag',
        text: '{"name":"a","__path__":"x","__version":1,"__proto__":{"weight":1},"__Id__":"q"}',
        status: 422,
        faults: ['__path__ system', '__version system', '__proto__ system', '__Id__ system'],
      },
    ],
  ],
  [
    'unknown names are 404',
    [
      '/blog',
      '/blog/Nothing',
      '/blog/tag',
      '/Blog/Tag',
      '/nothing/Tag',
      '/constructor',
      '/__proto__/Tag',
      '/blog/constructor',
      '/blog/__proto__',
      '/blog/toString',
      '/blog/Tag/hello/Nothing/Tag',
      '/blog/Tag/hello/constructor/Tag',
      '/blog/Tag/hello/Tag',
      '/blog//Tag',
      '//blog/Tag',
    ].flatMap((path): Step[] => [
      { ask: `GET ${path}`, status: 404, code: 'path-unknown' },
      { ask: `POST ${path}`, body: {}, status: 404, code: 'path-unknown' },
    ]),
  ],
  [
    'a trailing slash on a path makes no difference',
    [
      { ask: 'POST /blog/Tag/', body: { name: 'a' }, status: 201, headers: { location: '/blog/Tag/a' } },
      { ask: 'GET /blog/Tag/', status: 200, is: [{ name: 'a', weight: null }] },
      { ask: 'GET /blog/Tag/?name=a', status: 200, is: [{ name: 'a', weight: null }] },
      { ask: 'GET /blog/Tag/a/', status: 200, is: { name: 'a', weight: null } },
      { ask: 'DELETE /blog/Tag/a/', status: 200 },
    ],
  ],
  [
    'an identifier of the wrong type in a path is 404',
    [
      { ask: 'GET /blog/Post/7', status: 404, code: 'instance-not-found' },
      { ask: 'PUT /blog/Post/7', body: {}, status: 404, code: 'instance-not-found' },
      { ask: 'DELETE /blog/Post/7', status: 404, code: 'instance-not-found' },
    ],
  ],
  [
    'a path that is not percent-encoded UTF-8 is 400',
    [
      { ask: 'GET /blog/Tag/%zz', status: 400, code: 'request-unreadable' },
      { ask: 'GET /blog/Tag/%C0%80', status: 400, code: 'request-unreadable' },
      { ask: 'GET /blog/Tag/%', status: 400, code: 'request-unreadable' },
      { ask: 'GET /blog/Tag/%00', status: 404 },
    ],
  ],
  [
    'a wrong method is 405 and tells the right ones',
    [
      { ask: 'PUT /blog/Tag', body: {}, status: 405, headers: { allow: 'GET, HEAD, POST, OPTIONS' } },
      { ask: 'DELETE /blog/Tag', status: 405, headers: { allow: 'GET, HEAD, POST, OPTIONS' } },
      { ask: 'POST /blog/Tag/a', body: {}, status: 405, headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' } },
      { ask: 'TRACE /blog/Tag/a', status: 405, headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' } },
      { ask: 'POST /health', body: {}, status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } },
    ],
  ],
  [
    'OPTIONS tells the methods',
    [
      { ask: 'OPTIONS /blog/Tag', status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' } },
      { ask: 'OPTIONS /blog/Tag/a', status: 204, headers: { allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' } },
      { ask: 'OPTIONS /nothing', status: 404 },
    ],
  ],
  [
    'HEAD works wherever GET does',
    [
      hello,
      { ask: 'HEAD /blog/Tag/hello', status: 200, headers: { etag: /./, 'content-type': 'application/json' } },
      { ask: 'HEAD /blog/Tag', status: 200 },
      { ask: 'HEAD /blog/Tag/nobody', status: 404 },
      { ask: 'HEAD /health', status: 200 },
    ],
  ],
  [
    'a body of another type is 415',
    [
      ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'json', ''].map(
        (type): Step => ({
          ask: 'POST /blog/Tag',
          text: '{"name":"a"}',
          send: { 'content-type': type },
          status: 415,
          code: 'media-type-unsupported',
        }),
      ),
      { ask: 'PUT /blog/Tag/a', text: '{}', send: { 'content-type': 'text/plain' }, status: 415 },
      { ask: 'POST /blog/Tag', text: '{"name":"a"}', send: { 'content-encoding': 'gzip' }, status: 415 },
      { ask: 'POST /blog/Tag', text: '{"name":"b"}', send: { 'content-type': 'application/json; charset=UTF-8' }, status: 201 },
      { ask: 'POST /blog/Tag', text: '{"name":"c"}', send: { 'content-type': 'Application/JSON;charset="utf-8"' }, status: 201 },
    ],
  ],
  [
    'an Accept that matches nothing gets JSON',
    [hello, { ask: 'GET /blog/Tag', send: { accept: 'text/html' }, status: 200, headers: { 'content-type': 'application/json' } }],
  ],
  [
    'JSON that is too deep or too wide is 422',
    [
      { ask: 'POST /blog/Tag', text: `{"name":${'['.repeat(64)}${']'.repeat(64)}}`, status: 422, code: 'limit-exceeded' },
      { ask: 'POST /blog/Tag', text: '['.repeat(1_000_000), status: 422, code: 'limit-exceeded' },
      { ask: 'POST /blog/Tag', text: `{"a":[${'0,'.repeat(10_000)}0]}`, status: 422, code: 'limit-exceeded' },
      {
        ask: 'POST /blog/Tag',
        text: `{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":0`).join()}}`,
        status: 422,
        code: 'limit-exceeded',
      },
    ],
  ],
  [
    'an entity without an identifier gets __Id__',
    [{ ask: 'POST /blog/Log', body: { text: 'a' }, status: 201, has: { __Id__: expect.stringMatching(/^[0-9a-f-]{36}$/), text: 'a' } }],
  ],
];

for (const [title, steps] of tables) {
  test(title, async () => check(await serve(model), steps));
}

test('defaults are filled on create, and may be given', async () => {
  const served = await serve(model);
  const before = new Date().toISOString();
  const made = await served.post('/blog/Post', { title: 'a' });
  expect(made.body).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/), rank: 3, note: null });
  const { made: time } = Object(made.body);
  expect(String(time) >= before && String(time) <= new Date().toISOString()).toBe(true);
  const id = '0190d5a2-1234-7abc-8def-0123456789ab';
  const given = { id, title: 'b', note: 'n', rank: 9, made: '2020-02-29T10:00:00Z' };
  await check(served, [
    { ask: 'POST /blog/Post', body: given, status: 201, is: given },
    { ask: `GET /blog/Post/${id}`, status: 200, is: given },
  ]);
});

test('generated identifiers grow, so that a list is in the order of creation', async () => {
  const served = await serve(model);
  const titles = Array.from({ length: 200 }, (_, index) => `t${index}`);
  for (const title of titles) await served.post('/blog/Post', { title });
  const { body } = await served.get('/blog/Post?@select=title');
  expect(Array.isArray(body) && body.map((each) => each.title)).toEqual(titles);
});

test('an entity without an identifier is addressed by __Id__', async () => {
  const served = await serve(model);
  const { headers, body } = await served.post('/blog/Log', { text: 'a' });
  expect(headers['location']).toBe(`/blog/Log/${Object(body).__Id__}`);
  await check(served, [
    { ask: `GET ${headers['location']}`, status: 200, is: body },
    { ask: `PUT ${headers['location']}`, body: { ...Object(body), text: 'b' }, status: 200, has: { text: 'b' } },
    { ask: `DELETE ${headers['location']}`, status: 200, has: { text: 'b' } },
  ]);
});

test('concurrent creates of one identifier: one is made, the others are 409', async () => {
  const served = await serve(model);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, weight) => served.post('/blog/Tag', { name: 'a', weight })));
  expect(answers.map((each) => each.status).sort()).toEqual([201, ...Array(49).fill(409)]);
  expect((await served.get('/blog/Tag')).body).toEqual([answers.find((each) => each.status === 201)?.body]);
});

test('the service tells what it is and how it is', async () => {
  const served = await serve(model);
  await check(served, [
    { ask: 'GET /', status: 200, has: { name: 'test', version: '1.2.3' } },
    { ask: 'GET /health', status: 200 },
    { ask: 'GET /health/', status: 200 },
    { ask: 'GET /ready', status: 200 },
    { ask: 'GET /metrics', status: 200, headers: { 'content-type': /^text\/plain/ } },
  ]);
});
