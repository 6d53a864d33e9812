// The two servers as processes: started on a port and a database of their own, awaited, stopped.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export const serverNames = ['ours', 'baseline'] as const;
export type ServerName = (typeof serverNames)[number];

export const storeNames = ['sqlite', 'postgres'] as const;
export type StoreName = (typeof storeNames)[number];

/** A PostgreSQL on this machine that has a database for each server, of the server's name. */
export interface DatabaseServer {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Absent: it is called as the server is. */
  readonly database?: string;
}

export interface ServerOptions {
  /** Where the database and the log are. */
  readonly folder: string;
  readonly logLevel: string;
  /** Absent: each has an SQLite file. */
  readonly postgres?: DatabaseServer | undefined;
  /** Flags of Node. */
  readonly flags?: readonly string[];
  /** The project that ours serves; absent: that of the bench. */
  readonly model?: string;
  /** Further arguments of the program. */
  readonly arguments?: readonly string[];
}

export class RunningServer {
  readonly name: ServerName;
  readonly port: number;
  readonly pid: number;
  readonly #process: ChildProcess;

  private constructor(name: ServerName, port: number, started: ChildProcess) {
    this.name = name;
    this.port = port;
    this.pid = started.pid ?? 0;
    this.#process = started;
  }

  static async start(name: ServerName, options: ServerOptions): Promise<RunningServer> {
    const { folder, logLevel, postgres, flags = [], model = benchModel, arguments: more = [] } = options;
    const port = await freePort();
    const log = openSync(join(folder, `${name}.log`), 'a');
    const database = postgres === undefined ? { DATABASE: join(folder, `${name}.db`) } : inPostgres(name, postgres);
    const env = { ...process.env, PORT: String(port), LOG_LEVEL: logLevel, ...database };
    const program = programs[postgres === undefined ? 'sqlite' : 'postgres'][name](port, model);
    const started = spawn(process.execPath, [...flags, ...program, ...more], {
      cwd: folder,
      env,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    return new RunningServer(name, port, started);
  }

  /** Resolves with the text of the answer, however long the server takes to be there. */
  async answer(path: string): Promise<string> {
    for (let attempt = 0; attempt < 2000; attempt += 1) {
      if (this.#process.exitCode !== null) throw new Error(`${this.name} ended by itself; see its log`);
      const text = await textAt(this.port, path);
      if (text !== undefined) return text;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`${this.name} does not answer`);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }
}

const benchModel = join(root, 'bench', 'model');
const ours = (port: number, model: string) => [join(root, 'bin', 'platform.js'), 'run', model, '--port', String(port)];

const programs: Record<StoreName, Record<ServerName, (port: number, model: string) => readonly string[]>> = {
  sqlite: { ours, baseline: () => [join(root, 'bench', 'baseline', 'server.js')] },
  postgres: {
    ours: (port, model) => [...ours(port, model), '-c', join(model, 'postgres.al')],
    baseline: () => [join(root, 'bench', 'baseline', 'postgres-server.js')],
  },
};

/** Ours reads the parts, the baseline the address. */
function inPostgres(name: ServerName, { port, username, password, database = name }: DatabaseServer): Record<string, string> {
  const account = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
  return {
    DATABASE: database,
    DATABASE_PORT: String(port),
    DATABASE_USER: username,
    DATABASE_PASSWORD: password,
    DATABASE_URL: `postgres://${account}@127.0.0.1:${port}/${database}`,
  };
}

/** `undefined` while nobody listens. */
function textAt(port: number, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', () => resolve(undefined));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
