// Looks for runs that nobody works on any more: those that may go on by themselves are taken up, others are marked as interrupted.

import type { Engine } from '../engine/engine.ts';
import { isError } from '../errors.ts';
import type { AgentParts } from './execution.ts';
import { expired, interrupted, takeUp } from './resume.ts';
import { never, Runs } from './runs/runs.ts';

export interface Sweeper {
  /** Looks now, and again soon: something was queued. */
  nudge(): void;
  close(): Promise<void>;
}

/** Milliseconds. */
const every = 5000;
const most = 16;

export interface SweeperParts extends AgentParts {
  readonly engine: Engine;
  /** Whether other processes may work on the same runs: if not, whatever is unfinished at the start was left. */
  readonly isShared: boolean;
  failed(thrown: unknown, what: string): void;
}

export function startSweeper(parts: SweeperParts): Sweeper {
  const { engine, active, isShared, failed } = parts;
  const working = new Set<Promise<void>>();
  let isClosed = false;
  let isFirst = true;
  const sweep = async (): Promise<void> => {
    const isOver = isFirst && !isShared ? (lease: number) => lease < never : undefined;
    isFirst = false;
    await engine.asSystem(async (context) => {
      const runs = new Runs(context.plan);
      const time = isOver === undefined ? context.clock.now().getTime() : never - 1;
      const left = await context.store.read((tx) => runs.expired(time, most, tx));
      for (const state of left) {
        if (isClosed || active.has(state.run)) continue;
        if (state.waiting !== null) {
          if (state.lease <= context.clock.now().getTime()) await expired(state, runs, context);
        } else if (!state.resumable) await interrupted(state, runs, context);
        else if (active.hasRoom)
          follow(
            takeUp(state, engine, parts, isOver).then(() => {}),
            state.run,
          );
      }
    });
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
