// Parts that are switched off cost nothing at a start: nothing of them is read before somebody asks for them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  // What is read of them is what hears the first request.
  expect(off.sources()).toEqual(['src/http/console/console.ts', 'src/http/openapi/answers.ts', 'src/realtime/streams.ts']);
  const on = await started({ graphql: { enabled: true }, mcp: { enabled: true } });
  expect(on.parts()).toEqual(['graphql', 'mcp']);
  const stream = new AbortController();
  await fetch(`${off.address}/m/A`, { headers: { accept: 'text/event-stream' }, signal: stream.signal });
  stream.abort();
  expect(off.parts()).toEqual(['realtime']);
  expect(off.sources()).not.toContain('src/http/openapi/openapi.ts');
  await (await fetch(`${off.address}/openapi.json`)).text();
  expect(off.sources()).toContain('src/http/openapi/openapi.ts');
});

/** Files of the parts, as the bundle names them. */
const ofParts =
  /^\/\/ ((?:src\/(?:http\/(?:graphql|mcp|openapi|console)|realtime)|node_modules\/(?:graphql|@modelcontextprotocol))\/\S+)$/gm;

interface Started {
  readonly address: string;
  parts(): readonly string[];
  /** What of the parts stands in the files that were read. */
  sources(): readonly string[];
}

async function started(config: object): Promise<Started> {
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
    sources: () => {
      const read = readFileSync(loaded, 'utf8').match(/^file:.*\/dist\/.*$/gm) ?? [];
      const texts = read.map((url) => readFileSync(fileURLToPath(url), 'utf8'));
      return [...new Set(texts.flatMap((text) => [...text.matchAll(ofParts)].map(([, source = '']) => source)))].sort();
    },
  };
}
