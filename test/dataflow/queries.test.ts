// Odd but legal queries: what each gives, on every store, and the same where it is computed on the rows that were read.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';

const model = `module m
entity E {
  id Int @id, order Int @optional, next Int @optional @expr(order + 1), select String @optional, price Decimal @optional, big Int @optional, day Date @optional,
  at DateTime @optional, tm Time @optional, f Float @optional, ok Boolean @optional, tags Map @optional, grp String @optional
}
entity F { id Int @id, n Int @optional, d Decimal @optional, r Float @optional, at DateTime @optional, s String @optional, ok Boolean @optional }
entity Z { id Int @id, n Int @optional, d Decimal @optional }
entity G { id Int @id, g String, d Decimal @optional, n Int @optional, f Float @optional }
workflow fill {
  {E {id 1, order 3, select "b", price "9.90", big 9007199254740993, day "2024-01-31", at "2024-01-01T00:00:00Z", tm "10:00", f 0.1, ok true, tags {"a": 1}, grp "x"}}
  {E {id 2, order 1, select "a%", price "10.10", big 9007199254740993, day "2023-02-28", at "2024-01-01T00:00:00.5Z", tm "09:30:00", f 0.2, ok false, tags {"b": 2}, grp "x"}}
  {E {id 3, order 1, select "A_", price "0.1", big -1, day "2024-02-29", at "2024-01-01T00:00:00", f 1e300, ok true, grp "y"}}
  {E {id 4, price "0.10", select "\\\\"}}
  {E {id 5, price "123456789012345678901234567890.123456789", big 9223372036854775807, f 1e-7}}
  {F {id 1, n 1, d "1", r 1.0, at "2024-01-01T00:00:00Z", s "1", ok true}}
  {F {id 2, n 2, d "2.0", r 2.5, at "2024-01-01T00:00:00", s "02", ok false}}
  {F {id 3, s "x"}}
  {G {id 1, g "a", d "9007199254740993.1", n 9223372036854775807, f -0.5}}
  {G {id 2, g "b", d "9007199254740993.2", n 9223372036854775807, f -0.25}}
  {G {id 3, g "a", n -9223372036854775807}}
  {G {id 4, g "b", n -9223372036854775806}}
  {G {id 5, g "c"}}
  {G {id 6, g "d", d "-1", n -9223372036854775807, f -1e300}}
  1
}`;

type Row = readonly [title: string, query: string, gives: unknown];

const ids = (...all: readonly number[]): readonly object[] => all.map((id) => ({ id }));

