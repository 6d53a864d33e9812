// Reading lists: filters, operators, order, pages, selection, inclusion, counting.

import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';
import { listModel as model, withRows } from './list-rows.ts';

/** Which rows a query gives, in its order. */
const queries: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ['', [1, 2, 3, 4, 5, 6, 7, 8]],
  ['text=a', [2]],
  ['text=A', []],
  ['text[eq]=b', [1]],
  ['text%5Beq%5D=b', [1]],
  ['n=5', [1, 4]],
  ['n=5&b=true&f[gt]=1', [4]],
  ['n=9007199254740993', [3]],
  ['n=9007199254740992', []],
  ['n[ne]=5', [2, 3, 5, 6, 7, 8]],
  ['n[lt]=5', [2, 7]],
  ['n[lte]=5', [1, 2, 4, 7]],
  ['n[gt]=5', [3]],
  ['n[gte]=5&n[lt]=100', [1, 4]],
  ['n[in]=3,5', [1, 2, 4]],
  ['n[in]=4', []],
  ['n[between]=3,5', [1, 2, 4]],
  ['n[between]=5,3', []],
  ['n[null]=true', [5, 6, 8]],
  ['n[null]=false', [1, 2, 3, 4, 7]],
  ['f=0.5', [1]],
  ['f=2.0', [4]],
  ['f[gt]=100', [5]],
  ['d=9.5', [2, 4]],
  ['d=10.00', [1]],
  ['d[gt]=9.5', [1]],
  ['d[lt]=0', [3]],
  ['d[between]=-2,9.5', [2, 3, 4]],
  ['d[in]=10,-2.0', [1, 3]],
  ['b=true', [1, 4]],
  ['b=false', [2]],
  ['b[ne]=true', [2, 3, 5, 6, 7, 8]],
  ['at[lt]=2024-01-01T00:00:00Z', [3]],
  ['at=2023-12-31T23:00:00Z', [3]],
  ['at=2024-01-01T01:00:00%2B01:00', [1]],
  ['at[gt]=2024-01-01T00:00:00Z', [2]],
  ['at[gte]=2024-01-01T00:00:00Z&at[lte]=2024-01-01T00:00:00.5Z', [1, 2]],
  ['day[lt]=2024-01-01', [2]],
  ['kind=x', [1, 3]],
  ['kind[in]=x,y', [1, 2, 3]],
  ['mail=a@b.org', [1]],
  ['mail=A@b.org', []],
  ['data[null]=false', [3]],
  ['text[like]=a%25', [2, 8]],
  ['text[like]=%25b%25', [1, 8]],
  ['text[like]=B', [3]],
  ['text[like]=_', [1, 2, 3, 6, 7]],
  ['text[like]=a%5C_b%25', [8]],
  ['text[like]=%25100%5C%25', [5]],
  ['text[like]=%25%5C%5Cc%25', [8]],
  ['text[like]=%25*%25', [8]],
  ['text[like]=%25?%25', [8]],
  ['text[like]=%25[', [8]],
  ['text[like]=%F0%9F%98%80', [6]],
  // More than GLOB is asked for: the same answers.
  ['text[like]=%25%25%25%25%25b%25', [1, 8]],
  ['text[like]=a%25%25%25%25%25%25', [2, 8]],
  ['text[like]=%25%25%25%25%25_', [1, 2, 3, 5, 6, 7, 8]],
  ['text[like]=%25%25%25%25%25100%5C%25', [5]],
  [`text[like]=a%5C_b%25${'%25'.repeat(8)}`, [8]],
  [`text[like]=%25${'a'.repeat(40)}%25`, []],
  ['text[like]=_%25%25%25%25%25_%25_%25_%25', [5, 8]],
  ['text[in]="é, \\"x\\" 100%25",a', [2, 5]],
  ['text[in]=%C3%A9%252C%20%2522x%2522%20100%2525,b', [1, 5]],
  ['text=%C3%A9,%20"x"+100%25', [5]],
  ['text[in]=%C3%A9%252C%20"x"%20100%25', [5]],
  ['text[in]="a","B"', [2, 3]],
  ['@sort=n', [5, 6, 8, 7, 2, 1, 4, 3]],
  ['@sort=-n', [3, 1, 4, 2, 7, 5, 6, 8]],
  ['@sort=n,-id', [8, 6, 5, 7, 2, 4, 1, 3]],
  ['@sort=text', [4, 3, 2, 8, 1, 5, 7, 6]],
  ['@sort=-text', [6, 7, 5, 1, 8, 2, 3, 4]],
  ['@sort=d', [5, 6, 7, 8, 3, 2, 4, 1]],
  ['@sort=at', [4, 5, 6, 7, 8, 3, 1, 2]],
  ['@sort=b', [3, 5, 6, 7, 8, 2, 1, 4]],
  ['@sort=f', [3, 6, 7, 8, 2, 1, 4, 5]],
  ['@sort=-id', [8, 7, 6, 5, 4, 3, 2, 1]],
  ['%40sort=-id&%40limit=2', [8, 7]],
  ['@limit=3', [1, 2, 3]],
  ['@limit=3&@offset=2', [3, 4, 5]],
  ['@offset=6', [7, 8]],
  ['@offset=100', []],
  ['@limit=0', []],
  ['@limit=1000000', [1, 2, 3, 4, 5, 6, 7, 8]],
  ['n=5&@sort=-id&@limit=1', [4]],
];

