// `platform run` as people run it: a process, its outputs, its exit codes, its signals.

import { cpSync, readdirSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { answerTo, type Variables } from '../docs/console.ts';
import { listen } from '../support/listen.ts';
import { until } from '../support/time.ts';
import { command, curlLines, ensureBuilt, launch, perform, platform, type Running, root } from './harness.ts';
import { places } from './places.ts';

beforeAll(ensureBuilt);

const { open, started } = places();

function run(folder: string, ...argv: readonly string[]): Running {
  const service = platform(folder, 'run', ...argv);
  return started(service);
}

const item = 'entity Item {\n  name String @id\n}\n';
const shop = { 'shop/src/core.al': `module shop\n\n${item}` };
const address = /(http:\/\/127\.0\.0\.1:\d+)/;

async function ready(service: Running): Promise<string> {
  return (await service.until(address))[1] ?? '';
}

async function statusOf(url: string, body?: object): Promise<number> {
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(url, body === undefined ? {} : post)).status;
}

describe('a start', () => {
  test('prints name, addresses, the model, where the data is, and three calls that work', async () => {
    const { folder } = open(shop);
    const service = run(folder, 'shop', '--port', '0', '--hints');
    const at = await ready(service);
    await service.until(/Try:\n( .*\n){3}/);
    expect(service.said()).toMatch(/^shop 0\.0\.0\n/m);
    expect(service.said()).toContain('1 entity, 0 relationships');
    expect(service.said()).toContain(join('shop', 'data', 'shop.db'));
    const statuses = [];
    for (const call of curlLines(service.said())) {
      expect(call.url.startsWith(at)).toBe(true);
      statuses.push((await perform(call)).status);
    }
    expect(statuses).toEqual([201, 200, 200]);
  });

  test('with authentication on, the calls sign up, log in, and go on with the token; it says how to make the first admin', async () => {
    const { folder } = open({ ...shop, 'shop/config.al': '{"auth": {"enabled": true}}' });
    const service = run(folder, 'shop', '--port', '0', '--hints');
    const at = await ready(service);
    await service.until(/Try:\n( .*\n){5}/);
    await service.until(/there is no admin yet: .*PLATFORM_SUPERUSER_EMAIL.*platform users add/);
    const lines = service
      .said()
      .split('\n')
      .filter((line) => /^ {2}(curl|TOKEN=)/.test(line));
    const variables: Variables = new Map();
    const answers = [];
    for (const line of lines) answers.push(await answerTo(line.trim().replace('curl ', 'curl -i '), at, variables));
    expect(answers.map((answer) => answer?.split('\n')[0])).toEqual([
      'HTTP/1.1 200 OK',
      undefined,
      'HTTP/1.1 201 Created',
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
    ]);
    expect(await statusOf(`${at}/shop/Item`)).toBe(401);
  });

  test('on anything but a terminal says one line with the addresses, then JSON lines, and no colours', async () => {
    const { folder } = open(shop);
    const service = run(folder, 'shop', '--port', '0');
    await statusOf(`${await ready(service)}/shop/Item`);
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    const lines = service.said().trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([expect.stringMatching(/^shop 0\.0\.0 at http:/)]);
    for (const line of lines.filter((each) => each.startsWith('{'))) JSON.parse(line);
    expect(service.said()).not.toContain('\u001b[');
  });

  test('every call of the README that init writes works', async () => {
    const { folder, read } = open();
    expect(await platform(folder, 'init', 'my-shop').exit).toBe(0);
    const at = await ready(run(folder, 'my-shop', '--port', '0'));
    const answers = [];
    for (const call of curlLines(read('my-shop/README.md'))) answers.push(await perform(call, at));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 200, 200]);
    expect(answers.at(-1)?.body).toMatchObject([{ title: 'Water the plants', state: 'open' }]);
  });

  test('npm start serves another project too', async () => {
    const { folder } = open(shop);
    const service = started(launch([join(root, 'scripts', 'start.js'), join(folder, 'shop'), '--port', '0'], { folder }));
    await ready(service);
    await service.until(/Try:\n( .*\n){3}/);
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
  });

  test.runIf(process.platform !== 'win32')('npm start ends with the shell that npm runs it in, which passes no signal on', async () => {
    const { folder } = open(shop);
    const script = `"${process.execPath}" "${join(root, 'scripts', 'start.js')}" "${join(folder, 'shop')}" --port 0; true`;
    const source = `const { spawn } = require('node:child_process');
      const shell = spawn('sh', ['-c', process.argv[1]], { stdio: 'inherit' });
      process.on('SIGTERM', () => shell.kill('SIGKILL'));
      process.stdin.resume();`;
    const npm = started(launch(['-e', source, script], { folder, env: { npm_lifecycle_event: 'start' } }));
    const at = await ready(npm);
    npm.child.kill('SIGTERM');
    await expect.poll(() => statusOf(`${at}/health`).catch(() => 'ended')).toBe('ended');
  });

  test.each([
    ['pretty', /^\[\d\d:\d\d:\d\d\] INFO: GET \/shop\/Item 200 \d+\.\d ms 2 B$/m],
    ['json', /^\{"level":"info",.*"method":"GET","path":"\/shop\/Item","status":200/m],
  ])('log.format %s decides how requests are logged', async (format, line) => {
    const { folder } = open({ ...shop, 'shop/config.al': `{"log": {"format": "${format}"}}` });
    const service = run(folder, 'shop', '--port', '0');
    await statusOf(`${await ready(service)}/shop/Item`);
    await service.until(line);
  });

  test('a single source file runs too, on defaults', async () => {
    const { folder } = open({ 'notes.al': `module notes\n\n${item}` });
    const at = await ready(run(folder, 'notes.al', '--port', '0'));
    expect(await statusOf(`${at}/notes/Item`)).toBe(200);
  });

  test('-c names another configuration; --port and --host win over it', async () => {
    const { folder } = open({
      ...shop,
      'other.al': '{"service": {"port": 1, "host": "::1"}, "store": {"type": "sqlite", "dbname": "elsewhere.db"}}',
    });
    const service = run(folder, 'shop', '-c', 'other.al', '--port', '0', '--host', '127.0.0.1', '--hints');
    await ready(service);
    expect(service.said()).toMatch(/address {2}http:\/\/127\.0\.0\.1:\d+\n/);
    expect(service.said()).toMatch(/data {5}elsewhere\.db\n/);
  });
});

