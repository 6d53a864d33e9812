// The map `llm.models`: further language models by name, and a diagnostic at its place for everything that does not fit.

import type { AgentSettings } from '../agents/agents.ts';
import { nearest } from '../diagnostics.ts';
import type { ConfigEntry, ConfigFault, ConfigValue, Setting } from './setting.ts';

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
  const wrong = (span: ConfigValue['span'], message: string): ConfigFault => ({ code: 'config-value', span, message });
  if (value.kind !== 'map') return [wrong(value.span, `llm.models.${name} must be a map`)];
  return [...entriesOf(value)].flatMap(([key, entry]): readonly ConfigFault[] => {
    if (!known.includes(key)) {
      const near = nearest(key, known);
      const message = `there is no setting llm.models.${name}.${key}`;
      const suggestion = near === undefined ? {} : { suggestion: `did you mean "${near}"?` };
      return [{ code: 'config-key-unknown', span: entry.keySpan, message, ...suggestion }];
    }
    const text = textOf(entry.value);
    if (text === undefined || text === '') return [wrong(entry.value.span, `llm.models.${name}.${key} must be a text`)];
    const isProvider = key !== 'provider' || providers.some((each) => each === text);
    return isProvider
      ? []
      : [wrong(entry.value.span, `llm.models.${name}.provider must be one of ${providers.map((each) => `"${each}"`).join(', ')}`)];
  });
}

/** By the names of config.al: both forms write words as they do. */
function entriesOf(value: ConfigValue): ReadonlyMap<string, ConfigEntry> {
  const entries = value.kind === 'map' ? value.entries : [];
  return new Map(entries.map((entry) => [entry.key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()), entry]));
}

function textOf(value: ConfigValue | undefined): string | undefined {
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}