test('a list is filtered, sorted and cut as its query says', async () => {
  const served = await withRows();
  for (const [query, ids] of queries) {
    const { status, body, text } = await served.get(`/m/Row?${query}`);
    expect(status, `${query}: ${text}`).toBe(200);
    expect(Array.isArray(body) && body.map((each) => each.id), query).toEqual(ids);
  }
  expect(served.failures).toEqual([]);
});

test('a list inside of a record is asked for what it holds', async () => {
  const served = await serve(`module m
record Deep { nums Int[] @optional, decs Decimal[] @optional, marks Boolean[] @optional }
record Price { tags String[] @optional, deep Deep @optional }
entity P { id Int @id, price Price @optional }
entity Q { id Int @id }
relationship R contains(Q, P)`);
  const prices = [
    { tags: ['a', 'b'], deep: { nums: [1, 2], decs: ['1.50'], marks: [true] } },
    { tags: ['a"b'], deep: { nums: [9007199254740990], decs: [], marks: [false] } },
    { tags: [], deep: {} },
    {},
    undefined,
  ];
  await check(served, [{ ask: 'POST /m/Q', body: { id: 1, R: prices.map((price, id) => ({ id, price })) }, status: 201 }]);
  const asked: readonly (readonly [query: string, ids: readonly number[]])[] = [
    ['price.tags[has]=a', [0]],
    ['price.tags[has]=a%22b', [1]],
    ['price.tags[has]=c', []],
    ['price.deep.nums[has]=2', [0]],
    ['price.deep.nums[has]=9007199254740990', [1]],
    ['price.deep.decs[has]=1.5', [0]],
    ['price.deep.marks[has]=false', [1]],
    ['@or=(price.tags[has]=b,price.deep.marks[has]=false)', [0, 1]],
  ];
  for (const [query, ids] of asked) {
    const { body, text } = await served.get(`/m/P?${query}`);
    expect(Array.isArray(body) ? body.map((each) => each.id) : text, query).toEqual(ids);
  }
  await check(served, [
    { ask: 'GET /m/Q?R.P.price.tags[has]=b', status: 200, is: [{ id: 1 }] },
    { ask: 'GET /m/P?price.deep.nums[has]=x', status: 422, faults: ['price.deep.nums type'] },
    { ask: 'GET /m/P?price.tags=a', status: 422, faults: ['price.tags operator'] },
  ]);
});

const texts = ['27"', '27', 'C:\\x, y', 'a\\b', 'a"b', 'a', '"q"', ' "q"', 'a%2Cb', 'a,b', ''];

