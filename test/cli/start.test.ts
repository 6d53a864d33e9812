// What everybody does first: a start on a fresh folder, of the built command and of the package as it is installed.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { isLong } from '../support/form.ts';
import { curlLines, ensureBuilt, launch, perform, root, type Workspace, workspace } from './harness.ts';

beforeAll(ensureBuilt);

const starts = isLong ? 300 : 20;

function emptyFolder(): Workspace {
  const place = workspace();
  onTestFinished(() => place.remove());
  return place;
}

/** Writes the first project, serves it, makes the calls of its page and stops it by a signal. */
async function tour(bin: string, { folder, read }: Workspace): Promise<void> {
  expect(await launch([bin, 'init', 'shop'], { folder }).exit).toBe(0);
  const service = launch([bin, 'run', 'shop', '--port', '0'], { folder });
  const [, address] = await service.until(/ at (http:\/\/127\.0\.0\.1:\d+)/);
  const statuses = [];
  for (const call of curlLines(read('shop/README.md'))) statuses.push((await perform(call, address)).status);
  expect(statuses).toEqual([201, 201, 200, 200]);
  service.child.kill('SIGTERM');
  expect(await service.exit, service.said()).toBe(0);
}

/** Allocates without end, so that the runtime marks what is alive while the service starts. */
const allocating = `const held = [];
setInterval(() => {
  for (let part = 0; part < 200; part += 1) held.push(Array.from({ length: 500 }, (_, at) => ({ at, text: 'x' + at })));
  if (held.length > 1500) held.splice(0, 800);
}, 2).unref();
`;

// A fault at a start is seen in a few of a hundred: this is what so many starts cost, and no less would find it.
test.each([
  { title: '', flags: [] },
  ...(isLong ? [{ title: ', while the runtime collects', flags: ['--import', './allocating.mjs'] }] : []),
])(`the built command starts, answers and stops ${starts} times on fresh folders$title`, async ({ flags }) => {
  const bin = join(root, 'bin', 'platform.js');
  const place = workspace({ 'shop/src/core.al': 'module shop\n\nentity Item {\n  name String @id\n}\n', 'allocating.mjs': allocating });
  onTestFinished(() => place.remove());
  for (let count = 0; count < starts; count += 1) {
    const data = join(place.folder, `data-${count}`, 'shop.db');
    place.write('shop/config.al', JSON.stringify({ store: { type: 'sqlite', dbname: data } }));
    const service = launch([...flags, bin, 'run', 'shop', '--port', '0'], { folder: place.folder });
    const [, address] = await service.until(/ at (http:\/\/127\.0\.0\.1:\d+)/);
    const made = await fetch(`${address}/shop/Item`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"one"}',
    });
    expect(made.status).toBe(201);
    service.child.kill('SIGTERM');
    expect(await service.exit, service.said()).toBe(0);
  }
});

test('the packed archive works in an empty folder, with nothing but the packages that it names', async () => {
  const place = emptyFolder();
  const [pack] = JSON.parse(npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', place.folder));
  const installed = join(place.folder, 'node_modules', 'platform-runtime');
  mkdirSync(installed, { recursive: true });
  run(place.folder, 'tar', '-xzf', pack.filename, '-C', installed, '--strip-components=1');
  // As an install would put them there, without the network.
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const link = join(place.folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link, 'junction');
  }
  await tour(join(installed, 'bin', 'platform.js'), place);
});

function npm(folder: string, ...argv: readonly string[]): string {
  return run(folder, 'npm', ...argv);
}

function run(folder: string, program: string, ...argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, argv, { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`${program} ${argv.join(' ')}: ${stderr}`);
  return stdout;
}
