// The service is killed between the call of a composing resolver and the local commit: afterwards both have the same, or it is shown.

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../applications/random.ts';
import { command, ensureBuilt, freePort, platform, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { isLong, seed } from '../support/form.ts';
import { closed, listenUntilClosed } from '../support/listen.ts';
import { type Kept, storeIn, storeOfRun } from '../support/store.ts';
import { pause } from '../support/time.ts';

const kills = isLong ? 100 : 5;

const model = `module shop

import "bank.js" @as bank

entity Article {
  id String @id,
  price Int
}

entity Payment {
  id String @id
}

event charge {
  id String
}

workflow charge {
  {Payment {id charge.id}}
}

resolver bank [shop/charge] @compose {
  eval bank.charge
}
`;
const bank = `export const charge = async ({ id }, { config }) => {
  await fetch(config.url + '/charges', { method: 'POST', body: JSON.stringify({ id, price: 0 }) });
};
`;

/** The other system: keeps articles, and ends the service before a change is made, after it, or a moment after its answer. */
interface Other {
  readonly server: Server;
  readonly articles: Map<string, { readonly id: string; readonly price: number }>;
  readonly made: string[];
  readonly charged: string[];
  kill: { readonly at: 'before' | 'after' | 'answered'; run(): void } | undefined;
}

function startOther(): Other {
  const random = new Random(seed);
  const other: Other = { server: createServer(), articles: new Map(), made: [], charged: [], kill: undefined };
  other.server.on('request', async (request: IncomingMessage, response) => {
    const id = decodeURIComponent((request.url ?? '').split('/')[2] ?? '');
    const chunks: string[] = [];
    for await (const chunk of request) chunks.push(String(chunk));
    const text = chunks.join('');
    const { kill } = request.method === 'GET' ? { kill: undefined } : other;
    if (kill?.at === 'before') return kill.run();
    if (request.method !== 'GET') other.made.push(`${request.method} ${id || JSON.parse(text).id}`);
    if (request.url === '/charges') other.charged.push(JSON.parse(text).id);
    else if (request.method === 'POST' || request.method === 'PUT') other.articles.set(JSON.parse(text).id, JSON.parse(text));
    if (request.method === 'DELETE') other.articles.delete(id);
    if (kill?.at === 'after') return kill.run();
    const found = id === '' ? [...other.articles.values()] : other.articles.get(id);
    response.writeHead(request.method === 'GET' && found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(request.method === 'GET' ? JSON.stringify(found ?? null) : text);
    if (kill !== undefined) void pause(random.integer(0, 12)).then(() => kill.run());
  });
  return other;
}

let other: Other;
let place: Workspace;
let kept: Kept;
let port: number;
beforeAll(async () => {
  ensureBuilt();
  other = startOther();
  place = workspace({ 'src/shop.al': model, 'src/bank.js': bank });
  port = await freePort();
  kept = await storeIn(place.folder, storeOfRun());
  const { settings } = kept;
  const { host, port: on, username, password, dbname } = { host: '', port: 0, username: '', password: '', dbname: '', ...settings };
  const store =
    settings.type === 'sqlite'
      ? { type: 'sqlite', dbname: settings.file }
      : { type: 'postgres', host, port: on, username, password, dbname };
  const goods = { name: 'shop/goods', type: 'rest', mode: 'compose', types: ['shop/Article'], timeout: 1 };
  const url = `http://127.0.0.1:${await listenUntilClosed(other.server)}`;
  const resolvers = [
    { ...goods, config: { baseUrl: url, path: 'articles' } },
    { name: 'shop/bank', timeout: 1, config: { url } },
  ];
  place.write('config.al', JSON.stringify({ store, resolvers, log: { level: 'warn' }, service: { limits: { flow: { time: 2 } } } }));
});
afterAll(async () => {
  await closed(other.server);
  await kept.remove();
  place.remove();
});

async function start(): Promise<Running> {
  const running = platform(place.folder, 'run', '--port', String(port));
  await running.until(/ at http/);
  return running;
}

function send(method: string, path: string, body?: unknown): Promise<Response> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return fetch(`http://127.0.0.1:${port}${path}`, { method, ...sent });
}

test(`what a kill between call and commit leaves open is settled or shown, never lost, never twice, ${kills} times`, async () => {
  for (let round = 0; round < kills; round += 1) {
    const running = await start();
    const operation = (['create', 'update', 'delete', 'charge'] as const)[round % 4] ?? 'create';
    const id = `r${round}`;
    if (operation === 'update' || operation === 'delete') expect((await send('POST', '/shop/Article', { id, price: 1 })).status).toBe(201);
    const at = (['answered', 'after', 'before', 'after', 'answered'] as const)[round % 5] ?? 'after';
    other.kill = { at, run: () => void running.child.kill('SIGKILL') };
    const asked =
      operation === 'create'
        ? send('POST', '/shop/Article', { id, price: 2 })
        : operation === 'update'
          ? send('PUT', `/shop/Article/${id}`, { price: 2 })
          : operation === 'delete'
            ? send('DELETE', `/shop/Article/${id}`)
            : send('POST', '/shop/charge', { id });
    await asked.catch(() => undefined);
    await running.exit;
    other.kill = undefined;
  }
  const running = await start();
  await expect.poll(differing, { interval: 500, timeout: 120_000 }).toEqual([]);
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
  expect(other.articles.size).toBeGreaterThan(kills / 4);
  expect(other.charged.length).toBeGreaterThan(0);
  // No change was made twice.
  expect(other.made.length).toBe(new Set(other.made).size);
}, 1_800_000);

interface Shown {
  readonly instance: string;
  readonly operation: string;
  readonly after: { readonly id: string } | null;
}

/** Identifiers that are not the same here and there, and that nobody is told of. */
async function differing(): Promise<readonly string[]> {
  const { out } = await command(place.folder, 'resolvers', 'pending', '--json');
  const pending: readonly Shown[] = JSON.parse(out);
  const rows = await kept.rows('SELECT id, price FROM "shop/Article"');
  const here = new Map(rows.map(({ id, price }) => [String(id), Number(price)]));
  const shown = new Set(pending.map(({ instance }) => instance));
  const all = new Set([...here.keys(), ...other.articles.keys()]);
  const payments = (await kept.rows('SELECT id FROM "shop/Payment"')).map(({ id }) => String(id));
  // An event has no name: what it was told with says which one it was.
  const known = new Set([...payments, ...pending.map(({ operation, after }) => (operation === 'eval' ? after?.id : undefined))]);
  return [
    ...[...all].filter((id) => here.get(id) !== other.articles.get(id)?.price && !shown.has(id)),
    ...other.charged.filter((id) => !known.has(id)),
    ...payments.filter((id) => !other.charged.includes(id)),
  ];
}
