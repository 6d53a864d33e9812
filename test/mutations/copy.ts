// A copy of the project in which sources are changed and tests run, so that the checkout stays as it is.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export const root = join(import.meta.dirname, '../..');

/** A test file that has ended, as the test runner says it. */
export interface Ended {
  readonly project: string;
  readonly file: string;
  readonly seconds: number;
  readonly state: string;
  /** The title of the first test of it that failed. */
  readonly failed?: string;
}

export interface Wanted {
  readonly projects: readonly string[];
  readonly files: readonly string[];
  /** Of one test, and of the whole run. */
  readonly milliseconds: { readonly test: number; readonly run: number };
  readonly isLong?: boolean;
  readonly bail?: boolean;
  readonly workers?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface RunEnd {
  readonly code: number | 'time';
  readonly ended: readonly Ended[];
  readonly said: string;
}

export class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), 'platform-mutations-'));
  #child: ChildProcess | undefined;

  constructor() {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
    for (const file of listed.split('\0')) {
      if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(this.folder, file));
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** The files in which the compiler finds a fault. */
  async faults(): Promise<ReadonlySet<string>> {
    const { said } = await this.#tool('typescript/bin/tsc', ['--noEmit', '-p', '.'], {}, 600_000);
    return new Set([...said.matchAll(/^([^\s(]+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file));
  }

  async run({ projects, files, milliseconds, isLong, bail, workers = 1, environment }: Wanted): Promise<RunEnd> {
    const written = join(this.folder, 'out', 'ended.jsonl');
    const temporary = join(this.folder, 'tmp');
    rmSync(temporary, { recursive: true, force: true });
    for (const each of [temporary, join(this.folder, 'out')]) mkdirSync(each, { recursive: true });
    writeFileSync(written, '');
    const asked = ['run', '--config', 'test/mutations/vitest.config.ts', '--maxWorkers', String(workers), ...(bail ? ['--bail', '1'] : [])];
    const env = {
      TMPDIR: temporary,
      PLATFORM_MUTATIONS_ENDED: written,
      PLATFORM_MUTATIONS_ORDER: files.join(' '),
      PLATFORM_MUTATIONS_LIMIT: String(Math.ceil(milliseconds.test)),
      ...(isLong ? { PLATFORM_TEST_LONG: '1' } : {}),
      ...environment,
    };
    const { code, said } = await this.#tool(
      'vitest/vitest.mjs',
      [...asked, ...projects.flatMap((each) => ['--project', each]), ...files],
      env,
      milliseconds.run,
    );
    const lines = readFileSync(written, 'utf8').split('\n');
    const ended = lines.filter((line) => line !== '').map((line): Ended => JSON.parse(line));
    return { code, ended, said };
  }

  async #tool(script: string, argv: readonly string[], env: Readonly<Record<string, string>>, milliseconds: number) {
    const child = spawn(process.execPath, [join(this.folder, 'node_modules', script), ...argv], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      // A group of its own: what does not end is ended with all that it started.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    const ending = new AbortController();
    const exit = new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
    const late = delay(milliseconds, 'time' as const, { signal: ending.signal }).catch(() => 'time' as const);
    const code = await Promise.race([exit, late]);
    ending.abort();
    if (code === 'time') await this.#end();
    this.#child = undefined;
    return { code, said };
  }

  async #end(): Promise<void> {
    signal(this.#child, 'SIGTERM');
    await delay(2_000);
    signal(this.#child, 'SIGKILL');
  }

  async close(): Promise<void> {
    if (this.#child !== undefined) await this.#end();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function signal(child: ChildProcess | undefined, name: NodeJS.Signals): void {
  try {
    if (child?.pid !== undefined) process.kill(-child.pid, name);
  } catch {
    // It has ended.
  }
}
