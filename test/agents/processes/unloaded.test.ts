// What a service loads that has no agents: nothing of them, and no library of a vendor. One that has agents loads the vendors with the first call.

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { ensureBuilt, freePort, launch, root, type Workspace, workspace } from '../../cli/harness.ts';

const plain = 'module shop\nentity Item { id Int @id }\n';
const withAgent = `${plain}@public agent clerk { instruction "Answer." }\n`;

let place: Workspace | undefined;
beforeAll(() => ensureBuilt());
afterEach(() => place?.remove());

/** The files that a service has loaded when it has been started, asked for something and ended. */
async function loaded(source: string, ask: (at: string) => Promise<unknown>): Promise<readonly string[]> {
  place = workspace({
    'src/shop.al': source,
    'config.al': JSON.stringify({ log: { level: 'error' }, llm: { baseUrl: 'http://127.0.0.1:9/v1' } }),
  });
  const coverage = join(place.folder, 'coverage');
  mkdirSync(coverage);
  const port = await freePort();
  const running = launch([join(root, 'bin', 'platform.js'), 'run', '--port', String(port)], {
    folder: place.folder,
    env: { NODE_V8_COVERAGE: coverage },
  });
  await running.until(/ at http/);
  await ask(`http://localhost:${port}`);
  running.child.kill('SIGTERM');
  await running.exit;
  return readdirSync(coverage).flatMap((file) => urlsIn(readFileSync(join(coverage, file), 'utf8')));
}

function urlsIn(text: string): readonly string[] {
  const { result }: { result: readonly { readonly url: string }[] } = JSON.parse(text);
  return result.map(({ url }) => url).filter((url) => url.includes('/dist/'));
}

const ofAgents = /\/(agents|ai-sdk|telemetry|dist)-[A-Z0-9]+\.js$/;

test('without agents in the model, nothing of agents is loaded', async () => {
  const files = await loaded(plain, async (at) => expect((await fetch(`${at}/shop/Item`)).status).toBe(200));
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((each) => ofAgents.test(each))).toEqual([]);
  const texts = files.map((each) => readFileSync(new URL(each), 'utf8'));
  expect(texts.filter((each) => each.includes('execute_tool') || each.includes('AI_APICallError'))).toEqual([]);
});

test('with an agent, the library of its vendor is loaded with the first call', async () => {
  const isVendor = (each: string): boolean => /\/dist-[A-Z0-9]+\.js$/.test(each);
  const before = await loaded(withAgent, (at) => fetch(`${at}/shop/Item`));
  expect([before.some((each) => /\/agents-/.test(each)), before.some(isVendor)]).toEqual([true, false]);
  place?.remove();
  const ask = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"message": "a"}' };
  const after = await loaded(withAgent, async (at) => expect((await fetch(`${at}/shop/clerk`, ask)).status).toBe(502));
  expect(after.some(isVendor)).toBe(true);
});
