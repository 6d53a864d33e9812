// Threads of the service: how one is started with a file of ours.

import { createRequire } from 'node:module';
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
