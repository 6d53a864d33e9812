// Reading transit: every ground and extension type, in the cached and the verbose form, and what is refused.

import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../src/errors.ts';
import { parseTransit } from '../../src/http/media/transit/read.ts';
import { ExactNumber } from '../../src/values/exact-number.ts';
import type { JsonLimits } from '../../src/values/json/reader.ts';
import type { Value } from '../../src/values/value.ts';

const limits: JsonLimits = { depth: 64, keys: 100, items: 100 };

const uuid = 'dda5a83f-8f9d-4194-ae88-5745c8ca94a7';
const halves = '[-2475387429224365676,-5870346157044362073]';

describe('every kind of transit value that can stand in a body', () => {
  const cases: readonly (readonly [text: string, value: Value])[] = [
    // Ground types.
    ['["~#\'",null]', null],
    ['["~:a","~_"]', ['a', null]],
    ['["~?t","~?f",true]', [true, false, true]],
    ['["text",""]', ['text', '']],
    ['["~~a","~^a","~`a","~","`a","a~"]', ['~a', '^a', '`a', '~', '`a', 'a~']],
    ['[1,-5,9007199254740991]', [1, -5, 9007199254740991]],
    ['["~i5","~i-9007199254740991","~i9007199254740993"]', [5, -9007199254740991, 9007199254740993n]],
    ['[9007199254740993,9223372036854775807]', [9007199254740993n, 9223372036854775807n]],
    ['["~n5","~n123456789012345678901234567890"]', [5, 123456789012345678901234567890n]],
    ['[1.5,1e3]', [1.5, 1000]],
    ['["~d1.5","~d1.0E10","~d-0"]', [1.5, 10_000_000_000, 0]],
    ['["~d0.1234567890123456789",0]', [new ExactNumber('0.1234567890123456789'), 0]],
    ['["~f1.50","~f12345678901234567890.123","~f1E+3"]', ['1.50', '12345678901234567890.123', '1000']],
    // Extension types.
    ['["~:Block","~:Acme.Company/Department","~:a"]', ['Block', 'Acme.Company/Department', 'a']],
    ['["~$name","~$my/name",0]', ['name', 'my/name', 0]],
    [`["~u${uuid}",["~#u",${halves}],0]`, [uuid, uuid, 0]],
    ['[["~#u",["~i1","~i-1"]]]', ['00000000-0000-0001-ffff-ffffffffffff']],
    ['["~m0","~m1700000000123","~m-1"]', ['1970-01-01T00:00:00.000Z', '2023-11-14T22:13:20.123Z', '1969-12-31T23:59:59.999Z']],
    ['[["~#m",1700000000123],["~#m","~i0"]]', ['2023-11-14T22:13:20.123Z', '1970-01-01T00:00:00.000Z']],
    ['["~t2023-11-14T22:13:20.123Z","~t2023-11-14T23:13:20+01:00",0]', ['2023-11-14T22:13:20.123Z', '2023-11-14T22:13:20Z', 0]],
    ['[["~#t","2023-11-14T22:13:20Z"]]', ['2023-11-14T22:13:20Z']],
    ['["~rhttps://example.com/~a","~ca","~c😀"]', ['https://example.com/~a', 'a', '😀']],
    ['[["~#?",true],["~#_",null],["~#:","a"],["~#d",1.5],["~#f",1.5],["~#i",5]]', [true, null, 'a', 1.5, '1.5', 5]],
    // Composite types.
    ['["~#set",[1,"~:a",["~#set",[]]]]', [1, 'a', []]],
    ['["~#list",[1,[2]]]', [1, [2]]],
    ['["~#cmap",["a",1,"~:b",["^ ","~:c",2]]]', { a: 1, b: { c: 2 } }],
    ['["~#\'",["~#set",["a"]]]', ['a']],
    ['["^ "]', {}],
    ['["^ ","~:No",7,"~:Block","a"]', { No: 7, Block: 'a' }],
    ['["^ ","~:Acme.Company/Department",["^ ","~:No",7]]', { 'Acme.Company/Department': { No: 7 } }],
    ['["^ ","plain",1,"~~a",2,"~$s",3]', { plain: 1, '~a': 2, s: 3 }],
    [`["^ ","~u${uuid}",1,"~m0",2]`, { [uuid]: 1, '1970-01-01T00:00:00.000Z': 2 }],
    ['[["~^ ",1],["~~#set",[]],"~^0"]', [['^ ', 1], ['~#set', []], '^0']],
    // The verbose form.
    ['{"~:No":7,"~:Block":"a","plain":{"~:x":[]}}', { No: 7, Block: 'a', plain: { x: [] } }],
    ['{"~#set":[1,{"~#list":[2]}]}', [1, [2]]],
    ['{"~#cmap":["a",1]}', { a: 1 }],
    ['{"~#\'":"~t2023-11-14T22:13:20Z"}', '2023-11-14T22:13:20Z'],
    ['{"~#m":0}', '1970-01-01T00:00:00.000Z'],
    ['{}', {}],
    ['{"a":1}', { a: 1 }],
  ];
  for (const [text, value] of cases) test(text, () => expect(plain(parseTransit(text, limits))).toEqual(value));
});

