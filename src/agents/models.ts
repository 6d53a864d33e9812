// Asks a language model by its name: the one layer of retries, the breaker of each model, and the models that stand in for it.

import type { Clock } from '../clock.ts';
import { error, type PlatformError } from '../errors.ts';
import type { Model } from '../model/model.ts';
import { Deadline } from './active.ts';
import { type LanguageModel, ModelFailure, type ModelReply, type ModelRequest } from './language-model.ts';
import { type Attributes, type Run, traced } from './run.ts';
import { type Cost, costOf } from './runs/cost.ts';
import type { Figures } from './runs/figures.ts';
import type { AgentSettings, ModelSettings } from './settings.ts';

export interface Models {
  /** Those that the model of the application names, besides those of the settings, which win. */
  use(named: Model['languageModels']): void;
  /** Whether the model that an agent names can be asked at all. */
  isReady(name: string | undefined): boolean;
  /** Throws where the model that an agent names cannot be asked at all: before anything is done. */
  require(name: string | undefined): void;
  /** The reply, and the name of the model that gave it. */
  reply(name: string | undefined, request: ModelRequest, signal: AbortSignal): Promise<Replied>;
  /** Resolves after so many milliseconds, or when the signal is aborted. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface Replied extends ModelReply {
  readonly model: string;
  readonly cost: Cost;
}

export interface ModelsParts {
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly figures: Figures;
  open(settings: ModelSettings): LanguageModel;
  /** Resolves after so many milliseconds, or when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** A failed attempt, for the log. */
  failed(failure: ModelFailure, model: string): void;
}

const attempts = 3;
/** Milliseconds. */
const pause = { first: 500, most: 8000 } as const;
/** Seconds: a vendor that asks for a longer pause is left for the next model. */
const longestWait = 15;
const breaker = { failures: 5, milliseconds: 30_000 } as const;

/** How a model did lately. */
interface Health {
  failures: number;
  /** No attempt before this moment. */
  closedUntil: number;
  probing: boolean;
}

interface KnownModel {
  readonly model: LanguageModel;
  readonly settings: ModelSettings;
  readonly health: Health;
}

/** Without an address of one's own, the vendor wants a key; nobody is asked where all replies are taken from a folder. */
function keyCheck({ replay, record }: AgentSettings): (settings: ModelSettings) => boolean {
  const asksNobody = replay !== undefined && record === undefined;
  return ({ provider, baseUrl, apiKey }) => asksNobody || provider === 'scripted' || baseUrl !== undefined || (apiKey ?? '').trim() !== '';
}

const main = '';

export function openModels(parts: ModelsParts): Models {
  const { settings, clock } = parts;
  const hasKey = keyCheck(settings);
  const opened = (each: ModelSettings): KnownModel => ({
    model: parts.open(each),
    settings: each,
    health: { failures: 0, closedUntil: 0, probing: false },
  });
  const configured: ReadonlyMap<string, KnownModel> = new Map(
    [[main, settings] as const, ...settings.models].map(([name, each]) => [name, opened(each)]),
  );
  let known = configured;
  const chosen = (name: string | undefined): KnownModel => {
    const found = known.get(name ?? main);
    if (found === undefined) throw error('llm-not-configured', { detail: `There is no language model "${name}" in the settings.` });
    if (!hasKey(found.settings)) throw error('llm-not-configured');
    return found;
  };
  return {
    use(named) {
      const { provider, model, baseUrl, apiKey } = settings;
      const own = { provider, model, baseUrl, apiKey };
      known = new Map([...[...named].map(([name, each]) => [name, opened({ ...own, ...each })] as const), ...configured]);
    },
    isReady(name) {
      const found = known.get(name ?? main);
      return found !== undefined && hasKey(found.settings);
    },
    require: (name) => void chosen(name),
    pause: parts.sleep,
    async reply(name, request, signal) {
      const first = chosen(name);
      const others = settings.fallbacks.flatMap((each) => known.get(each) ?? []).filter((each) => each !== first && hasKey(each.settings));
      let failure: PlatformError | undefined;
      const heard = listened(request);
      for (const each of [first, ...others]) {
        const now = clock.now().getTime();
        if (now < each.health.closedUntil || each.health.probing) {
          failure ??= error('llm-suspended', { retryAfter: Math.max(1, (each.health.closedUntil - now) / 1000) });
          continue;
        }
        const outcome = await asked(each, heard, signal, parts);
        if (!(outcome instanceof ModelFailure)) {
          const { name: answered } = each.model;
          const cost = costOf(outcome, settings.prices.get(answered));
          parts.figures.answered(answered, outcome, cost);
          return { ...outcome, model: answered, cost };
        }
        failure = problemOf(outcome);
        // Another model is given the same request, and would refuse the same.
        if (outcome.kind === 'too-long' || signal.aborted || heard.hasSpoken()) break;
      }
      throw failure ?? error('llm-not-configured');
    },
  };
}

