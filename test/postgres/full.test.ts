// A disk of the server that is full: what writes is 507, what reads goes on, and so do writes once there is space.

import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { open, type Served } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { postgresSettings, queryAt } from '../support/postgres.ts';
import { otherUser, type RunningServer, startServer } from '../support/postgres-server.ts';

const folder = temporaryFolder();
const isMounted = process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).status === 0;
const title = `a disk that is full${isMounted ? '' : ' (skipped: this user may not mount a small one)'}`;

const state: { server?: RunningServer; served?: Served } = {};
afterAll(async () => {
  await state.served?.close();
  await state.server?.stop();
  if (isMounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!isMounted)(title, () => {
  test('writes are 507 with nothing of them kept, reads go on, and writes are taken again when there is space', async () => {
    const server = await startServer({ durable: true });
    state.server = server;
    const place = join(folder, 'space');
    mkdirSync(place);
    const { uid, gid } = otherUser();
    if (uid !== undefined && gid !== undefined) chownSync(place, uid, gid);
    const at = { port: server.port, dbname: 'postgres' };
    await queryAt(at, `CREATE TABLESPACE small LOCATION '${place}'`);
    await queryAt(at, 'CREATE DATABASE shop TABLESPACE pg_default');
    await queryAt(at, `ALTER DATABASE shop SET default_tablespace = 'small'`);
    const served = await open(
      'module m\nentity N { id Int @id, t String }\nentity K { id Int @id, t String }\nrelationship R contains(N, K)',
      {
        store: postgresSettings('shop', { port: server.port }),
      },
    );
    state.served = served;
    // Nothing that the server could make smaller.
    const text = Array.from({ length: 500 }, () => Math.random().toString(36))
      .join('')
      .slice(0, 5000);
    const write = async (id: number) => (await served.post('/m/N', { id, t: text, R: [{ id: 1, t: text }] })).status;
    const statuses: number[] = [];
    for (let id = 0; statuses.at(-1) !== 507 && id < 2000; id += 1) statuses.push(await write(id));
    expect(new Set(statuses)).toEqual(new Set([201, 507]));
    const made = statuses.length - 1;
    const refused = await served.post('/m/N', { id: 5000, t: text });
    expect([refused.status, Object(refused.body).code]).toEqual([507, 'store-full']);
    expect((await served.get('/m/N/0')).status).toBe(200);
    expect((await served.get('/m/N?@limit=1000')).status).toBe(200);
    expect((await served.get('/ready')).status).toBe(200);
    const kept = () => served.kept.rows('SELECT (SELECT count(*)::int FROM "m/N") AS n, (SELECT count(*)::int FROM "m/K") AS k');
    expect(await kept()).toEqual([{ n: made, k: made }]);
    spawnSync('mount', ['-o', 'remount,size=32m', folder]);
    expect(await write(made)).toBe(201);
    expect(await kept()).toEqual([{ n: made + 1, k: made + 1 }]);
  });
});
