// Attacks by bodies: what unfolds, nests, repeats, has too many faults, or is kept.

import type { Attack } from './attack.ts';
import { labels } from './attack.ts';
import { type Ask, ask, askAll, labelOf } from './client.ts';
import { expired } from './model.ts';
import { size } from './service.ts';

const transit = { 'content-type': 'application/transit+json' };

/** One long keyword, and codes that each stand for it: a megabyte that means 32. */
function unfolding(slug: string): string {
  return JSON.stringify(['^ ', 'slug', slug, 'title', 't', 'data', [`~:${'k'.repeat(950_000)}`, ...Array<string>(32).fill('^3')]]);
}

function post(body: string | object): Ask {
  return { target: '/blog/Post', body };
}

const digits = '7'.repeat(900_000);
const bad = 'a'.repeat(1000);

export const bodies: readonly Attack[] = [
  {
    name: 'transit whose cache codes stand for 32 times the body',
    run: async ({ port }) => {
      const asks = ['a', 'b', 'c', 'd'].map((key) => ({ ...post(unfolding(key)), headers: { ...transit, 'idempotency-key': key } }));
      return labels(await askAll(port, asks, 4));
    },
    answers: ['422 limit-exceeded', '413 body-too-large'],
  },
  {
    name: 'a body of 340,000 empty children',
    run: async ({ port }) => {
      const body = `{"slug":"a","title":"b","PostComment":[${'{},'.repeat(339_999)}{}]}`;
      return labels(await askAll(port, Array(size(2, 8)).fill(post(body)), 4));
    },
    answers: ['422 limit-exceeded'],
  },
  {
    name: 'bodies with thousands of faults: 100 of them are told',
    run: async ({ port }) => {
      const children = `{"slug":"a","title":"b","PostComment":[${'{},'.repeat(4000)}{}]}`;
      const keys = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`unknown${at}`, at]));
      const long = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${'k'.repeat(9000)}${at}`, at]));
      const said = await askAll(port, [post(children), post(keys), post(long), post({ ['k'.repeat(1_000_000)]: 1 })], 4);
      return said.map((each) => (each.bytes > 1_200_000 ? `${each.bytes} bytes` : labelOf(each)));
    },
    answers: ['422 attributes-invalid'],
  },
  {
    name: 'bodies that are deep or wide',
    run: async ({ port }) => {
      const asks = [
        post('['.repeat(500_000)),
        post(`{"a":`.repeat(150_000)),
        post(`{"slug":"deep","title":"t","data":${'['.repeat(70)}${']'.repeat(70)}}`),
        post(Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`key${at}`, 1]))),
        post(`{${'"a":1,'.repeat(150_000)}"a":1}`),
        { ...post(`${'["~#list",['.repeat(90_000)}`), headers: transit },
        { ...post(`["^ ",${'"^ ",'.repeat(190_000)}1]`), headers: transit },
      ];
      return labels(await askAll(port, asks, 4));
    },
    answers: ['422 limit-exceeded', '400 body-unreadable', '422 attributes-invalid', '400 body-invalid'],
    all: ['422 limit-exceeded'],
  },
  {
    name: 'numbers with many digits, or with large exponents',
    run: async ({ port }) => {
      const asks = [
        { target: '/blog/Row', body: `{"id":1,"kind":${digits},"amount":1}` },
        post(`{"slug":"n1","title":"t","price":${digits}}`),
        post(`{"slug":"n2","title":"t","price":"1e999999999"}`),
        post(`{"slug":"n3","title":"t","price":1e-999999999}`),
        post(`{"slug":"n4","title":"t","data":[${digits}]}`),
        post(`{"slug":"n5","title":"t","data":1e99999}`),
        { target: '/blog/Post?price[gt]=1e999999999' },
        { target: `/blog/Post?price[between]=${'9'.repeat(3000)},${'9'.repeat(3001)}` },
        { target: '/blog/Post?@sort=price&@limit=2' },
        { target: '/blog/Row?kind=1e400' },
      ];
      return labels(await askAll(port, asks, 4));
    },
    answers: ['200', '201', '422 attributes-invalid', '422 query-invalid', '400 body-unreadable', '422 limit-exceeded'],
    all: ['422 attributes-invalid'],
  },
  {
    name: 'texts for which a matcher that goes back would take forever',
    run: async ({ port }) => {
      const codes = [{ a: `${'a1'.repeat(400)}?` }, { b: bad }, { c: bad }, { a: '1'.repeat(999) }];
      const asks = Array.from({ length: size(40, 400) }, (_, id) => ({ target: '/blog/Code', body: { id, ...codes[id % codes.length] } }));
      return labels(await askAll(port, asks));
    },
    answers: ['422 attributes-invalid'],
  },
  {
    name: 'bytes that are no text, and text that is no JSON',
    run: async ({ port }) => {
      const texts = [
        '{"slug":"\\ud800","title":"a"}',
        '{"slug":"a\\u0000","title":"a"}',
        '{"slug":',
        '{"slug":1e}',
        '\ufeff{}',
        '"'.repeat(9),
      ];
      const asks = [...texts.map(post), { ...post({}), body: Buffer.alloc(1_000_000, 0xff) }];
      return labels(await askAll(port, asks));
    },
    answers: ['400 body-unreadable', '400 body-invalid', '422 attributes-invalid'],
  },
  {
    name: 'a body of thousands of instances',
    run: async ({ port }) => {
      const PostComment = Array.from({ length: 4900 }, (_, id) => ({ id, text: 'a' }));
      const asks = Array.from({ length: size(2, 20) }, (_, at) => post({ slug: `wide-${at}`, title: 't', PostComment }));
      return labels(await askAll(port, asks, 4));
    },
    answers: ['201', '503 store-busy'],
    all: ['201'],
  },
  {
    name: 'a flood of Idempotency-Keys, each with an answer of a hundred kilobytes to keep',
    run: async ({ port }) => {
      const title = 't'.repeat(100_000);
      const count = size(50, 1000);
      const asks = Array.from({ length: count }, (_, at) => ({
        ...post({ slug: `key-${at}`, title }),
        headers: { 'idempotency-key': `k${at}`.padEnd(255, 'x') },
      }));
      return labels(await askAll(port, [...asks, ...asks.slice(0, count / 5)], 25));
    },
    answers: ['201', '409 request-in-progress', '503 store-busy'],
    all: ['201'],
  },
  {
    name: 'answers kept for Idempotency-Keys that have all expired',
    needs: [expired],
    run: async ({ port }) => {
      const asks = Array.from({ length: size(20, 200) }, (_, at) => ({
        target: '/blog/Tag',
        body: { name: `late-${at}` },
        headers: { 'idempotency-key': `late-${at}` },
      }));
      return labels(await askAll(port, asks));
    },
    answers: ['201'],
  },
  {
    name: 'a PUT of everything that was read, with thousands of children in it',
    run: async ({ port }) => {
      const PostComment = Array.from({ length: 3000 }, (_, id) => ({ id, text: 'a' }));
      await ask(port, post({ slug: 'sent-back', title: 't', PostComment }));
      const changed = { title: 'u', PostComment: PostComment.map(({ id }) => ({ id, text: 'b' })) };
      const asks = [{ PostComment }, changed].map((body) => ({ method: 'PUT', target: '/blog/Post/sent-back', body }));
      return labels(await askAll(port, asks));
    },
    answers: ['200', '422 attributes-invalid'],
  },
];