/** Which texts a filter gives; the query is percent-encoded once when it is sent. */
const quotedQueries: readonly (readonly [filter: string, value: string, found: readonly string[]])[] = [
  ['n', '27"', ['27"']],
  ['n[in]', '27"', ['27"']],
  ['n[in]', '27",27', ['27', '27"']],
  ['n[in]', 'a"b,a\\b', ['a"b', 'a\\b']],
  ['n[in]', '"C:\\\\x, y"', ['C:\\x, y']],
  ['n[in]', '"\\"q\\"","a\\"b"', ['"q"', 'a"b']],
  ['n[in]', '" \\"q\\""', [' "q"']],
  ['n[in]', '"a%2Cb"', ['a%2Cb']],
  ['n[in]', 'a%2Cb', ['a,b']],
  ['n[in]', 'a%5Cb', ['a\\b']],
  ['n[in]', '"",a', ['', 'a']],
  ['n[in]', ',a', ['', 'a']],
  ['n[between]', 'a"b,"a,b"', ['a"b', 'a%2Cb', 'a,b']],
  ['@or', '(n=27")', ['27"']],
  ['@or', '(n=27",n=a)', ['27"', 'a']],
  ['@or', '(n="C:\\\\x, y",n="\\"q\\"")', ['"q"', 'C:\\x, y']],
  ['@or', '(n[in]="27\\",a",n=a\\b)', ['27"', 'a', 'a\\b']],
  ['@or', '(n[in]="\\"a,b\\",a")', ['a', 'a,b']],
];

const unreadableLists = ['"a', 'a,"b', '""q""', '"a"b', '"a" ,b', 'a, "b"', '"C:\\x, y"', '"a\\'];

test('a value in a list may stand in quotes, in which a backslash goes before a quote or a backslash', async () => {
  const served = await serve(
    'module m\nentity Us { id Int @id @autoincrement, n String }\nentity To { s String @id }\nrelationship L between(Us, To)',
  );
  await check(served, [{ ask: 'POST /m/Us', body: texts.map((n) => ({ n })), status: 201 }]);
  for (const [filter, value, found] of quotedQueries) {
    const { text, body } = await served.get(`/m/Us?${filter}=${encodeURIComponent(value)}`);
    expect(Array.isArray(body) ? body.map((each) => each.n).sort() : text, `${filter}=${value}`).toEqual(found);
  }
  for (const list of unreadableLists) {
    const faulty = { status: 422, code: 'query-invalid' };
    const sent = encodeURIComponent(list);
    await check(served, [
      { ask: `GET /m/Us?n[in]=${sent}`, ...faulty, faults: ['n value'] },
      { ask: `GET /m/Us?n[between]=${sent}`, ...faulty, faults: ['n value'] },
      { ask: `GET /m/L?To[in]=${sent}`, ...faulty, faults: ['To value'] },
      { ask: `GET /m/Us?__path__[in]=${sent}`, ...faulty, faults: ['__path__ value'] },
      { ask: `GET /m/Us?@or=(n=${sent})`, ...faulty, faults: ['@or value'] },
    ]);
  }
});

/** What is wrong, as `attribute code`. */
const refused: readonly (readonly [query: string, faults: readonly string[]])[] = [
  ['nothing=1', ['nothing unknown']],
  ['constructor=1', ['constructor unknown']],
  ['__proto__=1', ['__proto__ unknown']],
  ['toString[eq]=1', ['toString unknown']],
  ['__version=1', ['__version unknown']],
  ['__key=1', ['__key unknown']],
  ['n=x', ['n type']],
  ['n=5.5', ['n type']],
  ['n=', ['n type']],
  ['n=9223372036854775808', ['n type']],
  ['n=05', ['n type']],
  ['f=x', ['f type']],
  ['f=NaN', ['f type']],
  ['f=Infinity', ['f type']],
  ['b=yes', ['b type']],
  ['at=yesterday', ['at type']],
  ['day=2024-13-01', ['day type']],
  ['d=abc', ['d type']],
  ['mail=nobody', ['mail type']],
  ['text=%00', ['text type']],
  ['n[foo]=1', ['n operator']],
  ['n[]=1', ['n operator']],
  ['n[constructor]=1', ['n operator']],
  ['n[like]=1', ['n operator']],
  [`text[like]=${'_'.repeat(17)}`, ['text limit']],
  [`text[like]=${'a'.repeat(1001)}`, ['text limit']],
  ['data=1', ['data operator']],
  ['n[in]=1,x', ['n type']],
  ['n[between]=1', ['n value']],
  ['n[between]=1,2,3', ['n value']],
  ['n[null]=maybe', ['n value']],
  ['n=1&n=2', ['n value']],
  ['@nothing=1', ['@nothing unknown']],
  ['@constructor=1', ['@constructor unknown']],
  ['@limit=-1', ['@limit value']],
  ['@limit=x', ['@limit value']],
  ['@limit=1e3', ['@limit value']],
  ['@offset=-1', ['@offset value']],
  ['@limit=1&@limit=2', ['@limit value']],
  ['@sort=nothing', ['@sort unknown']],
  ['@sort=', ['@sort unknown']],
  ['@sort=data', ['@sort unknown']],
  ['@sort=n;DROP', ['@sort unknown']],
  ['@select=nothing', ['@select unknown']],
  ['@select=__version', ['@select unknown']],
  ['@include=Nothing', ['@include unknown']],
  ['@include=constructor', ['@include unknown']],
  ['@count=maybe', ['@count value']],
  ['@after=rubbish', ['@after value']],
  ['@after=', ['@after value']],
  ['@tree=true', ['@tree value']],
  ['n=x&b=1&@limit=y&nothing=2', ['n type', 'b type', '@limit value', 'nothing unknown']],
];

