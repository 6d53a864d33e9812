// The maps of language models: `llm.models`, further ones by name, and `llm.prices`; with a diagnostic at its place for everything that does not fit.

import type { AgentSettings } from '../../agents/agents.ts';
import { ExactNumber } from '../../values/exact-number.ts';
import type { ConfigEntry, ConfigFault, ConfigValue, Setting } from '../setting.ts';
import { entriesOf, textOf, unknownKey, wrong } from './values.ts';

type Given = Partial<Pick<AgentSettings, 'model' | 'baseUrl' | 'apiKey' | 'provider'>>;

const providers: readonly AgentSettings['provider'][] = ['openai', 'openai-responses', 'anthropic', 'scripted'];
const known = ['provider', 'model', 'baseUrl', 'apiKey'];

export const modelsRow: Setting<ReadonlyMap<string, Given>> = {
  key: 'llm.models',
  earlier: 'llm.models',
  type: 'a map of names to `{provider?, model?, baseUrl?, apiKey?}`',
  default: new Map(),
  description: 'Further models, which agents choose with `llm "name"`; what one does not say is as in `llm` itself.',
  read: (value) => (value.kind === 'map' ? { value: new Map(value.entries.map((entry) => [entry.key, modelOf(entry.value)])) } : undefined),
  faults: (value) => (value.kind === 'map' ? value.entries.flatMap(faultsOf) : []),
};

type Price = AgentSettings['prices'] extends ReadonlyMap<string, infer P> ? P : never;

export const pricesRow: Setting<AgentSettings['prices']> = {
  key: 'llm.prices',
  earlier: 'llm.prices',
  type: 'a map of models to `{input, output}`',
  default: new Map(),
  description:
    'What a million tokens of a model cost, by the name that the vendor has for it. Runs that used no other model have a `cost`.',
  read: (value) => (value.kind === 'map' ? { value: new Map(value.entries.flatMap(priceOf)) } : undefined),
  faults: (value) => (value.kind === 'map' ? value.entries.flatMap(priceFaults) : []),
};

function priceOf({ key, value }: ConfigEntry): readonly (readonly [string, Price])[] {
  const entries = entriesOf(value);
  const [input, output] = ['input', 'output'].map((name) => decimalOf(entries.get(name)?.value));
  return input === undefined || output === undefined ? [] : [[key, { input, output }]];
}

function priceFaults(entry: ConfigEntry): readonly ConfigFault[] {
  const others = [...entriesOf(entry.value).keys()].filter((key) => key !== 'input' && key !== 'output');
  if (others.length === 0 && priceOf(entry).length === 1) return [];
  return [
    { code: 'config-value', span: entry.value.span, message: `llm.prices.${entry.key} must be a map of the numbers "input" and "output"` },
  ];
}

/** The text of a number that is not below zero. */
function decimalOf(value: ConfigValue | undefined): string | undefined {
  if (value?.kind !== 'scalar') return undefined;
  const given = value.value instanceof ExactNumber ? value.value.text : String(value.value);
  return /^\d{1,12}(\.\d{1,18})?$/.test(given) ? given : undefined;
}

function modelOf(value: ConfigValue): Given {
  const entries = entriesOf(value);
  const given: { -readonly [K in keyof Given]: Given[K] } = {};
  const [provider, model, baseUrl, apiKey] = known.map((key) => textOf(entries.get(key)?.value));
  const found = providers.find((each) => each === provider);
  if (found !== undefined) given.provider = found;
  if (model !== undefined) given.model = model;
  if (baseUrl !== undefined) given.baseUrl = baseUrl;
  if (apiKey !== undefined) given.apiKey = apiKey;
  return given;
}

function faultsOf({ key: name, value }: ConfigEntry): readonly ConfigFault[] {
  if (value.kind !== 'map') return [wrong(value.span, `llm.models.${name} must be a map`)];
  return [...entriesOf(value)].flatMap(([key, entry]): readonly ConfigFault[] => {
    if (!known.includes(key)) return [unknownKey(`llm.models.${name}.${key}`, entry, known)];
    const text = textOf(entry.value);
    if (text === undefined || text === '') return [wrong(entry.value.span, `llm.models.${name}.${key} must be a text`)];
    const isProvider = key !== 'provider' || providers.some((each) => each === text);
    return isProvider
      ? []
      : [wrong(entry.value.span, `llm.models.${name}.provider must be one of ${providers.map((each) => `"${each}"`).join(', ')}`)];
  });
}
