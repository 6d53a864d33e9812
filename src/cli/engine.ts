// The engine of a project for the time of one command: as the system, on the store of the project, which nobody serves from here.

import { type Clock, systemClock } from '../clock.ts';
import { createEngine, type Engine, type EngineParts } from '../engine/engine.ts';
import type { Functions } from '../engine/eval/functions.ts';
import { openGuard } from '../engine/seams.ts';
import { loadFunctions } from '../functions/functions.ts';
import type { Plan } from '../plan/plan.ts';
import { hashSecret } from '../secrets.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { Ready } from './load.ts';
import { type CommandRecorder, openRecorder } from './recorder.ts';
import { printable } from './report.ts';
import type { Terminal } from './terminal.ts';

export interface CommandEngine {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  readonly engine: Engine;
}

/** The tables are brought to the form of the plan first; what is marked for audit leaves entries. `plugIn` brings further rooms, once the tables are there. */
export async function withEngine<T>(
  { model, settings, project }: Ready,
  plan: Plan,
  terminal: Terminal,
  work: (opened: CommandEngine) => Promise<T>,
  plugIn: (store: Store, functions: Functions, clock: Clock) => Promise<Pick<EngineParts, 'external' | 'handlers'>> = async () => ({}),
): Promise<T> {
  const clock = systemClock();
  const failed = (_: unknown, message: string): void => terminal.err(`platform: ${message}`);
  const logged = (line: string): void => terminal.err(line);
  const warn = (line: string): void => terminal.err(`platform: ${printable(line)}`);
  const { function: limit, memory, tree, flow } = settings.service.limits;
  const functions = await loadFunctions(model, { folder: project.folder, clock, limit, loaded: new Map(), failed, logged });
  const store = openStore(settings.store, clock);
  let audit: CommandRecorder | undefined;
  try {
    await store.migrate(plan.tables, { version: project.version });
    audit = await openRecorder(settings, plan, store, clock, terminal);
    const limits = { memory, tree: { instances: tree.size, depth: tree.depth, bytes: tree.bytes }, flow };
    const engine = createEngine({
      ...{ plan, store, clock, functions, limits, failed, warn },
      ...{ hash: hashSecret, guard: openGuard, recorder: audit.recorder },
      ...(await plugIn(store, functions, clock)),
    });
    const result = await work({ plan, store, clock, engine });
    await engine.settle();
    return result;
  } finally {
    await audit?.close();
    await store.close();
  }
}
