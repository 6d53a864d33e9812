// JSON of requests and answers: exact, bounded, and otherwise what JSON.parse makes of it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../src/errors.ts';
import { ExactNumber } from '../../src/values/exact-number.ts';
import { parseJson, writeJson } from '../../src/values/json/json.ts';
import { isLarge, jsonPieces } from '../../src/values/json/pieces.ts';
import type { Value } from '../../src/values/value.ts';
import { counted } from '../support/form.ts';

const limits = { depth: 64, keys: 10_000, items: 10_000 };
const parse = (text: string) => parseJson(text, limits);

describe('a number keeps its exact value', () => {
  const cases: readonly [token: string, value: unknown][] = [
    ['0', 0],
    ['-0', 0],
    ['-0.0', 0],
    ['-7', -7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775808', 9223372036854775808n],
    ['0.1', 0.1],
    ['12.50', 12.5],
    ['1.0', 1],
    ['1e5', 100000],
    ['1E+2', 100],
    ['123456789012345678e-20', new ExactNumber('123456789012345678e-20')],
    ['0.30000000000000004', 0.30000000000000004],
    ['0.10000000000000001', new ExactNumber('0.10000000000000001')],
    ['0.12345678901234567890', new ExactNumber('0.12345678901234567890')],
    ['-9007199254740993.0', new ExactNumber('-9007199254740993.0')],
    ['1e400', new ExactNumber('1e400')],
    ['1e-400', new ExactNumber('1e-400')],
    ['0e400', 0],
    ['1e22', 1e22],
    ['5e-324', 5e-324],
  ];
  for (const [token, value] of cases) test(token, () => expect(parse(token)).toStrictEqual(value));
});

describe('text that is not JSON is refused where it goes wrong', () => {
  const cases: readonly [text: string, offset: number][] = [
    ['', 0],
    ['   ', 3],
    ['{"a":1', 6],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['{"a" 1}', 5],
    ['[1 2]', 3],
    ['{"a":1} x', 8],
    ['NaN', 0],
    ['Infinity', 0],
    ['-', 1],
    ['01', 1],
    ['1.', 2],
    ['.5', 0],
    ['+1', 0],
    ['1e', 2],
    ['1e+', 3],
    ['0x10', 1],
    ['tru', 0],
    ['nulL', 0],
    ['/* c */ 1', 0],
    ['"a\nb"', 2],
    ['"a\u0000b"', 2],
    ['"open', 5],
    ['"a\\', 3],
    ['"\\x"', 2],
    ['"\\u12g4"', 5],
    ['"\\u12', 5],
    ['\u{feff}{}', 0],
    ['\u00a0{}', 0],
  ];
  for (const [text, offset] of cases) {
    test(JSON.stringify(text), () => {
      const failure = failureOf(text);
      expect(failure?.code).toBe('body-unreadable');
      expect(failure?.details.detail).toContain(`at offset ${offset}.`);
    });
  }
});

test('a key that stands twice in an object is refused', () => {
  expect(failureOf('{"a":1,"b":{"a":2},"a":3}')?.details.detail).toBe('The key at offset 19 stands twice in its object.');
  expect(failureOf('{"a":1,"\\u0061":3}')?.code).toBe('body-unreadable');
  expect(failureOf('{"__proto__":1,"__proto__":2}')?.code).toBe('body-unreadable');
});

test('names of Object.prototype are keys like any other', () => {
  const value = parse('{"__proto__":{"polluted":true},"constructor":1,"toString":null}');
  expect(Object.entries(value ?? {})).toEqual([
    ['__proto__', { polluted: true }],
    ['constructor', 1],
    ['toString', null],
  ]);
  expect(writeJson(value)).toBe('{"__proto__":{"polluted":true},"constructor":1,"toString":null}');
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Reflect.get(Object(parse('{}')), 'constructor')).toBeUndefined();
});

test('keys stay in the order in which they were sent, also those that read as an index', () => {
  const key = fc.oneof(fc.nat(12).map(String), fc.constantFrom('a', 'b', '01', '-1', '1.5', '4294967294', '4294967295', '4294967296'));
  const text = fc
    .uniqueArray(key, { maxLength: 8 })
    .chain((keys) =>
      fc.tuple(...keys.map((each) => fc.constantFrom('1', '{"b":1,"2":2,"1":3}', '[{"1":1,"0":1}]').map((inner) => `"${each}":${inner}`))),
    );
  fc.assert(
    fc.property(
      text.map((each) => `{${each.join(',')}}`),
      (sent) => {
        const value = parse(sent);
        expect(writeJson(value)).toBe(sent);
        expect(writeJson(typeof value === 'object' ? { ...value } : value)).toBe(sent);
      },
    ),
    { numRuns: counted({ long: 10_000, short: 170 }) },
  );
});

