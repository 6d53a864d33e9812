// One agent at work: asks its model, does what the model asks of its tools, and asks again, until there is an answer or a limit is reached.

import { error } from '../errors.ts';
import type { Agent, RetryPolicy } from '../model/model.ts';
import { writeJson } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import { documentsOf, findPassages } from './documents/documents.ts';
import type { Message, ModelReply, ToolAnswer, ToolRequest } from './language-model.ts';
import { type DataBlock, modelOf, type PromptParts, promptOf, titleOf } from './prompt.ts';
import { type Judged, judgeReply, replySchema } from './reply.ts';
import { type Attributes, bothSpent, charge, checkBudget, noteSpent, nothingSpent, type Run, type Spent, tell, traced } from './run.ts';
import { callTool } from './tools/call.ts';
import { type Tool, toolsOf } from './tools/tools.ts';

export interface AgentStep extends Omit<PromptParts, 'agent' | 'leftOut'> {
  readonly agent: Agent;
  /** Its number in the run. */
  readonly no: number;
}

export interface AgentAnswer extends Spent {
  /** A text, or an object of the record that the agent is to give. */
  readonly value: Value;
  /** The model that gave it. */
  readonly model: string;
}

/** The third of the same calls is not made. */
const mostIdentical = 2;

export function runAgent(step: AgentStep, run: Run): Promise<AgentAnswer> {
  const { name } = step.agent;
  const about = (): Attributes => ({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name, 'platform.run.id': run.id });
  return traced(run, `invoke_agent ${name}`, about, () => answered(step, run));
}

async function answered(step: AgentStep, run: Run): Promise<AgentAnswer> {
  const tools = toolsOf(step.agent, run.context);
  const { trial } = run;
  const leftOut = trial?.agent === step.agent.name ? trial.scenario : undefined;
  const messages: Message[] = [...promptOf({ ...step, data: [...step.data, ...(await passagesFor(step, run))], leftOut })];
  const counts = new Map<string, number>();
  const { agent, labels } = step;
  let spent = nothingSpent;
  let wrong = 0;
  for (let turn = 0; turn < run.settings.limits.turns; turn += 1) {
    const known = run.recorded.replies.get(step.no)?.[turn];
    const reply = known ?? withDistinctCalls(await replyTo(messages, tools, turn, step, run), messages, turn);
    if (known !== undefined) charge(run, known);
    spent = bothSpent(spent, reply);
    const judged = reply.calls.length > 0 ? undefined : labels.length > 0 ? said(reply.text) : await judgeReply(reply.text, agent, run);
    if (judged?.kind === 'fits') return { value: judged.value, model: reply.model, ...spent };
    if (known === undefined) run.journal.note((writing) => run.runs.keepReply(run.id, step.no, turn, reply, writing));
    // The reply is kept before anything is done about it.
    await run.journal.flush();
    if (judged !== undefined) {
      wrong += 1;
      await beforeAnother(judged, wrong, agent, known !== undefined, run);
      messages.push({ role: 'assistant', text: reply.text, calls: [] }, { role: 'user', text: correction(judged.why) });
    } else messages.push({ role: 'assistant', text: reply.text, calls: reply.calls }, await answers(reply.calls, tools, counts, step, run));
  }
  throw error('agent-turn-limit', { detail: `An agent may ask its model ${run.settings.limits.turns} times in one step.` });
}

/** What the documents of the agent say about the message; which of them is written down with the run. */
async function passagesFor({ agent, no, message }: AgentStep, run: Run): Promise<readonly DataBlock[]> {
  const { plan, store } = run.context;
  const titles = documentsOf(agent, plan.model);
  if (titles.length === 0) return [];
  const passages = await store.read((tx) => findPassages(titles, message, plan, tx));
  const used = [...new Set(passages.map((each) => each.document))];
  if (used.length > 0) run.journal.note((writing) => run.runs.noteDocuments(run.id, no, used, writing));
  return passages.map(({ document, text }) => ({ name: document, text }));
}

/** Where a flow expects one of several answers, nothing else is asked of a reply. */
function said(text: string): Judged {
  return { kind: 'fits', value: text };
}

/** How often a reply that does not fit its record is asked for again; what an event finds wrong, as the retry of the agent says. */
const mostRepairs = 2;

