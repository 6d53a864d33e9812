// Against transit-js as a peer: each reads what the other writes. And garbage is refused, never more than that.

import fc from 'fast-check';
import transit, { type Form } from 'transit-js';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../src/errors.ts';
import { parseTransit } from '../../src/http/media/transit/read.ts';
import { transitText } from '../../src/http/media/transit/write.ts';
import { parseJson, writeJson } from '../../src/values/json/json.ts';
import { counted } from '../support/form.ts';

const limits = { depth: 1000, keys: 10_000, items: 10_000 };
const forms: readonly Form[] = ['json', 'json-verbose'];

// Texts and keys that look like transit, and few enough keys for codes to be used.
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('~', '^', '`', '~~', '^ ', '^0', '^10', '~:a', '~#set', "~#'", '~i5', '~zNaN', '`x', '"', '\\', '\\"', '~\\'),
);
const keys = fc.oneof(fc.constantFrom('name', 'title', 'Acme.Company/No', 'id', '~key', '^ ', '^0', '', '~#set', ':a b'), texts);
const { value: jsonValues } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(keys, tie('value')),
  ),
}));

for (const form of forms) {
  test(`the peer's ${form} reader reads what is written here, and gives the same value`, () => {
    const reader = transit.reader(form);
    fc.assert(
      fc.property(jsonValues, (value) => {
        const json = JSON.stringify(value);
        expect(fromPeer(reader.read(transitText(json)))).toEqual(JSON.parse(json));
      }),
      { numRuns: counted({ long: 10_000, short: 330 }) },
    );
  });

  test(`what the peer's ${form} writer writes is read here, and gives the same value`, () => {
    const writer = transit.writer(form);
    fc.assert(
      fc.property(jsonValues, (value) => {
        const json = JSON.stringify(value);
        // The peer's verbose writer loses such a key.
        fc.pre(!json.includes('"__proto__":'));
        expect(JSON.parse(writeJson(parseTransit(writer.write(JSON.parse(json)), limits)))).toEqual(JSON.parse(json));
      }),
      { numRuns: counted({ long: 10_000, short: 330 }) },
    );
  });
}

test('what is written here is read here, every integer exactly', () => {
  const integers = fc.array(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }));
  const texts = fc.oneof(
    integers.map(writeJson),
    jsonValues.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(texts, (json) => {
      expect(writeJson(parseTransit(transitText(json), limits))).toBe(writeJson(parseJson(json, limits)));
    }),
    { numRuns: counted({ long: 10_000, short: 330 }) },
  );
});

describe('values that only transit has, as the peer writes them', () => {
  const uuid = '0190d5a2-1234-7abc-8def-0123456789ab';
  const cases: readonly (readonly [title: string, written: unknown, json: string])[] = [
    ['keyword', transit.keyword('Acme.Company/Department'), '"Acme.Company/Department"'],
    ['symbol', transit.symbol('name'), '"name"'],
    ['UUID', transit.uuid(uuid), `"${uuid}"`],
    ['date', new Date(1_700_000_000_123), '"2023-11-14T22:13:20.123Z"'],
    ['URI', transit.uri('https://example.com/?a=b'), '"https://example.com/?a=b"'],
    ['integer of 64 bits', transit.integer('9007199254740993'), '9007199254740993'],
    ['integer of any size', transit.bigInt('123456789012345678901'), '123456789012345678901'],
    ['decimal', transit.bigDec('1.50'), '"1.50"'],
    ['set', transit.set([1, 'a', transit.keyword('b')]), '[1,"a","b"]'],
    ['list', transit.list([1, [2]]), '[1,[2]]'],
    ['map', transit.map([transit.keyword('name'), 1, 'text', transit.map([])]), '{"name":1,"text":{}}'],
    ['quoted', transit.quoted(5), '5'],
  ];
  for (const form of forms) {
    for (const [title, written, json] of cases) {
      test(`${title}, ${form}`, () => {
        const nested = [{ name: written }, { name: [written] }];
        expect(writeJson(parseTransit(transit.writer(form).write(written), limits))).toBe(json);
        expect(writeJson(parseTransit(transit.writer(form).write(nested), limits))).toBe(`[{"name":${json}},{"name":[${json}]}]`);
      });
    }
  }

  const refused: readonly (readonly [title: string, written: unknown, code: string])[] = [
    ['not a number', Number.NaN, 'attributes-invalid'],
    ['infinity', Number.NEGATIVE_INFINITY, 'attributes-invalid'],
    ['binary', transit.binary('YWJj'), 'attributes-invalid'],
    ['map with a composite key', transit.map([[1], 2]), 'body-unreadable'],
    ['map with a number as key', transit.map([1, 2]), 'body-unreadable'],
    ['link', transit.link({ href: 'http://x', rel: 'y' }), 'body-unreadable'],
    ['a tag of the application', transit.tagged('point', [1, 2]), 'body-unreadable'],
  ];
  for (const form of forms) {
    for (const [title, written, code] of refused) {
      test(`${title} is refused, ${form}`, () => expect(outcome(transit.writer(form).write(written))).toBe(code));
    }
  }
});

