// What everything has at hand that one run does: who it is for, what it may still use, and where it is written down.

import type { Context } from '../engine/operation.ts';
import { error } from '../errors.ts';
import type { Journal } from './journal.ts';
import type { Models } from './models.ts';
import type { Runs } from './runs.ts';
import type { AgentSettings } from './settings.ts';

export interface Run {
  readonly id: string;
  /** As the agent that works for whoever asked. */
  readonly context: Context;
  readonly settings: AgentSettings;
  readonly models: Models;
  readonly runs: Runs;
  readonly journal: Journal;
  /** Aborted when nobody waits any more, or its time is over. */
  readonly signal: AbortSignal;
  readonly used: Used;
}

export interface Used {
  inputTokens: number;
  outputTokens: number;
  writes: number;
  /** Steps begun so far, through nested flows. */
  steps: number;
}

export function nothingUsed(): Used {
  return { inputTokens: 0, outputTokens: 0, writes: 0, steps: 0 };
}

/** Asked before each call of a model: what a call costs is known when it is made. */
export function checkBudget({ used, settings: { limits } }: Run): void {
  if (used.inputTokens + used.outputTokens >= limits.tokens)
    throw error('llm-budget', { detail: `A run may use ${limits.tokens} tokens.` });
}
