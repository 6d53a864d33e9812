// From the result of a step to the next one: the first edge whose label it means, else the edge without a label, else the end.

import type { Agent, Flow } from '../../model/model.ts';
import type { Value } from '../../values/value.ts';
import { modelOf, titleOf } from '../prompt.ts';
import { nothingSpent, type Run, type Spent } from '../run.ts';
import type { RecordedStep } from '../runs/recorded.ts';
import { choose, none } from './choose.ts';
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
  return { by: titleOf(agent), llm: modelOf(agent) };
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
  const { label, inputTokens, outputTokens, cost } = await repaired(value, labels, said, run);
  const repair: Match | undefined = label === undefined ? undefined : { label, method: 'M4' };
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
function repaired(reply: string, labels: readonly string[], { by, llm }: NonNullable<Result['said']>, run: Run) {
  const choices = [...labels, none].map((each) => JSON.stringify(each)).join(', ');
  const system = `Which of these does the text say: ${choices}? Answer with that alone, and with "${none}" where it says none of them.`;
  const about = { agent: by, labels: [], message: reply };
  return choose({ llm, about, system, text: reply.slice(0, mostShown), choices: labels }, run);
}

const mostShown = 16 * 1024;
