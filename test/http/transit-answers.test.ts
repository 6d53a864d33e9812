// Transit through a running application: bodies in, answers out, whole and streamed, and errors too.

import transit from 'transit-js';
import { describe, expect, test } from 'vitest';
import { parseTransit } from '../../src/http/media/transit/read.ts';
import { writeJson } from '../../src/values/json/json.ts';
import { type Answer, type Served, serve } from '../support/app.ts';
import { text as answerOf, serve as listen } from './serve.ts';

const type = 'application/transit+json';
const limits = { depth: 64, keys: 1000, items: 100_000 };

const model = `module shop
entity Thing {
  id Int @id,
  text String @optional,
  exact Int @optional,
  float Float @optional,
  price Decimal @optional,
  flag Boolean @optional,
  key UUID @optional,
  mail Email @optional,
  day Date @optional,
  clock Time @optional,
  at DateTime @optional,
  link URL @optional,
  tags String[] @optional,
  data Map @optional,
  any Any @optional
}
entity Part { name String @id }
relationship ThingPart contains(Thing, Part)
`;

const uuid = '0190d5a2-1234-7abc-8def-0123456789ab';

describe('every kind of transit value goes into an attribute and comes back', () => {
  /** `read` is what the answer holds, as JSON. */
  const cases: readonly (readonly [attribute: string, sent: string, read: string])[] = [
    ['text', '"plain"', '"plain"'],
    ['text', '"~~tilde"', '"~tilde"'],
    ['text', '"~^0"', '"^0"'],
    ['text', '"~`tick"', '"`tick"'],
    ['text', '"~:keyword"', '"keyword"'],
    ['text', '"~:Acme.Company/Department"', '"Acme.Company/Department"'],
    ['text', '"~$symbol"', '"symbol"'],
    ['text', '"~cx"', '"x"'],
    ['text', '"~_"', 'null'],
    ['data', '{"b":1,"2":2,"~:1":3}', '{"b":1,"2":2,"1":3}'],
    ['data', '["^ ","~:b",1,"~:2",2,"1",3]', '{"b":1,"2":2,"1":3}'],
    ['exact', '5', '5'],
    ['exact', '"~i9007199254740993"', '9007199254740993'],
    ['exact', '9007199254740993', '9007199254740993'],
    ['exact', '"~n-9223372036854775808"', '-9223372036854775808'],
    ['float', '"~d0.5"', '0.5'],
    ['float', '1e20', '100000000000000000000'],
    ['price', '"~f1.50"', '"1.50"'],
    ['price', '"~f12345678901234567890.123456789"', '"12345678901234567890.123456789"'],
    ['price', '12345678901234567890.123456789', '"12345678901234567890.123456789"'],
    ['flag', '"~?t"', 'true'],
    ['flag', 'false', 'false'],
    ['key', `"~u${uuid}"`, `"${uuid}"`],
    ['key', '["~#u",[1,-1]]', '"00000000-0000-0001-ffff-ffffffffffff"'],
    ['at', '"~m1700000000123"', '"2023-11-14T22:13:20.123Z"'],
    ['at', '"~t2023-11-14T22:13:20.5Z"', '"2023-11-14T22:13:20.5Z"'],
    ['at', '["~#m",0]', '"1970-01-01T00:00:00.000Z"'],
    ['day', '"2023-11-14"', '"2023-11-14"'],
    ['link', '"~rhttps://example.com/a"', '"https://example.com/a"'],
    ['tags', '["~#set",["~:a","b"]]', '["a","b"]'],
    ['tags', '["~#list",["~:name","^3"]]', '["name","name"]'],
    ['data', '["^ ","~:name",1,"other",["^ ","~:name",2]]', '{"name":1,"other":{"name":2}}'],
    ['data', '{"~:C/E":{"~:x":"~i9007199254740993"}}', '{"C/E":{"x":9007199254740993}}'],
    ['data', '["~#cmap",["a",1]]', '{"a":1}'],
    ['any', '["~:name","^2",{"~#set":[1]}]', '["name","name",[1]]'],
    ['any', '0.1234567890123456789', '422'],
    ['any', '"~zNaN"', '422'],
    ['any', '"~bYWJj"', '422'],
    ['any', '["~#point",[1,2]]', '400'],
    ['any', '["^9",1]', '400'],
  ];
  test('in the cached and the verbose form', async () => {
    const app = await serve(model);
    for (const [index, [attribute, sent, read]] of cases.entries()) {
      await check(app, `["^ ","~:id",${2 * index},"~:${attribute}",${sent}]`, 2 * index, attribute, read);
      // `~:id` and the attribute's keyword have the first two codes; the verbose form has none.
      const verbose = sent.replace(/"\^[23]"/, '"~:name"');
      await check(app, `{"~:id":${2 * index + 1},"~:${attribute}":${verbose}}`, 2 * index + 1, attribute, read);
    }
  });

  async function check(app: Served, text: string, id: number, attribute: string, read: string): Promise<void> {
    const created = await send(app, 'POST', '/shop/Thing', text);
    if (read === '400' || read === '422') {
      expect([text, String(created.status)]).toEqual([text, read]);
      return;
    }
    expect([text, created.status, created.headers['content-type']]).toEqual([text, 201, type]);
    expect(attributeOf(created, attribute)).toBe(read);
    expect(attributeOf(await app.get(`/shop/Thing/${id}`, { accept: type }), attribute)).toBe(read);
    // What was read may be sent back unchanged.
    const again = await send(app, 'PUT', `/shop/Thing/${id}`, created.text);
    expect([again.text, again.status, attributeOf(again, attribute)]).toEqual([again.text, 200, read]);
  }
});

