// Parts that are switched off cost nothing at a start: nothing of them is read before somebody asks for them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureBuilt, freePort, launch, root, workspace } from '../cli/harness.ts';

/** Writes down each module that is read. */
const hooks = `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED, url + '\\n');
  return next(url, context);
}`;
const registering = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;

test('GraphQL, MCP and streams are loaded where they are on, and with the first request for them', async () => {
  ensureBuilt();
  const off = await started({});
  expect(off.parts()).toEqual([]);
  const on = await started({ graphql: { enabled: true }, mcp: { enabled: true } });
  expect(on.parts()).toEqual(['graphql', 'mcp']);
  const stream = new AbortController();
  await fetch(`${off.address}/m/A`, { headers: { accept: 'text/event-stream' }, signal: stream.signal });
  stream.abort();
  expect(off.parts()).toEqual(['realtime']);
});

async function started(config: object): Promise<{ readonly address: string; parts(): readonly string[] }> {
  const store = { type: 'sqlite', dbname: 'test.db' };
  const place = workspace({ 'src/m.al': 'module m\nentity A { id Int @id }\n', 'config.al': JSON.stringify({ store, ...config }) });
  const port = await freePort();
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(registering)}`, join(root, 'bin', 'platform.js'), 'run'];
  const loaded = join(place.folder, 'loaded.txt');
  const running = launch([...argv, '--port', String(port)], { folder: place.folder, env: { LOADED: loaded } });
  onTestFinished(async () => {
    running.child.kill('SIGTERM');
    await running.exit;
    place.remove();
  });
  await running.until(/ at http/);
  const names = ['graphql', 'mcp', 'realtime'];
  return {
    address: `http://127.0.0.1:${port}`,
    parts: () => {
      const text = readFileSync(loaded, 'utf8');
      return names.filter((name) => new RegExp(`/chunks/${name}-\\w+\\.js$`, 'm').test(text));
    },
  };
}
