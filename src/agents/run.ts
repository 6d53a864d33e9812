// What everything has at hand that one run does: who it is for, what it may still use, and where it is written down.

import type { Clock } from '../clock.ts';
import type { AskingFlow, Entry, KeptBinding, SuspendedStep } from '../engine/flow/parts/checkpoint.ts';
import type { Context, Progress, Result, WaitingFor } from '../engine/operation.ts';
import { error, PlatformError } from '../errors.ts';
import type { FlowProgram } from '../plan/flow/flow.ts';
import type { Value, Values } from '../values/value.ts';
import type { Models } from './models.ts';
import type { Turn } from './runs/conversation.ts';
import { addedCost, type Cost, nothing, type Tokens } from './runs/cost.ts';
import type { Figures } from './runs/figures.ts';
import type { Journal } from './runs/journal.ts';
import type { Lease } from './runs/lease.ts';
import type { Recorded } from './runs/recorded.ts';
import type { Runs, SuspendedPlace } from './runs/runs.ts';
import { DailyTokens } from './runs/spent.ts';
import type { AgentSettings } from './settings.ts';

export interface Run {
  readonly id: string;
  /** Of its agent or workflow. */
  readonly name: string;
  readonly figures: Figures;
  readonly tracer: Tracer | undefined;
  /** Those that are under way, the innermost last: what a run does, it does one after the other. */
  readonly spans: Span[];
  /** As the agent that works for whoever asked. */
  readonly context: Context;
  readonly settings: AgentSettings;
  readonly models: Models;
  readonly runs: Runs;
  /** By which this worker has it. */
  readonly lease: Lease;
  readonly journal: Journal;
  /** What it had done when it was left, where it goes on. */
  readonly recorded: Recorded;
  /** Aborted when nobody waits any more, or its time is over. */
  readonly signal: AbortSignal;
  readonly used: Used;
  /** Whether it goes on when whoever asked goes away. */
  readonly isKept: boolean;
  /** Who it is for, where that is known. */
  readonly user: string | undefined;
  /** Tokens that the user had left today when it began; absent where that has no limit. */
  readonly allowance: number | undefined;
  /** Where it only tries what an agent says: nobody waits for approval then. */
  readonly trial: Trial | undefined;
  /** What was said before in its conversation, the oldest first. */
  readonly turns: Turn[];
  /** Does a workflow that asks agents, or was suspended, as a part of this run. */
  readonly inParts: RunInParts;
  /** Asks another agent, as a step of this number. */
  readonly ask: AskOther;
}

/** One agent that is tried with one of its scenarios. */
export interface Trial {
  readonly agent: string;
  /** The place of the scenario among those of the agent. */
  readonly scenario: number;
  /** Which answers there are, where a flow of the model expects one of them. */
  readonly labels: readonly string[];
}

/** Who listens hears what happens as it happens. */
export function tell({ context: { request } }: Run, progress: Progress): void {
  request?.progress?.(progress);
}

export type AskOther = (agent: string, message: string, no: number, run: Run) => Promise<Value>;

/** `first` is the part that was done before, where that was a step of something else. */
export type RunInParts = (asked: AskingFlow, flow: FlowProgram, run: Run, first?: KeptPart) => Promise<DoneInParts>;

/** `kept` is the result as it is kept, in which an instance stays one. */
export type DoneInParts = Extract<Result, { kind: 'outcome' }> & { kept(): KeptBinding };

/** What is kept of a part of a workflow: what it did, and whom it asks then, or where it waits. */
export interface KeptPart {
  readonly entries: readonly Entry[];
  readonly asks?: Question | undefined;
  readonly suspended?: SuspendedStep | undefined;
  /** What it is a part of, where that is not known otherwise. */
  readonly asked?: AskingFlow | undefined;
}

export interface Question {
  readonly agent: string;
  readonly values: Values;
}

export interface Used {
  inputTokens: number;
  outputTokens: number;
  /** Absent as soon as something was used whose price is not known. */
  cost: Cost;
  writes: number;
  /** Calls of tools so far. */
  calls: number;
  /** Steps begun so far, through nested flows. */
  steps: number;
  /** How many other agents each step has asked. */
  readonly delegates: Map<number, number>;
  /** Tokens of the calls that were made here, and not before the run was taken up, and how many of them are counted for the user. */
  fresh: number;
  settled: number;
}