test('a function of the application that leaves a rejected promise behind is logged, and ends nothing', async () => {
  const { folder } = open({
    'src/core.al': 'module m\nimport "f.js" @as f\nentity E { id Int @id @check(f.careless) }',
    'src/f.js': 'export function careless() { void Promise.reject(new Error("left behind")); return true; }',
  });
  const service = run(folder, '--port', '0');
  const at = await ready(service);
  expect(await statusOf(`${at}/m/E`, { id: 1 })).toBe(201);
  await service.until(/nobody waited for/);
  expect(await statusOf(`${at}/m/E`, { id: 2 })).toBe(201);
});

describe('a start is refused with exit 1', () => {
  test('when the model has errors, which are shown', async () => {
    const { folder } = open({ 'shop/src/core.al': 'module shop\nentity Item { name Strng }\nentity Other { x Itn }\n' });
    const service = run(folder, 'shop', '--port', '0');
    expect(await service.exit).toBe(1);
    expect(service.said()).toMatch(/core\.al:2:20 {2}error {2}type-unknown[\s\S]*core\.al:3:18 {2}error {2}type-unknown[\s\S]*2 errors\n$/);
  });

  test('when the port is taken, with one line', async () => {
    const { folder } = open(shop);
    const server = createServer();
    const port = await listen(server);
    const service = run(folder, 'shop', '--port', String(port));
    expect(await service.exit).toBe(1);
    expect(service.said().trimEnd()).toBe(`platform: port ${port} is taken; stop what listens there, or choose another with --port`);
  });

  test('when the database is something else, with one line, and that stays as it is', async () => {
    const project = open({ ...shop, 'shop/config.al': '{"store": {"type": "sqlite", "dbname": "config.al"}}' });
    const before = statSync(join(project.folder, 'shop', 'config.al')).mode;
    const service = run(project.folder, 'shop', '--port', '0');
    expect(await service.exit).toBe(1);
    expect(service.said()).toMatch(/^platform: The database .*config\.al cannot be opened: .* not a database; see store\.dbname\.\n$/);
    expect(readdirSync(join(project.folder, 'shop')).sort()).toEqual(['config.al', 'src']);
    expect(statSync(join(project.folder, 'shop', 'config.al')).mode).toBe(before);
  });

  test('when another process has the database, with one line', async () => {
    const { folder } = open(shop);
    const first = run(folder, 'shop', '--port', '0');
    const at = await ready(first);
    const second = run(folder, 'shop', '--port', '0');
    expect(await second.exit).toBe(1);
    expect(second.said()).toMatch(/^platform: .*\n$/);
    expect(await statusOf(`${at}/shop/Item`)).toBe(200);
  });

  test('when the clone is not built, with one line', async () => {
    const { folder } = open();
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
    const command = launch([join(folder, 'bin', 'platform.js'), 'run'], { folder });
    expect(await command.exit).toBe(1);
    expect(command.said()).toMatch(/^platform: .*npm run build.*\n$/);
  });
});

