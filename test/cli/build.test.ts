// `platform build`: one file that is the application, run where there is nothing but Node.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { partsOf, readPart } from '../../src/standalone/parts.ts';
import { normal, rerun } from '../docs/console.ts';
import { sampled } from '../support/form.ts';
import { command, ensureBuilt, launch, type Running, root, type Workspace } from './harness.ts';
import { places } from './places.ts';

beforeAll(ensureBuilt);

const { open, started } = places();

/** A copy of an example, without what running it may have left, beside the packages of the examples. */
function example(name: string): Workspace {
  const place = open();
  for (const each of [name, 'packages'])
    cpSync(join(root, 'examples', each), join(place.folder, each), {
      recursive: true,
      filter: (source) => !/[\\/](data|out)$/.test(source),
    });
  return place;
}

/** Builds the project, and puts the file, and nothing else, into an empty folder. */
async function built(place: Workspace, project: string): Promise<{ readonly file: string; readonly folder: string }> {
  const { code, err } = await command(place.folder, 'build', project);
  expect([code, err]).toEqual([0, '']);
  const out = join(place.folder, project, 'out');
  const [name = ''] = readdirSync(out);
  const { folder } = open();
  cpSync(join(out, name), join(folder, name));
  return { file: join(folder, name), folder };
}

/** The shop is built once; each test gets the file in a folder of its own. */
const shopFiles: Promise<string>[] = [];
async function builtShop(): Promise<{ readonly file: string; readonly folder: string }> {
  if (shopFiles.length === 0) shopFiles.push(built(open(shop), 'shop').then((each) => each.file));
  const [source = ''] = await Promise.all(shopFiles);
  const { folder } = open();
  const file = join(folder, basename(source));
  cpSync(source, file);
  return { file, folder };
}

/** With a home of its own, so that nothing of an earlier run is found. */
function run(file: string, folder: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const service = launch([file, ...argv], { folder, env: { HOME: join(folder, 'home'), XDG_CACHE_HOME: '', NODE_PATH: '', ...env } });
  return started(service);
}

/** A command of the built application, which has its project inside. */
async function said(file: string, folder: string, words: readonly string[]): Promise<string> {
  const { stdout, stderr } = spawnSync(process.execPath, [file, ...words], { cwd: folder, encoding: 'utf8' });
  return `${stdout}${stderr}`.trimEnd();
}

