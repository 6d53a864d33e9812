// Scenarios as tests: what the user says in one is put to its agent, which is not shown that scenario, and the answer is held against what the scenario has.

import { anonymous } from '../engine/caller.ts';
import type { Engine } from '../engine/engine.ts';
import { PlatformError } from '../errors.ts';
import { normalizedLabel } from '../model/label.ts';
import type { Agent, Model } from '../model/model.ts';
import { writeJson } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';
import type { AgentParts } from './execution.ts';
import { type Method, matchReply } from './flow/match.ts';
import { answer } from './handler.ts';
import type { Trial } from './run.ts';
import { runWith } from './runs/inspect.ts';
import { type PlacedStep, placed } from './runs/path.ts';

export interface Rehearsed {
  readonly agent: string;
  readonly user: string;
  readonly expected: string;
  /** Absent where there was no answer. */
  readonly actual: string | undefined;
  readonly passed: boolean;
  readonly method: Method;
  /** Of a flow, the steps that were made and where each of them led. */
  readonly path: readonly PassedStep[];
  /** Why there was no answer. */
  readonly error: string | undefined;
  readonly milliseconds: number;
}

export interface PassedStep {
  readonly step: string;
  readonly label: string | undefined;
  readonly method: string | undefined;
  readonly next: string | undefined;
}

export async function rehearse(agent: Agent, scenario: number, engine: Engine, parts: AgentParts): Promise<Rehearsed> {
  const { user = '', ai = '' } = agent.scenarios[scenario] ?? {};
  return engine.asCaller(anonymous, async (context) => {
    const { plan, store, clock } = context;
    const started = clock.now().getTime();
    const trial: Trial = { agent: agent.name, scenario, labels: labelsFor(agent, ai, plan.model) };
    const outcome = await answer(agent, { message: user }, context, parts, trial).catch((thrown: unknown) => {
      if (thrown instanceof PlatformError) return thrown;
      throw thrown;
    });
    const milliseconds = clock.now().getTime() - started;
    const tried = { agent: agent.name, user, expected: ai, milliseconds };
    const run = outcome instanceof PlatformError ? outcome.details.runId : 'run' in outcome ? outcome.run : undefined;
    const whole = run === undefined ? undefined : await store.read((tx) => runWith(run, plan, tx));
    const steps = placed(whole?.steps ?? [], ({ step }) => step, agent.name, plan.model).map(passed);
    const path = agent.flow === undefined ? [] : steps;
    if (outcome instanceof PlatformError || outcome.kind !== 'reply') {
      const error = outcome instanceof PlatformError ? `${outcome.code}: ${outcome.details.detail ?? outcome.message}` : outcome.kind;
      return { ...tried, actual: undefined, passed: false, method: 'none', path, error };
    }
    const actual = textOf(outcome.value);
    const [only] = steps;
    const found =
      trial.labels.length > 0 ? { label: only?.label, method: methodOf(only?.method) } : matchReply(actual, [ai], parts.settings.match);
    const isSame = found?.label !== undefined && normalizedLabel(found.label) === normalizedLabel(ai);
    return { ...tried, actual, passed: isSame, method: found?.method ?? 'none', path, error: undefined };
  });
}

/** Those of the first flow in which this agent is asked for one of several answers, among them this one. */
function labelsFor({ name, flow }: Agent, expected: string, { flows }: Model): readonly string[] {
  if (flow !== undefined) return [];
  const wanted = normalizedLabel(expected);
  for (const each of flows.values()) {
    const own = [...each.nodes].flatMap(([step, node]) => (node.kind === 'agent' && node.name === name ? [step] : []));
    const labels = each.steps.flatMap(({ from, condition }) => (own.includes(from) && condition !== undefined ? [condition] : []));
    if (labels.some((label) => normalizedLabel(label) === wanted)) return labels;
  }
  return [];
}

function passed({ item: { step }, next }: PlacedStep<{ readonly step: Readonly<Record<string, Value>> }>): PassedStep {
  const text = (name: string): string | undefined => (typeof step[name] === 'string' ? step[name] : undefined);
  return { step: String(step['name']), label: text('label'), method: text('method'), next };
}

const methods: readonly Method[] = ['M1', 'M2', 'M3', 'M4', 'else', 'none'];

function methodOf(text: string | undefined): Method {
  return methods.find((each) => each === text) ?? 'none';
}

function textOf(value: Value): string {
  return typeof value === 'string' ? value : writeJson(value);
}
