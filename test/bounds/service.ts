// The service as people run it, in a process of its own with a small heap: whether it lives, what it logs, how much memory it takes.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, freePort, root, type Workspace, workspace } from '../cli/harness.ts';
import { execute } from '../support/database.ts';
import { isLong } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { until } from '../support/time.ts';

export { isLong } from '../support/form.ts';

/** A size of the suite, and the one of the long run. */
export function size(short: number, long: number): number {
  return isLong ? long : short;
}

/** As small as people may have it, or the one that the runtime takes by itself: what it collects late then counts too. */
const heap = process.env['PLATFORM_TEST_HEAP'] === 'default' ? [] : ['--max-old-space-size=256'];
/** Another build of the command, to hold this one against it. */
const program = process.env['PLATFORM_TEST_COMMAND'] ?? join(root, 'bin', 'platform.js');
const dbname = 'test.db';

interface Line {
  readonly level?: unknown;
  readonly msg?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
}

export class Service {
  readonly #place: Workspace;
  readonly #release: () => Promise<void>;
  #child: ChildProcess | undefined;
  #starts = 0;
  #startWork: number | undefined;
  port = 0;

  private constructor(place: Workspace, release: () => Promise<void>) {
    this.#place = place;
    this.#release = release;
  }

  /** With default settings, but for the place of the data; both surfaces are served. */
  static async start(model: string): Promise<Service> {
    ensureBuilt();
    const { store, release } = await storeSettings();
    const config = { service: { surfaces: ['current', 'earlier'] }, store };
    const place = workspace({ 'src/model.al': model, 'config.al': JSON.stringify(config) });
    const service = new Service(place, release);
    await service.restart();
    return service;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isUp(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** A new process on the same data; between the two, `prepare` may write past the service. */
  async restart(prepare?: () => Promise<void>): Promise<void> {
    await this.stop();
    await prepare?.();
    this.#starts += 1;
    this.port = await freePort();
    const [out, err] = [openSync(this.#file('log'), 'w'), openSync(this.#file('err'), 'w')];
    const argv = [...heap, program, 'run', this.#place.folder, '--port', String(this.port)];
    this.#child = spawn(process.execPath, argv, { cwd: this.#place.folder, stdio: ['ignore', out, err] });
    closeSync(out);
    closeSync(err);
    await until(async () => !this.isUp || (await answers(this.port)));
    if (!this.isUp) throw new Error(`The service did not start: ${this.#said('err')}${this.#said('log')}`);
    this.#startWork = workOf(this.pid);
  }

  /** As it is asked to, however long that takes. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isUp) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    await this.#release();
    this.#place.remove();
  }

  /** Writes past the service, which must be stopped. */
  async execute(sql: string): Promise<void> {
    if (storeOfRun() === 'sqlite') execute(join(this.#place.folder, dbname), sql);
    else await (await import('../support/postgres.ts')).queryDatabase(await databaseName(), sql);
  }

  /** The most memory since it started or was last asked to forget, in MiB; nothing where the system does not say. */
  peak(): number | undefined {
    const text = fileOf(`/proc/${this.pid}/status`);
    const found = /^VmHWM:\s+(\d+) kB/m.exec(text)?.[1];
    return found === undefined ? undefined : Math.round(Number(found) / 1024);
  }

  /** Milliseconds for which its main thread was at work until it was there; nothing where the system does not say. */
  get startWork(): number | undefined {
    return this.#startWork;
  }

  forgetPeak(): void {
    try {
      writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
    } catch (thrown) {
      // The figure is then that since the start, which is no less.
      if (!(thrown instanceof Error)) throw thrown;
    }
  }

  /** What the log of the last process says that it should not: a 500, or a fault of the service. Complete once it has stopped. */
  faults(): readonly string[] {
    // What stands behind the last end of a line is being written.
    const lines = this.#said('log')
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'));
    const wrong = lines.filter((line) => isFault(JSON.parse(line)));
    return [
      ...wrong.slice(0, 10).map((line) => line.slice(0, 2000)),
      ...(this.#said('err') === '' ? [] : [this.#said('err').slice(-3000)]),
    ];
  }

  #file(kind: 'log' | 'err'): string {
    return join(this.#place.folder, `${kind}-${this.#starts}.txt`);
  }

  #said(kind: 'log' | 'err'): string {
    return fileOf(this.#file(kind));
  }
}

/** An answer that is cut on purpose, and one that says that the store is busy, are told at level error too, and are no faults. */
function isFault({ level, msg, status, code }: Line): boolean {
  return status === 500 || ((level === 'error' || level === 'fatal') && msg !== 'answer cut' && code !== 'store-busy');
}

function fileOf(name: string): string {
  try {
    return readFileSync(name, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error) return '';
    throw thrown;
  }
}

function workOf(pid: number): number | undefined {
  const text = fileOf(`/proc/${pid}/task/${pid}/schedstat`);
  return text === '' ? undefined : Number(text.split(' ')[0]) / 1e6;
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/ready`)).ok;
  } catch (thrown) {
    if (thrown instanceof Error) return false;
    throw thrown;
  }
}

const owner = `bounds-${process.pid}`;

async function databaseName(): Promise<string> {
  return (await import('../support/postgres.ts')).databaseOf(owner);
}

async function storeSettings(): Promise<{ readonly store: object; readonly release: () => Promise<void> }> {
  if (storeOfRun() === 'sqlite') return { store: { type: 'sqlite', dbname }, release: async () => {} };
  const { giveBack, postgresSettings } = await import('../support/postgres.ts');
  const { host, port, username, password, dbname: database } = postgresSettings(await databaseName());
  return { store: { type: 'postgres', host, port, username, password, dbname: database }, release: () => giveBack(owner) };
}
