// Which bodies are read, and what an answer is written in.

import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../src/errors.ts';
import type { HttpRequest } from '../../src/http/exchange.ts';
import { answerMedia, bodyMedia, preferred, readBody } from '../../src/http/media.ts';

const limits = { depth: 64, keys: 100, items: 100 };

describe('a body must be application/json in UTF-8, not encoded', () => {
  const cases: readonly [headers: HttpRequest['headers'], status: string][] = [
    [{ 'content-type': 'application/json' }, 'read'],
    [{ 'content-type': 'Application/JSON' }, 'read'],
    [{ 'content-type': 'application/json; charset=utf-8' }, 'read'],
    [{ 'content-type': 'application/json;charset="UTF-8"' }, 'read'],
    [{ 'content-type': 'application/json; profile=x' }, 'read'],
    [{ 'content-type': 'application/json', 'content-encoding': 'identity' }, 'read'],
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

test('an Accept that matches nothing gets JSON', () => {
  for (const accept of [undefined, '*/*', 'text/html', 'application/json;q=0', ',;,']) {
    expect(answerMedia(request({ accept })).type).toBe('application/json');
  }
});

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
