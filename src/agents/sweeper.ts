// Looks for runs that nobody works on any more: those that may go on by themselves are taken up, others are marked as interrupted.

import type { Engine } from '../engine/engine.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import { isError } from '../errors.ts';
import type { AgentParts } from './execution.ts';
import { expired, interrupted, takeUp } from './resume.ts';
import { ended, type RunState, Runs } from './runs/runs.ts';

export interface Sweeper {
  /** Looks now, and again soon: something was queued. */
  nudge(): void;
  close(): Promise<void>;
}

/** Milliseconds. */
const every = 5000;
const most = 16;
const day = 24 * 60 * 60 * 1000;

export interface SweeperParts extends AgentParts {
  readonly engine: Engine;
  /** Whether other processes may work on the same runs: if not, whatever this one does not work on was left. */
  readonly isShared: boolean;
  /** So many runs that nobody waits for are worked on at the same time. */
  readonly workers: number;
  failed(thrown: unknown, what: string): void;
}

export function startSweeper(parts: SweeperParts): Sweeper {
  const { engine, active, isShared, workers, failed } = parts;
  const working = new Set<Promise<void>>();
  const taken = new Set<string>();
  let isClosed = false;
  const sweep = async (): Promise<void> => {
    // Where no other process can work on them, whatever this one does not work on was left.
    const isOver = isShared ? undefined : (lease: number) => lease < ended;
    await engine.asSystem(async (context) => {
      const runs = new Runs(context.plan);
      const time = isOver === undefined ? context.clock.now().getTime() : ended - 1;
      const left = await context.store.read((tx) => runs.expired(time, most + taken.size, tx));
      for (const state of left) {
        if (isClosed || active.has(state.run) || taken.has(state.run)) continue;
        // Just taken up by somebody who asked for it, and not begun yet.
        if (state.worker === parts.worker && state.lease > context.clock.now().getTime()) continue;
        if (state.waiting !== null) {
          if (state.lease <= context.clock.now().getTime()) await expired(state, runs, context);
        } else if (!state.resumable) await interrupted(state, runs, context);
        else if (active.hasRoom && taken.size < workers) work(state, isOver);
      }
      const now = context.clock.now().getTime();
      for (const { run } of await context.store.read((tx) => runs.forgettable(now, most, tx)))
        await writeAsSystem(context, (writing) => runs.forget({ run }, writing));
      const kept = now - parts.settings.keepDays * day;
      for (const run of await context.store.read((tx) => runs.old(kept, most, tx)))
        await writeAsSystem(context, (writing) => runs.remove(run, writing));
    });
  };
  const work = (state: RunState, isOver: ((lease: number) => boolean) | undefined): void => {
    taken.add(state.run);
    const done = takeUp(state, engine, parts, isOver)
      .then(() => {})
      .finally(() => {
        taken.delete(state.run);
        // Others may wait for the place.
        look();
      });
    follow(done, state.run);
  };
  const follow = (work: Promise<void>, what: string): void => {
    const done = work
      .catch((thrown: unknown) => {
        // What went wrong in a run stands in the run.
        if (!isError(thrown, 'run-state')) failed(thrown, `the run ${what} of an agent`);
      })
      .finally(() => working.delete(done));
    working.add(done);
  };
  const look = (): void => {
    if (!isClosed) follow(sweep(), 'looking for runs');
  };
  const timer = setInterval(look, every);
  timer.unref();
  look();
  return {
    nudge: look,
    async close() {
      isClosed = true;
      clearInterval(timer);
      active.stopAll();
      while (working.size > 0) await Promise.all(working);
    },
  };
}