/** Who has heard a part of a reply is not told another one. */
type Heard = ModelRequest & { hasSpoken(): boolean };

function listened(request: ModelRequest): Heard {
  const { onText } = request;
  let hasSpoken = false;
  const heard = (delta: string): void => {
    hasSpoken = true;
    onText?.(delta);
  };
  return { ...request, onText: onText && heard, hasSpoken: () => hasSpoken };
}

async function asked(
  { model, health }: KnownModel,
  request: Heard,
  signal: AbortSignal,
  { settings, clock, sleep, failed, figures }: ModelsParts,
): Promise<ModelReply | ModelFailure> {
  health.probing = health.failures >= breaker.failures;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const deadline = new Deadline(settings.limits.call * 1000, signal);
      const outcome = await tried(model, request, deadline.signal).finally(() => deadline.end());
      if (!(outcome instanceof ModelFailure)) {
        health.failures = 0;
        return outcome;
      }
      failed(outcome, model.name);
      figures.failed(model.name);
      // What is not in a folder says nothing of how a model does.
      if (signal.aborted || outcome.kind === 'not-recorded') return outcome;
      health.failures += 1;
      if (health.failures >= breaker.failures) {
        health.closedUntil = clock.now().getTime() + breaker.milliseconds;
        return outcome;
      }
      const wait = attempt < attempts && !request.hasSpoken() ? pauseBefore(attempt, outcome, clock) : undefined;
      if (wait === undefined) return outcome;
      await sleep(wait, signal);
    }
  } finally {
    health.probing = false;
  }
}

async function tried(model: LanguageModel, request: ModelRequest, signal: AbortSignal): Promise<ModelReply | ModelFailure> {
  try {
    const reply = await model.reply(request, signal);
    return reply;
  } catch (thrown) {
    if (thrown instanceof ModelFailure) return thrown;
    throw thrown;
  }
}

const again: ReadonlySet<string> = new Set(['busy', 'unavailable', 'unreadable']);

/** Milliseconds until the next attempt; nothing where there is none. */
function pauseBefore(attempt: number, { kind, retryAfter }: ModelFailure, clock: Clock): number | undefined {
  if (!again.has(kind)) return undefined;
  if (retryAfter !== undefined) return retryAfter <= longestWait ? retryAfter * 1000 : undefined;
  // A share of the pause by chance, so that those that failed together do not come again together.
  const share = Number.parseInt(clock.uuid().slice(-4), 16) / 0xffff;
  return share * Math.min(pause.most, pause.first * 2 ** (attempt - 1));
}

function problemOf(failure: ModelFailure): PlatformError {
  const { kind, retryAfter } = failure;
  switch (kind) {
    case 'auth':
      return error('llm-auth-rejected', {}, failure);
    case 'busy':
      return error('llm-busy', { retryAfter: retryAfter ?? 5 }, failure);
    case 'timeout':
      return error('llm-timeout', {}, failure);
    case 'too-long':
      return error('llm-input-too-long', {}, failure);
    case 'not-recorded':
      return error('llm-unavailable', { detail: 'There is no recorded reply to this request.' }, failure);
    default:
      return error('llm-unavailable', {}, failure);
  }
}

/** What each call used is counted with the run that made it. */
export function countedModels(models: Models, used: { fresh: number }): Models {
  return {
    ...models,
    async reply(name, request, signal) {
      const replied = await models.reply(name, request, signal);
      used.fresh += replied.inputTokens + replied.outputTokens;
      return replied;
    },
  };
}

/** Each call is a span; what was said is part of it only where that is asked for. */
export function tracedModels(models: Models, tracing: Pick<Run, 'tracer' | 'spans'>): Models {
  const hasContent = tracing.tracer?.content === true;
  return {
    ...models,
    reply(name, request, signal) {
      const about = (): Attributes => ({
        'gen_ai.operation.name': 'chat',
        'gen_ai.agent.name': request.about.agent,
        'gen_ai.request.max_tokens': request.maxOutputTokens,
        'gen_ai.request.temperature': request.temperature,
        ...(hasContent ? { 'gen_ai.input.messages': JSON.stringify(request.messages, plainNumber) } : {}),
      });
      const outcome = ({ model, inputTokens, outputTokens, text }: Replied): Attributes => ({
        'gen_ai.response.model': model,
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
        ...(hasContent ? { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: text }]) } : {}),
      });
      return traced(tracing, 'chat', about, () => models.reply(name, request, signal), outcome);
    },
  };
}

function plainNumber(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
