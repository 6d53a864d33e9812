// A workflow that a resolver has suspended goes on in another process: after a kill while it waits, and after one on its way to its end.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt, freePort, platform, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { type Kept, storeIn, storeOfRun } from '../support/store.ts';

const model = `module shop
import "desk.js" @as desk
entity Mark { id UUID @id @default(uuid()), text String }
event ask { }
event pay { text String }
workflow pay {
  {Mark {text "before"}};
  {ask {}} @as said @then {
    {Mark {text said}};
    {ask {}} @as more;
    {Mark {text more}};
    await desk.pause() @as paused;
    {Mark {text "after"}}
  }
}
resolver asked [shop/ask] { eval desk.ask }
`;
const desk = `import { existsSync } from 'node:fs';
export const ask = (event, context) => { context.suspend(); };
export const pause = () => new Promise((done) => {
  const look = () => (existsSync('go') ? done() : setTimeout(look, 50));
  look();
});
`;

let place: Workspace;
let kept: Kept;
let port: number;
beforeAll(async () => {
  ensureBuilt();
  place = workspace({ 'src/shop.al': model, 'src/desk.js': desk });
  kept = await storeIn(place.folder, storeOfRun());
  port = await freePort();
  const { settings } = kept;
  const { host, port: at, username, password, dbname } = { host: '', port: 0, username: '', password: '', dbname: '', ...settings };
  const store =
    settings.type === 'sqlite'
      ? { type: 'sqlite', dbname: settings.file }
      : { type: 'postgres', host, port: at, username, password, dbname };
  place.write('config.al', JSON.stringify({ store, log: { level: 'error' } }));
});
afterAll(async () => {
  await kept.remove();
  place.remove();
});

async function start(): Promise<Running> {
  const running = platform(place.folder, 'run', '--port', String(port));
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await running.until(/ at http/);
  return running;
}

async function killed(running: Running): Promise<void> {
  running.child.kill('SIGKILL');
  await running.exit;
}

async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...sent });
  return Object(JSON.parse(await response.text()));
}

const marks = async (): Promise<readonly string[]> => {
  const rows: unknown = await send('GET', '/shop/Mark?@sort=id');
  return Array.isArray(rows) ? rows.map(({ text }) => text).toSorted() : [];
};

test('a workflow that waits is resumed by another process, and one that is killed on its way goes on by itself, each step once', async () => {
  const first = await start();
  const { runId: run } = await send('POST', '/shop/pay', { text: 'a' });
  await killed(first);
  const second = await start();
  expect(await send('POST', `/platform.ai/Run/${run}/resume`, { data: 'one' })).toMatchObject({ status: 'waiting' });
  expect(await marks()).toEqual(['before', 'one']);
  // Killed while the last part is under way, which is one transaction: what it has done is undone, and done again by whoever goes on.
  const cut = send('POST', `/platform.ai/Run/${run}/resume`, { data: 'two' }).catch(() => undefined);
  await expect
    .poll(async () => (await send('GET', `/platform.ai/Run/${run}`))['status'], { interval: 10, timeout: 60_000 })
    .toBe('running');
  await killed(second);
  await cut;
  place.write('go', '');
  const third = await start();
  const status = async (): Promise<unknown> => (await send('GET', `/platform.ai/Run/${run}`))['status'];
  await expect.poll(status, { interval: 200, timeout: 120_000 }).toBe('succeeded');
  expect(await marks()).toEqual(['after', 'before', 'one', 'two']);
  await killed(third);
}, 180_000);
