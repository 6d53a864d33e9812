// What each attribute type takes, refuses and keeps.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributeType } from '../../src/model/types/attribute-type.ts';
import { attributeTypeNames, attributeTypes, findAttributeType } from '../../src/model/types/types.ts';
import type { Value } from '../../src/values/value.ts';

interface Table {
  /** What is kept as it is sent. */
  readonly takes?: readonly Value[];
  /** What is kept in another form. */
  readonly keeps?: readonly (readonly [sent: Value, kept: Value])[];
  readonly refuses: readonly Value[];
  readonly reads?: readonly (readonly [text: string, value: Value])[];
  readonly refusesText?: readonly string[];
}

const loneSurrogate = 'a\ud800b';
const nul = 'a\0b';
const id = '0190a5b0-7c1e-7000-8000-0123456789ab';
const deep = (levels: number): Value => {
  let value: Value = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};
const polluted: Value = JSON.parse('{"a": {"__proto__": {"admin": true}}}');

const tables: Readonly<Record<string, Table>> = {
  String: {
    takes: ['', 'text', '  spaces ', 'Grüße 😀', 'line\nline', 'e\u0301', '\u0007'],
    refuses: [1, true, null, [], {}, loneSurrogate, nul, '\udc00'],
    reads: [
      ['', ''],
      ['1', '1'],
    ],
    refusesText: [nul, loneSurrogate],
  },
  Int: {
    takes: [0, 1, -1, 9007199254740991, -9007199254740991, 9007199254740992n, 9223372036854775807n, -9223372036854775808n],
    keeps: [
      [-0, 0],
      [1n, 1],
      [1.0, 1],
    ],
    refuses: [
      1.5,
      9007199254740992,
      1e300,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      9223372036854775808n,
      -9223372036854775809n,
      '1',
      true,
      null,
    ],
    reads: [
      ['0', 0],
      ['-12', -12],
      ['9223372036854775807', 9223372036854775807n],
    ],
    refusesText: ['', '01', '-0', '+1', '1.0', '1e3', ' 1', '9223372036854775808', '0x10', '١'],
  },
  Float: {
    takes: [0, 1.5, -2, 1e300, 5e-324],
    keeps: [
      [-0, 0],
      [9007199254740992n, 9007199254740992],
    ],
    refuses: [Number.NaN, Number.POSITIVE_INFINITY, 9007199254740993n, 10n ** 400n, '1.5', true, null],
    reads: [
      ['1.50', 1.5],
      ['-1e3', -1000],
    ],
    refusesText: ['', '1e999', 'NaN', 'Infinity', '.5', '1.', '+1', '0x1', '1_000', '1e99999'],
  },
  BigInteger: {
    takes: ['0', '-12', '9'.repeat(1000), '170141183460469231731687303715884105728'],
    keeps: [
      [1, '1'],
      [-0, '0'],
      [1e21, '1000000000000000000000'],
      [2n ** 100n, '1267650600228229401496703205376'],
      ['007', '7'],
      ['1.5e3', '1500'],
    ],
    refuses: ['', '1.5', '1.0', '1e-2', 'x', '0x10', '1'.repeat(1001), 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, null, [], {}],
    reads: [['18446744073709551616', '18446744073709551616']],
    refusesText: ['', '1.5', 'one'],
  },
  Decimal: {
    takes: ['0', '1.50', '-12.30', `0.${'3'.repeat(999)}`, '9'.repeat(1000), '-0.01'],
    keeps: [
      [1, '1'],
      [0.1, '0.1'],
      [1e21, '1000000000000000000000'],
      [1e-7, '0.0000001'],
      [-0, '0'],
      [12345678901234567890n, '12345678901234567890'],
      ['007.10', '7.10'],
      ['-0.00', '0.00'],
      ['1.5e3', '1500'],
      ['1.2345e2', '123.45'],
      ['12e-3', '0.012'],
      ['000', '0'],
    ],
    refuses: [
      '',
      '-',
      '1,5',
      '.5',
      '5.',
      '+1',
      ' 1',
      '1 ',
      'NaN',
      '1e9999',
      '1e-9999',
      '1'.repeat(1001),
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      true,
      null,
      [],
    ],
    reads: [
      ['1.50', '1.50'],
      ['007', '7'],
    ],
    refusesText: ['', 'one', '٣'],
  },
  Boolean: {
    takes: [true, false],
    refuses: [0, 1, 'true', null, []],
    reads: [
      ['true', true],
      ['false', false],
    ],
    refusesText: ['', 'True', '1', 'yes'],
  },
  UUID: {
    takes: [id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    refuses: ['', 'not-a-uuid', `{${id}}`, id.replaceAll('-', ''), `${id} `, `${id}\n`, `g${id.slice(1)}`, 1, null],
  },
  Email: {
    takes: ['a@b.co', 'First.Last+tag@Example.COM', "o'brien@sub.example.org", 'ü@müller.example', 'x@1.example', `${'a'.repeat(64)}@b.co`],
    refuses: [
      '',
      'not-an-email',
      'a@b',
      '@b.co',
      'a@',
      'a@@b.co',
      'a@b@c.co',
      'a b@c.co',
      'a@b c.co',
      '.a@b.co',
      'a.@b.co',
      'a..b@c.co',
      'a@-b.co',
      'a@b-.co',
      'a@b..co',
      'a@127.0.0.1',
      'a@b.co\n',
      '"a b"@c.co',
      `${'a'.repeat(65)}@b.co`,
      `a@${'b'.repeat(64)}.co`,
      `a@${'b.'.repeat(2000)}co`,
      1,
      null,
    ],
  },
  Date: {
    takes: ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'],
    refuses: [
      '2023-02-29',
      '1900-02-29',
      '2024-04-31',
      '2024-13-01',
      '2024-00-10',
      '2024-01-00',
      '0000-01-01',
      '2024-1-1',
      '24-01-01',
      '2024-01-01T00:00',
      '20240101',
      '',
      20240101,
    ],
  },
  Time: {
    takes: ['00:00:00', '23:59:59', '12:30:00.5', '12:30:00.123456789'],
    keeps: [['09:30', '09:30:00']],
    refuses: ['24:00', '23:60', '23:59:60', '9:30', '09:30Z', '09:30:00.', '09:30:00.1234567890', '0930', '', 930],
  },
  DateTime: {
    takes: ['2024-02-29T12:30:00', '2024-02-29T12:30:00Z', '2024-08-29T12:21:14.405177377', '2024-08-29T12:21:14.405177377Z'],
    keeps: [
      ['2024-01-01T00:30', '2024-01-01T00:30:00'],
      ['2024-01-01T00:30Z', '2024-01-01T00:30:00Z'],
      ['2024-01-01T00:30:00+02:00', '2023-12-31T22:30:00Z'],
      ['2024-02-28T23:30:00.123456789-05:30', '2024-02-29T05:00:00.123456789Z'],
      ['2024-01-01T00:30:00-00:00', '2024-01-01T00:30:00Z'],
      ['0099-06-01T00:00:00+01:00', '0099-05-31T23:00:00Z'],
    ],
    refuses: [
      'banana',
      '2023-02-29T00:00:00',
      '2024-01-01',
      '2024-01-01 00:00:00',
      '2024-01-01t00:00:00z',
      '2024-01-01T24:00:00',
      '2024-01-01T00:00:60',
      '2024-01-01T00:00:00+2',
      '2024-01-01T00:00:00+24:00',
      '2024-01-01T00:00:00+01:60',
      '2024-01-01T00:00:00,5',
      '0001-01-01T00:00:00+01:00',
      '9999-12-31T23:30:00-01:00',
      1704067200000,
    ],
  },
  URL: {
    takes: [
      'https://example.org',
      'http://localhost:8080/a?b=c#d',
      'HTTPS://Example.ORG/%7e',
      'mailto:a@b.co',
      'urn:isbn:0451450523',
      'ftp://h/f',
      'https://müller.example/ü',
    ],
    refuses: [
      '',
      'example.org',
      '/path',
      '//host',
      'http:example.org',
      'http://',
      ' https://a.b',
      'https://a b.c',
      'https://a.b/\n',
      'http://[::1',
      `https://a.b/${'x'.repeat(2048)}`,
      1,
    ],
  },
  Password: {
    takes: ['x', 'correct horse', '😀'.repeat(1024)],
    refuses: ['', 'x'.repeat(1025), '😀'.repeat(1025), nul, loneSurrogate, 12345678],
  },
  Path: {
    takes: ['path://blog$Post/1', 'a', '/'],
    refuses: ['', 'x'.repeat(2049), nul, 1, null],
  },
  Keyword: {
    takes: ['done', 'Acme.Company/Department', ':done'],
    refuses: ['', 'in progress', 'x'.repeat(2049), nul, 1, null],
  },
  Map: {
    takes: [{}, { a: 1, b: [true, null, { c: 'd' }] }, { big: 9223372036854775807n }],
    refuses: [
      null,
      [],
      'x',
      1,
      { a: nul },
      { [nul]: 1 },
      { a: loneSurrogate },
      polluted,
      { a: Number.NaN },
      { a: 2n ** 63n },
      { a: deep(100) },
    ],
    refusesText: ['', 'x', '{"a": [1]}'],
  },
  Any: {
    takes: [null, true, 0, 'x', [], {}, [1, { a: null }], deep(100)],
    refuses: [nul, loneSurrogate, [nul], polluted, Number.POSITIVE_INFINITY, deep(101)],
    refusesText: ['hello', '1', 'null', '[1]'],
  },
};

test('every attribute type has a table here', () => {
  expect(attributeTypes.map((type) => type.name).sort()).toEqual(Object.keys(tables).sort());
});

for (const [name, table] of Object.entries(tables)) {
  describe(name, () => {
    const type = typeCalled(name);
    for (const value of table.takes ?? []) test(`takes ${show(value)}`, () => expect(type.parse(value)).toEqual(value));
    for (const [sent, kept] of table.keeps ?? [])
      test(`keeps ${show(sent)} as ${show(kept)}`, () => expect(type.parse(sent)).toEqual(kept));
    for (const value of table.refuses) test(`refuses ${show(value)}`, () => expect(type.parse(value)).toBeUndefined());
    for (const [text, value] of table.reads ?? []) test(`reads ${show(text)}`, () => expect(type.parseText(text)).toEqual(value));
    for (const text of table.refusesText ?? []) test(`does not read ${show(text)}`, () => expect(type.parseText(text)).toBeUndefined());
  });
}

test('types have other names', () => {
  const pairs = [...attributeTypeNames()].map((name) => [name, findAttributeType(name)?.name]).filter(([name, type]) => name !== type);
  expect(pairs).toEqual([
    ['Int64', 'Int'],
    ['Integer', 'Int'],
    ['Number', 'Float'],
    ['Double', 'Float'],
    ['Identity', 'UUID'],
    ['Identifier', 'UUID'],
    ['Now', 'DateTime'],
    ['Record', 'Map'],
    ['Entity', 'Map'],
    ['Event', 'Map'],
    ['Edn', 'Any'],
  ]);
});

test('the case of its digits is no part of a UUID', () => {
  const [uuid] = attributeTypes.filter((type) => type.name === 'UUID');
  expect(uuid?.parse(id.toUpperCase())).toBe(id);
  expect(uuid?.parseText(id.toUpperCase())).toBe(id);
});

test('only types that can stand in a path identify', () => {
  const names = attributeTypes.filter((type) => type.identifies).map((type) => type.name);
  expect(names).toEqual(['String', 'Int', 'UUID', 'Email', 'Date', 'Time', 'DateTime', 'URL', 'Path', 'Keyword']);
});

const values = fc.oneof(
  fc.jsonValue().map((value): Value => JSON.parse(JSON.stringify(value))),
  fc.string({ unit: 'binary' }),
  fc.emailAddress(),
  fc.webUrl(),
  fc.uuid(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.double(),
  fc.bigInt(),
  fc.stringMatching(/^-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/),
  fc.stringMatching(/^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-][01]\d:[0-5]\d)?$/),
);

