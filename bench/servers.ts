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

export interface ServerOptions {
  /** Where the database and the log are. */
  readonly folder: string;
  readonly logLevel: string;
  /** Flags of Node. */
  readonly flags?: readonly string[];
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

  static async start(name: ServerName, { folder, logLevel, flags = [], arguments: more = [] }: ServerOptions): Promise<RunningServer> {
    const port = await freePort();
    const log = openSync(join(folder, `${name}.log`), 'a');
    const env = { ...process.env, PORT: String(port), DATABASE: join(folder, `${name}.db`), LOG_LEVEL: logLevel };
    const started = spawn(process.execPath, [...flags, ...programs[name](port), ...more], {
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

const programs: Record<ServerName, (port: number) => readonly string[]> = {
  ours: (port) => [join(root, 'bin', 'platform.js'), 'run', join(root, 'bench', 'model'), '--port', String(port)],
  baseline: () => [join(root, 'bench', 'baseline', 'server.js')],
};

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
