// `{platform.ai/LLM {…}}` and `{platform.ai/doc {…}}` at start or in the configuration: language models and documents. They are part of the
// model and never rows, so that nobody reads a key over HTTP.

import type { Value } from '../../../values/value.ts';
import type { StartupDeclaration } from '../../declaration.ts';
import { literalMap, literalText } from '../../literals.ts';
import type { Model, ModelDocument, NamedLanguageModel } from '../../model.ts';
import type { Expression, InstancePattern, PatternAttribute } from '../../pattern.ts';
import type { Linking } from '../scope.ts';

const kinds: ReadonlyMap<string, 'model' | 'document'> = new Map([
  ['platform.ai/LLM', 'model'],
  ['Platform.Core/LLM', 'model'],
  ['platform.ai/doc', 'document'],
  ['Platform.Core/Document', 'document'],
]);

export const aiInstanceTypes: ReadonlySet<string> = new Set(kinds.keys());

/** The pattern of such an instance, where the statement is one. */
export function aiInstance({ statement: { pattern } }: StartupDeclaration): InstancePattern | undefined {
  return pattern.kind === 'instance' && kinds.has(pattern.type.text) ? pattern : undefined;
}

export function linkAiInstances(linking: Linking): Pick<Model, 'languageModels' | 'documents'> {
  const languageModels = new Map<string, NamedLanguageModel>();
  const documents = new Map<string, ModelDocument>();
  for (const { declaration } of linking.scope.startup) {
    const pattern = aiInstance(declaration);
    if (pattern === undefined) continue;
    if (kinds.get(pattern.type.text) === 'model') addModel(pattern, languageModels, linking);
    else addDocument(pattern, documents, linking);
  }
  return { languageModels, documents };
}

type Attributes = ReadonlyMap<string, PatternAttribute>;

/** By their names on the current surface; what has no meaning here is told. */
function attributesOf({ attributes, type }: InstancePattern, names: Readonly<Record<string, string>>, { report }: Linking): Attributes {
  const found = new Map<string, PatternAttribute>();
  for (const attribute of attributes) {
    const { text, span } = attribute.name;
    const name = Object.hasOwn(names, text) ? names[text] : undefined;
    if (name === undefined) report.fault('form-ignored', span, `\`${text}\` of \`${type.text}\` has no effect`);
    else found.set(name, attribute);
  }
  return found;
}

function expressionOf({ value }: PatternAttribute): Expression | undefined {
  return value.kind === 'aggregate' ? undefined : value;
}

function textIn(name: string, attributes: Attributes, { type }: InstancePattern, { report }: Linking): string | undefined {
  const attribute = attributes.get(name);
  const text = attribute === undefined ? undefined : literalText(expressionOf(attribute));
  if (text !== undefined && text !== '') return text;
  report.fault('attribute-missing', attribute?.span ?? type.span, `\`${type.text}\` needs \`${name}\`, a text`);
  return undefined;
}

const modelNames = { name: 'name', Name: 'name', service: 'service', Type: 'service', config: 'config', Config: 'config' };

const services = ['openai', 'openai-responses', 'anthropic', 'scripted'] as const;

/** Where one is given twice, the last one counts: statements are run in their order. */
function addModel(pattern: InstancePattern, models: Map<string, NamedLanguageModel>, linking: Linking): void {
  const { report } = linking;
  const attributes = attributesOf(pattern, modelNames, linking);
  const name = textIn('name', attributes, pattern, linking);
  const service = attributes.get('service');
  const provider = service === undefined ? undefined : services.find((each) => each === literalText(expressionOf(service)));
  const config = attributes.get('config');
  const settings = config === undefined ? {} : literalMap(expressionOf(config));
  if (settings === undefined && config !== undefined)
    report.fault('agent-field-type', config.span, '`config` must be a map of plain values');
  if (service !== undefined && provider === undefined) {
    const known = services.map((each) => `"${each}"`).join(', ');
    report.fault('llm-unknown', service.span, `no such language models are known here: \`service\` is one of ${known}`);
    return;
  }
  if (name === undefined || settings === undefined) return;
  const { model, baseUrl, apiKey } = connectionIn(settings, config, report);
  models.set(name, {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
}

/** What each key of a configuration is here, in the words of both predecessors. */
const connectionKeys: Readonly<Record<string, 'model' | 'baseUrl' | 'apiKey'>> = {
  model: 'model',
  Model: 'model',
  CompletionModel: 'model',
  baseUrl: 'baseUrl',
  baseURL: 'baseUrl',
  CompletionApiEndpoint: 'baseUrl',
  apiKey: 'apiKey',
  ApiKey: 'apiKey',
};

type Connection = Readonly<Partial<Record<'model' | 'baseUrl' | 'apiKey', string>>>;

function connectionIn(
  settings: Readonly<Record<string, Value>>,
  config: PatternAttribute | undefined,
  report: Linking['report'],
): Connection {
  const found: Partial<Record<'model' | 'baseUrl' | 'apiKey', string>> = {};
  for (const [key, value] of Object.entries(settings)) {
    const name = Object.hasOwn(connectionKeys, key) ? connectionKeys[key] : undefined;
    if (name !== undefined && typeof value === 'string' && value !== '') found[name] = name === 'baseUrl' ? baseOf(value) : value;
    else if (config !== undefined && value !== null)
      report.fault(
        'form-ignored',
        config.span,
        `\`${key}\` of a language model has no effect: limits stand in the settings, under \`llm.limits\``,
      );
  }
  return found;
}

/** The predecessor names the whole address of the one request. */
function baseOf(address: string): string {
  return address.replace(/\/chat\/completions\/?$/, '');
}

const documentNames = { title: 'title', Title: 'title', url: 'url', Uri: 'url', Agent: 'agent' };

function addDocument(pattern: InstancePattern, documents: Map<string, ModelDocument>, linking: Linking): void {
  const attributes = attributesOf(pattern, documentNames, linking);
  const title = textIn('title', attributes, pattern, linking);
  const url = textIn('url', attributes, pattern, linking);
  if (title === undefined || url === undefined) return;
  const span = attributes.get('url')?.span ?? pattern.span;
  const agent = agentNamed(attributes.get('agent'), linking);
  const before = documents.get(title);
  const agents = [...(before?.url === url ? before.agents : []), ...(agent === undefined ? [] : [agent])];
  documents.set(title, { title, url, agents: [...new Set(agents)], span });
}

/** By its own name or by that of its event, in whatever module. */
function agentNamed(attribute: PatternAttribute | undefined, { scope, report }: Linking): string | undefined {
  const text = attribute === undefined ? undefined : literalText(expressionOf(attribute));
  if (attribute === undefined || text === undefined) return undefined;
  const name = text.slice(text.indexOf('/') + 1).replaceAll('-', '_');
  const agents = [...scope.entries.values()].flatMap((each) => (each.kind === 'agent' ? [each] : []));
  const found = agents.find(({ local, declaration }) => local === name || declaration.alias === name);
  const known = agents.map(({ local, declaration }) => declaration.alias ?? local);
  if (found === undefined) report.unknown('name-unknown', attribute.span, `there is no agent \`${name}\``, name, known);
  return found?.name;
}