async function addressOf(service: Running): Promise<string> {
  return (await service.until(/(http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
}

async function post(url: string, body: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

describe('a built example, alone in an empty folder', () => {
  const names = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((each) => ['config.al', 'config.edn'].includes(basename(each)))
    .map((each) => dirname(each));
  const withSettings = ['clinic', 'members', 'newsroom', 'support'];
  /** For the page that needs one. */
  const admin = { PLATFORM_SUPERUSER_EMAIL: 'admin@clinic.example', PLATFORM_SUPERUSER_PASSWORD: 'correct horse battery' };

  test.each(sampled(names, 4))('%s answers as its page says', async (name) => {
    const { file, folder } = await built(example(name), name);
    expect(readdirSync(folder)).toHaveLength(1);
    // The settings stay outside of the built file; without any store in them, the data is where it runs.
    const settings = join(root, 'examples', name, 'config.al');
    const given = withSettings.includes(name) ? ['-c', settings] : [];
    const service = run(file, folder, ['--port', '0', ...given], name === 'clinic' ? admin : {});
    const page = readFileSync(join(root, 'examples', name, 'README.md'), 'utf8');
    cpSync(join(root, 'examples', name), join(folder, 'examples', name), { recursive: true, filter: (each) => !each.endsWith('data') });
    const commands = (words: readonly string[]) =>
      said(file, folder, [...words.filter((each) => each !== `examples/${name}`), '-c', settings]);
    expect(normal(await rerun(page, `examples/${name}`, await addressOf(service), commands))).toEqual(normal(page));
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
  });

  test('is smaller than 25 MB, and serves its pages with their scripts', async () => {
    const { file, folder } = await built(example('blog'), 'blog');
    expect(statSync(file).size).toBeLessThan(25e6);
    writeFileSync(join(folder, 'config.al'), '{"graphql": {"enabled": true}}');
    const address = await addressOf(run(file, folder, ['--port', '0', '-c', join(folder, 'config.al')]));
    for (const [path, least] of [
      ['/docs', 1e6],
      ['/console', 1e5],
      ['/graphql', 1e5],
    ] as const) {
      const page = await (await fetch(`${address}${path}`, { headers: { accept: 'text/html' } })).text();
      const [, script = ''] = /src="([^"]+\.js[^"]*)"/.exec(page) ?? [];
      const response = await fetch(new URL(script, address));
      expect([response.status, (await response.text()).length > least]).toEqual([200, true]);
    }
  });
});

const shop = {
  'shop/package.json': '{"name": "@acme/shop", "version": "2.1.0"}',
  'shop/src/core.al': `module shop
import "rules/rates.js" @as rates
import "typed.ts" @as typed

entity Item {
  name String @id @check(rates.isKnown)
  price Int @check(typed.isPositive)
  pin String @secret @optional
}
`,
  'shop/src/rules/rates.js': `import { basename } from 'node:path';
import known, { also } from './known.js';
import more from '../../data/more.json' with { type: 'json' };
import shout from 'shout';
export const isKnown = async (value) => [...known, also, ...more].includes(basename(value)) || shout(value);
`,
  'shop/src/rules/known.js': "export const also = 'pear';\nexport default ['apple'];\n",
  'shop/data/more.json': '["plum"]',
  'shop/node_modules/shout/package.json': '{"name": "shout", "version": "1.0.0", "main": "lib/main.js"}',
  'shop/node_modules/shout/lib/main.js':
    "let end;\ntry { end = require('optional'); } catch (e) { if (e.code !== 'MODULE_NOT_FOUND') throw e; end = require('./end'); }\nmodule.exports = (value) => 'no ' + value + end;\n",
  'shop/node_modules/shout/lib/end.js': "module.exports = '!';\n",
  'shop/src/typed.ts': `import { basename } from 'node:path';
import { least, type Amount } from './rules/least.ts';
import { also } from './rules/known.js';
import shout from 'shout';
// What stands in a comment is not asked for: require('nothing').
export async function isPositive(value: Amount): Promise<boolean> {
  const { more } = await import('./rules/more.ts');
  return value > least && more && basename(also) === 'pear' && shout('x') === 'no x!';
}
`,
  'shop/src/rules/least.ts': 'export type Amount = number;\nexport const least: Amount = 0;\n',
  'shop/src/rules/more.ts': 'export const more: boolean = true;\n',
};

describe('the built file', () => {
  test('comes out the same from the command as it is installed', async () => {
    ensureBuilt();
    const { folder } = open(shop);
    const built = launch([join(root, 'bin', 'platform.js'), 'build', 'shop'], { folder });
    expect([await built.exit, built.said()]).toEqual([0, expect.stringContaining('acme-shop-2.1.0.cjs')]);
    const { file } = await builtShop();
    expect(readFileSync(join(folder, 'shop/out/acme-shop-2.1.0.cjs')).equals(readFileSync(file))).toBe(true);
  });

  test('is called by name and version, and holds the model’s own functions with what they import', async () => {
    const { file, folder } = await builtShop();
    expect(file.endsWith('acme-shop-2.1.0.cjs')).toBe(true);
    const address = await addressOf(run(file, folder, ['--port', '0']));
    const statuses = [];
    for (const name of ['apple', 'pear', 'plum']) statuses.push((await post(`${address}/shop/Item`, { name, price: 1 })).status);
    expect(statuses).toEqual([201, 201, 201]);
    const refused = await post(`${address}/shop/Item`, { name: 'stone', price: 0 });
    expect(refused.body).toMatchObject({
      errors: [
        { attribute: 'name', message: 'no stone!' },
        { attribute: 'price', code: 'check' },
      ],
    });
  });

  test('tells its version, and the licences of what is in it', async () => {
    const { file, folder } = await builtShop();
    const [version, licences] = [run(file, folder, ['--version']), run(file, folder, ['--licences'])];
    expect([await version.exit, version.said()]).toEqual([0, `@acme/shop 2.1.0 (platform ${manifest.version})\n`]);
    expect(await licences.exit).toBe(0);
    for (const name of ['commander', '@photostructure/sqlite', '@node-rs/argon2', '@scalar/api-reference']) {
      expect(licences.said()).toContain(`\n${name}`);
    }
  });

  test('hashes secrets with the argon2 that is in it', async () => {
    const { file, folder } = await builtShop();
    const address = await addressOf(run(file, folder, ['--port', '0']));
    expect((await post(`${address}/shop/Item`, { name: 'apple', price: 1, pin: '1234-secret' })).status).toBe(201);
    expect(readdirSync(join(folder, 'home', '.cache', 'platform-runtime')).length).toBeGreaterThan(0);
    const database = readFileSync(join(folder, 'data', 'acme-shop.db-wal'), 'latin1');
    expect(database).toContain('$argon2id$');
    expect(database).not.toContain('1234-secret');
  });

  test('is the same, byte for byte, when it is built again, from another folder too', async () => {
    const [one, other] = [await built(open(shop), 'shop'), await built(open(shop), 'shop')];
    expect(readFileSync(one.file).equals(readFileSync(other.file))).toBe(true);
  });

  test('holds no path of the machine that it was built on', async () => {
    const place = open(shop);
    const { file } = await built(place, 'shop');
    const text = readFileSync(file, 'latin1');
    expect([place.folder, root].filter((each) => text.includes(each))).toEqual([]);
  });

  test('holds nothing of the configuration, not even when that has errors', async () => {
    const secret = 'correct-horse-battery-staple';
    const place = open({
      ...shop,
      'shop/config.al': `{"service": {"port": 0}, "store": {"dbname": "${secret}"}, "nonsense": "${secret}"}`,
    });
    const { file } = await built(place, 'shop');
    expect(everythingIn(file)).not.toContain(secret);
    expect(everythingIn(file)).toContain('isPositive');
  });

  test('takes its configuration with -c, and keeps relative data beside that file', async () => {
    const { file, folder } = await builtShop();
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc', 'live.al'), '{"service": {"port": 0}, "store": {"type": "sqlite", "dbname": "kept/shop.db"}}');
    await addressOf(run(file, folder, ['-c', 'etc/live.al']));
    expect(existsSync(join(folder, 'etc', 'kept', 'shop.db'))).toBe(true);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  test('without -c it reads the configuration of the current folder, and keeps its data there', async () => {
    const { file } = await builtShop();
    const { folder } = open({ 'config.al': '{"service": {"port": 0}}' });
    await addressOf(run(file, folder, []));
    expect(existsSync(join(folder, 'data', 'acme-shop.db'))).toBe(true);
  });

  test('runs where no cache can be kept', async () => {
    const { file, folder } = await builtShop();
    writeFileSync(join(folder, 'home'), 'a file, and no folder');
    const temporary = join(folder, 'tmp');
    mkdirSync(temporary);
    const address = await addressOf(run(file, folder, ['--port', '0'], { TMPDIR: temporary }));
    expect((await post(`${address}/shop/Item`, { name: 'apple', price: 1, pin: 'x' })).status).toBe(201);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test.each(['', 'relative'])('keeps nothing in the current folder where the home is "%s"', async (home) => {
    const { file, folder } = await builtShop();
    await addressOf(run(file, folder, ['--port', '0'], { HOME: home, XDG_CACHE_HOME: home }));
    expect(readdirSync(folder).filter((name) => name !== basename(file))).toEqual(['data']);
  });

  test('replaces a native part in its cache that is not what it should be', async () => {
    const { file, folder } = await builtShop();
    const first = run(file, folder, ['--port', '0']);
    await addressOf(first);
    first.child.kill('SIGKILL');
    await first.exit;
    const cache = join(folder, 'home', '.cache', 'platform-runtime');
    const kept = readdirSync(cache).map((name) => join(cache, name));
    expect(kept.map((path) => statSync(path).mode & 0o777)).toEqual(kept.map(() => 0o700));
    for (const path of kept) writeFileSync(path, 'something else');
    await addressOf(run(file, folder, ['--port', '0']));
    expect(kept.every((path) => statSync(path).size > 100_000)).toBe(true);
  });
});

const wrong: readonly (readonly [title: string, argv: readonly string[], code: number, said: RegExp])[] = [
  ['it takes no other project', ['run', 'elsewhere'], 1, /elsewhere: this file holds its project/],
  ['its model does not change', ['--watch'], 2, /--watch is for platform run/],
  [
    'its help names its own commands, and not those that make or change a model',
    ['--help'],
    0,
    /^Usage: node acme-shop-[^ ]+\.cjs \[options\] \[command\](?![\s\S]*init)[\s\S]*migrate/,
  ],
  ['help is help', ['help', 'migrate'], 0, /plan[\s\S]*apply/],
  ['it has no command that makes or changes a model', ['build'], 2, /unknown command 'build'; see node acme-shop-[^ ]+\.cjs --help/],
  [
    'a mistake in a flag says where the flags are told',
    ['--prot', '1'],
    2,
    /unknown option '--prot'.*; see node acme-shop-[^ ]+\.cjs --help/,
  ],
  ['a group of commands says its words', ['migrate'], 2, /migrate wants a word more: plan, apply, status, undo, purge; see/],
  ['a flag that there is not', ['--prot', '0'], 2, /unknown option '--prot'/],
  ['a configuration that is not there', ['-c', 'missing.al'], 1, /missing\.al:1:1 {2}error {2}file-unreadable/],
];

describe('a built file that is called in a wrong way', () => {
  test.each(wrong)('says so: %s', async (_, argv, code, said) => {
    const { file, folder } = await builtShop();
    const called = run(file, folder, argv);
    expect(await called.exit).toBe(code);
    expect(called.said()).toMatch(said);
  });

  test('says so when it is damaged', async () => {
    const { file, folder } = await builtShop();
    writeFileSync(file, readFileSync(file).subarray(0, -100));
    const called = run(file, folder, []);
    expect(await called.exit).toBe(1);
    expect(called.said()).toMatch(/damaged or incomplete; copy it again/);
  });
});

const refused: readonly (readonly [title: string, files: Readonly<Record<string, string>>, said: RegExp])[] = [
  ['a model with errors', { 'app/src/core.al': 'module app\nentity E { id Nonsense @id }\n' }, /type-unknown/],
  ['a folder without a model', { 'app/package.json': '{}' }, /project-empty/],
  [
    'a function that awaits at its top',
    {
      'app/src/core.al': 'module app\nimport "slow.js" @as slow\nentity E { id Int @id @check(slow.is) }\n',
      'app/src/slow.js': 'const is = await Promise.resolve(() => true);\nexport { is };\n',
    },
    /src\/slow\.js cannot be put into one file/,
  ],
];

describe('a build is refused', () => {
  test.each(refused)('for %s', async (_, files, said) => {
    const { folder } = open(files);
    const { code, err } = await command(folder, 'build', 'app');
    expect(code).toBe(1);
    expect(err).toMatch(said);
    expect(existsSync(join(folder, 'app', 'out'))).toBe(false);
  });

  test('for a platform that there is not', async () => {
    const { code, err } = await command(open(shop).folder, 'build', 'shop', '--platform', 'amiga');
    expect([code, err]).toEqual([2, expect.stringMatching(/--platform takes linux-x64/)]);
  });
});

test('a model of the earlier surface is built with the models that it builds on', async () => {
  const place = open({
    'bank/model.platform': '{:name :Bank :version "1.0.0" :platform-version "current" :components [:Bank.Core]}',
    'bank/bank/core.platform': '(component :Bank.Core)\n(entity :Bank.Core/Account {:No {:type :Int :id true}})\n',
    'shop/model.platform': '{:name :Shop :version "0.0.7" :platform-version "current" :components [:Shop.Core] :dependencies [:Bank]}',
    'shop/shop/core.platform': '(component :Shop.Core)\n(entity :Shop.Core/Item {:No {:type :Int :id true}})\n',
  });
  const { file, folder } = await built(place, 'shop');
  expect(file.endsWith('Shop-0.0.7.cjs')).toBe(true);
  const address = await addressOf(run(file, folder, ['--port', '0']));
  const made = await post(`${address}/api/Bank.Core/Account`, { 'Bank.Core/Account': { No: 7 } });
  expect(made.body).toMatchObject([{ status: 'ok', result: [{ No: 7 }] }]);
});

test('functions in Clojure are built in with their interpreter', async () => {
  const place = open({
    'shop/model.platform': '{:name :Shop :version "0.0.1" :platform-version "current" :components [:Shop.Core]}',
    'shop/shop/core.platform': `(component :Shop.Core)
(defn short? [s] (< (count s) 5))
(entity :Shop.Core/Item {:No {:type :Int :id true} :Name {:type :String :check short?}})
`,
  });
  const { file, folder } = await built(place, 'shop');
  const address = await addressOf(run(file, folder, ['--port', '0']));
  const add = (No: number, Name: string) => post(`${address}/api/Shop.Core/Item`, { 'Shop.Core/Item': { No, Name } });
  expect((await add(1, 'cup')).body).toMatchObject([{ status: 'ok' }]);
  expect((await add(2, 'saucer')).body).toMatchObject([{ status: 'error', errors: [{ attribute: 'Name', code: 'check' }] }]);
});

test('a file for all platforms stays below 25 MB', async () => {
  const { folder } = open(shop);
  expect((await command(folder, 'build', 'shop', '--platform', 'all')).code).toBe(0);
  expect(statSync(join(folder, 'shop', 'out', 'acme-shop-2.1.0.cjs')).size).toBeLessThan(25e6);
});

/** The code, and every part of the file as it was before it was put in. */
function everythingIn(file: string): string {
  return [readFileSync(file, 'latin1'), ...partsOf(file).map(({ name }) => readPart(file, name)?.toString('latin1') ?? '')].join('\n');
}
