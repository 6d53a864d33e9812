// From the result of a step to the next one: the first edge whose label it means, else the edge without a label, else the end.

import type { Agent, Flow } from '../../model/model.ts';
import type { Value } from '../../values/value.ts';
import { modelOf } from '../prompt.ts';
import { charge, checkBudget, nothingSpent, type Run, type Spent } from '../run.ts';
import type { RecordedStep } from '../runs/recorded.ts';
import { type Match, type Method, matchReply, matchValue } from './match.ts';

/** With what asking once more cost. */
export interface Routed extends Spent {
  /** Absent where the flow ends. */
  readonly to: string | undefined;
  readonly label: string | undefined;
  readonly method: Method;
}

/** What is asked about a result; only what a model said can be asked about. */
export interface Result {
  readonly value: Value;
  readonly said: { readonly by: string; readonly llm: string | undefined } | undefined;
}

type Edges = Flow['steps'];

export function saidBy(agent: Agent): Result['said'] {
  return { by: agent.name, llm: modelOf(agent) };
}

/** Edges that lead nowhere: for asking which label a reply means. */
export function edgesTo(labels: readonly string[]): Edges {
  return labels.map((condition) => ({ from: '', condition, to: '' }));
}

/** For results that need no model to be understood: it can be decided inside of a transaction. */
export function routeOfValue(value: Value, edges: Edges, run: Run): Routed {
  return edgeFor(matchValue(value, labelsOf(edges), run.settings.match), edges, nothingSpent);
}

export async function routeOf({ value, said }: Result, edges: Edges, run: Run): Promise<Routed> {
  const labels = labelsOf(edges);
  if (said === undefined || typeof value !== 'string' || labels.length === 0) return routeOfValue(value, edges, run);
  const { match } = run.settings;
  const found = matchReply(value, labels, match);
  if (found !== undefined || match !== 'repair') return edgeFor(found, edges, nothingSpent);
  const { text, inputTokens, outputTokens, cost } = await repaired(value, labels, said, run);
  const meant = matchReply(text, labels, match);
  const repair: Match | undefined = meant === undefined ? undefined : { label: meant.label, method: 'M4' };
  return edgeFor(repair, edges, { inputTokens, outputTokens, cost });
}

/** The edge that was taken before. */
export function routeTaken({ label, method }: RecordedStep, edges: Edges): Routed {
  return label === undefined || method === 'else' || method === 'none'
    ? edgeFor(undefined, edges, nothingSpent)
    : edgeFor({ label, method: 'M1' }, edges, nothingSpent);
}

function labelsOf(edges: Edges): readonly string[] {
  return edges.flatMap(({ condition }) => condition ?? []);
}

function edgeFor(match: Match | undefined, edges: Edges, spent: Spent): Routed {
  const taken = match === undefined ? undefined : edges.find(({ condition }) => condition === match.label);
  if (taken !== undefined && match !== undefined) return { to: taken.to, label: match.label, method: match.method, ...spent };
  const otherwise = edges.find(({ condition }) => condition === undefined);
  return { to: otherwise?.to, label: undefined, method: otherwise === undefined ? 'none' : 'else', ...spent };
}

/** The model is shown nothing but the reply: what stood in the conversation cannot speak again. */
async function repaired(reply: string, labels: readonly string[], { by, llm }: NonNullable<Result['said']>, run: Run) {
  checkBudget(run);
  await run.journal.flush();
  const choices = [...labels, 'none'];
  const answer = await run.models.reply(
    llm,
    {
      messages: [
        {
          role: 'system',
          text: `Which of these does the text say: ${choices.map((each) => JSON.stringify(each)).join(', ')}? Answer with that alone, and with "none" where it says none of them.`,
        },
        { role: 'user', text: reply.slice(0, mostShown) },
      ],
      tools: [],
      temperature: 0,
      maxOutputTokens: run.settings.limits.output,
      schema: {
        type: 'object',
        properties: { label: { type: 'string', enum: choices } },
        required: ['label'],
        additionalProperties: false,
      },
      about: { agent: by, scenarios: [], labels: [], message: reply, turn: 0 },
    },
    run.signal,
  );
  charge(run, answer);
  return answer;
}

const mostShown = 16 * 1024;