/** Each of them is asked of `E` alone, so that a condition that always holds changes nothing. */
const alone: readonly Row[] = [
  [
    'a column may be called by the name of another',
    '{E? {}, @into {id E.order, order E.id}, @orderBy(id, order), @limit(2)}',
    [
      { id: null, order: 4 },
      { id: null, order: 5 },
    ],
  ],
  [
    'rows are grouped by the column of a name that is shown for something else',
    '{E? {}, @into {grp E.select, n @count(*)}, @groupBy(grp), @orderBy(grp), @limit(2)}',
    [
      { grp: null, n: 1 },
      { grp: 'A_', n: 1 },
    ],
  ],
  [
    'what is absent is a group of its own',
    '{E? {}, @into {n @count(*), c @count(grp)}, @groupBy(grp)}',
    [
      { grp: null, n: 2, c: 0 },
      { grp: 'x', n: 2, c: 2 },
      { grp: 'y', n: 1, c: 1 },
    ],
  ],
  [
    'of a column that rows are not grouped by, the least is shown',
    '{E? {}, @into {s E.select, b E.big, p E.price, a E.at}, @groupBy(grp), @limit(2), @orderBy(grp @desc)}',
    [
      { grp: 'y', s: 'A_', b: -1, p: '0.1', a: '2024-01-01T00:00:00' },
      { grp: 'x', s: 'a%', b: 9007199254740993n, p: '9.90', a: '2024-01-01T00:00:00Z' },
    ],
  ],
  [
    'decimals that are the same number are one group',
    '{E? {}, @into {n @count(*)}, @groupBy(price), @limit(2)}',
    [
      { price: '0.1', n: 2 },
      { price: '9.90', n: 1 },
    ],
  ],
  [
    'a moment is one group, with a zone or without',
    '{E? {}, @into {n @count(*)}, @groupBy(at), @orderBy(at)}',
    [
      { at: null, n: 2 },
      { at: '2024-01-01T00:00:00', n: 2 },
      { at: '2024-01-01T00:00:00.5Z', n: 1 },
    ],
  ],
  [
    'rows are grouped by maps',
    '{E? {}, @into {n @count(*)}, @groupBy(tags), @orderBy(tags)}',
    [
      { tags: null, n: 3 },
      { tags: { a: 1 }, n: 1 },
      { tags: { b: 2 }, n: 1 },
    ],
  ],
  [
    'rows are grouped by what is computed',
    '{E? {}, @into {dbl E.order * 2, n @count(*)}, @groupBy(dbl), @orderBy(dbl)}',
    [
      { dbl: null, n: 2 },
      { dbl: 2, n: 2 },
      { dbl: 6, n: 1 },
    ],
  ],
  ['groups come in their order where none is asked for', '{E? {}, @groupBy(grp)}', [{ grp: null }, { grp: 'x' }, { grp: 'y' }]],
  ['rows come in the order of their keys where none is asked for', '{E? {}, @into {id E.id}}', ids(1, 2, 3, 4, 5)],
  [
    'rows that are alike in what is sorted by come in the order of their keys',
    '{E? {}, @into {id E.id}, @orderBy(grp @desc, ok), @limit(3), @offset(1)}',
    ids(2, 1, 4),
  ],
  [
    'what is computed is sorted by, decimals as numbers',
    '{E? {}, @into {id E.id, twice E.price * 2}, @orderBy(twice), @limit(3), @offset(1)}',
    [
      { id: 4, twice: '0.20' },
      { id: 1, twice: '19.80' },
      { id: 2, twice: '20.20' },
    ],
  ],
  [
    'sums and averages of decimals are exact',
    '{E? {}, @into {s @sum(price), a @avg(price), lo @min(price), hi @max(price)}}',
    [
      {
        s: '123456789012345678901234567910.323456789',
        a: '24691357802469135780246913582.06469',
        lo: '0.1',
        hi: '123456789012345678901234567890.123456789',
      },
    ],
  ],
  [
    'sums of whole numbers are exact beyond 64 bits',
    '{E? {}, @into {s @sum(big), a @avg(big), lo @min(big), hi @max(big)}}',
    [{ s: 9241386435364257792n, a: 2310346608841064448n, lo: -1, hi: 9223372036854775807n }],
  ],
  [
    'the average of whole numbers is a decimal of 34 digits',
    '{E? {}, @into {s @sum(order), a @avg(order), c @count(order), n @count(*)}}',
    [{ s: 5, a: '1.666666666666666666666666666666667', c: 3, n: 5 }],
  ],
  [
    'doubles are added up in any order to the same',
    '{E {id?in [1, 2, 5]}, @into {s @sum(f), a @avg(f)}}',
    [{ s: 0.3000001, a: 0.3000001 / 3 }],
  ],
  [
    'large doubles do not get in the way of their average',
    '{E? {}, @into {s @sum(f), a @avg(f), lo @min(f), hi @max(f)}}',
    [{ s: 1e300, a: 2.5e299, lo: 1e-7, hi: 1e300 }],
  ],
  [
    'the least and the greatest of days, times and truth',
    '{E? {}, @into {a @min(day), b @max(day), c @min(at), d @max(at), e @min(tm), f @max(tm), g @min(ok), h @max(ok)}}',
    [
      {
        a: '2023-02-28',
        b: '2024-02-29',
        c: '2024-01-01T00:00:00',
        d: '2024-01-01T00:00:00.5Z',
        e: '09:30:00',
        f: '10:00:00',
        g: false,
        h: true,
      },
    ],
  ],
  [
    'groups are sorted by sums of decimals',
    '{E {id?< 5}, @into {s @sum(price)}, @groupBy(grp), @orderBy(s @desc)}',
    [
      { grp: 'x', s: '20.00' },
      { grp: null, s: '0.10' },
      { grp: 'y', s: '0.1' },
    ],
  ],
  ['a column beside a sum of everything is the least', '{E? {}, @into {id E.id, n @count(*)}}', [{ id: 1, n: 5 }]],
  ['a limit of 0 gives nothing', '{E? {}, @into {n @count(*)}, @limit(0)}', []],
  ['an offset behind the end gives nothing', '{E? {}, @into {id E.id}, @offset(99)}', []],
  ['a limit of null is none', '{E? {}, @into {id E.id}, @limit(null)}', ids(1, 2, 3, 4, 5)],
  ['@distinct puts together what shows the same', '{E? {}, @into {o E.order}, @distinct}', [{ o: 1 }, { o: 3 }, { o: null }]],
  [
    '@distinct with an order by what is not shown: a row comes where its first one does',
    '{E? {}, @into {o E.order}, @distinct, @orderBy(id)}',
    [{ o: 3 }, { o: 1 }, { o: null }],
  ],
  [
    '@distinct takes decimals of one value for the same, however they are written',
    '{E? {}, @into {p E.price}, @distinct, @orderBy(p), @limit(2)}',
    [{ p: '0.1' }, { p: '9.90' }],
  ],
  ['in an empty list is nothing', '{E {id?in []}, @into {id E.id}}', []],
  ['in a list with null is what is absent', '{E {grp?in [null, "y"]}, @into {id E.id}}', ids(3, 4, 5)],
  ['between bounds in the wrong order is nothing', '{E {id?between [3, 1]}, @into {id E.id}}', []],
  ['between decimals', '{E {price?between [0.1, 9.9]}, @into {id E.id}}', ids(1, 3, 4)],
  ['a backslash takes a wildcard as it is', '{E {select?like "a\\\\%"}, @into {id E.id}}', ids(2)],
  ['a backslash at the end stands for itself', '{E {select?like "\\\\"}, @into {id E.id}}', ids(4)],
  ['like an empty pattern is the empty text alone', '{E {select?like ""}, @into {id E.id}}', []],
  ['a time without a zone is one in UTC', '{E {at? "2024-01-01T02:00:00.000+02:00"}, @into {id E.id}}', ids(1, 3)],
  ['a large whole number is compared exactly', '{E {big? 9007199254740993}, @into {id E.id}}', ids(1, 2)],
];