describe('what is deeper, wider or longer than the limits is refused', () => {
  const small = { depth: 3, keys: 2, items: 2 };
  const cases: readonly [text: string, fits: boolean][] = [
    ['[[[1]]]', true],
    ['[[[[1]]]]', false],
    ['{"a":{"b":{"c":1}}}', true],
    ['{"a":{"b":{"c":{}}}}', false],
    ['{"a":1,"b":{"c":1,"d":2}}', true],
    ['{"a":1,"b":2,"c":3}', false],
    ['[1,2]', true],
    ['[1,2,3]', false],
    ['9'.repeat(1000), true],
    ['9'.repeat(1001), false],
    [`0.${'9'.repeat(998)}`, true],
    [`0.${'9'.repeat(999)}`, false],
    ['1e1000', true],
    ['1e1001', false],
    ['1e-99999999999999999999', false],
  ];
  for (const [text, fits] of cases) {
    test(text.slice(0, 40), () => expect(failureOf(text, small)?.code).toBe(fits ? undefined : 'limit-exceeded'));
  }
  test('a million open brackets, whatever depth is configured', () => {
    expect(failureOf('['.repeat(1_000_000), { ...limits, depth: 1_000_000 })?.code).toBe('limit-exceeded');
  });
});

test('reading is linear in escapes and quotes', () => {
  const escapes = `"${'\\n'.repeat(500_000)}"`;
  expect(parse(escapes)).toBe('\n'.repeat(500_000));
  expect(parse(`"${'\\"'.repeat(500_000)}"`)).toBe('"'.repeat(500_000));
  expect(failureOf(escapes.slice(0, -1))?.code).toBe('body-unreadable');
});

test('a lone surrogate is kept as it is', () => {
  expect(parse('"\\ud800"')).toBe('\ud800');
  expect(writeJson('\ud800')).toBe('"\\ud800"');
});

test('every JSON value is read as JSON.parse reads it', () => {
  fc.assert(fc.property(fc.json(), space, (text, indent) => agree(JSON.stringify(JSON.parse(text), null, indent))));
});

test('JSON with a mistake is accepted and refused as JSON.parse does', () => {
  const mutation = fc.tuple(
    fc.nat(),
    fc.constantFrom('delete', 'insert', 'replace'),
    fc.constantFrom(...'{}[]",:\\\u0000 \n\t-+.0123456789eEtfnu/x'),
  );
  fc.assert(
    fc.property(fc.json(), fc.array(mutation, { minLength: 1, maxLength: 3 }), (text, mutations) => agree(mutations.reduce(mutate, text))),
    { numRuns: counted({ long: 10_000, short: 330 }) },
  );
});

test('what is written is what JSON.stringify writes', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => writeJson(parse(JSON.stringify(value))) === JSON.stringify(rounded(value))));
});

test('numbers that JSON.stringify cannot write are written exactly', () => {
  const written = '{"a":[9007199254740993,{"b":0.12345678901234567890}],"c\\"":"\\u0000","d":null,"e":-1e400}';
  expect(writeJson(parse(written))).toBe(written);
  fc.assert(fc.property(fc.bigInt(), (value) => writeJson([value]) === `[${value}]`));
});

const space = fc.constantFrom(undefined, 2, '\t');

function failureOf(text: string, within = limits): PlatformError | undefined {
  try {
    parseJson(text, within);
  } catch (thrown) {
    if (thrown instanceof PlatformError) return thrown;
    throw thrown;
  }
  return undefined;
}

/** The same value as JSON.parse, or refused by both; the exceptions are what this parser is for. */
function agree(text: string): void {
  const failure = failureOf(text);
  const native = nativeValue(text);
  if (native === undefined) {
    expect(failure?.code, text).toMatch(/body-unreadable|limit-exceeded/);
  } else if (failure === undefined) {
    expect(rounded(parse(text)), text).toEqual(rounded(native.value));
  } else {
    expect(failure.details.detail, text).toMatch(/stands twice|too large an exponent/);
  }
}

function nativeValue(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** As doubles, and with one zero. */
function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof ExactNumber) return Number(value.text) || 0;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, rounded(member)]));
}

function mutate(text: string, [where, how, character]: [number, string, string]): string {
  const at = where % (text.length + 1);
  const rest = text.slice(how === 'insert' ? at : at + 1);
  return text.slice(0, at) + (how === 'delete' ? '' : character) + rest;
}

test('a large value is written in pieces, which together are the text of the whole', () => {
  const repeated = fc
    .tuple(fc.constantFrom('a', '😀', '\ud83d', '\ude00', '"\n', 'ä\u2028'), fc.integer({ min: 0, max: 150_000 }))
    .map(([text, times]) => text.repeat(times));
  const { tree } = fc.letrec<{ tree: Value }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      repeated,
      fc.constantFrom<Value>(null, true, 1.5, 9007199254740993n, '', []),
      fc
        .tuple(fc.constantFrom<Value>(1, 'ab', { b: 1, a: [] }), fc.integer({ min: 1, max: 20_000 }))
        .map(([value, times]) => Array<Value>(times).fill(value)),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '2', '1'), tie('tree'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const pieces = [...jsonPieces(value, (each) => each)];
      expect(pieces.join('') === writeJson(value)).toBe(true);
      expect(isLarge(value) || pieces.length === 1).toBe(true);
    }),
    { numRuns: 100 },
  );
  const exact = [{ b: new ExactNumber('0.10000000000000001'), a: 'x'.repeat(100_000) }] as unknown as Value;
  expect([...jsonPieces(exact, (each) => each)].join('')).toBe(writeJson(exact));
});
