// Which bodies are read, and what an answer is written in.

import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../src/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.ts';
import { answerMedia, bodyMedia, negotiated, preferred, readBody, variesBy } from '../../src/http/media/media.ts';

const limits = { depth: 64, keys: 100, items: 100 };

describe('a body must be application/json or application/transit+json in UTF-8, not encoded', () => {
  const cases: readonly [headers: HttpRequest['headers'], status: string][] = [
    [{ 'content-type': 'application/json' }, 'read'],
    [{ 'content-type': 'Application/JSON' }, 'read'],
    [{ 'content-type': 'application/json; charset=utf-8' }, 'read'],
    [{ 'content-type': 'application/json;charset="UTF-8"' }, 'read'],
    [{ 'content-type': 'application/json; profile=x' }, 'read'],
    [{ 'content-type': 'application/json', 'content-encoding': 'identity' }, 'read'],
    [{ 'content-type': 'application/transit+json' }, 'read'],
    [{ 'content-type': 'Application/Transit+JSON; charset=UTF-8' }, 'read'],
    [{ 'content-type': 'application/transit+json; charset=latin1' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/transit+json', 'content-encoding': 'gzip' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/transit+msgpack' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/transit' }, 'media-type-unsupported'],
    [{}, 'media-type-unsupported'],
    [{ 'content-type': '' }, 'media-type-unsupported'],
    [{ 'content-type': 'text/plain' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/jsonp' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/json; charset=utf-16' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/json; charset=latin1' }, 'media-type-unsupported'],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'media-type-unsupported'],
  ];
  for (const [headers, expected] of cases) {
    test(JSON.stringify(headers), () => expect(outcome(request(headers, '{"a":1}'))).toBe(expected));
  }
});

test('a request without a body has nothing to read, whatever its headers say', () => {
  expect(readBody(request({ 'content-type': 'text/plain' }), limits)).toBeUndefined();
  expect(bodyMedia(request({ 'content-encoding': 'gzip' }))).toBeUndefined();
});

describe('bytes that are not the text of one JSON value are 400', () => {
  const cases: readonly [title: string, body: Buffer][] = [
    ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a byte order mark', Buffer.from('\u{feff}{}')],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
    ['two values', Buffer.from('{}{}')],
  ];
  for (const [title, body] of cases) {
    test(title, () => expect(outcome(request({ 'content-type': 'application/json' }, body))).toBe('body-unreadable'));
  }
});

test('text outside ASCII is read', () => {
  expect(readBody(request({ 'content-type': 'application/json' }, '{"ä":"😀"}'), limits)).toEqual({ ä: '😀' });
});

describe('Accept chooses the type it names with the highest weight', () => {
  const types = ['application/json', 'application/transit+json'];
  const cases: readonly [accept: string, expected: string | undefined][] = [
    ['application/json', 'application/json'],
    ['application/transit+json', 'application/transit+json'],
    ['application/json;q=0.5, application/transit+json', 'application/transit+json'],
    ['application/json, application/transit+json', 'application/json'],
    ['Application/Transit+JSON ; q=0.9, application/json; q=0.8', 'application/transit+json'],
    ['application/transit+json;q=0, application/json;q=0.1', 'application/json'],
    ['text/html, */*;q=0.8', undefined],
    ['application/*', undefined],
    ['application/json;q=2', undefined],
    ['', undefined],
  ];
  for (const [accept, expected] of cases) test(accept, () => expect(preferred(accept, types)).toBe(expected));
});

describe('an answer takes the type that Accept names, else that of the request, else JSON', () => {
  const cases: readonly [accept: string | undefined, contentType: string | undefined, expected: string][] = [
    [undefined, undefined, 'application/json'],
    ['*/*', undefined, 'application/json'],
    ['text/html', undefined, 'application/json'],
    ['application/json;q=0', undefined, 'application/json'],
    [',;,', undefined, 'application/json'],
    ['application/transit+json', undefined, 'application/transit+json'],
    ['application/transit+json', 'application/json', 'application/transit+json'],
    ['application/json', 'application/transit+json', 'application/json'],
    [undefined, 'application/transit+json', 'application/transit+json'],
    [undefined, 'application/transit+json; charset=utf-8', 'application/transit+json'],
    ['*/*', 'application/transit+json', 'application/transit+json'],
    ['text/html, */*;q=0.1', 'application/transit+json', 'application/transit+json'],
    ['application/*', 'application/transit+json', 'application/transit+json'],
    ['text/html', 'application/transit+json', 'application/json'],
    ['*/*, application/transit+json;q=0', 'application/transit+json', 'application/json'],
    ['application/transit+json;q=0', 'application/json', 'application/json'],
    ['application/transit+json;q=0', 'application/transit+json', 'application/json'],
    ['application/transit+json;q=0.1, application/json;q=0.2', 'application/transit+json', 'application/json'],
    ['application/transit+json, */*', undefined, 'application/transit+json'],
    [undefined, 'text/plain', 'application/json'],
  ];
  for (const [accept, type, expected] of cases) {
    test(`Accept ${accept}, Content-Type ${type}`, () => {
      expect(answerMedia(request({ accept, 'content-type': type })).type).toBe(expected);
    });
  }
});

describe('an answer in JSON is converted for whoever asks for transit, and says what it depends on', () => {
  const transitType = 'application/transit+json';
  const cases: readonly [
    headers: Record<string, string>,
    status: number,
    type: string | undefined,
    body: string | undefined,
    vary: boolean,
  ][] = [
    [{ 'content-type': 'application/json', etag: '"1"' }, 200, transitType, '{"~:a":1}', true],
    [{ 'content-type': 'application/problem+json' }, 404, transitType, '{"~:a":1}', true],
    [{ 'content-type': 'text/plain' }, 200, 'text/plain', '{"a":1}', false],
    [{ etag: '"1"' }, 304, undefined, undefined, true],
    [{ allow: 'GET' }, 204, undefined, undefined, false],
  ];
  for (const [headers, status, type, body, varies] of cases) {
    test(`${status} ${headers['content-type']}`, () => {
      const response: HttpResponse = { status, headers, body: body === undefined ? undefined : '{"a":1}' };
      const answer = negotiated(response, request({ accept: transitType }));
      expect(answer.headers['content-type']).toBe(type);
      expect([answer.status, answer.body, answer.headers['etag']]).toEqual([status, body, headers['etag']]);
      expect(variesBy(answer)).toBe(varies ? 'Accept, Content-Type' : undefined);
      expect(negotiated(response, request({ accept: 'application/json' }))).toBe(response);
    });
  }

  test('an answer in bytes or in pieces is converted too', async () => {
    const headers = { 'content-type': 'application/json' };
    const asked = request({ accept: transitType });
    expect(negotiated({ status: 200, headers, body: Buffer.from('{"a":"~"}') }, asked).body).toBe('{"~:a":"~~"}');
    expect(await inPieces(negotiated({ status: 200, headers, body: pieces() }, asked).body)).toEqual(['[{"~:a":1}', ',{"~:a":2}', ']']);
  });

  test('of a long document in bytes others wait for a piece at a time, wherever characters are cut', async () => {
    const words = Array.from({ length: 30_000 }, (_, at) => ({ ['ä'.repeat(at % 7)]: '𝒳~'.repeat(at % 5) }));
    const [document, headers] = [JSON.stringify(words), { 'content-type': 'application/json' }];
    const { body } = negotiated({ status: 200, headers, body: Buffer.from(document) }, request({ accept: transitType }));
    const texts = await inPieces(body);
    expect(Math.max(...texts.map((each) => each.length))).toBeLessThan(150_000);
    expect(texts.join('')).toBe(negotiated({ status: 200, headers, body: document }, request({ accept: transitType })).body);
  });
});

async function inPieces(body: HttpResponse['body']): Promise<readonly string[]> {
  if (typeof body !== 'object' || Buffer.isBuffer(body)) throw new Error('not in pieces');
  const texts: string[] = [];
  for await (const piece of body) texts.push(String(piece));
  return texts;
}

async function* pieces(): AsyncGenerator<string, void> {
  yield* ['[{"a":1}', ',{"a":2}', ']'];
}

function outcome(given: HttpRequest): string {
  try {
    readBody(given, limits);
    return 'read';
  } catch (thrown) {
    return thrown instanceof PlatformError ? thrown.code : String(thrown);
  }
}

function request(headers: HttpRequest['headers'], body?: string | Buffer): HttpRequest {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { method: 'POST', path: '/', query: '', headers, body: bytes, id: '1', remote: '::1' };
}
