// One agent at work: asks its model, does what the model asks of its tools, and asks again, until there is an answer or a limit is reached.

import { error } from '../errors.ts';
import type { Agent } from '../model/model.ts';
import { writeJson } from '../values/json/json.ts';
import type { Message, ModelReply, ToolAnswer, ToolRequest } from './language-model.ts';
import { type PromptParts, promptOf } from './prompt.ts';
import { charge, checkBudget, type Run } from './run.ts';
import { callTool } from './tools/call.ts';
import { type Tool, toolsOf } from './tools/tools.ts';

export interface AgentStep extends Omit<PromptParts, 'agent'> {
  readonly agent: Agent;
  /** Its number in the run. */
  readonly no: number;
}

export interface AgentAnswer {
  readonly text: string;
  /** The model that gave it. */
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The third of the same calls is not made. */
const mostIdentical = 2;

export async function runAgent(step: AgentStep, run: Run): Promise<AgentAnswer> {
  const tools = toolsOf(step.agent, run.context);
  const messages: Message[] = [...promptOf(step)];
  const counts = new Map<string, number>();
  const spent = { inputTokens: 0, outputTokens: 0 };
  for (let turn = 0; turn < run.settings.limits.turns; turn += 1) {
    const known = run.recorded.replies.get(step.no)?.[turn];
    const reply = known ?? (await replyTo(messages, tools, turn, step, run));
    if (known !== undefined) charge(run, known);
    spent.inputTokens += reply.inputTokens;
    spent.outputTokens += reply.outputTokens;
    if (reply.calls.length === 0) return { text: reply.text, model: reply.model, ...spent };
    if (known === undefined) run.journal.note((writing) => run.runs.keepReply(run.id, step.no, turn, reply, writing));
    // The reply is kept before anything is done about it.
    await run.journal.flush();
    messages.push({ role: 'assistant', text: reply.text, calls: reply.calls }, await answers(reply.calls, tools, counts, step, run));
  }
  throw error('agent-turn-limit', { detail: `An agent may ask its model ${run.settings.limits.turns} times in one step.` });
}

/** A model that says nothing is asked once more. */
async function replyTo(messages: readonly Message[], tools: readonly Tool[], turn: number, step: AgentStep, run: Run) {
  const first = await ask(messages, tools, turn, step, run);
  if (!isEmpty(first)) return first;
  const second = await ask(messages, tools, turn, step, run);
  if (isEmpty(second)) throw error('llm-empty');
  return {
    ...second,
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
  };
}

function isEmpty({ text, calls }: ModelReply): boolean {
  return text.trim() === '' && calls.length === 0;
}

async function ask(messages: readonly Message[], tools: readonly Tool[], turn: number, step: AgentStep, run: Run) {
  const { agent, labels, message } = step;
  checkBudget(run);
  // What the run has done so far is on disk before it waits for anybody.
  await run.journal.flush();
  const reply = await run.models.reply(
    modelOf(agent),
    {
      messages,
      tools: tools.map((each) => each.schema),
      temperature: labels.length > 0 || tools.length === 0 ? 0 : undefined,
      maxOutputTokens: run.settings.limits.output,
      about: { agent: agent.name, scenarios: agent.scenarios, labels, message, turn },
    },
    run.signal,
  );
  charge(run, reply);
  return { ...reply, calls: distinct(reply.calls, turn) };
}

export function modelOf({ settings }: Agent): string | undefined {
  const name = settings['llm'];
  return typeof name === 'string' ? name : undefined;
}

/** Some servers number the calls of each reply from the beginning, or not at all. */
function distinct(calls: readonly ToolRequest[], turn: number): readonly ToolRequest[] {
  const isDistinct = new Set(calls.map(({ id }) => id)).size === calls.length && calls.every(({ id }) => id.length > 7);
  return isDistinct ? calls : calls.map((each, index) => ({ ...each, id: `call_${turn + 1}_${index + 1}` }));
}

async function answers(
  calls: readonly ToolRequest[],
  tools: readonly Tool[],
  counts: Map<string, number>,
  step: AgentStep,
  run: Run,
): Promise<Message> {
  const results: ToolAnswer[] = [];
  for (const call of calls) {
    const same = `${call.tool} ${writeJson(call.arguments ?? null)}`;
    const count = (counts.get(same) ?? 0) + 1;
    counts.set(same, count);
    if (count > mostIdentical)
      throw error('agent-turn-limit', { detail: `The model asks for the same call of ${call.tool} again and again.` });
    run.signal.throwIfAborted();
    results.push({ id: call.id, tool: call.tool, result: await callTool(call, tools, step.no, run) });
  }
  return { role: 'tool', results };
}