describe('a cache code stands for the key, keyword, symbol or tag that it repeats', () => {
  const cases: readonly (readonly [text: string, value: Value])[] = [
    ['[["^ ","~:name",1],["^ ","^0",2]]', [{ name: 1 }, { name: 2 }]],
    ['[["^ ","name",1],["^ ","^0","^0"]]', [{ name: 1 }, { name: 'name' }]],
    ['["~:name","^0","^0"]', ['name', 'name', 'name']],
    ['["~$name","^0"]', ['name', 'name']],
    ['[["~#set",[1]],["^0",[2]]]', [[1], [2]]],
    ['[["~#set",["~:name"]],["^0",["^1"]]]', [['name'], ['name']]],
    [`[["^ ","~u${uuid}",1],["^ ","^0",2]]`, [{ [uuid]: 1 }, { [uuid]: 2 }]],
    // Texts of at most three characters, and texts that are not keys, have no code.
    ['["~:a","~:ab","~:abc","text","~:last","^2"]', ['a', 'ab', 'abc', 'text', 'last', 'last']],
    ['[["~#cmap",["name",1,"~:keyword",2]],"^1"]', [{ name: 1, keyword: 2 }, 'keyword']],
  ];
  for (const [text, value] of cases) test(text, () => expect(plain(parseTransit(text, limits))).toEqual(value));

  test('codes have two digits from the 45th on, and begin anew after 1936', () => {
    const roomy = { ...limits, items: 10_000 };
    const names = Array.from({ length: 1936 }, (_, index) => `~:name${index}`);
    expect(parseTransit(JSON.stringify([...names.slice(0, 46), '^[', '^10', '^11']), roomy)).toEqual([
      ...names.slice(0, 46).map((name) => name.slice(2)),
      'name43',
      'name44',
      'name45',
    ]);
    const last = parseTransit(JSON.stringify([...names, '^[[', '~:again', '^0', 0]), roomy);
    expect(last).toEqual([...names.map((name) => name.slice(2)), 'name1935', 'again', 'again', 0]);
    expect(codeOf(JSON.stringify([...names, '~:again', '^1']), roomy)).toBe('body-unreadable');
  });
});

describe('what no attribute can hold is 422, all of it at once', () => {
  const cases: readonly (readonly [text: string, attributes: readonly string[]])[] = [
    ['["^ ","~:a","~zNaN","~:b",["^ ","~:c","~zINF"]]', ['a', 'b.c']],
    ['{"~:a":["~z-INF",1,"~dNaN"]}', ['a[0]', 'a[2]']],
    ['["~#set",[["^ ","~:data","~bYWJj"]]]', ['[0].data']],
  ];
  for (const [text, attributes] of cases) {
    test(text, () => {
      const thrown = thrownBy(text, limits);
      expect(thrown.code).toBe('attributes-invalid');
      expect(thrown.details.errors?.map((each) => each.attribute)).toEqual(attributes);
    });
  }
});

describe('what is malformed, or of an unknown kind, is 400', () => {
  const cases: readonly string[] = [
    '',
    '["~:a"',
    '["~xabc"]',
    '["~#foo",1]',
    '["~#ratio",["~n1","~n3"]]',
    '["~#link",["^ ","href","~rhttp://x","rel","a"]]',
    '["~#with-meta",[[1],["^ "]]]',
    '{"~#foo":1}',
    '["~#set",1]',
    '["~#set",["^ "]]',
    '["~#set"]',
    '["~#set",[1],2]',
    '[1,"~#set"]',
    '"~#set"',
    '["~#cmap",["a"]]',
    '["~#cmap",[[1],2]]',
    '["~#cmap",[1,2]]',
    '["^ ","a"]',
    '["^ ","~i1",2]',
    '["^ ","~?t",2]',
    '["^ ","~#set",2]',
    '["^ ",null,2]',
    '["^ ","a",1,"a",2]',
    '["^ ","a",1,"~:a",2]',
    '{"a":1,"~:a":2}',
    '{"a":1,"a":2}',
    '{"~#set":[],"a":1}',
    '["^0"]',
    '["^"]',
    '[1,"^ "]',
    '["~:name","^1"]',
    '["~:name","^000"]',
    '["~:name","^é"]',
    '[["^ ","~:name",1],{"^0":2}]',
    '["~i1.5",0]',
    '["~i",0]',
    '["~i0x10",0]',
    `["~n${'1'.repeat(1001)}",0]`,
    '["~d1.",0]',
    '["~d 1",0]',
    '["~f1,5",0]',
    '["~zfoo",0]',
    '["~?x",0]',
    '["~_x",0]',
    '["~cab",0]',
    '["~c",0]',
    '["~uabc",0]',
    '["~#u",[1]]',
    '["~#u",["a","b"]]',
    '["~#u",[99999999999999999999,1]]',
    '["~m1.5",0]',
    '["~m8640000000000001",0]',
    '["~tyesterday",0]',
    '["~t2023-02-30T00:00:00Z",0]',
    '["~t2023-11-14T22:13:20",0]',
    '["~#:",5]',
    '["~#?","x"]',
  ];
  for (const text of cases) test(text.slice(0, 60), () => expect(codeOf(text, limits)).toBe('body-unreadable'));
});