/** Conditions of their own, and joins. */
const others: readonly Row[] = [
  ['not of what is absent holds', '{E? {}, @where(not (E.order == 1)), @into {id E.id}}', ids(1, 4, 5)],
  ['not of not is the same', '{E? {}, @where(not (not (E.order == 1))), @into {id E.id}}', ids(2, 3)],
  ['or inside not, beside and', '{E? {}, @where(not (E.order > 1 or E.grp == "y") and E.id < 5), @into {id E.id}}', ids(2, 4)],
  [
    'maps are the same whatever the order of their keys',
    '{E? {}, @where(E.id == 1 and {"a": 1, "b": {"c": 1, "d": 2}} == {"b": {"d": 2.0, "c": 1}, "a": 1}), @into {id E.id}}',
    ids(1),
  ],
  [
    'rows that hold the same map are one with @distinct',
    '{E? {}, @where(E.id < 3), @into {t E.tags}, @distinct, @orderBy(t)}',
    [{ t: { a: 1 } }, { t: { b: 2 } }],
  ],
  ['a truth value is a condition', '{E? {}, @where(E.ok), @into {id E.id}}', ids(1, 3)],
  [
    'aggregates of an empty type',
    '{Z? {}, @into {id Z.id, n @count(*), c @count(n), s @sum(n), a @avg(n), lo @min(n), d @sum(d), m @max(d)}}',
    [{ id: null, n: 0, c: 0, s: null, a: null, lo: null, d: null, m: null }],
  ],
  ['groups of an empty type are none, also by a column of the name of a sum', '{Z? {}, @into {n @count(*)}, @groupBy(n)}', []],
  [
    'columns that rows are grouped by go by their type too where their name is taken',
    '{E? {}, @join F {n? E.order}, @into {n @count(*)}, @groupBy(E.ok, F.ok, F.n)}',
    [
      { ok: false, 'F.ok': true, 'F.n': 1, n: 1 },
      { ok: true, 'F.ok': true, 'F.n': 1, n: 1 },
    ],
  ],
  [
    'a whole number and a decimal are joined by value',
    '{F? {}, @join E {id? F.d}, @into {f F.id, e E.id}}',
    [
      { f: 1, e: 1 },
      { f: 2, e: 2 },
    ],
  ],
  ['a whole number and a double are joined by value', '{F? {}, @join E {id? F.r}, @into {f F.id, e E.id}}', [{ f: 1, e: 1 }]],
  [
    'a text joined to a whole number is read as one',
    '{F? {}, @join E {id? F.s}, @into {f F.id, e E.id}}',
    [
      { f: 1, e: 1 },
      { f: 2, e: 2 },
    ],
  ],
  [
    'a decimal is greater than a whole number by value',
    '{F? {}, @join E {price?> F.n}, @into {f F.id, e E.id}, @where {F.id? 2}}',
    [
      { f: 2, e: 1 },
      { f: 2, e: 2 },
      { f: 2, e: 5 },
    ],
  ],
  [
    'times are joined by moment',
    '{F? {}, @join E {at? F.at}, @into {f F.id, e E.id}}',
    [
      { f: 1, e: 1 },
      { f: 1, e: 3 },
      { f: 2, e: 1 },
      { f: 2, e: 3 },
    ],
  ],
  [
    'in one row a decimal is compared with a whole number, and nothing with nothing',
    '{F {d? F.n}, @into {f F.id}}',
    [{ f: 1 }, { f: 2 }, { f: 3 }],
  ],
  [
    '@full_join with an inequality alone',
    '{E? {}, @full_join F {n?< E.order}, @into {e E.id, f F.id}}',
    [
      { e: null, f: 3 },
      { e: 1, f: 1 },
      { e: 1, f: 2 },
      { e: 2, f: null },
      { e: 3, f: null },
      { e: 4, f: null },
      { e: 5, f: null },
    ],
  ],
  [
    '@full_join with an attribute that is computed',
    '{E? {}, @full_join F {n? E.next}, @into {e E.id, f F.id}}',
    [
      { e: null, f: 1 },
      { e: null, f: 3 },
      { e: 1, f: null },
      { e: 2, f: 2 },
      { e: 3, f: 2 },
      { e: 4, f: null },
      { e: 5, f: null },
    ],
  ],
  [
    '@right_join with an attribute that is computed, in groups',
    '{E? {}, @right_join F {n? E.next}, @into {n @count(E.id)}, @groupBy(F.id)}',
    [
      { id: 1, n: 0 },
      { id: 2, n: 2 },
      { id: 3, n: 0 },
    ],
  ],
  [
    'a @left_join with an attribute that is computed before another, with sums',
    '{E? {}, @left_join F {n? E.next}, @left_join Z {n? F.n}, @into {n @count(*), f @count(F.id), z @count(Z.id), s @sum(E.price)}, @where {E.id?< 4}}',
    [{ n: 3, f: 2, z: 0, s: '20.10' }],
  ],
  ['a type is joined to itself by what is computed', '{E? {}, @join E {id? E.order + 1}, @into {id E.id}, @where {E.id?< 3}}', ids(1, 2)],
  [
    'no row is joined to another by what both lack, also where it is computed',
    '{F? {}, @join E {order? F.n + 0}, @into {f F.id, e E.id}}',
    [
      { f: 1, e: 2 },
      { f: 1, e: 3 },
    ],
  ],
  ['a join of every row with every row', '{E? {}, @join F {}, @into {n @count(*)}}', [{ n: 15 }]],
];

