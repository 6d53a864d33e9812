// What a command sees of the terminal and the process it runs in.

import picocolors from 'picocolors';
import type { EmbeddedProject } from '../config/embedded-project.ts';
import type { Environment } from '../config/expression.ts';

export interface Terminal {
  /** Results go here. */
  out(text: string): void;
  /** What is said to the person besides: diagnostics, progress, refusals. */
  err(text: string): void;
  readonly isTerminal: boolean;
  /** What a person answers; only where somebody can. */
  readonly ask?: (question: string) => Promise<string>;
  /** The same for what must not be seen on the screen. */
  readonly askSecret?: (question: string) => Promise<string>;
  /** The first line of standard input, where that is no person. */
  readonly line?: () => Promise<string>;
  /** All lines of standard input, as they come, where that is no person. */
  readonly input?: () => AsyncIterable<string>;
  readonly colours: Colours;
  /** The folder that relative paths are relative to, and are shown relative to. */
  readonly folder: string;
  readonly environment: Environment;
  /** In a built application: its file, and the project in it, on which every command works. */
  readonly embedded?: { readonly file: string; readonly project: EmbeddedProject };
}

export type Colours = ReturnType<typeof picocolors.createColors>;

export function processTerminal(): Terminal {
  const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true;
  const isPlain = (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb';
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    isTerminal,
    ...(isTerminal && process.stdin.isTTY === true ? { ask } : {}),
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { askSecret } : {}),
    ...(process.stdin.isTTY === true ? {} : { line: firstLine, input: inputLines }),
    colours: picocolors.createColors(isTerminal && !isPlain),
    folder: process.cwd(),
    environment: process.env,
  };
}

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Nothing of what is typed is shown. Whoever breaks off has answered nothing. */
async function askSecret(question: string): Promise<string> {
  const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline'), import('node:stream')]);
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  const typed = await new Promise<string>((resolve) => {
    lines.on('SIGINT', () => lines.close());
    lines.on('close', () => resolve(''));
    lines.question('', resolve);
  });
  lines.close();
  process.stderr.write('\n');
  return typed;
}

/** Of bytes: nothing that is asked for is longer. */
const longestLine = 4096;

async function firstLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > longestLine) break;
  }
  return text.split(/\r?\n/)[0]?.slice(0, longestLine) ?? '';
}

async function* inputLines(): AsyncGenerator<string, void> {
  const { createInterface } = await import('node:readline');
  yield* createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
}

/** Shows what is being done until it is done. Most work here holds the process, so the line is written before it, and wiped after it. */
export async function withProgress<T>(terminal: Terminal, text: string, work: () => T | Promise<T>): Promise<T> {
  if (!terminal.isTerminal) return work();
  process.stderr.write(terminal.colours.dim(`${text} …`));
  try {
    // Let the line reach the terminal first.
    await new Promise((resolve) => setImmediate(resolve));
    return await work();
  } finally {
    process.stderr.write('\r\u001b[K');
  }
}