describe('the limits of JSON hold', () => {
  const narrow: JsonLimits = { depth: 4, keys: 2, items: 2 };
  const cases: readonly (readonly [text: string, outcome: string])[] = [
    ['["^ ","a",1,"b",2]', 'read'],
    ['["^ ","a",1,"b",2,"c",3]', 'limit-exceeded'],
    ['["~#cmap",["a",1,"b",2,"c",3]]', 'limit-exceeded'],
    ['{"a":1,"b":2,"c":3}', 'limit-exceeded'],
    ['["~#set",[1,2]]', 'read'],
    ['["~#set",[1,2,3]]', 'limit-exceeded'],
    ['[1,2,3]', 'limit-exceeded'],
    ['[[[[]]]]', 'read'],
    ['[[[[[]]]]]', 'limit-exceeded'],
    [`${'["~#set",'.repeat(5)}[]${']'.repeat(5)}`, 'limit-exceeded'],
  ];
  for (const [text, outcome] of cases) test(text, () => expect(codeOf(text, narrow)).toBe(outcome));

  test('cache codes that stand for far more text than the body has are refused', () => {
    const wide = { ...limits, items: 100_000 };
    const bomb = JSON.stringify([`~:${'x'.repeat(100_000)}`, ...Array<string>(50_000).fill('^0')]);
    expect(codeOf(bomb, wide)).toBe('limit-exceeded');
    const honest = JSON.stringify([`~:${'x'.repeat(63)}`, ...Array<string>(50_000).fill('^0')]);
    expect(codeOf(honest, wide)).toBe('read');
  });

  test('a body is no larger than a body may be when its cache codes are written out', () => {
    const wide = { ...limits, items: 100_000, bytes: 10_000 };
    const repeated = (times: number) => JSON.stringify([`~:${'x'.repeat(98)}`, ...Array<string>(times).fill('^0')]);
    expect(codeOf(repeated(90), wide)).toBe('read');
    expect(codeOf(repeated(110), wide)).toBe('limit-exceeded');
    expect(codeOf(JSON.stringify([`~:${'ä'.repeat(98)}`, ...Array<string>(90).fill('^0')]), wide)).toBe('limit-exceeded');
  });

  test('the deepest body that JSON allows is read', () => {
    const deepest = 1000;
    const text = `${'["~#list",['.repeat(deepest / 2)}${']]'.repeat(deepest / 2)}`;
    expect(codeOf(text, { ...limits, depth: 1_000_000 })).toBe('read');
    expect(codeOf(`[${text}]`, { ...limits, depth: 1_000_000 })).toBe('limit-exceeded');
  });
});

test('keys named like members of Object.prototype are keys like any other', () => {
  for (const text of ['["^ ","~:__proto__",["^ ","~:polluted",1],"constructor",2]', '{"~:__proto__":{"polluted":1},"constructor":2}']) {
    const value = parseTransit(text, limits);
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Reflect.has({}, 'polluted')).toBe(false);
  }
});

function codeOf(text: string, bounds: JsonLimits): string {
  try {
    parseTransit(text, bounds);
    return 'read';
  } catch (thrown) {
    return thrown instanceof PlatformError ? thrown.code : String(thrown);
  }
}

function thrownBy(text: string, bounds: JsonLimits): PlatformError {
  try {
    parseTransit(text, bounds);
  } catch (thrown) {
    if (thrown instanceof PlatformError) return thrown;
  }
  throw new Error('nothing was refused');
}

/** Objects as literals write them. */
function plain(value: Value): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}