test('an answer is the same value in both media types, with the same entity tag', async () => {
  const app = await serve(model);
  await app.post('/shop/Thing', { id: 1, text: '~x', data: { 'a b': ['^ ', null], '~k': 1.5 }, ThingPart: [{ name: 'p' }] });
  for (const target of ['/shop/Thing/1', '/shop/Thing', '/shop/Thing/1?@tree=true', '/shop/Thing?@include=ThingPart', '/', '/health']) {
    const json = await app.get(target);
    const inTransit = await app.get(target, { accept: type });
    expect([json.headers['content-type'], inTransit.headers['content-type']]).toEqual(['application/json', type]);
    expect(writeJson(parseTransit(inTransit.text, limits))).toBe(json.text);
    expect(inTransit.headers['etag']).toBe(json.headers['etag']);
  }
});

test('a transit client reads keywords as keys', async () => {
  const app = await serve(model);
  const created = await send(app, 'POST', '/shop/Thing', transit.writer('json').write({ id: 1, text: 'a' }));
  const read = transit.reader('json').read(created.text);
  expect(transit.isMap(read)).toBe(true);
  expect(created.text).toContain('{"~:id":1,"~:text":"a",');
  expect(created.headers['location']).toBe('/shop/Thing/1');
});

test('conditions, paging and counts work as in JSON', async () => {
  const app = await serve(model);
  for (const id of [1, 2, 3]) await app.post('/shop/Thing', { id });
  const first = await app.get('/shop/Thing/1', { accept: type });
  const known = await app.get('/shop/Thing/1', { accept: type, 'if-none-match': first.headers['etag'] ?? '' });
  expect([known.status, known.text]).toEqual([304, '']);
  const page = await app.get('/shop/Thing?@limit=2&@count=true&@select=id', { accept: type });
  expect([page.text, page.headers['x-total-count']]).toEqual(['[{"~:id":1},{"~:id":2}]', '3']);
  expect(page.headers['link']).toContain('@after=');
});

test('a long list is streamed page by page', async () => {
  const app = await serve(model);
  const count = 2500;
  for (let id = 0; id < count; id += 1) await app.post('/shop/Thing', { id, text: `~${id}` });
  const response = await app.app.respond({
    method: 'GET',
    path: '/shop/Thing',
    query: '@select=id,text',
    headers: { accept: type },
    body: undefined,
    id: 'test',
    remote: '::1',
  });
  const { body } = response;
  if (typeof body !== 'object' || Buffer.isBuffer(body)) throw new Error('not streamed');
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(1);
  const expected = Array.from({ length: count }, (_, id) => ({ id, text: `~${id}` }));
  expect(JSON.parse(writeJson(parseTransit(pieces.join(''), limits)))).toEqual(expected);
});