test('an unknown attribute or operator, a badly typed value or a bad @ parameter is 422, all of them listed', async () => {
  const served = await serve(model);
  await check(
    served,
    refused.map(([query, faults]): Step => ({ ask: `GET /m/Row?${query}`, status: 422, code: 'query-invalid', faults })),
  );
  await check(served, [
    { ask: 'GET /m/Row?text=%zz', status: 400, code: 'request-unreadable' },
    { ask: `GET /m/Row?${Array.from({ length: 21 }, () => 'n[gt]=1').join('&')}`, status: 422 },
    { ask: `GET /m/Row?${Array.from({ length: 5000 }, (_, index) => `a${index}=1`).join('&')}`, status: 422 },
    { ask: 'POST /m/Row?@limit=1', body: { id: 1 }, status: 422 },
  ]);
});

test('one instance takes @select, @include and @tree, and nothing else', async () => {
  const served = await serve(model);
  await check(served, [
    { ask: 'POST /m/Parent', body: { id: 'p', Has: [{ id: 1, v: 7 }] }, status: 201 },
    { ask: 'GET /m/Parent/p?@select=id', status: 200, is: { id: 'p' } },
    { ask: 'GET /m/Parent/p?id=p', status: 422, faults: ['id unknown'] },
    { ask: 'GET /m/Parent/p?@limit=1', status: 422, faults: ['@limit unknown'] },
    { ask: 'GET /m/Parent/p?@tree=false', status: 200, is: { id: 'p' } },
    { ask: 'GET /m/Parent/p?@tree=1', status: 422, faults: ['@tree value'] },
  ]);
});

test('@select always keeps the identifier and __path__', async () => {
  const served = await serve(model);
  const __path__ = 'path://m$Parent/p/m$Has/m$Child/1';
  await check(served, [
    { ask: 'POST /m/Parent', body: { id: 'p', Has: [{ id: 1, v: 7 }] }, status: 201 },
    { ask: 'GET /m/Child?@select=v', status: 200, is: [{ id: 1, v: 7, __path__ }] },
    { ask: 'GET /m/Child?@select=id', status: 200, is: [{ id: 1, __path__ }] },
    { ask: 'GET /m/Child/1?@select=id', status: 200, is: { id: 1, __path__ } },
    { ask: 'GET /m/Parent/p/Has/Child/1?@select=v', status: 200, is: { id: 1, v: 7, __path__ } },
    { ask: `GET /m/Child?__path__=${encodeURIComponent(__path__)}`, status: 200, has: [{ id: 1 }] },
  ]);
});

