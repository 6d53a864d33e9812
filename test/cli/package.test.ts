// The package: what is in it, and that it works where it is installed.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isLong } from '../support/form.ts';
import { curlLines, ensureBuilt, freePort, launch, perform, root, workspace } from './harness.ts';

describe('the package', () => {
  beforeAll(ensureBuilt);

  test('holds the command, the library and the docs, and no tests, sources or source maps', () => {
    const [pack] = JSON.parse(npm(root, 'pack', '--dry-run', '--json', '--ignore-scripts'));
    const files: readonly string[] = pack.files.map((file: { path: string }) => file.path);
    expect(files).toEqual(
      expect.arrayContaining([
        'package.json',
        'LICENSE',
        'README.md',
        'bin/platform.js',
        'dist/cli.js',
        'dist/index.js',
        'dist/standalone.cjs',
        'dist/THIRD-PARTY.txt',
        'docs/settings.md',
      ]),
    );
    const known =
      /^(package\.json|LICENSE|README\.md|CHANGELOG\.md|bin\/platform\.js|dist\/(cli|index)\.js|dist\/standalone\.cjs|dist\/THIRD-PARTY\.txt|dist\/chunks\/[\w.-]+\.js|dist\/assets\/scalar\.(js\.gz|LICENSE)|dist\/assets\/(?:console|graphql)\.pack|dist\/assets\/client\/[\w-]+\.ts|docs\/[\w./-]+\.md)$/;
    expect(files.filter((file) => !known.test(file))).toEqual([]);
  });

  test('starts as before without the files of its pages, which are then 404 with the reason', async () => {
    const place = workspace({ 'app/package.json': '{"name": "app"}', 'app/src/app.al': 'module app\nentity Item { id Int @id }\n' });
    onTestFinished(() => place.remove());
    const without = join(place.folder, 'installed', 'platform');
    for (const part of ['package.json', 'bin', 'dist'])
      cpSync(join(root, part), join(without, part), { recursive: true, filter: (each) => !each.endsWith('.pack') });
    symlinkSync(join(root, 'node_modules'), join(without, 'node_modules'));
    // Where nothing of the package is, though its sources have the builder of the pages at this distance.
    place.write('installed/scripts/console.js', 'export const consolePack = () => { throw new Error("a stranger"); };\n');
    const service = launch([join(without, 'bin', 'platform.js'), 'run', '--port', '0'], { folder: join(place.folder, 'app') });
    onTestFinished(async () => {
      service.child.kill('SIGKILL');
      await service.exit;
    });
    const [address] = await service.until(/http:\/\/127\.0\.0\.1:\d+/);
    expect((await fetch(`${address}/ready`)).status).toBe(200);
    expect(await (await fetch(`${address}/app/Item`)).json()).toEqual([]);
    for (const path of ['/console', '/console/data/app/Item', '/console/assets/main.js']) {
      const answer = await fetch(`${address}${path}`);
      expect([answer.status, await answer.json()]).toEqual([
        404,
        expect.objectContaining({ code: 'path-unknown', detail: 'The files of this page are not installed.' }),
      ]);
    }
    expect((await fetch(`${address}/ready`)).status).toBe(200);
  });

  test('holds the licence of every package that is bundled', () => {
    const text = readFileSync(join(root, 'dist', 'THIRD-PARTY.txt'), 'utf8');
    const folders = bundledFolders();
    expect(folders.some((folder) => folder.endsWith('/commander'))).toBe(true);
    const lacking = folders.filter((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const [, after = ''] = text.split(`\n${name} ${version} (${license})\n`);
      return !/^=+\n\n[^=]*(permission|license)/i.test(after);
    });
    expect(lacking).toEqual([]);
  });
});

/** The packages in the bundle, by the names of the files that the bundler writes above their code. */
function bundledFolders(): readonly string[] {
  const seen = new Set<string>();
  const texts: string[] = [];
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    texts.push(text);
    for (const [, target = ''] of text.matchAll(/(?:from |import\(|import )"(\.\.?\/[\w./-]+\.js)"/g)) visit(join(dirname(file), target));
  };
  for (const entry of ['cli.js', 'index.js']) visit(join(root, 'dist', entry));
  const named = texts.flatMap((text) => [...text.matchAll(/^ *\/\/ ((?:.*\/)?node_modules\/(?:@[^/\n]+\/)?[^/\n]+)\//gm)]);
  return [...new Set(named.map(([, folder = '']) => folder))];
}

describe('the lock file', () => {
  const lock: { packages: Readonly<Record<string, { resolved?: string; optionalDependencies?: Readonly<Record<string, string>> }>> } =
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

  test('holds the optional packages of all platforms: without them npm ci fails', () => {
    const wanted = Object.values(lock.packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`)))).toEqual([]);
  });

  test('holds no download addresses', () => {
    expect(Object.values(lock.packages).filter((each) => each.resolved !== undefined)).toEqual([]);
  });
});

// An install needs the network, or a cache that has the two native packages.
describe.skipIf(!isLong)('the package in an empty folder', () => {
  const place = workspace();
  beforeAll(ensureBuilt);
  afterAll(() => place.remove());

  test('gives a platform command with which init and run work', async () => {
    const [pack] = JSON.parse(npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', place.folder));
    npm(place.folder, 'install', '--no-save', '--prefer-offline', '--no-package-lock', join(place.folder, pack.filename));
    const bin = join(place.folder, 'node_modules', 'platform-runtime', 'bin', 'platform.js');
    expect(await launch([bin, 'init', 'shop'], { folder: place.folder }).exit).toBe(0);
    const service = launch([bin, 'run', 'shop', '--port', String(await freePort())], { folder: place.folder });
    const [, address] = await service.until(/ at (http:\/\/127\.0\.0\.1:\d+)/);
    for (const call of curlLines(place.read('shop/README.md'))) expect((await perform(call, address)).status).toBeLessThan(300);
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
  });
});

function npm(folder: string, ...argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', argv, { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