describe('errors are answered in transit too', () => {
  const cases: readonly (readonly [
    title: string,
    method: string,
    target: string,
    text: string | undefined,
    status: number,
    code: string,
  ])[] = [
    ['an unknown path', 'GET', '/shop/Nothing', undefined, 404, 'path-unknown'],
    ['a body that cannot be read', 'POST', '/shop/Thing', '["^ ","~:id"', 400, 'body-unreadable'],
    ['a body that is no map', 'POST', '/shop/Thing', '["~#\'","x"]', 400, 'body-invalid'],
    ['an attribute that does not fit', 'POST', '/shop/Thing', '["^ ","~:id","~:x"]', 422, 'attributes-invalid'],
    ['a key twice', 'POST', '/shop/Thing', '["^ ","~:id",1,"id",2]', 400, 'body-unreadable'],
    ['a method that is not taken', 'DELETE', '/shop/Thing', undefined, 405, 'method-not-allowed'],
  ];
  for (const [title, method, target, text, status, code] of cases) {
    test(title, async () => {
      const app = await serve(model);
      const answer = await (text === undefined ? app.ask({ method, target, headers: { accept: type } }) : send(app, method, target, text));
      expect([answer.status, answer.headers['content-type']]).toEqual([status, type]);
      expect(JSON.parse(writeJson(parseTransit(answer.text, limits)))).toMatchObject({ status, code });
    });
  }

  test('whoever sends transit and asks for JSON gets problem+json', async () => {
    const app = await serve(model);
    const answer = await app.ask({
      method: 'POST',
      target: '/shop/Thing',
      headers: { 'content-type': type, accept: 'application/json' },
      text: '["~#x"]',
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'application/problem+json']);
  });

  test('another type of body is 415', async () => {
    const app = await serve(model);
    const headers = { 'content-type': 'application/transit+msgpack' };
    expect((await app.ask({ method: 'POST', target: '/shop/Thing', headers, text: '{}' })).status).toBe(415);
  });
});

test('a repeated request is answered again in the type it asks for', async () => {
  const app = await serve(model);
  const headers = { 'idempotency-key': 'k', 'content-type': type };
  const ask = { method: 'POST', target: '/shop/Thing', text: '["^ ","~:id",1]' };
  const first = await app.ask({ ...ask, headers });
  const again = await app.ask({ ...ask, headers });
  const asJson = await app.ask({ ...ask, headers: { ...headers, accept: 'application/json' } });
  expect([again.status, again.text, again.headers['content-type']]).toEqual([201, first.text, type]);
  expect([asJson.status, asJson.text]).toEqual([201, writeJson(parseTransit(first.text, limits))]);
});

test('on the wire, an answer that a cache may keep says that it depends on the media types asked for', async () => {
  const { url } = await listen(({ path }) =>
    answerOf('{}', path === '/304' ? 304 : 200, { 'content-type': path === '/json' ? 'application/json' : type }),
  );
  for (const path of ['/json', '/transit', '/304']) expect((await fetch(url + path)).headers.get('vary')).toBe('Accept, Content-Type');
});

test('on the wire, a request that is refused before its body is read is answered in transit', async () => {
  const { url } = await listen(undefined, { limits: { body: 10, url: 100 } });
  const headers = { 'content-type': type };
  const answers = [
    await fetch(`${url}/${'x'.repeat(200)}`, { headers: { accept: type } }),
    await fetch(url, { method: 'POST', headers, body: 'x'.repeat(11) }),
  ];
  for (const answer of answers) expect([answer.status, answer.headers.get('content-type')]).toEqual([answer.status, type]);
  expect(answers.map((answer) => answer.status)).toEqual([414, 413]);
  expect(await answers[0]?.text()).toContain('"~:code":"url-too-long"');
});

function send(app: Served, method: string, target: string, text: string): Promise<Answer> {
  return app.ask({ method, target, headers: { 'content-type': `${type}; charset=utf-8` }, text });
}

function attributeOf({ text }: Answer, attribute: string): string {
  const value = parseTransit(text, limits);
  const member = typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === attribute)?.[1] : undefined;
  return member === undefined ? 'absent' : writeJson(member);
}
