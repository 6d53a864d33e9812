// Threads of the service: how one is started with a file of ours.

import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Code as it is written needs what takes the types off, where the runtime does not do so itself. */
export function threadAt(file: string, options: WorkerOptions): Worker {
  const features: Readonly<Record<string, unknown>> = { ...process.features };
  if (!file.endsWith('.ts') || features['typescript']) return new Worker(new URL(file), options);
  return new Worker(new URL('../scripts/typed-thread.js', import.meta.url), { ...options, argv: [file] });
}
