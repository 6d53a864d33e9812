// Attacks by work: events that loop, join, group, nest and grow, and writes that concern very many rows.

import type { Attack } from './attack.ts';
import { labels } from './attack.ts';
import { askAll } from './client.ts';
import { families, rows } from './model.ts';
import { size } from './service.ts';

const some = (count: number) => Array.from({ length: count }, (_, at) => at);

function event(name: string, body: object): { readonly target: string; readonly body: object } {
  return { target: `/blog/${name}`, body };
}

export const work: readonly Attack[] = [
  {
    name: 'sums of as many groups as there are rows',
    needs: [rows],
    run: async ({ port }) => labels(await askAll(port, Array(size(2, 6)).fill(event('groups', {})), 3)),
    answers: ['200', '422 dataflow-limit', '503 store-busy'],
  },
  {
    name: 'a join that compares everything with everything',
    needs: [rows],
    run: async ({ port }) => labels(await askAll(port, Array(size(2, 4)).fill(event('pairs', {})), 2)),
    answers: ['422 dataflow-limit', '503 store-busy'],
  },
  {
    name: 'an event that runs itself',
    run: async ({ port }) =>
      labels(
        await askAll(port, [
          ...Array(size(3, 30)).fill(event('again', { n: 1 })),
          { target: '/dynamic', body: { 'blog/again': { n: 1 } } },
        ]),
      ),
    answers: ['422 dataflow-limit', '422 dataflow-failed'],
  },
  {
    name: 'a loop in a loop',
    needs: [rows],
    run: async ({ port }) => labels(await askAll(port, Array(size(2, 6)).fill(event('rounds', { list: some(size(300, 9000)) })), 3)),
    answers: ['422 dataflow-limit'],
  },
  {
    name: 'a loop in a loop on very many connections at once',
    needs: [rows],
    run: async ({ port }) => labels(await askAll(port, Array(size(8, 150)).fill(event('rounds', { list: some(400) })), size(8, 150))),
    // On a server each of them has a connection of the pool, for which the others wait some seconds at most.
    answers: ['422 dataflow-limit', '503 store-busy'],
  },
  {
    name: 'a loop that makes instances with what they contain',
    run: async ({ port }) => labels(await askAll(port, Array(size(2, 8)).fill(event('made', { list: some(size(500, 9000)) })), 2)),
    // One writes at a time, and the others wait for some seconds at most.
    answers: ['200', '201', '422 dataflow-limit', '503 store-busy'],
  },
  {
    name: 'a change of every row',
    needs: [rows],
    run: async ({ port }) => labels(await askAll(port, Array(size(2, 4)).fill(event('raise', {})), 2)),
    answers: ['200', '422 dataflow-limit', '503 store-busy'],
  },
  {
    name: 'a text that doubles itself in a loop',
    run: async ({ port }) =>
      labels(
        await askAll(
          port,
          [15, 20, 40].map((count) => event('doubled', { text: 'x'.repeat(1000), list: some(count) })),
          1,
        ),
      ),
    answers: ['200', '422 dataflow-limit'],
    all: ['422 dataflow-limit'],
  },
  {
    name: 'products of numbers with very many digits',
    run: async ({ port }) => {
      const asks = [1000, 90_000].map((digits) => event('product', { factor: '7'.repeat(digits), list: some(size(200, 9000)) }));
      return labels(await askAll(port, asks, 2));
    },
    answers: ['200', '201', '422 dataflow-limit', '422 dataflow-failed', '422 attributes-invalid'],
  },
  {
    name: 'changes of many items that one basket is computed from',
    needs: [families],
    run: async ({ port }) => {
      const asks = some(size(40, 400)).map((id) => ({
        method: 'PUT',
        target: `/blog/Basket/1/BasketItem/Item/${id + 1}`,
        body: { price: id },
      }));
      return labels(await askAll(port, asks));
    },
    answers: ['200', '503 store-busy'],
    all: ['200'],
  },
  {
    name: 'a parent that is deleted with everything it contains',
    needs: [families],
    run: async ({ port }) =>
      labels(
        await askAll(
          port,
          ['/blog/Post/family', '/blog/Basket/1'].map((target) => ({ method: 'DELETE', target })),
          2,
        ),
      ),
    answers: ['200'],
  },
];
