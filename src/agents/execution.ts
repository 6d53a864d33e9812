// A run from where it stands to its end: answered, failed, stopped, or waiting for somebody. Whatever it comes to is written down before it is told.

import { type Caller, isSystem, principalOf } from '../engine/caller.ts';
import { performPart } from '../engine/execute.ts';
import type { Context, Result } from '../engine/operation.ts';
import { openGuard } from '../engine/seams.ts';
import { error, PlatformError } from '../errors.ts';
import type { Agent } from '../model/model.ts';
import type { Value, Values } from '../values/value.ts';
import { type ActiveRuns, Deadline } from './active.ts';
import { type AgentAnswer, runAgent } from './agent-step.ts';
import { routeOfStep } from './flow/record.ts';
import { edgesTo, routeOf, saidBy } from './flow/route.ts';
import { countedModels, type Models, tracedModels } from './models.ts';
import { type DataBlock, titleOf } from './prompt.ts';
import {
  type Attributes,
  charge,
  noteSpent,
  nothingUsed,
  type Run,
  type RunInParts,
  type Span,
  type Tracer,
  type Trial,
  tell,
  traced,
  Waits,
} from './run.ts';
import type { Figures } from './runs/figures.ts';
import { Journal } from './runs/journal.ts';
import { approvalTime, beat, checkHeld, hold, type Lease } from './runs/lease.ts';
import { nothingRecorded, type Recorded } from './runs/recorded.ts';
import { ended, keptTime, now, Runs, waitingText } from './runs/runs.ts';
import type { AgentSettings } from './settings.ts';
import { keepable, shownOf } from './tools/call.ts';

export interface AgentParts {
  readonly settings: AgentSettings;
  readonly models: Models;
  readonly active: ActiveRuns;
  readonly inParts: RunInParts;
  readonly figures: Figures;
  /** Absent where nobody takes spans. */
  readonly tracer: Tracer | undefined;
  /** By which this process is known to others. */
  readonly worker: string;
}

/** What a run does. */
export interface Work {
  /** Of the agent, or of the workflow. */
  readonly name: string;
  readonly kind: 'agent' | 'flow' | 'workflow';
  readonly message: string | null;
  /** What it is made from again when it goes on, as JSON. */
  readonly input: string;
  perform(run: Run): Promise<Result>;
}

export interface Started {
  readonly id: string;
  readonly work: Work;
  readonly recorded: Recorded;
  /** Whether it goes on when whoever asked goes away. */
  readonly isKept: boolean;
  readonly user: string | undefined;
  /** Tokens that the user has left today; absent where that has no limit. */
  readonly allowance: number | undefined;
  readonly trial?: Trial | undefined;
}

export function openRun(started: Started, asking: Context, parts: AgentParts): Run {
  const { id, recorded, work, isKept, user, trial, allowance } = started;
  const { settings, models, active, worker, inParts, figures, tracer } = parts;
  const context = contextFor(asking, id);
  const runs = new Runs(context.plan);
  const lease: Lease = { run: id, worker };
  const gone = isKept ? undefined : asking.request?.signal;
  const deadline = new Deadline(settings.limits[work.kind === 'agent' ? 'run' : 'flow'] * 1000, gone);
  active.enter(id, user, deadline);
  const spans: Span[] = [];
  const used = nothingUsed();
  const counted = countedModels(models, used);
  return {
    id,
    name: work.name,
    figures,
    tracer,
    spans,
    context,
    settings,
    models: tracer === undefined ? counted : tracedModels(counted, { tracer, spans }),
    runs,
    recorded,
    lease,
    journal: new Journal(context, (writing) => hold(lease, runs, writing), recorded === nothingRecorded),
    signal: deadline.signal,
    used,
    user,
    isKept,
    allowance,
    trial,
    turns: [],
    inParts,
    ask: askOther,
  };
}

/** An agent never runs as the system where somebody has set it off: it has the rights of that one. */
function contextFor(asking: Context, run: string): Context {
  const onBehalfOf = principalOf(asking.caller);
  const caller: Caller = { kind: 'agent', run, onBehalfOf };
  return { ...asking, caller, guard: isSystem(onBehalfOf) ? openGuard : asking.callerGuard };
}

export async function execute(run: Run, { work }: Started, { active }: AgentParts): Promise<Result> {
  const quiet = beat(run.lease, run.runs, run.context);
  try {
    const perform = (): Promise<Result> => work.perform(run);
    // The run of an agent is the one span of that agent.
    const result = await (work.kind === 'agent'
      ? perform()
      : traced(run, `invoke_workflow ${work.name}`, () => spanOf(work, run), perform));
    await finish({ status: 'succeeded', result: keepable(shownOf(result)) }, run);
    return result;
  } catch (thrown) {
    if (thrown instanceof Waits) return await waiting(thrown, run);
    throw await failed(thrown, run);
  } finally {
    quiet();
    active.leave(run.id);
  }
}

