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
