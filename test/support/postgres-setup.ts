// Before the first test on PostgreSQL: one server for the whole run, gone after the last.

import type { TestProject } from 'vitest/node';
import { startServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: { readonly port: number; readonly version: string };
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { port, version, stop } = await startServer();
  project.provide('postgres', { port, version });
  process.stdout.write(`PostgreSQL ${version}\n`);
  return stop;
}
