// A run from where it stands to its end: answered, failed, stopped, or waiting for somebody. Whatever it comes to is written down before it is told.

import type { Caller } from '../engine/caller.ts';
import type { Context, Result } from '../engine/operation.ts';
import { error, PlatformError } from '../errors.ts';
import type { Agent } from '../model/model.ts';
import type { Value, Values } from '../values/value.ts';
import type { ActiveRuns } from './active.ts';
import { type AgentAnswer, runAgent } from './agent-step.ts';
import { runFlow } from './flow/flow.ts';
import type { Models } from './models.ts';
import { charge, nothingUsed, type Run, WaitsForApproval } from './run.ts';
import { principalOf } from './runs/callers.ts';
import { Journal } from './runs/journal.ts';
import { approvalTime, beat, hold, type Lease } from './runs/lease.ts';
import type { Recorded } from './runs/recorded.ts';
import { never, now, Runs } from './runs/runs.ts';
import type { AgentSettings } from './settings.ts';

export interface AgentParts {
  readonly settings: AgentSettings;
  readonly models: Models;
  readonly active: ActiveRuns;
  /** By which this process is known to others. */
  readonly worker: string;
}

export interface Started {
  readonly id: string;
  readonly agent: Agent;
  readonly message: string;
  readonly recorded: Recorded;
  /** Whether it goes on when whoever asked goes away. */
  readonly isKept: boolean;
  readonly user: string | undefined;
}

export function openRun({ id, recorded, agent, isKept, user }: Started, asking: Context, parts: AgentParts): Run {
  const { settings, models, active, worker } = parts;
  const context: Context = { ...asking, caller: agentFor(asking.caller, id) };
  const runs = new Runs(context.plan);
  const lease: Lease = { run: id, worker };
  const gone = isKept ? undefined : asking.request?.signal;
  const time = AbortSignal.timeout(settings.limits[agent.flow === undefined ? 'run' : 'flow'] * 1000);
  const stopped = active.enter(id, user);
  return {
    id,
    context,
    settings,
    models,
    runs,
    recorded,
    journal: new Journal(context, (writing) => hold(lease, runs, writing)),
    signal: AbortSignal.any([stopped, time, ...(gone === undefined ? [] : [gone])]),
    used: nothingUsed(),
  };
}

function agentFor(caller: Caller, run: string): Caller {
  return { kind: 'agent', run, onBehalfOf: principalOf(caller) };
}

export async function execute(run: Run, { agent, message }: Started, { active, worker }: AgentParts): Promise<Result> {
  const quiet = beat({ run: run.id, worker }, run.runs, run.context);
  const flow = agent.flow === undefined ? undefined : run.context.plan.model.flows.get(agent.flow);
  try {
    const value = await (flow === undefined ? runOne(agent, message, run) : runFlow({ flow, agent, message, depth: 1 }, run));
    await finish({ status: 'succeeded', result: value }, run);
    return { kind: 'reply', value, run: run.id };
  } catch (thrown) {
    if (thrown instanceof WaitsForApproval) return await waiting(thrown, run);
    throw await failed(thrown, run);
  } finally {
    quiet();
    active.leave(run.id);
  }
}

async function runOne(agent: Agent, message: string, run: Run): Promise<Value> {
  run.used.steps += 1;
  const no = run.used.steps;
  const known = run.recorded.steps.get(no);
  if (known?.isDone === true) {
    charge(run, known);
    return known.result;
  }
  if (known === undefined)
    run.journal.note((writing) => run.runs.startStep(run.id, { no, name: agent.name, kind: 'agent', input: message }, writing));
  const given = await runAgent({ agent, no, labels: [], message, data: [], conversation: [] }, run);
  run.journal.note((writing) => run.runs.changeStep(run.id, no, { ...stepEnd(given), ended: now(writing) }, writing));
  return given.text;
}

function stepEnd({ text, model, inputTokens, outputTokens }: AgentAnswer): Values {
  return { status: 'succeeded', result: text, model, inputTokens, outputTokens };
}

/** Nobody takes the run up any more. Its state stays where an equal request is to find its answer. */
async function finish(changes: Values, run: Run): Promise<void> {
  const { inputTokens, outputTokens } = run.used;
  run.journal.note(async (writing) => {
    await run.runs.change(run.id, { ...changes, inputTokens, outputTokens, ended: now(writing) }, writing);
  });
  await run.journal.with(async (writing) => {
    await run.runs.changeState({ run: run.id }, { lease: never, waiting: null }, writing);
  });
}

async function waiting({ step, call, tool, arguments: given }: WaitsForApproval, run: Run): Promise<Result> {
  run.journal.note((writing) => run.runs.change(run.id, { status: 'waiting' }, writing));
  await run.journal.with(async (writing) => {
    const lease = writing.clock.now().getTime() + approvalTime;
    await run.runs.changeState({ run: run.id }, { worker: null, lease, waiting: JSON.stringify({ step, call }) }, writing);
  });
  return { kind: 'waiting', run: run.id, tool, arguments: given };
}

/** What went wrong is written down with the run, and says which run it was. */
async function failed(thrown: unknown, run: Run): Promise<unknown> {
  if (thrown instanceof PlatformError && thrown.code === 'run-state') return thrown;
  const { reason } = run.signal;
  if (run.signal.aborted && reason === 'stopping') return stopped(run, thrown);
  const isTimeout = run.signal.aborted && reason instanceof Error && reason.name === 'TimeoutError';
  const isStopped = run.signal.aborted && !isTimeout;
  const failure = problemOf(thrown, run);
  const { detail } = failure?.details ?? {};
  const problem = { code: failure?.code ?? 'internal', ...(detail === undefined ? {} : { detail }) };
  const status = isStopped ? 'cancelled' : 'failed';
  const no = run.used.steps;
  if (no > 0 && run.recorded.steps.get(no)?.isDone !== true)
    run.journal.note((writing) => run.runs.changeStep(run.id, no, { status, ended: now(writing) }, writing));
  await finish({ status, error: problem }, run);
  return failure ?? thrown;
}

function problemOf(thrown: unknown, run: Run): PlatformError | undefined {
  const failure = thrown instanceof PlatformError ? thrown : run.signal.aborted ? error('llm-timeout', {}, thrown) : undefined;
  if (failure === undefined) return undefined;
  return new PlatformError(failure.code, { ...failure.details, runId: run.id }, failure.cause, failure.origin);
}

/** The service stops: the run is left as it is, for whoever takes it up. */
async function stopped(run: Run, thrown: unknown): Promise<unknown> {
  await run.journal.with(async (writing) => {
    await run.runs.changeState({ run: run.id }, { worker: null, lease: 0 }, writing);
  });
  return error('service-stopping', { runId: run.id }, thrown);
}
