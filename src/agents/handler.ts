// A message to an agent: checked, made into a run that is written down before the model is asked, and answered with its result.

import { userOf } from '../engine/caller.ts';
import type { AskingFlow } from '../engine/flow/parts/checkpoint.ts';
import type { Context, Once, Result } from '../engine/operation.ts';
import { callerText } from '../engine/saved-caller.ts';
import { type ErrorCode, error, errorCodes, type PlatformError } from '../errors.ts';
import type { Agent, Flow, Model } from '../model/model.ts';
import { isObject } from '../plan/rows/attribute.ts';
import type { Value, Values } from '../values/value.ts';
import { type AgentParts, execute, openRun, type Started, type Work } from './execution.ts';
import { needsModel } from './flow/decision.ts';
import { asMessage, modelOf } from './prompt.ts';
import { allowanceOf, type Run, type Trial, tell } from './run.ts';
import { leaseTime } from './runs/lease.ts';
import { nothingRecorded } from './runs/recorded.ts';
import { ended, keptTime, never, type RunState, Runs, waitingFor } from './runs/runs.ts';
import type { AgentSettings } from './settings.ts';
import { agentWork, workflowWork } from './work.ts';
import { readerOf } from './workflow/part.ts';

/** With a trial, the agent is asked as `platform test-agents` asks it. */
export async function answer(agent: Agent, body: Values, context: Context, parts: AgentParts, trial?: Trial): Promise<Result> {
  const { message, conversation } = messageIn(agent.isEarlier ? asMessage(body) : body, parts.settings);
  const check = (): void => {
    const { model } = context.plan;
    const flow = agent.flow === undefined ? undefined : model.flows.get(agent.flow);
    // Where a model that it needs cannot be asked, nothing begins.
    for (const each of flow === undefined ? [agent] : agentsIn(flow, model)) parts.models.require(modelOf(each));
  };
  return answerWork(agentWork(agent, message, conversation), context, parts, check, trial, userOf(context.caller));
}

/** The same for a workflow that asks agents: which of them it comes to is not known beforehand. */
export function answerWorkflow(asked: AskingFlow, context: Context, parts: AgentParts): Promise<Result> {
  return answerWork(workflowWork(asked, context.plan), context, parts, () => {}, undefined, readerOf(asked, context));
}

async function answerWork(
  work: Work,
  context: Context,
  parts: AgentParts,
  check: () => void,
  trial: Trial | undefined,
  reader: string | undefined,
): Promise<Result> {
  const { once } = context;
  const before = once === undefined ? undefined : await answeredBefore(once, context);
  if (before !== undefined) return before;
  check();
  const user = userOf(context.caller);
  const allowance = await allowanceOf(user, context, parts.settings);
  // Nothing is waited for between this and the place that the run takes: many at once would all find the same room.
  parts.active.checkRoom(user);
  const started: Started = {
    id: context.clock.uuid(),
    work,
    recorded: nothingRecorded,
    isKept: once !== undefined,
    user,
    allowance,
    trial,
  };
  const run = openRun(started, context, parts);
  noteBegin(run, started, once, reader, parts);
  tell(run, { kind: 'run', run: run.id });
  return execute(run, started, parts);
}

function noteBegin(
  run: Run,
  { id, work, isKept }: Started,
  once: Once | undefined,
  user: string | undefined,
  { worker }: AgentParts,
): void {
  run.journal.note(async (writing) => {
    const { scope = null, digest = null } = once ?? {};
    // Two equal requests at the same moment: the second finds the run of the first.
    const other = scope === null ? undefined : await run.runs.state({ scope }, writing.tx);
    if (other !== undefined && isRecent(other, writing)) throw inProgress(other.run);
    await run.runs.begin(
      {
        id,
        agent: work.name,
        kind: work.kind,
        status: 'running',
        user,
        message: work.message,
        state: {
          input: work.input,
          caller: callerText(run.context.caller),
          scope,
          digest,
          resumable: isKept,
          worker,
          lease: writing.clock.now().getTime() + leaseTime,
        },
      },
      writing,
    );
  });
}

interface Asked {
  readonly message: string;
  readonly conversation: string | undefined;
}

const longestName = 200;

function messageIn(body: Values, { limits }: AgentSettings): Asked {
  const { message, conversation, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw error('agent-message-invalid', { detail: `A message has no key "${unknown}".` });
  if (typeof message !== 'string') throw error('agent-message-invalid');
  if (conversation !== undefined && (typeof conversation !== 'string' || conversation === '' || conversation.length > longestName))
    throw error('agent-message-invalid', { detail: `A conversation is a text of up to ${longestName} characters.` });
  if (Buffer.byteLength(message) > limits.message) throw error('body-too-large', { detail: `A message may have ${limits.message} bytes.` });
  return { message, conversation };
}

/** Every agent that a flow may come to, through flows inside of it. */
function agentsIn(flow: Flow, model: Model, seen = new Set<string>()): readonly Agent[] {
  if (seen.has(flow.name)) return [];
  seen.add(flow.name);
  const own = model.agents.get(flow.name);
  return [...flow.nodes.values()].flatMap((node) => {
    const decision = node.kind === 'decision' ? model.decisions.get(node.name) : undefined;
    if (decision !== undefined && needsModel(decision) && own !== undefined) return [own];
    const agent = node.kind === 'agent' ? model.agents.get(node.name) : undefined;
    const inner = agent?.flow === undefined || agent.flow === flow.name ? undefined : model.flows.get(agent.flow);
    if (agent === undefined) return [];
    return inner === undefined ? [agent] : agentsIn(inner, model, seen);
  });
}

/** Whether it has not ended, or began or ended less than a day ago: one that waits for somebody to approve takes longer than that. */
function isRecent({ run, lease }: RunState, { clock }: Pick<Context, 'clock'>): boolean {
  const now = clock.now().getTime();
  if (lease < ended || (lease < never && lease - ended > now)) return true;
  // Identifiers of runs begin with the time at which they were made.
  return Number.parseInt(run.replaceAll('-', '').slice(0, 12), 16) > now - keptTime;
}

function inProgress(run: string): PlatformError {
  return error('request-in-progress', { retryAfter: 1, runId: run });
}

/** What an equal request was answered; nothing where there was none. */
async function answeredBefore({ scope, digest }: Once, context: Context): Promise<Result | undefined> {
  const runs = new Runs(context.plan);
  const [state, row] = await context.store.read(async (tx) => {
    const found = await runs.state({ scope }, tx);
    return [found, found === undefined ? undefined : await runs.read(found.run, tx)] as const;
  });
  if (state === undefined || row === undefined || !isRecent(state, context)) return undefined;
  if (state.digest !== digest) throw error('key-reused');
  return answerOf(state, row);
}

function answerOf({ run, waiting }: RunState, { status, result = null, error: problem = null }: Values): Result {
  switch (status) {
    case 'succeeded':
      return { kind: 'reply', value: result, run };
    case 'failed':
      throw failureIn(problem, run);
    case 'waiting': {
      return { kind: 'waiting', run, ...waitingFor(waiting) };
    }
    case 'cancelled':
    case 'interrupted':
      throw error('run-state', { detail: `The run of this key is ${status}.`, runId: run });
    default:
      throw inProgress(run);
  }
}

function failureIn(problem: Value, run: string): PlatformError {
  const { code, detail } = isObject(problem) ? problem : {};
  return error(isCode(code) ? code : 'internal', { ...(typeof detail === 'string' ? { detail } : {}), runId: run });
}

function isCode(code: Value | undefined): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCodes, code);
}