function spanOf({ name }: Work, { id }: Run): Attributes {
  return { 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.workflow.name': name, 'platform.run.id': id };
}

/** An agent without a flow, as one step. */
export function runOne(agent: Agent, message: string, run: Run, data: readonly DataBlock[] = []): Promise<Value> {
  run.used.steps += 1;
  return runAs(run.used.steps, agent, message, run, data, run.turns);
}

/** An agent that another one asks: it knows nothing but what it is asked. */
async function askOther(name: string, message: string, no: number, run: Run): Promise<Value> {
  const agent = run.context.plan.model.agents.get(name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  return performPart(name, run.context, () => runAs(no, agent, message, run, [], []));
}

async function runAs(
  no: number,
  agent: Agent,
  message: string,
  run: Run,
  data: readonly DataBlock[],
  conversation: Run['turns'],
): Promise<Value> {
  const known = run.recorded.steps.get(no);
  if (known?.isDone === true) {
    charge(run, known);
    return known.result;
  }
  if (known === undefined)
    run.journal.note((writing) => run.runs.startStep(run.id, { no, name: titleOf(agent), kind: 'agent', input: message }, writing));
  tell(run, { kind: 'step', step: titleOf(agent) });
  const labels = run.trial?.agent === agent.name ? run.trial.labels : [];
  const given = await runAgent({ agent, no, labels, message, data, conversation }, run);
  const edge = labels.length === 0 ? {} : routeOfStep(await routeOf({ value: given.value, said: saidBy(agent) }, edgesTo(labels), run));
  run.journal.note((writing) => run.runs.changeStep(run.id, no, { ...stepEnd(given), ...edge, ended: now(writing) }, writing));
  tell(run, { kind: 'step-end', step: titleOf(agent) });
  return given.value;
}

function stepEnd({ value, model, inputTokens, outputTokens, cost }: AgentAnswer): Values {
  return { status: 'succeeded', result: value, model, inputTokens, outputTokens, cost: cost ?? null };
}

/** Nobody takes the run up any more. Its state stays where an equal request is to find its answer. */
async function finish(changes: Values, run: Run): Promise<void> {
  const { inputTokens, outputTokens, cost } = run.used;
  run.journal.note(async (writing) => {
    await run.runs.change(run.id, { ...changes, inputTokens, outputTokens, cost: cost ?? null, ended: now(writing) }, writing);
  });
  noteSpent(run);
  const { runs, isKept, lease: own } = run;
  await run.journal.end(async (writing) => {
    const scope = isKept ? (await runs.state({ run: own.run }, writing.tx))?.scope : null;
    // A run that failed can be taken up again.
    const isOver = scope === null && changes['status'] !== 'failed';
    const lease = ended + writing.clock.now().getTime() + keptTime;
    const isHeld = isOver
      ? await runs.forget(own, writing, run.recorded === nothingRecorded)
      : await runs.changeState(own, { lease, waiting: null }, writing);
    checkHeld(own.run, isHeld);
  });
  run.figures.ended(run.name, String(changes['status']));
}

async function waiting({ waitingFor, place }: Waits, run: Run): Promise<Result> {
  run.journal.note((writing) => run.runs.change(run.id, { status: 'waiting' }, writing));
  noteSpent(run);
  await run.journal.with(async (writing) => {
    const lease = writing.clock.now().getTime() + approvalTime;
    const kept = { worker: null, lease, waiting: waitingText(waitingFor, place) };
    // Data is given once: with it, the run goes on by itself wherever it was left.
    await run.runs.changeState({ run: run.id }, place === undefined ? kept : { ...kept, resumable: true }, writing);
  });
  return { kind: 'waiting', run: run.id, ...waitingFor };
}

/** Of what did not fit, so many are kept with a run. */
const mostFaults = 10;

/** What went wrong is written down with the run, and says which run it was. */
async function failed(thrown: unknown, run: Run): Promise<unknown> {
  if (thrown instanceof PlatformError && thrown.code === 'run-state') return thrown;
  const { reason } = run.signal;
  if (run.signal.aborted && reason === 'stopping') return stopped(run, thrown);
  const isTimeout = run.signal.aborted && reason instanceof Error && reason.name === 'TimeoutError';
  const isStopped = run.signal.aborted && !isTimeout;
  // Whoever cancels it writes that down too: which of the two comes first makes no difference to who waits.
  const failure = reason === 'cancelled' ? error('run-state', { detail: 'The run was cancelled.', runId: run.id }) : problemOf(thrown, run);
  const { detail, errors } = failure?.details ?? {};
  const problem = {
    code: failure?.code ?? 'internal',
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors: errors.slice(0, mostFaults).map((each): Values => ({ ...each })) }),
  };
  const status = isStopped ? 'cancelled' : 'failed';
  run.journal.note((writing) => run.runs.endSteps(run.id, status, writing));
  await finish({ status, error: problem }, run);
  return failure ?? error('internal', { runId: run.id }, thrown);
}

function problemOf(thrown: unknown, run: Run): PlatformError | undefined {
  const failure = thrown instanceof PlatformError ? thrown : run.signal.aborted ? error('llm-timeout', {}, thrown) : undefined;
  if (failure === undefined) return undefined;
  return new PlatformError(failure.code, { ...failure.details, runId: run.id }, failure.cause, failure.origin);
}

/** The service stops: the run is left as it is, for whoever takes it up. */
async function stopped(run: Run, thrown: unknown): Promise<unknown> {
  noteSpent(run);
  await run.journal.with(async (writing) => {
    await run.runs.changeState({ run: run.id }, { worker: null, lease: 0 }, writing);
  });
  return error('service-stopping', { runId: run.id }, thrown);
}
