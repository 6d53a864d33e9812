// Before the first test on PostgreSQL: one server for the whole run, gone after the last.

import type { TestProject } from 'vitest/node';
import { type Pooler, poolerProgram, startPooler } from './pooler.ts';
import { startServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: { readonly port: number; readonly version: string; readonly pooler: number | undefined };
  }
}

/** With `PLATFORM_TEST_POOLER=1` every application under test goes through one. */
async function poolerFor(port: number): Promise<Pooler | undefined> {
  if (process.env['PLATFORM_TEST_POOLER'] !== '1') return undefined;
  const program = poolerProgram();
  if (program === undefined) throw new Error('PLATFORM_TEST_POOLER needs an installed pgbouncer.');
  return startPooler(program, port, { connections: 20 });
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { port, version, stop } = await startServer();
  const pooler = await poolerFor(port);
  project.provide('postgres', { port, version, pooler: pooler?.port });
  process.stdout.write(`PostgreSQL ${version}${pooler === undefined ? '' : ', behind pgbouncer in transaction mode'}\n`);
  return async () => {
    await pooler?.stop();
    await stop();
  };
}
