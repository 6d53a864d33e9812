// What can be done about a run: taken up, cancelled, and what it waits for approved or rejected. By its user, and by admins: to others there is no such run.

import { type Caller, userOf } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import type { Context, RequestInfo, Result } from '../engine/operation.ts';
import { callerFrom, coversCaller } from '../engine/saved-caller.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import { error } from '../errors.ts';
import { plainView, wholeSelection } from '../plan/query/selection.ts';
import type { Value } from '../values/value.ts';
import type { AgentParts } from './execution.ts';
import { takeUp } from './resume.ts';
import { allowanceOf } from './run.ts';
import { ended, keptTime, now, type RunState, Runs, waitingFor } from './runs/runs.ts';
import { mayAsk } from './work.ts';
import { give } from './workflow/suspended.ts';

export const runActions = ['resume', 'cancel', 'approve', 'reject'] as const;
export type RunAction = (typeof runActions)[number];

/** The call that somebody decides about; without it, the one that waits. Calls are numbered in their step. Or the data that a run waits for. */
export interface CallNamed {
  readonly step?: number;
  readonly call?: string;
  readonly data?: Value;
}

/** A run, and the name of its type in which it is answered: both surfaces have one. */
export interface RunNamed {
  readonly id: string;
  readonly type: string;
}

/** Answers the run as it is then. */
export async function actOn(
  { id: run, type }: RunNamed,
  action: RunAction,
  named: CallNamed,
  caller: Caller,
  request: RequestInfo,
  engine: Engine,
  parts: AgentParts,
): Promise<Result> {
  await visible({ id: run, type }, caller, request, engine);
  const state = await engine.asSystem(async (context) => {
    const runs = new Runs(context.plan);
    return context.store.read(async (tx) => ({ kept: await runs.state({ run }, tx), status: (await runs.read(run, tx))?.['status'] }));
  });
  if (state.kept === undefined || !possible[action].includes(String(state.status)))
    throw error('run-state', { detail: `A run that is ${String(state.status)} cannot be told to ${action}.`, runId: run });
  if (action !== 'cancel' && !coversCaller(caller, state.kept.caller))
    throw error('access-denied', { detail: 'The run has roles that this key has not.', runId: run });
  if (!isWaitedFor(named, state.kept)) throw error('run-state', { detail: 'The run waits for another call than this one.', runId: run });
  await act(state.kept, action, named, engine, parts);
  return visible({ id: run, type }, caller, request, engine);
}

/** By the status of the run. */
const possible: Readonly<Record<RunAction, readonly string[]>> = {
  resume: ['interrupted', 'failed', 'running', 'queued', 'waiting'],
  cancel: ['interrupted', 'running', 'waiting', 'queued'],
  approve: ['waiting'],
  reject: ['waiting'],
};

/** Whoever has seen one call decides about no other; which one it is now is compared again where it is decided. */
function isWaitedFor(named: CallNamed, { waiting }: RunState): boolean {
  const { step, ...expected } = waitingFor(waiting);
  const call = 'call' in expected ? expected.call : undefined;
  return (named.call ?? call) === call && (named.step ?? step) === step;
}

function visible({ id, type }: RunNamed, caller: Caller, request: RequestInfo, engine: Engine): Promise<Result> {
  return engine.asSystem(async ({ plan }) => {
    const run = plan.entities.get(type);
    if (run === undefined) throw new Error(`${type} is part of every model with agents`);
    const at = { in: { plan: run, under: undefined }, id };
    return engine.execute({ kind: 'read', at, selection: wholeSelection(plainView) }, caller, request);
  });
}

