// Attacks on connections: requests without readers, heads and bodies that are long, slow, cut into crumbs or not HTTP.

import { pause } from '../support/time.ts';
import type { Attack } from './attack.ts';
import { labels } from './attack.ts';
import { askAll, close, dialled, exchanged, get, labelsIn, pipelined, unread } from './client.ts';
import { posts } from './model.ts';
import { size } from './service.ts';

const json = `Host: localhost\r\nContent-Type: application/json\r\n`;
const last = `${json}${close}`;

function chunked(body: string, width: number): string {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += width) {
    const piece = body.slice(at, at + width);
    chunks.push(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
}

/** Bodies that are announced and come one byte at a time. */
async function dripping(port: number, count: number, seconds: number): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: count }, () => dialled(port)));
  for (const socket of sockets) socket.write(`POST /blog/Post HTTP/1.1\r\n${json}Content-Length: 1000000\r\n\r\n{"slug":"`);
  for (let tick = 0; tick < seconds * 10; tick += 1) {
    for (const socket of sockets) if (!socket.destroyed) socket.write('a');
    await pause(100);
  }
  for (const socket of sockets) socket.destroy();
}

function headers(count: number, length: number): string {
  return Array.from({ length: count }, (_, at) => `X-${at}: ${'h'.repeat(length)}\r\n`).join('');
}

/** One request each, and the first thing that is said. */
async function firstSaid(port: number, texts: readonly string[]): Promise<readonly string[]> {
  const said = await Promise.all(texts.map((text) => exchanged(port, text)));
  return said.map((each) => labelsIn(each)[0] ?? 'cut');
}

const tags = (count: number) => Array.from({ length: count }, (_, at) => `"${at}"`).join(', ');

