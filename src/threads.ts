// Threads and processes of the service: how one is started with a file of ours.

import { type ChildProcess, fork } from 'node:child_process';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export function threadAt(file: string, options: WorkerOptions): Worker {
  if (!isTyped(file)) return new Worker(new URL(file), options);
  return new Worker(typedFile, { ...options, argv: [file] });
}

/**
 * Without the flags of this one: a debugger that waits for it would wait there too. In a group of its own: what a terminal tells all processes of
 * a command, that it is interrupted, is for this one, which still answers what is under way.
 */
export function processAt(file: string, args: readonly string[]): ChildProcess {
  const [begun, given] = isTyped(file) ? [typedFile, [file, ...args]] : [new URL(file), args];
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  return fork(begun, given, { execArgv: [], serialization: 'advanced', stdio: [...stdio], detached: true });
}

/** Code as it is written needs what takes the types off, where the runtime does not do so itself. */
function isTyped(file: string): boolean {
  const features: Readonly<Record<string, unknown>> = { ...process.features };
  return file.endsWith('.ts') && !features['typescript'];
}

const typedFile = new URL('../scripts/typed-thread.js', import.meta.url);
