// The files of the console: how they are sent, and that they need not be.

import { expect, test } from 'vitest';
import type { HttpResponse } from '../../src/http/exchange.ts';
import { appOf, blog } from '../http/openapi-model.ts';
import { serve } from '../support/app.ts';

test('every address below /console is the page, whose policy lets nothing in but its own files', async () => {
  const { get } = await serve('module m\nentity A { id Int @id }');
  for (const path of ['/console', '/console/', '/console/data/m/A?id=1']) {
    const { status, headers, text } = await get(path);
    expect([status, headers['cache-control']]).toEqual([200, 'no-cache']);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).toContain('&quot;authentication&quot;:false');
  }
});

test('files have the digest of their content in their names, and are sent compressed, below 250 kB before the first page', async () => {
  const { app, get } = await serve('module m\nentity A { id Int @id }');
  const ask = async (path: string, encoding?: string): Promise<HttpResponse> =>
    app.respond({
      method: 'GET',
      path,
      query: '',
      headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
      body: undefined,
      id: 'test',
      remote: '127.0.0.1',
    });
  const named = [...(await get('/console')).text.matchAll(/\/console\/assets\/[\w-]+-\w{8}\.(?:js|css)/g)].map(([path]) => path);
  expect(named).toHaveLength(2);
  let first = 0;
  for (const path of named) {
    const [brotli, gzip, plain] = [await ask(path, 'gzip, br'), await ask(path, 'gzip;q=1, br;q=0'), await ask(path)];
    expect([brotli, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    expect(brotli.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    first += Buffer.byteLength(Object(brotli.body));
    expect(Buffer.byteLength(Object(plain.body))).toBeGreaterThan(Buffer.byteLength(Object(gzip.body)));
  }
  expect(first).toBeLessThan(250_000);
  expect((await get('/console/assets/other.js')).status).toBe(404);
});

test('service.expose.console: false leaves it out', async () => {
  const app = await appOf(blog(), { console: false });
  const answer = await app.respond({
    method: 'GET',
    path: '/console',
    query: '',
    headers: {},
    body: undefined,
    id: 'test',
    remote: '127.0.0.1',
  });
  expect(answer.status).toBe(404);
});