export const connections: readonly Attack[] = [
  {
    name: 'lists pipelined by two callers that do not read',
    needs: [posts],
    run: async ({ port }) => {
      await unread(port, Array(2).fill(get('/blog/Post').repeat(1800)), size(1500, 10_000));
      return labelsIn(await exchanged(port, pipelined('/blog/Post?@limit=3', 50)));
    },
    answers: ['200'],
  },
  {
    name: 'lists pipelined by a caller that reads',
    needs: [posts],
    run: async ({ port }) => labelsIn(await exchanged(port, pipelined('/blog/Post', size(10, 100)))),
    answers: ['200'],
  },
  {
    name: 'sorted lists that many callers do not read',
    needs: [posts],
    run: async ({ port }) => {
      const orders = ['title', '-title', 'rank,-title', '-rank,title'];
      const texts = Array.from({ length: 200 }, (_, at) => get(`/blog/Post?@sort=${orders[at % orders.length]}`));
      await unread(port, texts, size(2000, 10_000));
      return labels(await askAll(port, [{ target: '/blog/Post?@limit=1' }]));
    },
    answers: ['200'],
  },
  {
    name: 'the script of /docs, without gzip, pipelined 200 times and not read',
    run: async ({ port }) => {
      await unread(port, Array(2).fill(get('/docs/scalar.js').repeat(200)), size(1500, 5000));
      return labels(await askAll(port, Array(size(4, 40)).fill({ target: '/docs/scalar.js' }), 4));
    },
    answers: ['200'],
  },
  {
    name: 'the description of the API, pipelined and not read',
    run: async ({ port }) => {
      await unread(port, Array(20).fill(`${get('/openapi.json')}${get('/metrics')}${get('/meta/blog')}`.repeat(100)), size(500, 5000));
      return labels(await askAll(port, [{ target: '/openapi.json' }]));
    },
    answers: ['200'],
  },
  {
    name: 'what is not the HTTP that is spoken here',
    run: ({ port }) =>
      firstSaid(port, [
        `POST /blog/Tag HTTP/1.1\r\n${last}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
        'GET /blog/Tag HTTP/2.0\r\nHost: localhost\r\nConnection: close\r\n\r\n',
        `POST /blog/Tag HTTP/1.1\r\n${last}Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 2\r\n\r\n{}`,
        'GET /blog/Tag HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
        'GET /blog/Tag HTTP/1.1\r\nConnection: close\r\n\r\n',
        `POST /blog/Tag HTTP/1.1\r\n${last}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`,
        `POST /blog/Tag HTTP/1.1\r\n${last}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ]),
    answers: ['501 coding-unsupported', '505 version-unsupported', '400 request-unreadable', '415 media-type-unsupported'],
    all: ['501 coding-unsupported', '505 version-unsupported', '400 request-unreadable', '415 media-type-unsupported'],
  },
  {
    name: 'heads that are long, wide or full of tags',
    run: ({ port }) =>
      firstSaid(port, [
        get('/blog/Tag', close + headers(500, 1)),
        get('/blog/Tag', close + headers(4, 6000)),
        get(`/blog/Tag?name=${'a'.repeat(9000)}`, close),
        get(`/blog/Tag/${'%41'.repeat(2600)}`, close),
        get(`/blog/Tag/${'%ff'.repeat(100)}`, close),
        get(`/${'a/'.repeat(2000)}`, close),
        get(`/blog/Part/1${'/Inner/Part/1'.repeat(30)}`, close),
        `PUT /blog/Tag/none HTTP/1.1\r\n${last}If-Match: ${tags(1500)}\r\nContent-Length: 2\r\n\r\n{}`,
        get('/blog/Tag/none', `${close}If-None-Match: ${tags(1500)}\r\n`),
        get('/blog/Tag', `${close}Accept: ${'a/b;q=0.1,'.repeat(1400)}application/transit+json\r\n`),
      ]),
    answers: [
      '200',
      '400 request-unreadable',
      '404 path-unknown',
      '404 instance-not-found',
      '414 url-too-long',
      '431 headers-too-large',
      '412 version-mismatch',
    ],
    all: ['414 url-too-long', '431 headers-too-large'],
  },
  {
    name: 'bodies that come one byte at a time',
    run: async ({ port }) => {
      await dripping(port, size(100, 400), size(1, 8));
      return labels(await askAll(port, [{ target: '/blog/Tag?@limit=1' }]));
    },
    answers: ['200'],
  },
  {
    name: 'bodies in chunks of one byte',
    run: async ({ port }) => {
      const body = `{"slug":"crumbs","title":"${'a'.repeat(size(100_000, 1_000_000))}"}`;
      const request = `PUT /blog/Post/crumbs HTTP/1.1\r\n${last}Transfer-Encoding: chunked\r\n\r\n${chunked(body, 1)}`;
      const said = await Promise.all(Array.from({ length: 8 }, () => exchanged(port, request)));
      return said.map((each) => labelsIn(each)[0] ?? 'cut');
    },
    answers: ['404 instance-not-found', '413 body-too-large'],
  },
  {
    name: 'chunks with long extensions, and trailers without end',
    run: ({ port }) =>
      firstSaid(port, [
        `POST /blog/Tag HTTP/1.1\r\n${last}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
        `POST /blog/Tag HTTP/1.1\r\n${last}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${headers(2000, 20)}\r\n`,
      ]),
    answers: ['413 body-too-large', '431 headers-too-large', '422 attributes-invalid'],
  },
  {
    name: 'connections that ask for a body to be wanted, and say nothing more',
    run: async ({ port }) => {
      const text = `POST /blog/Post HTTP/1.1\r\n${json}Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n`;
      await unread(port, Array(size(100, 1000)).fill(text), size(500, 3000));
      return labels(await askAll(port, [{ target: '/blog/Tag?@limit=1' }]));
    },
    answers: ['200'],
  },
  {
    name: 'heads that never end, on very many connections',
    run: async ({ port }) => {
      await unread(port, Array(size(300, 3000)).fill(`GET /blog/Tag HTTP/1.1\r\n${headers(20, 500)}`), size(500, 3000));
      return labels(await askAll(port, [{ target: '/blog/Tag?@limit=1' }]));
    },
    answers: ['200'],
  },
];
