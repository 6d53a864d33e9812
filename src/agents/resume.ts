// A run that was left is taken up: by whoever asks for it, or by itself when nobody works on it any more.

import { userOf } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { Context, Result } from '../engine/operation.ts';
import { callerFrom } from '../engine/saved-caller.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import { error } from '../errors.ts';
import { type AgentParts, execute, openRun, type Started } from './execution.ts';
import { claim } from './runs/lease.ts';
import { ended, keptTime, never, now, type RunState, Runs, waitingFor } from './runs/runs.ts';
import { workFrom } from './work.ts';
import { refuseOther } from './workflow/suspended.ts';

/** Nothing where another one has it, unless it is this worker's already. What it comes to is written down with it. */
export async function takeUp(
  state: RunState,
  engine: Engine,
  parts: AgentParts,
  isOver?: 'claimed' | ((lease: number, time: number) => boolean),
  allowance?: number,
): Promise<Result | undefined> {
  return engine.asSystem(async (context) => {
    const runs = new Runs(context.plan);
    const lease = { run: state.run, worker: parts.worker };
    if (isOver !== 'claimed' && !(await claim(lease, runs, context, isOver))) return undefined;
    const [caller, recorded] = await context.store.read(
      async (tx) => [await callerFrom(state.caller, context.plan, tx), await runs.recorded(state.run, tx)] as const,
    );
    const work = workFrom(state.input, context.plan);
    if (caller === undefined || work === undefined) {
      await interrupted(state, runs, context, parts.worker);
      throw error('run-state', { detail: 'The user, the agent or the workflow of this run is gone.', runId: state.run });
    }
    try {
      refuseOther(state.run, recorded, context.plan);
    } catch (thrown) {
      await interrupted(state, runs, context, parts.worker);
      throw thrown;
    }
    const started: Started = {
      id: state.run,
      work,
      recorded,
      isKept: true,
      user: userOf(caller),
      // What goes on by itself is finished, and counted.
      allowance,
    };
    return engine.asCaller(caller, (own) => execute(openRun(started, own, parts), started, parts));
  });
}

/** Left where it is, until somebody asks for it: a run that nobody works on, or only this worker where it is given. */
export function interrupted({ run, lease }: RunState, runs: Runs, context: Context, worker?: string): Promise<void> {
  return writeAsSystem(context, async (writing) => {
    const state = await runs.state({ run }, writing.tx, 'lock');
    // Whatever has happened to it since it was looked at: it goes on, has ended, or waits for somebody.
    if (state === undefined || (state.lease !== lease && (worker === undefined || state.worker !== worker))) return;
    await runs.changeState({ run }, { worker: null, lease: never }, writing);
    await runs.change(run, { status: 'interrupted' }, writing);
  });
}

/** Nobody approved, or gave data, in time. */
export function expired({ run, waiting }: RunState, runs: Runs, context: Context): Promise<void> {
  return writeAsSystem(context, async (writing) => {
    const state = await runs.state({ run }, writing.tx, 'lock');
    // Somebody has decided since it was looked at.
    if (state?.waiting !== waiting) return;
    const lease = ended + keptTime + writing.clock.now().getTime();
    await runs.changeState({ run }, { worker: null, lease, waiting: null }, writing);
    await runs.endSteps(run, 'cancelled', writing);
    await runs.change(
      run,
      {
        status: 'cancelled',
        error: { code: 'run-state', detail: 'type' in waitingFor(waiting) ? 'Nobody gave data in time.' : 'Nobody approved in time.' },
        ended: now(writing),
      },
      writing,
    );
  });
}