async function beforeAnother(
  judged: Extract<Judged, { kind: 'wrong' }>,
  wrong: number,
  { retry }: Agent,
  isKnown: boolean,
  run: Run,
): Promise<void> {
  const most = judged.by === 'event' && retry !== undefined ? retry.attempts - 1 : mostRepairs;
  if (wrong > most) throw error('llm-invalid', { detail: `The reply of the language model does not fit: ${judged.why}`.slice(0, 500) });
  if (judged.by === 'event' && retry !== undefined && !isKnown) await run.models.pause(pauseOf(retry, wrong), run.signal);
  run.signal.throwIfAborted();
}

/** Milliseconds before the attempt that follows so many. */
function pauseOf({ strategy, delayMs, factor }: RetryPolicy, made: number): number {
  const times = strategy === 'exponential' ? factor ** (made - 1) : strategy === 'linear' ? made : 1;
  return Math.min(delayMs * times, longestPause);
}

const longestPause = 60_000;

function correction(why: string): string {
  return `That is not accepted:\n${why.slice(0, 4000)}\nAnswer again, with the corrected reply alone.`;
}

/** A model that says nothing is asked once more. */
async function replyTo(messages: readonly Message[], tools: readonly Tool[], turn: number, step: AgentStep, run: Run) {
  const first = await ask(messages, tools, turn, step, run);
  if (!isEmpty(first)) return first;
  const second = await ask(messages, tools, turn, step, run);
  if (isEmpty(second)) throw error('llm-empty');
  return { ...second, ...bothSpent(first, second) };
}

function isEmpty({ text, calls }: ModelReply): boolean {
  return text.trim() === '' && calls.length === 0;
}

async function ask(messages: readonly Message[], tools: readonly Tool[], turn: number, step: AgentStep, run: Run) {
  const { agent, labels, message } = step;
  checkBudget(run);
  noteSpent(run);
  // What the run has done so far is on disk before it waits for anybody.
  await run.journal.flush();
  const text = (delta: string): void => tell(run, { kind: 'text', step: titleOf(agent), delta });
  let hasSpoken = false;
  const onText = (delta: string): void => {
    hasSpoken = true;
    text(delta);
  };
  const reply = await run.models.reply(
    modelOf(agent),
    {
      ...(run.context.request?.progress === undefined ? {} : { onText }),
      messages,
      tools: tools.map((each) => each.schema),
      temperature: labels.length > 0 || tools.length === 0 ? 0 : undefined,
      maxOutputTokens: run.settings.limits.output,
      ...(labels.length > 0 ? {} : { schema: replySchema(agent, run.context.plan.model) }),
      about: { agent: titleOf(agent), scenarios: agent.scenarios, labels, message, turn },
    },
    run.signal,
  );
  charge(run, reply);
  // Not every model speaks in pieces.
  if (!hasSpoken && reply.text !== '') text(reply.text);
  return reply;
}

/**
 * Some servers number the calls of each reply from the beginning, or not at all. What was done, refused or approved is known by the number of its call: a
 * call never takes one that another call of the step had.
 */
function withDistinctCalls<T extends ModelReply>(reply: T, messages: readonly Message[], turn: number): T {
  const used = new Set(messages.flatMap((each) => (each.role === 'assistant' ? each.calls.map(({ id }) => id) : [])));
  const { calls } = reply;
  const isDistinct = new Set(calls.map(({ id }) => id)).size === calls.length && calls.every(({ id }) => id.length > 7 && !used.has(id));
  if (isDistinct) return reply;
  return { ...reply, calls: calls.map((each, index) => ({ ...each, id: unused(`call_${turn + 1}_${index + 1}`, used) })) };
}

function unused(id: string, used: ReadonlySet<string>): string {
  return used.has(id) ? unused(`${id}_`, used) : id;
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
    const about = { step: titleOf(step.agent), call: call.id } as const;
    tell(run, { kind: 'call', ...about, tool: call.tool, arguments: call.arguments ?? null });
    const result = await callTool(call, tools, step.no, run);
    tell(run, { kind: 'called', ...about, result });
    results.push({ id: call.id, tool: call.tool, result });
  }
  return { role: 'tool', results };
}