for (const type of attributeTypes) {
  describe(type.name, () => {
    test('what is kept is kept as it is when it is sent again', () => {
      fc.assert(
        fc.property(values, (value) => {
          const kept = type.parse(value);
          if (kept !== undefined) expect(type.parse(kept)).toEqual(kept);
        }),
      );
    });

    test('what a query string says is what a body says', () => {
      fc.assert(
        fc.property(values, (value) => {
          const kept = type.parse(value);
          const isText = typeof kept === 'string' && type.name !== 'Any';
          if (isText || typeof kept === 'number' || typeof kept === 'bigint' || typeof kept === 'boolean') {
            if (type.name !== 'Any') expect(type.parseText(String(kept))).toEqual(kept);
          }
        }),
      );
    });

    test('reading text never throws, and gives what a body could hold', () => {
      fc.assert(
        fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
          const value = type.parseText(text);
          if (value !== undefined) expect(type.parse(value)).toEqual(value);
        }),
      );
    });
  });
}

test('an address of many parts is refused at once, not after trying all splits', () => {
  const email = typeCalled('Email');
  expect(email.parse(`${'a.'.repeat(1000)}@`)).toBeUndefined();
  expect(email.parse(`a@${'a-'.repeat(1000)}`)).toBeUndefined();
});

function typeCalled(name: string): AttributeType {
  const type = findAttributeType(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

function show(value: Value): string {
  const text =
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : Object.is(each, -0) ? '-0' : each)) ??
    String(value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