describe('signals', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} drains and exits 0; what was written is there at the next start`, async () => {
      const { folder } = open(shop);
      const first = run(folder, 'shop', '--port', '0');
      expect(await statusOf(`${await ready(first)}/shop/Item`, { name: 'pen' })).toBe(201);
      first.child.kill(signal);
      expect(await first.exit).toBe(0);
      expect(await statusOf(`${await ready(run(folder, 'shop', '--port', '0'))}/shop/Item/pen`)).toBe(200);
    });
  }

  test('a second signal forces the end, with exit 1', async () => {
    const { folder } = open(shop);
    const service = run(folder, 'shop', '--port', '0');
    const at = await ready(service);
    const inFlight = async () => Number(/http_requests_in_flight (\d+)/.exec(await (await fetch(`${at}/metrics`)).text())?.[1]);
    const { port } = new URL(at);
    const before = await inFlight();
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    // A request whose body never ends keeps the drain waiting.
    socket.write('POST /shop/Item HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{');
    await expect.poll(inFlight).toBeGreaterThan(before);
    service.child.kill('SIGTERM');
    await expect.poll(() => statusOf(`${at}/health`).catch(() => 'ended')).toBe('ended');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(1);
    socket.destroy();
  });
});

describe('--watch', () => {
  test('a changed file is live, a broken one keeps the old model serving and shows the diagnostics', async () => {
    const project = open(shop);
    const service = run(project.folder, 'shop', '--port', '0', '--watch');
    const at = await ready(service);
    expect(await statusOf(`${at}/shop/Order`)).toBe(404);

    project.write('shop/src/order.al', 'module shop\n\nentity Order {\n  no Int @id\n}\n');
    await until(async () => (await statusOf(`${at}/shop/Order`)) === 200);

    project.write('shop/src/order.al', 'module shop\n\nentity Order {\n  no Itn @id\n}\n');
    await service.until(/order\.al:4:6 {2}error {2}type-unknown/);
    await service.until(/served as it was/);
    expect(await statusOf(`${at}/shop/Order`)).toBe(200);

    project.write('shop/src/order.al', 'module shop\n\nentity Order {\n  no Int @id,\n  note String @optional\n}\n');
    await until(async () => (await statusOf(`${at}/shop/Order`, { no: Math.trunc(performance.now()), note: 'x' })) === 201);
  });

  test('what a start would refuse is refused, and the old model keeps serving', async () => {
    const project = open({ 'shop/src/core.al': 'module shop\n\nentity Item {\n  name String @id,\n  size Int\n}\n' });
    const service = run(project.folder, 'shop', '--port', '0', '--watch');
    const at = await ready(service);
    expect(await statusOf(`${at}/shop/Item`, { name: 'pen', size: 3 })).toBe(201);
    project.write('shop/src/core.al', 'module shop\n\nentity Item {\n  name String @id,\n  size Boolean\n}\n');
    await service.until(
      /would become Boolean(?:.*\n)+.*see what platform migrate plan says; the model is served as it was; where it is meant, stop the service, run platform migrate apply, and start it again\n/,
    );
    expect(await statusOf(`${at}/shop/Item`, { name: 'cup', size: 4 })).toBe(201);
    expect((await command(project.folder, 'migrate', 'plan', 'shop')).out).toMatch(
      /shop\/Item\.size .* would become Boolean, but 2 instances hold/,
    );
    expect((await command(project.folder, 'migrate', 'status', 'shop')).code).toBe(0);
    expect(await command(project.folder, 'migrate', 'apply', 'shop')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^platform: Another process is using the database .*shop\.db: stop it first, and run this again\.\n$/),
    });
  });

  test('an entity and an attribute that hold nothing are taken out, and back in, like any other change', async () => {
    const [one, two] = ['entity Item {\n  name String @id,\n  note String @optional\n}\n', 'entity Other {\n  id Int @id\n}\n'];
    const project = open({ 'shop/src/core.al': `module shop\n\n${one}\n${two}` });
    const service = run(project.folder, 'shop', '--port', '0', '--watch');
    const at = await ready(service);
    expect(await statusOf(`${at}/shop/Item`, { name: 'pen' })).toBe(201);
    project.write('shop/src/core.al', `module shop\n\n${one.replace(',\n  note String @optional', '')}`);
    await service.until(/"entities":1,.*the change is live/);
    expect(await statusOf(`${at}/shop/Other`)).toBe(404);
    expect(await statusOf(`${at}/shop/Item`, { name: 'cup' })).toBe(201);
    project.write('shop/src/core.al', `module shop\n\n${one}\n${two}`);
    await service.until(/"entities":2,.*the change is live/);
    expect(await statusOf(`${at}/shop/Other`, { id: 1 })).toBe(201);
  });

  test('a changed configuration is live too, and a faulty one changes nothing', async () => {
    const project = open(shop);
    const service = run(project.folder, 'shop', '--port', '0', '--watch');
    await ready(service);
    project.write('shop/config.al', '{"service": {"limits": {"url": 300}}}');
    const [, at = ''] = await service.until(/"addresses":\["(http:[^"]+)".*the change is live/);
    expect(await statusOf(`${at}/shop/Item?${'x'.repeat(400)}`)).toBe(414);
    project.write('shop/config.al', '{"service": {"limts": {"url": 300}}}');
    await service.until(/config-key-unknown[\s\S]*served as it was/);
    expect(await statusOf(`${at}/shop/Item`)).toBe(200);
  });
});
