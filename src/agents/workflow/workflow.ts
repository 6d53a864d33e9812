// A workflow that asks agents, or that resolvers suspend: one transaction for each part between two of these, committed together with its record as a step. No transaction is
// held while a model thinks, and a workflow that goes on does no part again.

import { decisionOf } from '../../engine/flow/invoke.ts';
import type { AskingFlow, Entry, PartResult } from '../../engine/flow/parts/checkpoint.ts';
import { answered, resumedWith } from '../../engine/flow/parts/parts.ts';
import { runPart } from '../../engine/flow/parts/run-part.ts';
import type { WriteContext } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import { wholeEffects } from '../../plan/flow/effects.ts';
import type { FlowProgram } from '../../plan/flow/flow.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { runOne } from '../execution.ts';
import { runFlow } from '../flow/flow.ts';
import { withNamed } from '../flow/placeholders.ts';
import { begin, end } from '../flow/record.ts';
import { asMessage, titleOf } from '../prompt.ts';
import { type DoneInParts, type KeptPart, type Question, type Run, tell } from '../run.ts';
import { now } from '../runs/runs.ts';
import { contentOf, partIn, shown } from './part.ts';
import { dataGiven, startWaiting } from './suspended.ts';

export async function runWorkflow(asked: AskingFlow, flow: FlowProgram, run: Run, first?: KeptPart): Promise<DoneInParts> {
  const entries: Entry[] = [];
  for (let part: DonePart = first ?? (await nextPart(asked, flow, entries, run)); ; part = await nextPart(asked, flow, entries, run)) {
    entries.push(...part.entries);
    if (part.asks !== undefined) entries.push(answered(await ask(part.asks, run)));
    else if (part.suspended !== undefined) entries.push(resumedWith(dataGiven(part.suspended, asked, run), part.suspended));
    else return { ...(part.result ?? (await runAgain(asked, flow, entries, run))), run: run.id };
  }
}

type DonePart = KeptPart & { readonly result?: DoneInParts | undefined };

async function nextPart(asked: AskingFlow, flow: FlowProgram, entries: readonly Entry[], run: Run): Promise<DonePart> {
  run.used.steps += 1;
  const no = run.used.steps;
  const known = run.recorded.parts.get(no);
  tell(run, { kind: 'step', step: asked.name });
  const part = known === undefined ? await newPart(asked, flow, entries, no, run) : partIn(known);
  tell(run, { kind: 'step-end', step: asked.name });
  return part;
}

async function newPart(asked: AskingFlow, flow: FlowProgram, known: readonly Entry[], no: number, run: Run): Promise<DonePart> {
  if (!run.recorded.steps.has(no)) begin({ no, name: asked.name, kind: 'workflow', input: '' }, run);
  return inPart(asked, flow, known, run, async (part, writing) => {
    const asks = part.kind === 'asks' ? questionOf(part, asked, run) : undefined;
    const suspended = part.kind === 'suspended' ? part.at : undefined;
    // The run is its user's, who is shown nothing that the system has read.
    const isHidden = asked.isSecret === true || (asked.isSystem === true && run.name !== asked.name);
    const names = isHidden ? {} : shown(part.names);
    await run.runs.changeStep(run.id, no, { status: 'succeeded', result: names, ended: now(writing) }, writing);
    if (asked.isSecret !== true) await run.runs.keepPart(run.id, no, contentOf({ entries: part.entries, asks, suspended }), writing);
    if (suspended !== undefined) await startWaiting(run.id, no + 1, suspended, run.runs, writing);
    return { entries: part.entries, asks, suspended, result: part.kind === 'done' ? { ...part.result, kept: part.kept } : undefined };
  });
}

/** What an instruction names is taken from what the workflow knows, but never from what may not be written down. */
function questionOf({ agent: name, values, named }: Extract<PartResult, { kind: 'asks' }>, { isSecret }: AskingFlow, run: Run): Question {
  const agent = run.context.plan.model.agents.get(name);
  return { agent: name, values: agent === undefined || isSecret === true ? values : withNamed(agent, values, named) };
}

/** Everything was done: gone through again, it gives its result. */
function runAgain(asked: AskingFlow, flow: FlowProgram, known: readonly Entry[], run: Run): Promise<DoneInParts> {
  return inPart(asked, flow, known, run, async (part) => {
    if (part.kind !== 'done') throw new Error(`${asked.name} had come to its end`);
    return { ...part.result, kept: part.kept };
  });
}

function inPart<T>(
  asked: AskingFlow,
  flow: FlowProgram,
  known: readonly Entry[],
  run: Run,
  then: (part: PartResult, writing: WriteContext) => Promise<T>,
): Promise<T> {
  const { waits } = wholeEffects(flow, run.context.plan.dataflows);
  const options = { waits, decides: decisionOf([flow], run.context) };
  return run.journal.with(async (writing) => then(await runPart(asked, flow, known, writing, run.id), writing), options);
}

/** `message` is what the agent is asked; other values are data beside it. */
async function ask({ agent: name, values }: Question, run: Run): Promise<Value> {
  const agent = run.context.plan.model.agents.get(name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  const { message = null, ...others } = agent.isEarlier ? asMessage(values) : values;
  if (message === null) throw error('agent-message-invalid', { detail: `${agent.local} was asked without a message.` });
  const text = typeof message === 'string' ? message : writeJson(message);
  if (Buffer.byteLength(text) > run.settings.limits.message)
    throw error('agent-message-invalid', { detail: `A message may have ${run.settings.limits.message} bytes.` });
  const data = Object.entries(others).map(([each, value]) => ({
    name: each,
    text: typeof value === 'string' ? value : writeJson(value),
  }));
  const flow = agent.flow === undefined ? undefined : run.context.plan.model.flows.get(agent.flow);
  if (flow === undefined) return runOne(agent, text, run, data);
  run.used.steps += 1;
  const no = run.used.steps;
  const known = run.recorded.steps.get(no);
  if (known === undefined) begin({ no, name: titleOf(agent), kind: 'flow', input: text }, run);
  const whole = [text, ...data.map((each) => `${each.name}: ${each.text}`)].join('\n\n');
  const value = await runFlow({ flow, agent, message: whole, depth: 1 }, run);
  if (known?.isDone !== true) end(no, { result: value }, run);
  return value;
}
