// A decision as a step of a flow: cases that are expressions are decided by the service over the results so far, cases in words by one question to the
// model of the flow's agent, which chooses among the names of the results.

import { evaluate, isTrue } from '../../engine/eval/eval.ts';
import type { Decision } from '../../model/model.ts';
import type { Expression } from '../../model/pattern.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import { modelOf } from '../prompt.ts';
import type { Run } from '../run.ts';
import { choose, none } from './choose.ts';
import { resultsAsData } from './context.ts';
import { objectIn } from './input.ts';
import { begin, end, routeOfStep } from './record.ts';
import { type Routed, routeOfValue } from './route.ts';
import type { FlowStep, Stepped } from './step.ts';

type Case = Decision['cases'][number];

export async function runDecision(step: FlowStep, name: string, run: Run): Promise<Stepped> {
  const { no, asked } = step;
  const decision = run.context.plan.model.decisions.get(name);
  if (decision === undefined) throw new Error(`there is no decision ${name}`);
  if (!run.recorded.steps.has(no)) begin({ no, name, kind: 'decision', input: asked.message }, run);
  const { cases } = decision;
  const decided = cases.find(({ condition }) => condition !== undefined && wordsOf(condition) === undefined && holds(condition, step, run));
  const chosen = decided === undefined ? await chosenByModel(decision, step, run) : undefined;
  const taken = decided ?? chosen?.taken ?? cases.find(({ condition }) => condition === undefined);
  const value = resultOf(taken);
  const routed = routeOfResults(taken?.results ?? [], value, step, run);
  end(no, { result: value, ...chosen?.spent, ...routeOfStep(routed) }, run);
  return { value, routed };
}

/** Whether a decision has cases that only a model can decide. */
export function needsModel({ cases }: Decision): boolean {
  return cases.some(({ condition }) => condition !== undefined && wordsOf(condition) !== undefined);
}

function wordsOf(condition: Expression): string | undefined {
  return condition.kind === 'literal' && typeof condition.value === 'string' ? condition.value : undefined;
}

function resultOf(taken: Case | undefined): Value {
  const [only = null, ...others] = taken?.results ?? [];
  return others.length === 0 ? only : (taken?.results ?? []);
}

/** Of several results of one case, the first for which there is a way. */
function routeOfResults(results: readonly string[], value: Value, { asked, name }: FlowStep, run: Run): Routed {
  const edges = asked.flow.steps.filter((each) => each.from === name);
  const routes = results.map((each) => routeOfValue(each, edges, run));
  return routes.find(({ label }) => label !== undefined) ?? routes[0] ?? routeOfValue(value, edges, run);
}

/** A name is that of a step, else of an attribute of the newest result that has it, else `message`. */
function holds(condition: Expression, { results, asked }: FlowStep, { context }: Run): boolean {
  const newest = results.toReversed();
  const start = (name: string): Value => {
    const step = newest.find((each) => each.name === name);
    if (step !== undefined) return step.value;
    const holder = newest.map(({ value }) => objectIn(value)).find((each) => each !== undefined && Object.hasOwn(each, name));
    return holder?.[name] ?? (name === 'message' ? asked.message : null);
  };
  const lookup = ([first = '', ...rest]: readonly string[]): Value =>
    rest.reduce((value: Value, name): Value => memberOf(value, name), start(first));
  const { clock, functions, outside } = context;
  return isTrue(evaluate(condition, { clock, functions, outside, context, lookup }));
}

function memberOf(value: Value, name: string): Value {
  const inside = isObject(value) ? value : objectIn(value);
  return inside !== undefined && Object.hasOwn(inside, name) ? (inside[name] ?? null) : null;
}

/** The one question; nothing where there are no such cases, or none of them fits. */
async function chosenByModel({ name, cases }: Decision, { asked, results }: FlowStep, run: Run) {
  const inWords = cases.flatMap((each) => {
    const words = each.condition === undefined ? undefined : wordsOf(each.condition);
    return words === undefined ? [] : [{ taken: each, words, label: each.results[0] ?? '' }];
  });
  if (inWords.length === 0) return undefined;
  const labels = [...new Set(inWords.map((each) => each.label))];
  const lines = inWords.map((each) => `- ${JSON.stringify(each.label)}: ${each.words}`);
  const data = resultsAsData(results).map((each) => `${each.name}: ${each.text}`);
  const { label, model, inputTokens, outputTokens, cost } = await choose(
    {
      llm: modelOf(asked.agent),
      about: { agent: name, labels: [...labels, none], message: asked.message },
      system: ['Which of these cases fits what follows?', ...lines, `Answer with its name alone, or with "${none}".`].join('\n'),
      text: [asked.message, ...data].join('\n\n'),
      choices: labels,
    },
    run,
  );
  return { taken: inWords.find((each) => each.label === label)?.taken, spent: { model, inputTokens, outputTokens, cost: cost ?? null } };
}
