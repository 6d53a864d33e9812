// For tests of the command: a folder of its own, a terminal that remembers, and the command itself as a process.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import picocolors from 'picocolors';
import { main } from '../../src/cli/main.ts';

export { freePort } from '../support/ports.ts';

export const root = join(import.meta.dirname, '..', '..');

export interface Workspace {
  readonly folder: string;
  write(file: string, text: string): void;
  read(file: string): string;
  remove(): void;
}

export function workspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'platform-cli-'));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    folder,
    write,
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The command as people run it is the bundle: it must be that of the source under test. */
export function ensureBuilt(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'build.js'), '--if-stale'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in this process. */
export async function command(folder: string, ...argv: readonly string[]): Promise<Outcome> {
  const said = { out: '', err: '' };
  const code = await main(argv, {
    out: (text) => {
      said.out += `${text}\n`;
    },
    err: (text) => {
      said.err += `${text}\n`;
    },
    isTerminal: false,
    colours: picocolors.createColors(false),
    folder,
    environment: {},
  });
  return { code, ...said };
}

export interface Running {
  readonly child: ChildProcess;
  /** Everything said so far, both outputs. */
  said(): string;
  /** Resolves as soon as what was said matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  readonly exit: Promise<number | null>;
}

/** Runs a program of this clone as a process of its own. */
export function launch(argv: readonly string[], options: { folder: string; env?: Readonly<Record<string, string>> }): Running {
  const child = spawn(process.execPath, [...argv], {
    cwd: options.folder,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const state = { text: '' };
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    state.text += chunk.toString('utf8');
    for (const listener of [...listeners]) listener();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const exit = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(state.text);
        if (found === null) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
      void exit.then((code) => reject(new Error(`exit ${code} before ${pattern}:\n${state.text}`)));
    });
  return { child, said: () => state.text, until, exit };
}

export function platform(folder: string, ...argv: readonly string[]): Running {
  return launch([join(root, 'bin', 'platform.js'), ...argv], { folder });
}

export interface Call {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The `curl` lines of a page, so that what it tells people to type can be run where there is no curl. */
export function curlLines(text: string): readonly Call[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.startsWith('curl ')).map(parseCurl);
}

function parseCurl(line: string): Call {
  const words = [...line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, bare]) => quoted?.replaceAll("'\\''", "'") ?? bare ?? '');
  const after = (flag: string) => words[words.indexOf(flag) + 1] ?? '';
  const header = words.includes('-H') ? after('-H').split(': ') : [];
  const body = words.includes('-d') ? after('-d') : undefined;
  return {
    method: words.includes('-X') ? after('-X') : body === undefined ? 'GET' : 'POST',
    url: words.find((word) => word.startsWith('http')) ?? '',
    body,
    headers: header[0] === undefined ? {} : { [header[0]]: header[1] ?? '' },
  };
}

export async function perform(call: Call, address?: string): Promise<{ status: number; body: unknown }> {
  const url = address === undefined ? call.url : call.url.replace(/^https?:\/\/[^/]+/, address);
  const init = { method: call.method, headers: call.headers };
  const response = await fetch(url, call.body === undefined ? init : { ...init, body: call.body });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}
