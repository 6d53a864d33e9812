// Several instances of one service as processes of their own, on a PostgreSQL of their own, and callers that ask all of them at once.

import { Agent, request } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { ensureBuilt, freePort, platform, type Running, type Workspace, workspace } from '../cli/harness.ts';
import { poolerProgram, poolerSettings, startPooler } from '../support/pooler.ts';
import { type RunningServer, startServer } from '../support/postgres-server.ts';

export { isLong } from '../support/form.ts';

export interface Instance {
  readonly port: number;
  readonly running: Running;
}

export interface Fleet {
  readonly database: RunningServer;
  readonly folder: string;
  start(port?: number): Promise<Instance>;
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
}

const shop = {
  'src/shop.al': `module shop

entity Shelf {
  id String @id,
  text String @optional
}

entity Box {
  no Int @id,
  text String @optional
}

entity Tag {
  id String @id
}

entity Note {
  id UUID @id @default(uuid()),
  text String
}

relationship ShelfBox contains(Shelf, Box)
relationship ShelfTag between(Shelf, Tag)
`,
};

/** For all tests of a file. */
export function fleet(files: Readonly<Record<string, string>> = shop): () => Fleet {
  const state: { database?: RunningServer; place?: Workspace; started: Instance[] } = { started: [] };
  beforeAll(async () => {
    ensureBuilt();
    state.database = await startServer({ durable: true });
    const { port, ...more } = await wayTo(state.database);
    const store = { type: 'postgres', host: '127.0.0.1', port, username: 'postgres', password: 'postgres', dbname: 'postgres', ...more };
    state.place = workspace({ ...files, 'config.al': JSON.stringify({ store, log: { level: 'error' } }) });
  }, 120_000);
  afterAll(async () => {
    for (const { running } of state.started) running.child.kill('SIGKILL');
    await state.database?.stop();
    state.place?.remove();
  });
  return () => {
    const { database, place } = state;
    if (database === undefined || place === undefined) throw new Error('only inside a test');
    return {
      database,
      folder: place.folder,
      async start(given) {
        const port = given ?? (await freePort());
        const running = platform(place.folder, 'run', '--port', String(port));
        const instance = { port, running };
        state.started.push(instance);
        await running.until(/ at http/);
        return instance;
      },
      rows: (sql) => rowsOf(database.port, sql),
    };
  };
}

/** Two instances for all tests of a file, which end well behind the last: a test asks both on so many connections each. */
export function both(shared: () => Fleet) {
  const started: Instance[] = [];
  beforeAll(async () => {
    started.push(await shared().start(), await shared().start());
  }, 120_000);
  afterAll(async () => {
    for (const { running } of started) {
      running.child.kill('SIGTERM');
      expect(await running.exit, running.said()).toBe(0);
    }
  });
  return async (
    connections: number,
    work: (callers: readonly Caller[], instances: readonly Instance[]) => Promise<void>,
  ): Promise<void> => {
    const callers = started.map(({ port }) => caller(port, connections));
    try {
      await work(callers, started);
    } finally {
      for (const each of callers) each.close();
    }
  };
}

/** With `PLATFORM_TEST_POOLER=1` through a pooler. */
async function wayTo({ port }: RunningServer): Promise<{ readonly port: number }> {
  const program = process.env['PLATFORM_TEST_POOLER'] === '1' ? poolerProgram() : undefined;
  if (program === undefined) return { port };
  const pooler = await startPooler(program, port, { connections: 20 });
  afterAll(() => pooler.stop());
  return { port: pooler.port, ...poolerSettings };
}

async function rowsOf(port: number, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

export interface Caller {
  /** The status; nothing when the connection was cut before there was one. */
  ask(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<number | undefined>;
  close(): void;
}

export function caller(port: number, connections: number): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    ask: (method, path, body, headers = {}) =>
      new Promise((resolve) => {
        const text = body === undefined ? undefined : JSON.stringify(body);
        const all =
          text === undefined ? headers : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers };
        const call = request({ host: '127.0.0.1', port, method, path, agent, headers: all }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode));
          response.on('error', () => resolve(undefined));
        });
        call.on('error', () => resolve(undefined));
        call.end(text);
      }),
    close: () => agent.destroy(),
  };
}