test('a list with many repeated keys, keywords and tags is read as the peer wrote it', () => {
  const names = Array.from({ length: 2500 }, (_, index) => `attribute-${index % 2100}`);
  const value = names.map((name, index) => ({ [name]: transit.keyword(names[(index * 7) % 2500] ?? ''), again: transit.set([name]) }));
  const expected = names.map((name, index) => ({ [name]: names[(index * 7) % 2500], again: [name] }));
  for (const form of forms) {
    expect(JSON.parse(writeJson(parseTransit(transit.writer(form).write(value), limits)))).toEqual(expected);
  }
});

test('garbage is refused and changes nothing', () => {
  const before = Reflect.ownKeys(Object.prototype);
  const scalars = fc.oneof(
    fc.constantFrom('^ ', '^0', '^1', '^', '~#set', '~#cmap', '~#list', "~#'", '~#u', '~#m', '~#', '~', '~_', '~?t', '~:__proto__'),
    fc.constantFrom('__proto__', '~i1', '~n', '~zNaN', '~bAA', '~t', '~m1', '~:constructor', 'prototype', null, true, 1.5),
    fc.tuple(fc.constantFrom('~', '^', '`', '~#', '~:', '~t', '~m', '~d', '~f', '~i'), fc.string()).map((parts) => parts.join('')),
  );
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      scalars,
      fc.array(tie('node'), { maxLength: 5 }),
      fc.dictionary(scalars.map(String), tie('node'), { maxKeys: 3 }),
    ),
  }));
  const bodies = fc.oneof(
    fc.string(),
    node.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(bodies, (body) => {
      expect(outcome(body)).toMatch(/^(read|body-unreadable|attributes-invalid|limit-exceeded)$/);
      expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
    }),
    { numRuns: counted({ long: 10_000, short: 330 }) },
  );
});

function outcome(text: string): string {
  try {
    parseTransit(text, limits);
    return 'read';
  } catch (thrown) {
    return thrown instanceof PlatformError ? thrown.code : String(thrown);
  }
}

/** What the peer read, as JSON.parse would have given it. */
function fromPeer(value: unknown): unknown {
  if (transit.isKeyword(value)) return String(value).slice(1);
  if (Array.isArray(value)) return value.map(fromPeer);
  if (transit.isTaggedValue(value)) return Number(value.rep);
  if (transit.isInteger(value)) return Number(value);
  if (!transit.isMap(value)) return value;
  const members: [string, unknown][] = [];
  value.forEach((member, key) => {
    members.push([String(fromPeer(key)), fromPeer(member)]);
  });
  return Object.fromEntries(members);
}