test('@include embeds related instances under the name of the relationship, to three levels', async () => {
  const served = await serve(model);
  const child = (id: number) => ({ id, v: null, __path__: `path://m$Parent/p/m$Has/m$Child/${id}` });
  await check(served, [
    {
      ask: 'POST /m/Parent',
      body: { id: 'p', Has: [{ id: 2 }, { id: 1, Deep: [{ id: 9 }] }], Marked: [{ name: 't', w: 1 }] },
      status: 201,
    },
    { ask: 'POST /m/Parent', body: { id: 'q', Marked: [{ name: 't' }] }, status: 201 },
    {
      ask: 'GET /m/Parent?@include=Has',
      status: 200,
      is: [
        { id: 'p', Has: [child(1), child(2)] },
        { id: 'q', Has: [] },
      ],
    },
    { ask: 'GET /m/Parent/p?@include=Has,Marked', status: 200, is: { id: 'p', Has: [child(1), child(2)], Marked: [{ name: 't', w: 1 }] } },
    { ask: 'GET /m/Tag/t?@include=Marked', status: 200, is: { name: 't', w: 1, Marked: [{ id: 'p' }, { id: 'q' }] } },
    {
      ask: 'GET /m/Parent/p?@include=Has.Deep',
      status: 200,
      has: {
        Has: [
          { id: 1, Deep: [{ id: 9 }] },
          { id: 2, Deep: [] },
        ],
      },
    },
    {
      ask: 'GET /m/Tag?@include=Marked.Has.Deep',
      status: 200,
      has: [{ Marked: [{ id: 'p', Has: [{ Deep: [{ id: 9 }] }, {}] }, { Has: [] }] }],
    },
    { ask: 'GET /m/Tag?@include=Marked.Marked.Marked.Marked', status: 422 },
    { ask: 'GET /m/Parent/p/Has/Child?@include=Deep&@select=v', status: 200, has: [{ id: 1, Deep: [{ id: 9 }] }, { id: 2 }] },
    { ask: 'GET /m/Parent?@include=Has.Nothing', status: 422, faults: ['@include unknown'] },
    { ask: 'GET /m/Marked?@include=Parent', status: 422, faults: ['@include unknown'] },
  ]);
});

test('filters, order, pages and counts work on nested lists too', async () => {
  const served = await serve(model);
  const children = [3, 1, 2, 10].map((id) => ({ id, v: id % 2 }));
  await check(served, [
    {
      ask: 'POST /m/Parent',
      body: {
        id: 'p',
        Has: children,
        Marked: [
          { name: 'a', w: 3 },
          { name: 'b', w: 1 },
          { name: 'c', w: 2 },
        ],
      },
      status: 201,
    },
    { ask: 'POST /m/Parent', body: { id: 'q', Has: [{ id: 1, v: 1 }], Marked: [{ name: 'z', w: 9 }] }, status: 201 },
    { ask: 'GET /m/Parent/p/Has/Child?@select=id', status: 200, has: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 10 }] },
    { ask: 'GET /m/Parent/p/Has/Child?v=1&@sort=-id', status: 200, has: [{ id: 3 }, { id: 1 }] },
    {
      ask: 'GET /m/Parent/p/Has/Child?@limit=1&@offset=1&@count=true',
      status: 200,
      has: [{ id: 2 }],
      headers: { 'x-total-count': '4', link: /@after=/ },
    },
    { ask: 'GET /m/Parent/p/Has/Child?id[gt]=2&@count=true', status: 200, has: [{ id: 3 }, { id: 10 }], headers: { 'x-total-count': '2' } },
    { ask: 'GET /m/Parent/p/Marked/Tag?w[gte]=2&@sort=w', status: 200, has: [{ name: 'c' }, { name: 'a' }] },
    {
      ask: 'GET /m/Parent/p/Marked/Tag?@count=true&@limit=2',
      status: 200,
      has: [{ name: 'a' }, { name: 'b' }],
      headers: { 'x-total-count': '3', link: /next/ },
    },
    { ask: 'GET /m/Parent/p/Marked/Tag?nothing=2', status: 422, faults: ['nothing unknown'] },
    { ask: 'GET /m/Parent/nobody/Has/Child?v=1', status: 404 },
  ]);
});

test('X-Total-Count is given when asked for, and counts what the filters leave', async () => {
  const served = await withRows();
  await check(served, [
    { ask: 'GET /m/Row', status: 200, headers: { 'x-total-count': null, link: null } },
    { ask: 'GET /m/Row?@count=true', status: 200, headers: { 'x-total-count': '8' } },
    { ask: 'GET /m/Row?n=5&@count=true&@limit=1', status: 200, headers: { 'x-total-count': '2' } },
    { ask: 'GET /m/Row?@count=false', status: 200, headers: { 'x-total-count': null } },
    { ask: 'GET /m/Row?@count=true&@limit=0', status: 200, is: [], headers: { 'x-total-count': '8' } },
  ]);
});
