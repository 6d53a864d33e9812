// A pgbouncer in transaction mode before a database server, where one is installed: every transaction gets another connection.

import { spawn } from 'node:child_process';
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { PostgresSettings } from '../../src/store/postgres/session.ts';
import { temporaryFolder } from './folder.ts';
import { freePort } from './ports.ts';
import { otherUser } from './postgres-server.ts';

export interface Pooler {
  readonly port: number;
  stop(): Promise<void>;
}

/** What docs/scaling.md tells to say for it. */
export const poolerSettings = {
  prepare: false,
  statementTimeout: 0,
  lockTimeout: 0,
  listen: false,
} as const satisfies Partial<PostgresSettings>;

export function poolerProgram(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((each) => join(each, 'pgbouncer')).find((each) => existsSync(each));
}

export interface PoolerOptions {
  /** To the server: few, so that those who come get one that another one has just used. */
  readonly connections?: number;
  /** Whether it passes over settings of a connection that it does not know. */
  readonly ignores?: boolean;
}

const ignored = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

export async function startPooler(program: string, server: number, options: PoolerOptions = {}): Promise<Pooler> {
  const { connections = 4, ignores = false } = options;
  const folder = temporaryFolder();
  const user = otherUser();
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: connections,
    max_client_conn: 500,
    max_db_connections: connections,
    server_login_retry: 1,
    ...(ignores ? { ignore_startup_parameters: ignored.join(',') } : {}),
  };
  const file = join(folder, 'pgbouncer.ini');
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
  writeFileSync(file, ['[databases]', `* = host=127.0.0.1 port=${server} user=postgres`, '[pgbouncer]', ...lines, ''].join('\n'));
  if (user.uid !== undefined && user.gid !== undefined) for (const each of [folder, file]) chownSync(each, user.uid, user.gid);
  const child = spawn(program, [file], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.once('exit', () => reject(new Error(`pgbouncer did not start: ${said}`)));
    child.stderr.on('data', (piece: Buffer) => {
      said = `${said}${piece}`.slice(-10_000);
      if (said.includes('process up')) resolve();
    });
  });
  return {
    port,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
