// The settings of language models: their rows of the table, and what they and the environment say together.

import { resolve } from 'node:path';
import type { AgentSettings } from '../../agents/agents.ts';
import type { Environment } from '../expression.ts';
import { integer, listOf, oneOf, type Setting, text } from '../setting.ts';
import { modelsRow, pricesRow } from './llm-models.ts';

type Named = AgentSettings['provider'];

const providers = ['openai', 'openai-responses', 'anthropic', 'scripted'] as const satisfies readonly Named[];

export const llmRows = {
  llmProvider: text(
    'llm.provider',
    {
      default: undefined,
      description:
        'Who answers agents: `openai` (and every server that speaks its Chat Completions), `openai-responses`, `anthropic`, or `scripted`, which needs no key. Without it `LLM_PROVIDER`, else `openai`.',
    },
    `one of ${providers.map((each) => `"${each}"`).join(', ')}`,
    (given) => providerOf(given) !== undefined,
  ),
  llmModel: text('llm.model', { default: undefined, description: 'The model that is asked. Without it `LLM_MODEL`.' }),
  llmBaseUrl: text(
    'llm.baseUrl',
    {
      default: undefined,
      description: 'Address of a compatible server, up to and including `/v1`. Without it `LLM_BASE_URL`, else that of the vendor.',
    },
    'an address such as "http://localhost:11434/v1"',
    (given) => /^https?:\/\//.test(given) && URL.canParse(given),
  ),
  llmApiKey: text('llm.apiKey', {
    default: undefined,
    description: 'The key of the vendor. Without it `LLM_API_KEY`, which is where a key belongs.',
  }),
  llmModels: modelsRow,
  llmFallbacks: listOf('llm.fallbacks', 'a list of names of `llm.models`', (given) => given || undefined, {
    default: [],
    description: 'Models that are asked in turn where one gives no reply.',
  }),
  llmScript: text('llm.script', {
    default: undefined,
    description: 'File of replies for the provider `scripted`, relative to the configuration file.',
  }),
  llmPrices: pricesRow,
  llmDocumentHosts: listOf('llm.documents.hosts', 'a list of hosts such as "docs.example.com"', hostOf, {
    default: [],
    description: 'Hosts that documents of agents may be read from, besides files of the project.',
  }),
  llmKeep: integer(
    'llm.keep',
    { min: 1, max: 36_500 },
    { default: 30, description: 'Days that runs of agents are kept, with what was said in them.' },
  ),
  llmMatch: oneOf('llm.match', ['repair', 'normalized', 'exact'], {
    default: 'repair',
    description:
      'How a reply is held against the conditions of a flow: letter by letter, without case and decoration, or (`repair`) with one more call of the model where nothing fits.',
  }),
  llmMessage: integer(
    'llm.limits.message',
    { min: 1, max: 1_048_576 },
    { default: 32_768, description: 'Bytes of a message to an agent.' },
  ),
  llmOutput: integer('llm.limits.output', { min: 1, max: 1_000_000 }, { default: 1024, description: 'Tokens of one reply.' }),
  llmTurns: integer('llm.limits.turns', { min: 1, max: 1000 }, { default: 10, description: 'Replies of a model in one step.' }),
  llmTokens: integer('llm.limits.tokens', { min: 1, max: 1_000_000_000 }, { default: 32_000, description: 'Tokens of one run.' }),
  llmWrites: integer('llm.limits.writes', { min: 0, max: 100_000 }, { default: 20, description: 'Writes of one run.' }),
  llmRuns: integer(
    'llm.limits.runs',
    { min: 1, max: 100_000 },
    { default: 64, description: 'Runs that one process works on at the same time.' },
  ),
  llmRunsPerUser: integer(
    'llm.limits.runsPerUser',
    { min: 1, max: 100_000 },
    { default: 8, description: 'The same for one user, where authentication is on.' },
  ),
  llmDailyTokens: integer(
    'llm.limits.dailyTokens',
    { min: 1, max: 1_000_000_000_000 },
    { default: 200_000, description: 'Tokens of one user in a day of UTC, where authentication is on.' },
  ),
  llmCall: integer('llm.limits.call', { min: 1, max: 3600 }, { default: 60, description: 'Seconds of one call of a model.' }),
  llmRun: integer('llm.limits.run', { min: 1, max: 86_400 }, { default: 120, description: 'Seconds of the run of an agent.' }),
  llmFlow: integer('llm.limits.flow', { min: 1, max: 86_400 }, { default: 300, description: 'Seconds of the run of a flow.' }),
} as const;

