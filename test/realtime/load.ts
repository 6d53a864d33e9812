// A service under load as processes of its own, people who write, and streams over sockets that keep what they are told.

import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { ensureBuilt, freePort, launch, type Running, root, workspace } from '../cli/harness.ts';
import { isLarge } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { pause } from '../support/time.ts';

const superuser = { PLATFORM_SUPERUSER_EMAIL: 'admin@example.com', PLATFORM_SUPERUSER_PASSWORD: 'correct horse battery' };

/** What is written is read by its writer alone: of one type by a rule, of the other as its owner. */
const model = `module m
entity Note { id Int @id, n Int, person String, @rbac [(roles: [*], allow: [create]), (roles: [*], allow: [read, update, delete], where: auth.user = this.person)] }
entity Post { id Int @id, n Int, person String, @rbac [(roles: [*], allow: [create])] }
`;

export interface Fleet {
  readonly ports: readonly number[];
  /** MiB that each process has now. */
  memory(): readonly number[];
  said(): string;
  stop(): Promise<void>;
}

export async function startFleet(): Promise<Fleet> {
  ensureBuilt();
  const { store, release } = await storeSettings();
  const config = { store, rbac: { enabled: true }, log: { level: 'error' } };
  const place = workspace({ 'src/m.al': model, 'config.al': JSON.stringify(config) });
  const started: { readonly port: number; readonly running: Running }[] = [];
  for (let count = storeOfRun() === 'sqlite' ? 1 : 2; count > 0; count -= 1) {
    const port = await freePort();
    const running = launch([`${root}/bin/platform.js`, 'run', '--port', String(port)], { folder: place.folder, env: superuser });
    await running.until(/ at http/);
    started.push({ port, running });
  }
  return {
    ports: started.map(({ port }) => port),
    memory: () => started.map(({ running }) => residentMiB(running.child.pid ?? 0)),
    said: () => started.map(({ running }) => running.said()).join('\n'),
    async stop() {
      for (const { running } of started) running.child.kill('SIGTERM');
      await Promise.all(started.map(({ running }) => running.exit));
      await release();
      place.remove();
    },
  };
}

async function storeSettings(): Promise<{ readonly store: object; readonly release: () => Promise<void> }> {
  if (storeOfRun() === 'sqlite') return { store: { type: 'sqlite', dbname: 'test.db' }, release: async () => {} };
  const { databaseOf, giveBack, postgresSettings } = await import('../support/postgres.ts');
  const owner = `streams-${process.pid}`;
  const { host, port, username, password, dbname } = postgresSettings(await databaseOf(owner));
  return { store: { type: 'postgres', host, port, username, password, dbname }, release: () => giveBack(owner) };
}

/** Zero where the system does not say. */
function residentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch (thrown) {
    if (thrown instanceof Error) return 0;
    throw thrown;
  }
}

export interface Person {
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One that is not used for a while is closed here, before the service does it while a request is on its way. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 3000 });

/** The status and the body; throws what is no answer. */
export function ask(
  port: number,
  method: string,
  path: string,
  body: object | undefined,
  headers: Person['headers'] = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const given =
      text === undefined ? headers : { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const call = request({ host: '127.0.0.1', port, method, path, agent, headers: given }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      response.on('end', () =>
        (response.statusCode ?? 0) < 300 ? resolve(answer) : reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`)),
      );
      response.on('error', reject);
    });
    call.on('error', (thrown) => reject(new Error(`${method} ${path}`, { cause: thrown })));
    call.end(text);
  });
}

export async function join(port: number, name: string): Promise<Person> {
  const account = { email: `${name}@example.com`, password: 'correct horse battery' };
  await ask(port, 'POST', '/platform.auth/signup', account);
  const token: unknown = JSON.parse(await ask(port, 'POST', '/platform.auth/login', account));
  return { email: account.email, headers: { authorization: `Bearer ${String(Reflect.get(Object(token), 'id-token'))}` } };
}

/** `create 5` by the identifier of its instance: what was told of each, in its order. */
export type ToldOf = Map<number, string[]>;

/** A stream that comes back where it was when it is dropped. */
export class Listener {
  readonly told: ToldOf = new Map();
  readonly #target: string;
  readonly #person: Person;
  readonly #address: string;
  #call: ClientRequest | undefined;
  #cursor: string | undefined;
  #drops = 0;
  #isClosed = false;

  constructor(target: string, person: Person, address: string) {
    this.#target = target;
    this.#person = person;
    this.#address = address;
  }

  get drops(): number {
    return this.#drops;
  }

  /** Resolves with the first event. */
  open(port: number): Promise<void> {
    const resumed = this.#cursor === undefined ? {} : { 'last-event-id': this.#cursor };
    const headers = { accept: 'text/event-stream', ...this.#person.headers, ...resumed };
    return new Promise((resolve, reject) => {
      const call = request(
        { host: '127.0.0.1', localAddress: this.#address, port, path: this.#target, headers, agent: false },
        (response) => {
          if (response.statusCode !== 200) reject(new Error(`${this.#target}: ${response.statusCode}`));
          let rest = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            // What comes behind a drop was not received.
            if (this.#call !== call) return;
            const events = `${rest}${chunk}`.split('\n\n');
            rest = events.pop() ?? '';
            for (const each of events) this.#take(each);
            resolve();
          });
          response.on('error', () => {});
          response.on('close', () => {
            if (this.#call === call && !this.#isClosed) this.fault = `${this.#target} was ended by the service`;
          });
        },
      );
      this.#call = call;
      call.on('error', (thrown) =>
        this.#call === call && !this.#isClosed ? reject(new Error(`stream ${this.#target}`, { cause: thrown })) : undefined,
      );
      call.end();
    });
  }

  fault: string | undefined;

  #take(text: string): void {
    const [, event = ''] = /^event: (.*)$/m.exec(text) ?? [];
    this.#cursor = /^id: (.*)$/m.exec(text)?.[1] ?? this.#cursor;
    if (event === 'ping' || event === 'ready') return;
    const data: { readonly id: number; readonly n?: number } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
    const line = data.n === undefined ? event : `${event} ${data.n}`;
    const known = this.told.get(data.id);
    if (known === undefined) this.told.set(data.id, [line]);
    else known.push(line);
  }

  async reopen(port: number): Promise<void> {
    this.#drops += 1;
    const call = this.#call;
    this.#call = undefined;
    call?.destroy();
    await pause(isLarge ? 500 : 50);
    await this.open(port);
  }

  close(): void {
    this.#isClosed = true;
    this.#call?.destroy();
  }
}