/** Whoever adds up doubles takes `a` and `b` for the same, and what has nothing to add up for 0. */
const sorted = ['d', 'n', 'f'].flatMap((of) =>
  ['sum', 'avg'].flatMap((name) =>
    ['', ', @where(G.id * 1 > 0)'].map((condition): Row => {
      const query = `{G? {}, @into {g G.g, s @${name}(${of})}, @groupBy(g), @orderBy(s @desc)${condition}} @as rows`;
      const title = `groups are sorted by the exact @${name}(${of}), and what has none counts as less than all others`;
      return [`${title}${condition}`, `${query}\n  for row in rows { row.g }`, ['b', 'a', 'd', 'c']];
    }),
  ),
);

const always = ', @where(E.id * 1 > 0)}';
const asked = [
  ...alone,
  ...alone.map(([title, query, gives]): Row => [`${title}, computed on the rows`, `${query.slice(0, -1)}${always}`, gives]),
  ...others,
  ...sorted,
];

describe('queries', () => {
  let served: Served;
  beforeAll(async () => {
    const events = asked.map(([, query], index) => `workflow q${index} { ${query} }`);
    served = await open(`${model}\n${events.join('\n')}`);
    expect((await served.post('/m/fill', {})).text).toBe('1');
  });
  afterAll(() => served.close());
  test.each(asked.map(([title, , gives], index) => ({ title, gives, index })))('$title', async ({ gives, index }) => {
    const answer = await served.post(`/m/q${index}`, {});
    expect([answer.status, answer.text]).toEqual([200, written(gives)]);
  });
});

/** As it stands in an answer: large whole numbers with all of their digits. */
function written(value: unknown): string {
  const text = JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? `#${each}#` : each));
  return text.replaceAll(/"#(-?\d+)#"/g, '$1');
}
