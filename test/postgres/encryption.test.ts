// An encrypted way to the server, and a server that has to prove who it is: `store.ssl` and `store.ca`.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { PostgresStore } from '../../src/store/postgres/postgres.ts';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import { StartRefused } from '../../src/store/store.ts';
import { add, items, namesIn } from '../contracts/store.ts';
import { folderForTest } from '../support/folder.ts';
import { postgresSettings } from '../support/postgres.ts';
import { startServer } from '../support/postgres-server.ts';

test.skipIf(!hasOpenssl())('a connection is encrypted, and the server proves who it is (needs openssl to make a certificate)', async () => {
  const tls = certificate(folderForTest());
  const { port, stop } = await startServer({ tls });
  onTestFinished(stop);
  const open = (more: Partial<PostgresSettings>): PostgresStore => {
    const store = new PostgresStore(postgresSettings('postgres', { port, ...more }), systemClock());
    onTestFinished(() => store.close());
    return store;
  };
  for (const settings of [{ ssl: 'require' }, { ssl: 'verify', ca: tls.cert }] as const) {
    const store = open(settings);
    await store.migrate([items]);
    const sql = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    expect(await store.schema(async ({ executor }) => executor.rows(sql))).toEqual([{ ssl: true }]);
  }
  const store = open({ ssl: 'require' });
  await add(store, 1, 'a');
  expect(await namesIn(store)).toEqual(['a']);
  const unknown = await open({ ssl: 'verify' })
    .migrate([items])
    .catch((thrown: unknown) => thrown);
  expect(unknown).toBeInstanceOf(StartRefused);
  expect(String(unknown)).toMatch(/refuses the connection: self-signed certificate; see/);
  const missing = await open({ ssl: 'verify', ca: '/nowhere/ca.pem' })
    .migrate([items])
    .catch((thrown: unknown) => thrown);
  expect(String(missing)).toBe('StartRefused: The file /nowhere/ca.pem cannot be read; see store.ca.');
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function certificate(folder: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const options = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key, cert };
}
