// A message to an agent: checked, made into a run that is written down before the model is asked, and answered with its result.

import { type Caller, userOf } from '../engine/caller.ts';
import type { Context, Result } from '../engine/operation.ts';
import { error, PlatformError } from '../errors.ts';
import type { Agent, Flow, Model } from '../model/model.ts';
import { writeJson } from '../values/json/json.ts';
import type { Value, Values } from '../values/value.ts';
import { type AgentAnswer, modelOf, runAgent } from './agent-step.ts';
import { runFlow } from './flow/flow.ts';
import { Journal } from './journal.ts';
import type { Models } from './models.ts';
import { nothingUsed, type Run } from './run.ts';
import { now, Runs } from './runs.ts';
import type { AgentSettings } from './settings.ts';

export interface AgentParts {
  readonly settings: AgentSettings;
  readonly models: Models;
}

/** What a request brings. */
interface Asked {
  readonly message: string;
}

export async function answer(agent: Agent, body: Values, context: Context, parts: AgentParts): Promise<Result> {
  const asked = askedIn(body, parts.settings);
  const { model } = context.plan;
  const flow = agent.flow === undefined ? undefined : model.flows.get(agent.flow);
  // Where a model that it needs cannot be asked, nothing begins.
  for (const each of flow === undefined ? [agent] : agentsIn(flow, model)) parts.models.require(modelOf(each));
  const run = startRun(agent, flow === undefined ? 'agent' : 'flow', asked, context, parts);
  try {
    const value = await (flow === undefined ? runOne(agent, asked, run) : runFlow({ flow, agent, message: asked.message, depth: 1 }, run));
    await succeeded(value, run);
    return { kind: 'reply', value, run: run.id };
  } catch (thrown) {
    throw await ended(thrown, run);
  }
}

function askedIn(body: Values, { limits }: AgentSettings): Asked {
  const { message, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw error('agent-message-invalid', { detail: `A message has no key "${unknown}".` });
  if (typeof message !== 'string') throw error('agent-message-invalid');
  if (Buffer.byteLength(message) > limits.message) throw error('body-too-large', { detail: `A message may have ${limits.message} bytes.` });
  return { message };
}

/** Every agent that a flow may come to, through flows inside of it. */
function agentsIn(flow: Flow, model: Model, seen = new Set<string>()): readonly Agent[] {
  if (seen.has(flow.name)) return [];
  seen.add(flow.name);
  return [...flow.nodes.values()].flatMap((node) => {
    const agent = node.kind === 'agent' ? model.agents.get(node.name) : undefined;
    const inner = agent?.flow === undefined || agent.flow === flow.name ? undefined : model.flows.get(agent.flow);
    if (agent === undefined) return [];
    return inner === undefined ? [agent] : agentsIn(inner, model, seen);
  });
}

function startRun(agent: Agent, kind: 'agent' | 'flow', { message }: Asked, asking: Context, { settings, models }: AgentParts): Run {
  const id = asking.clock.uuid();
  const context: Context = { ...asking, caller: agentFor(asking.caller, id) };
  const { signal } = asking.request ?? {};
  const time = AbortSignal.timeout(settings.limits[kind === 'flow' ? 'flow' : 'run'] * 1000);
  const run: Run = {
    id,
    context,
    settings,
    models,
    runs: new Runs(context.plan),
    journal: new Journal(context),
    signal: signal === undefined ? time : AbortSignal.any([signal, time]),
    used: nothingUsed(),
  };
  const user = userOf(asking.caller);
  run.journal.note((writing) =>
    run.runs.begin({ id, agent: agent.name, kind, status: 'running', user, message, input: writeJson({ message }) }, writing),
  );
  return run;
}

function agentFor(caller: Caller, run: string): Caller {
  return { kind: 'agent', run, onBehalfOf: caller.kind === 'agent' ? caller.onBehalfOf : caller };
}

async function runOne(agent: Agent, { message }: Asked, run: Run): Promise<Value> {
  run.used.steps += 1;
  const no = run.used.steps;
  run.journal.note((writing) => run.runs.startStep(run.id, { no, name: agent.name, kind: 'agent', input: message }, writing));
  const given = await runAgent({ agent, no, labels: [], message, data: [], conversation: [] }, run);
  run.journal.note((writing) => run.runs.changeStep(run.id, no, stepEnd(given, writing.clock.now()), writing));
  return given.text;
}

async function succeeded(result: Value, run: Run): Promise<void> {
  run.journal.note((writing) => run.runs.change(run.id, { ...spent(run), status: 'succeeded', result, ended: now(writing) }, writing));
  await run.journal.flush();
}

function stepEnd({ text, model, inputTokens, outputTokens }: AgentAnswer, time: Date): Values {
  return { status: 'succeeded', result: text, model, inputTokens, outputTokens, ended: time.toISOString() };
}

function spent({ used: { inputTokens, outputTokens } }: Run): Values {
  return { inputTokens, outputTokens };
}

/** What went wrong is written down with the run, and says which run it was. */
async function ended(thrown: unknown, run: Run): Promise<unknown> {
  const isGone = run.context.request?.signal?.aborted === true;
  const failure = thrown instanceof PlatformError ? thrown : run.signal.aborted ? error('llm-timeout', {}, thrown) : undefined;
  const problem = {
    code: failure?.code ?? 'internal',
    ...(failure?.details.detail === undefined ? {} : { detail: failure.details.detail }),
  };
  const status = isGone ? 'cancelled' : 'failed';
  const no = run.used.steps;
  if (no > 0) run.journal.note((writing) => run.runs.changeStep(run.id, no, { status, ended: now(writing) }, writing));
  run.journal.note((writing) => run.runs.change(run.id, { ...spent(run), status, error: problem, ended: now(writing) }, writing));
  await run.journal.flush();
  if (failure === undefined) return thrown;
  return new PlatformError(failure.code, { ...failure.details, runId: run.id }, failure.cause, failure.origin);
}
