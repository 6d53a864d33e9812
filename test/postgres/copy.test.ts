// `platform store copy` to a PostgreSQL server and back: the same rows, the same hashes, the same export.

import { afterAll, expect, test } from 'vitest';
import { copyFiles, filled } from '../cli/copy-data.ts';
import { command, ensureBuilt, launch, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { databaseForTest, postgresSettings } from '../support/postgres.ts';

const opened: Workspace[] = [];
const started: Running[] = [];
afterAll(async () => {
  for (const each of started) {
    each.child.kill('SIGKILL');
    await each.exit;
  }
  for (const each of opened) each.remove();
});

test('a copy to a server and back is the same, byte for byte', async () => {
  const { port, dbname } = postgresSettings(await databaseForTest());
  const place = workspace(copyFiles);
  opened.push(place);
  await filled(place);
  const server = `postgres://postgres:postgres@127.0.0.1:${port}/${dbname}`;
  const there = await command(place.folder, 'store', 'copy', 'a', '--to', server);
  expect([there.code, there.err]).toEqual([0, '']);
  expect(there.out).toContain(`copied to postgres://127.0.0.1:${port}/${dbname}; counts and hashes agree`);
  const back = await command(place.folder, 'store', 'copy', 'a', '--from', server, '--to', 'config:b/config.al');
  expect([back.code, back.err]).toEqual([0, '']);
  // The same hashes in the same order: only the last line names another place.
  expect(back.out.split('\n').slice(0, -2)).toEqual(there.out.split('\n').slice(0, -2));
  for (const name of ['a', 'b']) await command(place.folder, 'export', name, '--out', `${name}-out`);
  for (const file of ['shop.Node.jsonl', 'shop.Thing.jsonl', 'shop.Inside.jsonl', 'shop.Likes.jsonl']) {
    expect(place.read(`b-out/${file}`)).toBe(place.read(`a-out/${file}`));
  }
});

test('a project on a server is exported, imported, and told how to back up', async () => {
  const { port, dbname } = postgresSettings(await databaseForTest());
  const place = workspace({
    ...copyFiles,
    'c/src/core.al': copyFiles['a/src/core.al'],
    'c/config.al': JSON.stringify({
      store: { type: 'postgres', host: '127.0.0.1', port, dbname, username: 'postgres', password: 'postgres' },
    }),
  });
  opened.push(place);
  await filled(place);
  await command(place.folder, 'export', 'a', '--out', 'a-out');
  expect(await command(place.folder, 'import', 'a-out', 'c')).toEqual({ code: 0, out: '518 instances added\n', err: '' });
  await command(place.folder, 'export', 'c', '--out', 'c-out');
  for (const file of ['shop.Node.jsonl', 'shop.Thing.jsonl', 'shop.Inside.jsonl', 'shop.Likes.jsonl']) {
    expect(place.read(`c-out/${file}`)).toBe(place.read(`a-out/${file}`));
  }
  const { code, err } = await command(place.folder, 'backup', 'x.dump', 'c');
  expect(code).toBe(1);
  expect(err).toContain(`pg_dump --host=127.0.0.1 --port=${port} --username=postgres --format=custom --file=x.dump ${dbname}`);
});

test('a built application runs on a server, in several processes too', async () => {
  ensureBuilt();
  const { port, dbname } = postgresSettings(await databaseForTest());
  const place = workspace({
    'c/src/core.al': copyFiles['a/src/core.al'],
    'live.al': JSON.stringify({
      service: { port: 0 },
      store: { type: 'postgres', host: '127.0.0.1', port, dbname, username: 'postgres', password: 'postgres' },
    }),
  });
  opened.push(place);
  expect((await command(place.folder, 'build', 'c', '--out', '.')).code).toBe(0);
  for (const [no, more] of [
    [1, []],
    [2, ['--workers', '2']],
  ] as const) {
    const service = launch(['c-0.0.0.cjs', '-c', 'live.al', ...more], {
      folder: place.folder,
      env: { HOME: place.folder, XDG_CACHE_HOME: '' },
    });
    started.push(service);
    const [, address] = await service.until(/(http:\/\/127\.0\.0\.1:\d+)/);
    const response = await fetch(`${address}/shop/Node`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ no }),
    });
    expect(response.status).toBe(201);
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
  }
});