function providerOf(given: string | undefined): Named | undefined {
  return providers.find((each) => each === given);
}

/** With a port where only that one is meant. */
function hostOf(given: string): string | undefined {
  return /^[a-z0-9.-]+(:\d{1,5})?$/i.test(given) ? given.toLowerCase() : undefined;
}

/** `base` is where relative paths begin. Settings win over the environment, of which an empty variable is one that is not set. */
export function llmSettings(value: <T>(row: Setting<T>) => T, environment: Environment, base: string): AgentSettings {
  const variable = (name: string): string | undefined => (environment[name] ?? '').trim() || undefined;
  const own = {
    provider: providerOf(value(llmRows.llmProvider) ?? variable('LLM_PROVIDER')) ?? 'openai',
    model: value(llmRows.llmModel) ?? variable('LLM_MODEL'),
    baseUrl: value(llmRows.llmBaseUrl) ?? variable('LLM_BASE_URL'),
    apiKey: value(llmRows.llmApiKey) ?? variable('LLM_API_KEY'),
  };
  const script = value(llmRows.llmScript);
  return {
    ...own,
    models: new Map([...value(llmRows.llmModels)].map(([name, given]) => [name, { ...own, ...given }])),
    fallbacks: value(llmRows.llmFallbacks),
    script: script === undefined ? undefined : resolve(base, script),
    ...folders(variable, base),
    telemetry: telemetryOf(variable),
    prices: value(llmRows.llmPrices),
    documentHosts: value(llmRows.llmDocumentHosts),
    keepDays: value(llmRows.llmKeep),
    match: value(llmRows.llmMatch),
    limits: {
      message: value(llmRows.llmMessage),
      output: value(llmRows.llmOutput),
      turns: value(llmRows.llmTurns),
      tokens: value(llmRows.llmTokens),
      writes: value(llmRows.llmWrites),
      runs: value(llmRows.llmRuns),
      runsPerUser: value(llmRows.llmRunsPerUser),
      dailyTokens: value(llmRows.llmDailyTokens),
      call: value(llmRows.llmCall),
      run: value(llmRows.llmRun),
      flow: value(llmRows.llmFlow),
    },
  };
}

/** Said by the environment alone: what is recorded belongs to a run of the service, not to the application. */
function folders(variable: (name: string) => string | undefined, base: string): Pick<AgentSettings, 'record' | 'replay'> {
  const folder = (name: string): string | undefined => {
    const given = variable(name);
    return given === undefined ? undefined : resolve(base, given);
  };
  return { record: folder('LLM_RECORD'), replay: folder('LLM_REPLAY') };
}

/** By the usual variables of OpenTelemetry. */
function telemetryOf(variable: (name: string) => string | undefined): AgentSettings['telemetry'] {
  if (variable('OTEL_SDK_DISABLED') === 'true' || variable('OTEL_TRACES_EXPORTER') === 'none') return undefined;
  const all = variable('OTEL_EXPORTER_OTLP_ENDPOINT');
  const endpoint =
    variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (all === undefined ? undefined : `${all.replace(/\/+$/, '')}/v1/traces`);
  if (endpoint === undefined) return undefined;
  const headers = variable('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? variable('OTEL_EXPORTER_OTLP_HEADERS') ?? '';
  return {
    endpoint,
    headers: Object.fromEntries(headers.split(',').flatMap(headerOf)),
    service: variable('OTEL_SERVICE_NAME') ?? 'platform',
    content: variable('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT') === 'true',
  };
}

/** `name=value`, the value percent-encoded. */
function headerOf(pair: string): readonly (readonly [string, string])[] {
  const at = pair.indexOf('=');
  if (at < 1) return [];
  const value = pair.slice(at + 1).trim();
  return [[pair.slice(0, at).trim(), /%(?![0-9a-f]{2})/i.test(value) ? value : decodeURIComponent(value)]];
}
