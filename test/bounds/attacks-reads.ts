// Attacks by reading: what is small in rows and large in bytes, what cannot be answered from an index, and what is asked in ever new ways.

import { once } from 'node:events';
import { Agent } from 'node:http';
import { storeOfRun } from '../support/store.ts';
import type { Attack } from './attack.ts';
import { labels } from './attack.ts';
import { type Ask, ask, askAll, dialled, get, labelOf, type Said, unread } from './client.ts';
import { dense, essays, fame, library, parts, posts, rows, shelf } from './model.ts';
import { size } from './service.ts';

/** A pattern of as many wildcards as there may be, which matches nothing. */
const pattern = `%${'a_'.repeat(15)}b`;
const encoded = encodeURIComponent(pattern);

const isEmbedded = storeOfRun() === 'sqlite';
/** A server matches patterns in its own way, which takes it longer than it has for a statement, and it looks at the time between texts alone. */
const unheard: readonly string[] = isEmbedded ? [] : ['503 store-failed'];

function query(where: unknown, from = 'blog/Essay'): Ask {
  return { target: '/q', body: { Query: { from, where } } };
}

/** Whether a list has been sent to its end, and how many instances it holds. */
function whole(said: Said, expected: number): string {
  const count = Number(said.headers['x-total-count']);
  return said.status === 200 && !said.cut && count !== expected ? `a list of ${count}` : labelOf(said);
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function cursor(...values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

const columns = ['slug', 'title', 'body', 'rank', 'price'];

/** Every one of these is another statement. */
function distinct(at: number): string {
  const way = Math.floor(at / 100);
  const order = columns.map((name, index) => (((way >> index) & 1) === 1 ? `-${name}` : name)).join(',');
  const some = columns.filter((_, index) => ((((way >> 5) + 1) >> index) & 1) === 1).join(',');
  const values = times(1 + (at % 100), (n) => n).join(',');
  return `/blog/Post?@limit=1&@sort=${order}&@select=${some}&rank[in]=${values}`;
}

export const reads: readonly Attack[] = [
  {
    name: 'a name of a megabyte, included in every paper: five callers do not read, one does',
    needs: [fame],
    run: async ({ port }) => {
      const target = '/blog/Paper?@include=Wrote&@count=true';
      const quiet = unread(port, Array(5).fill(get(target)), size(1500, 10_000));
      const said = await ask(port, { target });
      await quiet;
      const count = size(24, 600);
      return [said.status === 200 && said.bytes < count * 1_000_000 ? `${said.bytes} bytes` : whole(said, count)];
    },
    // So many callers want the threads at once that the last one may wait too long on a machine that is busy with other things.
    answers: ['200', '503 store-busy'],
  },
  {
    name: 'three levels of include along a dense link',
    needs: [dense],
    run: async ({ port }) => {
      const target = '/blog/Left?@include=Pair.Pair.Pair&@count=true';
      const quiet = unread(port, Array(3).fill(get(target)), size(500, 5000));
      const said = await ask(port, { target });
      await quiet;
      return [whole(said, size(20, 60))];
    },
    answers: ['200', '422 include-too-large', '503 store-busy'],
  },
  {
    name: 'slow reads beside a long include',
    needs: [dense, essays],
    run: async ({ port }) => {
      const socket = await dialled(port);
      socket.write(get('/blog/Left?@include=Pair.Pair.Pair').repeat(2));
      // It is under way.
      await once(socket, 'data');
      socket.resume();
      const said = await askAll(
        port,
        times(10, () => ({ target: `/blog/Essay?@select=id&content[like]=%25zz%25` })),
        3,
      );
      socket.destroy();
      return labels(said);
    },
    answers: ['200'],
  },
  {
    name: 'an author with every volume that he published, which is more than a text can hold',
    needs: [library],
    run: async ({ port }) => {
      const asks = ['/2?@include=Published', '?@include=Published&id=2', '?@include=Published&@sort=-name&id=2'];
      return labels(
        await askAll(
          port,
          asks.map((each) => ({ target: `/blog/Author${each}` })),
          3,
        ),
      );
    },
    answers: ['422 include-too-large', '503 store-busy'],
    all: ['422 include-too-large'],
  },
  {
    name: 'lists of volumes, read and not read, in both forms',
    needs: [library],
    run: async ({ port }) => {
      const count = size(20, 600);
      const targets = ['/blog/Volume?@count=true', '/blog/Volume?@sort=-id&@count=true', '/blog/Volume?@sort=content&@count=true'];
      const others = ['/api/blog/Volume', '/blog/Author/2/Published/Volume', '/blog/Volume?@sort=content&@offset=5'];
      const quiet = unread(port, Array(30).fill([...targets, ...others].map((each) => get(each)).join('')), size(1500, 10_000));
      const said = await askAll(
        port,
        targets.map((target) => ({ target })),
        2,
      );
      await quiet;
      return said.map((each) => (each.status === 200 && each.bytes < count * 1_000_000 ? 'cut' : whole(each, count)));
    },
    // On a busy PostgreSQL all connections may sort at once.
    answers: ['200', '503 store-busy'],
  },
  {
    name: 'instances of many megabytes that nobody reads',
    needs: [shelf],
    run: async ({ port }) => {
      const instance = Array(size(50, 400)).fill(get('/blog/Volume/100001'));
      const included = Array(size(10, 40)).fill(get('/blog/Author/3?@include=Published'));
      await unread(port, [...instance, ...included], size(1500, 10_000));
      return labels(await askAll(port, [{ target: '/blog/Author/3?@include=Published' }]));
    },
    answers: ['200', '503 store-busy'],
  },
  {
    name: 'volumes in answers that are no streams: events, look-ups and queries of the earlier form',
    needs: [library],
    run: async ({ port }) => {
      const lookup = { target: '/api/blog/LookupAll_Volume', body: { 'blog/LookupAll_Volume': {} } };
      const asks = [{ target: '/blog/allVolumes', body: {} }, lookup, query(['>', 'id', 0], 'blog/Volume')];
      return labels(await askAll(port, [...asks, ...asks], 6));
    },
    answers: ['200', '422 dataflow-limit', '422 include-too-large', '503 store-busy'],
  },
  {
    name: 'patterns of wildcards over texts of a megabyte',
    needs: [essays],
    run: async ({ port }) =>
      labels(
        await askAll(
          port,
          times(size(2, 6), () => ({ target: `/blog/Essay?content[like]=${encoded}` })),
          3,
        ),
      ),
    answers: ['200', '503 store-busy', ...unheard],
    all: isEmbedded ? ['200'] : [],
  },
  {
    name: 'patterns of wildcards in queries of the earlier form',
    needs: [essays],
    run: async ({ port }) => {
      const some = times(20, (at) => ['like', 'content', `${pattern}${at}`]);
      const asks = [
        ['like', 'content', pattern],
        ['like', 'content', '_%'.repeat(200)],
        ['or', ...some],
        ['or', ...some, ...some.slice(0, 5)],
      ];
      return labels(
        await askAll(
          port,
          asks.map((each) => query(each)),
          2,
        ),
      );
    },
    answers: ['200', '422 query-invalid', '503 store-busy', ...unheard],
    all: isEmbedded ? ['200', '422 query-invalid'] : ['422 query-invalid'],
  },
  {
    name: 'patterns of wildcards in workflows',
    needs: [essays],
    run: async ({ port }) => {
      const asks = [pattern, pattern, '_%'.repeat(200)].map((each) => ({ target: '/blog/find', body: { pattern: each } }));
      return labels(await askAll(port, asks, 3));
    },
    answers: ['200', '422 attributes-invalid', '422 dataflow-limit', '503 store-busy', ...unheard],
    all: ['422 attributes-invalid'],
  },
  {
    name: 'four trees of many megabytes, and one of many levels',
    needs: [parts],
    run: async ({ port }) => {
      const asks = [...Array(4).fill('/blog/Part/1?@tree=true'), '/blog/Part/2?@tree=true', '/api/blog/Part/1/__tree'];
      return labels(
        await askAll(
          port,
          asks.map((target) => ({ target })),
          6,
        ),
      );
    },
    // What finds no room in memory beside the others waits for it, and not for ever.
    answers: ['422 tree-too-large', '503 store-busy'],
    all: ['422 tree-too-large'],
  },
  {
    name: 'statements that are all different',
    needs: [posts],
    run: async ({ port }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 8 });
      const said = await askAll(
        port,
        times(size(600, 26_000), (at) => ({ target: distinct(at), agent })),
      );
      agent.destroy();
      return labels(said);
    },
    answers: ['200'],
  },
  {
    name: 'cursors that nobody was given',
    needs: [posts],
    run: async ({ port }) => {
      const cursors = [
        cursor('slug', 'post-00500'),
        cursor('slug', null),
        cursor('slug', { a: 1 }),
        cursor('slug', 1e308),
        cursor('rank,slug', 'text', 3),
        cursor('slug', 'x'.repeat(5000)),
        'x'.repeat(7000),
        Buffer.from('['.repeat(5000)).toString('base64url'),
        Buffer.from(`["slug",${'9'.repeat(5000)}]`).toString('base64url'),
      ];
      const targets = ['', '@sort=rank&', '@sort=price,-title&'].flatMap((order) =>
        cursors.map((each) => `/blog/Post?${order}@after=${each}&@limit=2`),
      );
      return labels(
        await askAll(
          port,
          targets.map((target) => ({ target })),
        ),
      );
    },
    answers: ['200', '422 query-invalid'],
    all: ['200', '422 query-invalid'],
  },
  {
    name: 'filters, orders and includes as many as there may be, and more',
    needs: [posts, rows],
    run: async ({ port }) => {
      const targets = [
        `/blog/Row?kind[in]=${times(500, (at) => at).join(',')}`,
        `/blog/Row?kind[in]=${times(1500, (at) => at).join(',')}`,
        `/blog/Row?${times(60, (at) => `kind[gt]=${at}`).join('&')}`,
        '/blog/Row?note[null]=true&kind[ne]=1&amount[lt]=5&@sort=note,-amount,kind,id',
        '/blog/Row?@offset=999999999999999&@sort=-amount',
        '/blog/Row?@limit=99999999999999999999',
        '/blog/Row?@sort=-note&@count=true&@offset=5000',
        `/blog/Left?@include=${times(30, () => 'Pair').join(',')}`,
        '/blog/Left?@include=Pair.Pair.Pair.Pair',
        `/blog/Part?@include=${times(20, (at) => (at % 2 === 0 ? 'Inner.Inner.Inner' : 'outer.outer')).join(',')}`,
        `/blog/Post?@select=${'slug,'.repeat(1000)}title&@limit=1`,
        `/blog/Post?@sort=${'slug,-title,'.repeat(600)}rank&@limit=1`,
        `/blog/Post?slug[in]=${'"'.repeat(7000)}`,
        `/blog/Post?${'a&'.repeat(3500)}`,
      ];
      const said = await askAll(
        port,
        targets.map((target) => ({ target })),
        4,
      );
      return said.map((each, at) => (each.cut ? `cut: ${targets[at]?.slice(0, 80)}` : labelOf(each)));
    },
    answers: ['200', '422 query-invalid', '422 include-too-large', '503 store-busy'],
    all: ['200', '422 query-invalid'],
  },
];
