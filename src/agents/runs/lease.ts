// Who works on a run: one worker at a time, which gives a sign of life with everything that it writes, and while it waits for a model.

import type { Context, WriteContext } from '../../engine/operation.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import { error } from '../../errors.ts';
import { ended, type Runs } from './runs.ts';

/** Milliseconds. */
export const leaseTime = 30_000;
const beatTime = 10_000;
export const approvalTime = 24 * 60 * 60 * 1000;

export interface Lease {
  readonly run: string;
  readonly worker: string;
}

/** Throws where another one has taken the run up: what this one has not kept by then is not kept. */
export async function hold({ run, worker }: Lease, runs: Runs, writing: WriteContext): Promise<void> {
  const lease = writing.clock.now().getTime() + leaseTime;
  checkHeld(run, await runs.changeState({ run, worker }, { lease }, writing));
}

export function checkHeld(run: string, isHeld: boolean): void {
  if (!isHeld) throw error('run-state', { detail: 'Another worker has this run.', runId: run });
}

/** Signs of life until it is stopped. A sign that cannot be given is no failure: the lease may run out, and then it does. */
export function beat(lease: Lease, runs: Runs, context: Context): () => void {
  const timer = setInterval(() => {
    writeAsSystem(context, (writing) => hold(lease, runs, writing)).catch(() => clearInterval(timer));
  }, beatTime);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whether the run is this worker's now; it is not while another one gives signs of life. */
export function claim(
  { run, worker }: Lease,
  runs: Runs,
  context: Context,
  isOver = (lease: number, time: number) => lease <= time,
): Promise<boolean> {
  return writeAsSystem(context, async (writing) => {
    const time = writing.clock.now().getTime();
    const state = await runs.state({ run }, writing.tx, 'lock');
    if (state === undefined || !isOver(state.lease, time)) return false;
    // This process has just taken it up.
    if (state.worker === worker && state.lease > time && state.lease < ended) return false;
    await claimed({ run, worker }, runs, writing);
    return true;
  });
}

export async function claimed({ run, worker }: Lease, runs: Runs, writing: WriteContext): Promise<void> {
  await runs.changeState({ run }, { worker, lease: writing.clock.now().getTime() + leaseTime, waiting: null }, writing);
  await runs.change(run, { status: 'running' }, writing);
}
