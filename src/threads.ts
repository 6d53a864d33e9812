// Threads of the service: how one is started with a file of ours, and how it gives way to the main thread.

import { createRequire } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Code as it is written needs what takes the types off, where the runtime does not do so itself. */
export function threadAt(file: string, options: WorkerOptions): Worker {
  const features: Readonly<Record<string, unknown>> = { ...process.features };
  if (!file.endsWith('.ts') || features['typescript']) return new Worker(new URL(file), options);
  const api = new URL('esm/api/index.mjs', pathToFileURL(createRequire(file).resolve('tsx'))).href;
  const text = `import('${api}').then(({ register }) => { register(); return import(${JSON.stringify(file)}); })`;
  return new Worker(text, { ...options, eval: true });
}

/**
 * Where there are fewer processors than work, those who ask for little, on the main thread, do not wait for those who ask for much. `niceness` is
 * added to that of the process; the least urgent is 19.
 */
export function giveWay(niceness: number): void {
  // Elsewhere the whole process would.
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(19, getPriority(0) + niceness));
  } catch {
    // A system that does not let it.
  }
}
