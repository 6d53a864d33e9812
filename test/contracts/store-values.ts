// What every store promises of values: each comes back as it was given, is found by it, and stands in its place in the order.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ColumnKind } from '../../src/model/types/attribute-type.ts';
import { findAttributeType } from '../../src/model/types/types.ts';
import { equal, type OrderTerm } from '../../src/plan/query/condition.ts';
import { isObject } from '../../src/plan/rows/attribute.ts';
import type { Table } from '../../src/plan/rows/table.ts';
import type { Store } from '../../src/store/store.ts';
import { parseJson, writeJson } from '../../src/values/json/json.ts';
import type { Value } from '../../src/values/value.ts';
import { counted } from '../support/form.ts';
import { type OpenStore, storeWith } from './store.ts';
import { ascending, byCodePoint, column, descending, insertInto, outputOf, selectFrom, table } from './tables.ts';

export function valueContract(name: string, open: OpenStore): void {
  describe(`${name}: values`, () => {
    for (const [kind, values] of Object.entries(samples)) {
      test(`${kind} comes back exactly, and is found by its value`, () => exact(open, kindNamed(kind), fc.constantFrom(...values), values));
    }
    for (const [kind, values] of Object.entries(generated)) {
      test(`every ${kind} comes back exactly, and is found by its value`, () => exact(open, kindNamed(kind), values, []));
    }
  });
  describe(`${name}: order`, () => {
    for (const kind of ordered)
      test(`${kind}: one order, absent values first when ascending, pages that neither repeat nor skip`, () => sorts(open, kind));
    test('a page by the key alone goes on behind its last row, for keys of every kind', () => pagesByKey(open));
    test('operators compare as the order does', () => compares(open));
    test('like is case-sensitive, knows % and _, and a backslash takes the next character as it is', () => likes(open));
  });
}

const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((each) => !/[\0\p{Surrogate}]/u.test(each));
const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(narrow);
const decimals = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.nat({ max: 30 }))
  .map(([negative, digits, scale]) => decimal(`${negative ? '-' : ''}${pointed(String(digits), scale)}`));
