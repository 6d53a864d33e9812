// What a command sees of the terminal and the process it runs in.

import picocolors from 'picocolors';
import type { Environment } from '../config/expression.ts';

export interface Terminal {
  /** Results go here. */
  out(text: string): void;
  /** What is said to the person besides: diagnostics, progress, refusals. */
  err(text: string): void;
  readonly isTerminal: boolean;
  readonly colours: Colours;
  /** The folder that relative paths are relative to, and are shown relative to. */
  readonly folder: string;
  readonly environment: Environment;
}

export type Colours = ReturnType<typeof picocolors.createColors>;

export function processTerminal(): Terminal {
  const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true;
  const isPlain = (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb';
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    isTerminal,
    colours: picocolors.createColors(isTerminal && !isPlain),
    folder: process.cwd(),
    environment: process.env,
  };
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
