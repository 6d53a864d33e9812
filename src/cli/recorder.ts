// The audit trail for commands that change data themselves: opened where it is on, and sealed when the command is done.

import type { Clock } from '../clock.ts';
import type { Settings } from '../config/config.ts';
import { noRecorder } from '../engine/engine.ts';
import type { Recorder } from '../engine/seams.ts';
import type { Plan } from '../plan/plan.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from './terminal.ts';

export interface CommandRecorder {
  readonly recorder: Recorder;
  close(): Promise<void>;
}

/** The tables of the plan are there. */
export async function openRecorder(
  { audit: settings }: Settings,
  plan: Plan,
  store: Store,
  clock: Clock,
  terminal: Terminal,
): Promise<CommandRecorder> {
  if (settings === undefined) return { recorder: noRecorder, close: async () => {} };
  const { createAudit } = await import('../audit/audit.ts');
  const tell = (line: string): void => terminal.err(`platform: ${line}`);
  const failed = (thrown: unknown, what: string): void =>
    tell(`${what} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  const audit = createAudit({ settings, store, clock, log: { warn: tell, error: tell, failed } });
  return { recorder: await audit.recorder(plan), close: () => audit.close() };
}