async function act(state: RunState, action: RunAction, { data }: CallNamed, engine: Engine, parts: AgentParts): Promise<void> {
  if (action === 'cancel') return cancel(state, engine, parts);
  const isGiven = action === 'resume' && state.waiting !== null;
  if (!isGiven && data !== undefined) throw error('run-state', { detail: 'The run waits for no data.', runId: state.run });
  const user = await engine.asSystem((context) => userOfRun(state, context));
  // Asked for, it goes on with what its user has left today.
  const allowance = action === 'resume' ? await engine.asSystem((context) => allowanceFor(state, user, context, parts)) : undefined;
  // Before anything is decided: a run that is rejected goes on as well.
  const leave = parts.active.reserve(state.run, user);
  try {
    if (action !== 'resume') await engine.asSystem((context) => decide(state, action, context));
    if (isGiven) await engine.asSystem((context) => writeAsSystem(context, (writing) => give(state, data, parts.worker, writing)));
    await goOn(state, action, isGiven, allowance, engine, parts);
  } finally {
    leave();
  }
}

async function goOn(
  state: RunState,
  action: RunAction,
  isGiven: boolean,
  allowance: number | undefined,
  engine: Engine,
  parts: AgentParts,
): Promise<void> {
  const isOver = (lease: number, time: number): boolean => lease <= time || lease >= ended || action !== 'resume';
  try {
    const taken = await takeUp(state, engine, parts, isGiven ? 'claimed' : isOver, allowance);
    if (taken === undefined) throw error('run-state', { detail: 'Somebody works on this run.', runId: state.run });
  } catch (thrown) {
    // What it came to stands in the run, which is the answer.
    if (!(thrown instanceof Error && 'details' in thrown) || isStateError(thrown)) throw thrown;
  }
}

/** For whom it works; nobody where there is no such user any more. */
async function userOfRun({ caller }: RunState, { plan, store }: Context): Promise<string | undefined> {
  const found = await store.read((tx) => callerFrom(caller, plan, tx));
  return found === undefined ? undefined : userOf(found);
}

async function allowanceFor(
  { input }: RunState,
  user: string | undefined,
  context: Context,
  { settings }: AgentParts,
): Promise<number | undefined> {
  return mayAsk(input, context.plan) ? allowanceOf(user, context, settings) : undefined;
}

function isStateError(thrown: Error): boolean {
  return 'code' in thrown && thrown.code === 'run-state';
}

async function cancel({ run }: RunState, engine: Engine, { active }: AgentParts): Promise<void> {
  active.stop(run, 'cancelled');
  await engine.asSystem((context) =>
    writeAsSystem(context, async (writing) => {
      const runs = new Runs(context.plan);
      await runs.state({ run }, writing.tx, 'lock');
      const { status } = (await runs.read(run, writing.tx)) ?? {};
      // It may have ended since it was looked at. Whoever worked on it may have written down already that it is cancelled.
      if (!possible.cancel.includes(String(status)) && status !== 'cancelled')
        throw error('run-state', { detail: `A run that is ${String(status)} cannot be told to cancel.`, runId: run });
      // Whoever works on it elsewhere finds that it has another worker, and keeps nothing more.
      await runs.changeState({ run }, { worker: null, lease: ended + keptTime + writing.clock.now().getTime(), waiting: null }, writing);
      await runs.endSteps(run, 'cancelled', writing);
      await runs.change(run, { status: 'cancelled', ended: now(writing) }, writing);
    }),
  );
}

async function decide({ run, waiting }: RunState, action: 'approve' | 'reject', context: Context): Promise<void> {
  const runs = new Runs(context.plan);
  const { step, ...expected } = waitingFor(waiting);
  if (!('call' in expected)) throw error('run-state', { detail: 'The run waits for data: resume it with {"data": …}.', runId: run });
  const { call } = expected;
  const changes = action === 'approve' ? { status: 'approved' } : { status: 'rejected', result: { error: 'rejected' } };
  await writeAsSystem(context, async (writing) => {
    // Two decisions at once: the second finds that the first was made, which the status tells only when the run goes on.
    const state = await runs.state({ run }, writing.tx, 'lock');
    if (waiting === null || state?.waiting !== waiting) throw error('run-state', { runId: run });
    await runs.changeState({ run }, { waiting: null }, writing);
    await runs.changeCall(run, step, call, changes, writing);
  });
}