export function nothingUsed(): Used {
  return { inputTokens: 0, outputTokens: 0, cost: nothing, writes: 0, calls: 0, steps: 0, delegates: new Map(), fresh: 0, settled: 0 };
}

/** Asked before each call of a model: what a call costs is known when it is made. */
export function checkBudget({ used, allowance, context: { clock }, settings: { limits } }: Run): void {
  if (allowance !== undefined && used.fresh >= allowance) throw spentToday(limits, clock);
  if (used.inputTokens + used.outputTokens >= limits.tokens)
    throw error('llm-budget', { detail: `A run may use ${limits.tokens} tokens.` });
}

/** What calls have used is counted for the user, once, with whatever is kept next: also where the run is cancelled later. */
export function noteSpent({ used, user, journal, context: { plan } }: Run): void {
  const tokens = used.fresh - used.settled;
  used.settled = used.fresh;
  if (user !== undefined && tokens > 0) journal.note((writing) => new DailyTokens(plan).add(user, tokens, writing));
}

/** Tokens that a user has left today: whoever has used them up begins nothing. */
export async function allowanceOf(user: string | undefined, { store, plan, clock }: Context, { limits }: AgentSettings) {
  if (user === undefined) return undefined;
  const left = limits.dailyTokens - (await store.read((tx) => new DailyTokens(plan).of(user, clock, tx)));
  if (left <= 0) throw spentToday(limits, clock);
  return left;
}

function spentToday({ dailyTokens }: AgentSettings['limits'], clock: Clock): PlatformError {
  const detail = `A user may use ${dailyTokens} tokens a day.`;
  const day = 24 * 60 * 60 * 1000;
  return error('llm-budget', { detail, retryAfter: Math.ceil((day - (clock.now().getTime() % day)) / 1000) });
}

export interface Spent extends Tokens {
  readonly cost: Cost;
}

export const nothingSpent: Spent = { inputTokens: 0, outputTokens: 0, cost: nothing };

export function bothSpent(first: Spent, second: Spent): Spent {
  return {
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    cost: addedCost(first.cost, second.cost),
  };
}

export function charge({ used }: Run, { inputTokens, outputTokens, cost }: Spent): void {
  used.inputTokens += inputTokens;
  used.outputTokens += outputTokens;
  used.cost = addedCost(used.cost, cost);
}

export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface Tracer {
  /** Whether messages and replies may be part of spans. */
  readonly content: boolean;
  start(name: string, attributes: Attributes, parent: Span | undefined): Span;
  close(): Promise<void>;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  end(attributes?: Attributes, error?: string): void;
}

/** Does it as a span of the trace of the run, where there is one. */
export async function traced<T>(
  run: Pick<Run, 'tracer' | 'spans'>,
  name: string,
  attributes: () => Attributes,
  work: () => Promise<T>,
  outcome: (result: T) => Attributes = () => ({}),
): Promise<T> {
  const { tracer, spans } = run;
  if (tracer === undefined) return work();
  const span = tracer.start(name, attributes(), spans.at(-1));
  spans.push(span);
  try {
    const result = await work();
    span.end(outcome(result));
    return result;
  } catch (thrown) {
    if (thrown instanceof Waits) span.end({ 'platform.run.status': 'waiting' });
    else span.end({}, thrown instanceof PlatformError ? thrown.code : 'internal');
    throw thrown;
  } finally {
    spans.pop();
  }
}

/** Thrown where a run cannot go on before somebody has approved of a call, or has given data: no failure, and caught by whoever runs it. */
export class Waits extends Error {
  readonly waitingFor: WaitingFor;
  /** Of a workflow that waits for data. */
  readonly place: SuspendedPlace | undefined;

  constructor(waitingFor: WaitingFor, place?: SuspendedPlace) {
    super(`a run waits at step ${waitingFor.step}`);
    this.waitingFor = waitingFor;
    this.place = place;
  }
}