const moments = fc
  .tuple(
    fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true }),
    fc.constantFrom('', '.5', '.123456789'),
  )
  .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}${fraction}Z`);
const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }).map(toValue);

const samples: Partial<Record<ColumnKind, readonly Value[]>> = {
  real: [
    0,
    0.1 + 0.2,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    1e21,
    1e-16,
    1 / 3,
    2 ** 60,
  ],
  integer: [0, -1, 2 ** 53 - 1, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)],
  decimal: ['0', '-0.5', '1.50', '0.000000000000000000001', `1${'0'.repeat(900)}`, `-9.${'9'.repeat(900)}`],
  text: [
    '',
    ' ',
    "'",
    '"',
    '\\',
    '&quot;',
    '%',
    '_',
    '😀',
    '\u0001',
    '\u2028',
    '\uffff',
    'null',
    '{"a":1}',
    "'; DROP TABLE x; --",
    'e\u0301',
    'é',
  ],
  boolean: [true, false],
  json: [{}, [], { a: null }, [1, 2n ** 60n, 'x'], '', 'text', false, 0, { '"': '\\', constructor: 1, toString: [] }],
  datetime: [
    '2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00.5Z',
    '2024-01-01T00:00:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
  ],
  date: ['0001-01-01', '2024-02-29', '9999-12-31'],
  time: ['00:00:00', '23:59:59.999999999'],
  uuid: ['0190d5a2-1234-7abc-8def-0123456789ab', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
};

const generated: Partial<Record<ColumnKind, fc.Arbitrary<Value>>> = {
  text,
  integer: integers,
  real: fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
  decimal: decimals,
  json,
};

const ordered: readonly ColumnKind[] = ['text', 'integer', 'real', 'decimal', 'boolean', 'datetime'];
const runs = 60;

async function exact(open: OpenStore, kind: ColumnKind, values: fc.Arbitrary<Value>, always: readonly Value[]): Promise<void> {
  const kept = table('m/V', [column('id', 'integer'), column('v', kind)]);
  const { store } = await storeWith(open, [kept]);
  let id = 0;
  const check = async (value: Value): Promise<void> => {
    id += 1;
    const row = await store.write((tx) => tx.insert(insertInto(kept), [id, value]));
    const expected = comparable(kind, value);
    expect(comparable(kind, memberOf(row.json))).toEqual(expected);
    const read = await store.read((reader) => reader.one(selectFrom(kept, { where: equal('id') }), [id]));
    expect(comparable(kind, memberOf(read?.json ?? ''))).toEqual(expected);
    expect(read).toEqual(row);
    if (kind === 'json') return;
    const found = await store.read((reader) => reader.rows(selectFrom(kept, { where: equal('v') }), [value]));
    expect(found.map((each) => JSON.parse(each.json).id)).toContain(id);
  };
  for (const value of always) await check(value);
  await fc.assert(fc.asyncProperty(values, check), { numRuns: always.length > 0 ? 1 : runs });
}

/** The member `v`, exactly. */
function memberOf(text: string): Value {
  const row = parseJson(text, { depth: 100, keys: 1000, items: 1000 });
  return isObject(row) ? (row['v'] ?? null) : null;
}

function comparable(kind: ColumnKind, value: Value): unknown {
  return kind === 'real' ? Number(value) : writeJson(value);
}

async function sorts(open: OpenStore, kind: ColumnKind): Promise<void> {
  const kept = table('m/S', [column('id', 'integer'), column('v', kind)]);
  const { store } = await storeWith(open, [kept]);
  const values = fc.array(fc.option(arbitraryOf(kind), { freq: 4 }), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(values, fc.boolean(), fc.integer({ min: 1, max: 7 }), async (given, isDescending, size) => {
      await refill(
        store,
        kept,
        given.map((value, id): readonly Value[] => [id, value]),
      );
      const order = [isDescending ? descending('v') : ascending('v'), ascending('id')];
      const expected = [...given.entries()].sort(([a, first], [b, second]) => {
        const by = compareValues(kind, first, second);
        return (isDescending ? -by : by) || a - b;
      });
      const ids = expected.map(([id]) => id);
      expect(idsOf((await store.read((reader) => reader.page(selectFrom(kept, { order }), []))).json)).toEqual(ids);
      expect(await paged(store, kept, order, size)).toEqual(ids);
    }),
    { numRuns: runs },
  );
}

async function pagesByKey(open: OpenStore): Promise<void> {
  const keys: Partial<Record<ColumnKind, readonly Value[]>> = {
    integer: [-(2n ** 63n), -5, 0, 7, 2n ** 53n + 1n, 2n ** 63n - 1n],
    text: ['', 'A', 'a', 'ab', 'z', '\uffff', '😀'],
    datetime: ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.25Z', '2024-01-01T00:00:00.5Z', '2024-01-01T00:00:01Z'],
    uuid: ['0190d5a2-1234-7abc-8def-0123456789ab', '0190d5a2-1234-7abc-8def-0123456789ac'],
  };
  for (const [kind, values] of Object.entries(keys)) {
    const kept = table(`m/K${kind}`, [column('v', kindNamed(kind)), column('id', 'integer')]);
    const { store } = await storeWith(open, [kept]);
    await refill(
      store,
      kept,
      values.map((value, id): readonly Value[] => [value, id]),
    );
    const ids = values.map((_, id) => id);
    for (const size of [1, 2, 3]) {
      expect(await paged(store, kept, [ascending('v')], size), `${kind} by ${size}`).toEqual(ids);
      expect(await paged(store, kept, [descending('v')], size), `${kind} down by ${size}`).toEqual(ids.toReversed());
    }
  }
}

async function compares(open: OpenStore): Promise<void> {
  for (const kind of ordered) {
    const kept = table('m/C', [column('id', 'integer'), column('v', kind)]);
    const { store } = await storeWith(open, [kept]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(arbitraryOf(kind)), { maxLength: 12 }),
        arbitraryOf(kind),
        arbitraryOf(kind),
        async (given, low, high) => {
          await refill(
            store,
            kept,
            given.map((value, id): readonly Value[] => [id, value]),
          );
          for (const [operator, holds, values] of comparisons(kind, low, high)) {
            const where = { kind: 'compare', column: 'v', operator, count: values.length } as const;
            const { json: found } = await store.read((reader) =>
              reader.page(selectFrom(kept, { where, order: [ascending('id')] }), values),
            );
            const expected = [...given.entries()].filter(([, value]) => holds(value)).map(([id]) => id);
            expect(idsOf(found), `${kind} ${operator}`).toEqual(expected);
          }
        },
      ),
      { numRuns: 15 },
    );
  }
}

type Rule = readonly [
  operator: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'between' | 'null' | 'not-null',
  holds: (value: Value) => boolean,
  values: readonly Value[],
];

function comparisons(kind: ColumnKind, low: Value, high: Value): readonly Rule[] {
  const by = (value: Value, other: Value) => compareValues(kind, value, other);
  return [
    ['eq', (value) => value !== null && by(value, low) === 0, [low]],
    ['ne', (value) => value === null || by(value, low) !== 0, [low]],
    ['lt', (value) => value !== null && by(value, low) < 0, [low]],
    ['lte', (value) => value !== null && by(value, low) <= 0, [low]],
    ['gt', (value) => value !== null && by(value, low) > 0, [low]],
    ['gte', (value) => value !== null && by(value, low) >= 0, [low]],
    ['in', (value) => value !== null && (by(value, low) === 0 || by(value, high) === 0), [low, high]],
    ['between', (value) => value !== null && by(value, low) >= 0 && by(value, high) <= 0, [low, high]],
    ['null', (value) => value === null, []],
    ['not-null', (value) => value !== null, []],
  ];
}

async function likes(open: OpenStore): Promise<void> {
  const kept = table('m/L', [column('id', 'integer'), column('v', 'text')]);
  const { store } = await storeWith(open, [kept]);
  const letters = fc.constantFrom('a', 'A', 'b', '%', '_', '\\', '*', '?', '[', ']', '^', '-', 'é', '😀');
  const word = fc.array(letters, { maxLength: 6 }).map((each) => each.join(''));
  // No text that is kept holds a NUL; a pattern may.
  const asked = fc.array(fc.oneof({ arbitrary: letters, weight: 30 }, fc.constant('\0')), { maxLength: 6 }).map((each) => each.join(''));
  const where = { kind: 'compare', column: 'v', operator: 'like' } as const;
  const like = selectFrom(kept, { where, order: [ascending('id')] });
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 8 }), asked, async (words, pattern) => {
      await refill(
        store,
        kept,
        words.map((each, id): readonly Value[] => [id, each]),
      );
      const expected = [...words.entries()].filter(([, each]) => matcherOf(pattern).test(each)).map(([id]) => id);
      const { json: found } = await store.read((reader) => reader.page(like, [pattern]));
      expect(idsOf(found), `${JSON.stringify(words)} like ${pattern}`).toEqual(expected);
    }),
    { numRuns: counted({ long: 4000, short: 130 }) },
  );
}

/** The pattern as a regular expression, written from the specification. */
function matcherOf(pattern: string): RegExp {
  const characters = [...pattern];
  let source = '';
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '%') source += '[^]*';
    else if (character === '_') source += '[^]';
    else {
      if (character === '\\' && at + 1 < characters.length) at += 1;
      source += `\\u{${characters[at]?.codePointAt(0)?.toString(16)}}`;
    }
  }
  return new RegExp(`^${source}$`, 'u');
}

async function refill(store: Store, kept: Table, rows: readonly (readonly Value[])[]): Promise<void> {
  await store.write(async (tx) => {
    await tx.delete({ kind: 'delete', table: kept, where: { kind: 'all' } }, []);
    for (const row of rows) await tx.insert(insertInto(kept), row);
  });
}

/** The identifiers of all rows, read page by page. */
async function paged(store: Store, kept: Table, order: readonly OrderTerm[], size: number): Promise<readonly number[]> {
  const output = outputOf(
    kept,
    order.map((term) => term.column),
  );
  const ids: number[] = [];
  let after: readonly Value[] | undefined;
  for (let page = 0; page < 100; page += 1) {
    const where = after === undefined ? undefined : ({ kind: 'after', order, nulls: after.map((value) => value === null) } as const);
    const select = selectFrom(kept, { order, output, limit: true, ...(where === undefined ? {} : { where }) });
    const values = [...(after ?? []), size];
    const { json: found, count, last } = await store.read((reader) => reader.page(select, values));
    ids.push(...idsOf(found));
    if (count < size) return ids;
    after = last;
  }
  throw new Error('the pages do not end');
}

function idsOf(found: string): readonly number[] {
  return JSON.parse(`[${found}]`).map((each: { id: number }) => each.id);
}

function arbitraryOf(kind: ColumnKind): fc.Arbitrary<Value> {
  if (kind === 'boolean') return fc.boolean();
  if (kind === 'datetime') return moments;
  const some = fc.constantFrom(...(samples[kind] ?? []));
  return fc.oneof(generated[kind] ?? some, some);
}

function compareValues(kind: ColumnKind, first: Value, second: Value): number {
  if (first === null || second === null) return Number(first !== null) - Number(second !== null);
  if (kind === 'decimal') return compareDecimals(String(first), String(second));
  if (kind === 'datetime') return byCodePoint(String(first).replace(/Z$/, ''), String(second).replace(/Z$/, ''));
  if (typeof first === 'string' && typeof second === 'string') return byCodePoint(first, second);
  return first < second ? -1 : first > second ? 1 : 0;
}

function compareDecimals(first: string, second: string): number {
  const scaled = (each: string): bigint => {
    const [whole = '', fraction = ''] = each.split('.');
    return BigInt(`${whole}${fraction.padEnd(1000, '0')}`);
  };
  const [a, b] = [scaled(first), scaled(second)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function decimal(given: string): Value {
  return findAttributeType('Decimal')?.parse(given) ?? '0';
}

function pointed(digits: string, scale: number): string {
  const padded = digits.padStart(scale + 1, '0');
  return scale === 0 ? padded : `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

function narrow(value: bigint): Value {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function toValue(value: unknown): Value {
  return JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '').replaceAll('-0', '0').replaceAll('__proto__', 'p'));
}

function kindNamed(name: string): ColumnKind {
  const kinds: readonly ColumnKind[] = ['text', 'integer', 'real', 'decimal', 'boolean', 'uuid', 'datetime', 'date', 'time', 'json'];
  return kinds.find((each) => each === name) ?? 'text';
}
