// Agents: their fields, the rules that stand beside them, and what they may use.

import { nearest } from '../../../diagnostics.ts';
import type { Value } from '../../../values/value.ts';
import { didYouMean } from '../../fault-report.ts';
import { literalText, writtenName } from '../../literals.ts';
import type { Agent, Model, RetryPolicy, TypeName } from '../../model.ts';
import type { Expression } from '../../pattern.ts';
import { hasMark, readAnnotations } from '../annotations.ts';
import { type AgentEntry, type Entry, type Linking, lookUp, qualified, reportUnknown, usesOf } from '../scope.ts';
import { linkRunRules } from '../types/access-rules.ts';
import { type AgentField, agentFields, choice, fieldFault, fieldsByName, linkRetries, nameList, textMaps } from './agent-fields.ts';
import { withOthers } from './agent-others.ts';
import { directive, glossaryEntry, linkAdditions, noRules, type Rules, scenario } from './agent-rules.ts';

export function linkAgents(linking: Linking, documents: Model['documents']): ReadonlyMap<TypeName, Agent> {
  const retries = linkRetries(linking);
  const additions = linkAdditions(linking);
  const agents = new Map<TypeName, Agent>();
  for (const entry of linking.scope.entries.values()) {
    if (entry.kind === 'agent')
      agents.set(entry.name, linkAgent(entry, additions.get(entry.name) ?? noRules(), retries, documents, linking));
  }
  return withOthers(agents, linking);
}

type Fields = ReadonlyMap<AgentField, Expression>;

function linkAgent(
  entry: AgentEntry,
  beside: Rules,
  retries: ReadonlyMap<TypeName, RetryPolicy>,
  documents: Model['documents'],
  linking: Linking,
): Agent {
  const { name, module, local, span, declaration } = entry;
  const fields = fieldsByName(declaration.fields, agentFields, linking.report);
  const marks = readAnnotations(declaration.annotations, 'agent', linking.report);
  const rules = ownRules(fields, linking);
  const flows = linkFlowNames(fields, module, linking);
  const flow = [name, `${module}/${local}`].find((each) => linking.scope.flows.has(each)) ?? flows[0];
  const texts = importedTexts(fields, module, linking);
  const plain = new Map([...fields].filter(([field]) => !texts.some((each) => each.field === field)));
  const instruction = textField('instruction', plain, linking);
  const role = textField('role', plain, linking);
  checkTitles(fields, documents, linking);
  if (declaration.isPublic && flow === undefined && !fields.has('instruction') && !fields.has('role') && !fields.has('extends')) {
    linking.report.fault('agent-field-missing', span, `the agent \`${local}\` needs an \`instruction\``);
  }
  return {
    name,
    module,
    local,
    span,
    isPublic: declaration.isPublic,
    isEarlier: declaration.text !== undefined,
    rbac: linkRunRules(marks, linking),
    ...(hasMark(marks, 'internal') ? { isInternal: true } : {}),
    instruction,
    role,
    directives: [...rules.directives, ...beside.directives],
    scenarios: [...rules.scenarios, ...beside.scenarios],
    glossary: [...rules.glossary, ...beside.glossary],
    tools: linkTools(fields, module, linking),
    delegates: [],
    texts,
    flow,
    settings: linkSettings(plain, flows, module, linking),
    retry: linkRetryName(fields, module, retries, linking),
  };
}

function textField(name: 'instruction' | 'role' | 'goal' | 'saveResponseAs', fields: Fields, { report }: Linking): string | undefined {
  const value = fields.get(name);
  return value === undefined ? undefined : (literalText(value) ?? fieldFault(name, agentFields[name], value.span, report));
}

const importable = ['instruction', 'role', 'goal'] as const;

/** `instruction ins.TEXT`: a constant of an imported module. */
function importedTexts(fields: Fields, module: string, linking: Linking): Agent['texts'] {
  return importable.flatMap((field) => {
    const value = fields.get(field);
    const [alias, name, ...more] = value?.kind === 'reference' ? value.path : [];
    const imported = alias === undefined ? undefined : linking.scope.imports.get(module)?.get(alias);
    if (value === undefined || alias === undefined || imported === undefined || name === undefined || more.length > 0) return [];
    // It is used, though no function of it is.
    usesOf(module, alias, linking);
    return [{ field, file: imported.file, name, span: value.span }];
  });
}

function ownRules(fields: Fields, { report }: Linking): Rules {
  const read = (name: 'directives' | 'scenarios' | 'glossary', required: readonly string[], optional: readonly string[] = []) => {
    const value = fields.get(name);
    if (value === undefined) return [];
    return textMaps(value, required, optional) ?? fieldFault(name, agentFields[name], value.span, report) ?? [];
  };
  return {
    directives: read('directives', ['if', 'then']).map((each) => directive(each['if'], each['then'])),
    scenarios: read('scenarios', ['user', 'ai']).map((each) => scenario(each['user'], each['ai'])),
    glossary: read('glossary', ['name', 'meaning'], ['synonyms']).map((each) =>
      glossaryEntry(each['name'], each['meaning'], each['synonyms']),
    ),
  };
}

function checkTitles(fields: Fields, documents: Model['documents'], { report }: Linking): void {
  const value = fields.get('documents');
  for (const each of value?.kind === 'list' ? value.items : []) {
    const title = literalText(each);
    if (title === undefined || documents.has(title)) continue;
    const near = nearest(title, documents.keys());
    const suggestion = near === undefined ? `write \`{platform.ai/doc {title "${title}", url "docs/file.md"}}\`` : didYouMean(near);
    report.fault('name-unknown', each.span, `there is no document "${title}"`, suggestion);
  }
}

const toolKinds = ['entity', 'event', 'open-event', 'record'];

function linkTools(fields: Fields, module: string, linking: Linking): readonly TypeName[] {
  const value = fields.get('tools');
  if (value === undefined) return [];
  const names = nameList(value) ?? fieldFault('tools', agentFields.tools, value.span, linking.report) ?? [];
  return names.flatMap(({ text, span }) => {
    const entry = lookUp(text, module, linking.scope);
    if (entry !== undefined && (toolKinds.includes(entry.kind) || entry.kind === 'builtin')) return [entry.name];
    if (entry === undefined && linking.scope.modules.includes(text)) return [text];
    // A server of the Model Context Protocol, whose tools stand in a module of their own.
    if (entry === undefined && linking.scope.modules.includes(`${text}.mcp`)) return [`${text}.mcp`];
    const wanted = { what: 'entity, event, workflow or module', name: text, span, module };
    reportUnknown(linking, 'tool-unknown', wanted, (each) => toolKinds.includes(each.kind), linking.scope.modules);
    return [];
  });
}

function linkFlowNames(fields: Fields, module: string, linking: Linking): readonly TypeName[] {
  const value = fields.get('flows');
  if (value === undefined) return [];
  const names = nameList(value) ?? fieldFault('flows', agentFields.flows, value.span, linking.report) ?? [];
  return names.flatMap(({ text, span }) => {
    const name = qualified(text, module);
    if (linking.scope.flows.has(name)) return [name];
    reportUnknown(linking, 'name-unknown', { what: 'flow', name: text, span, module }, (each) => linking.scope.flows.has(each.name));
    return [];
  });
}

function linkRetryName(
  fields: Fields,
  module: string,
  retries: ReadonlyMap<TypeName, RetryPolicy>,
  { report }: Linking,
): RetryPolicy | undefined {
  const value = fields.get('retry');
  const text = writtenName(value);
  if (value === undefined) return undefined;
  if (text === undefined) return fieldFault('retry', agentFields.retry, value.span, report);
  const policy = retries.get(qualified(text, module));
  if (policy === undefined) {
    const known = [...retries.keys()].map((each) => each.replace(`${module}/`, ''));
    report.unknown('name-unknown', value.span, `there is no retry \`${text}\``, text, known);
  }
  return policy;
}

/** The fields that other parts read by name. */
function linkSettings(fields: Fields, flows: readonly TypeName[], module: string, linking: Linking): Agent['settings'] {
  const { report } = linking;
  const settings: Record<string, Value> = {};
  const set = (name: AgentField, read: (value: Expression) => Value | undefined) => {
    const value = fields.get(name);
    if (value === undefined) return;
    const found = read(value);
    if (found === undefined) fieldFault(name, agentFields[name], value.span, report);
    else settings[name] = found;
  };
  set('goal', literalText);
  set('saveResponseAs', literalText);
  set('llm', writtenName);
  set('stateless', (value) => (value.kind === 'literal' && typeof value.value === 'boolean' ? value.value : undefined));
  set('type', (value) => choice(value, ['chat', 'planner'], 'chat'));
  set('documents', (value) =>
    value.kind === 'list' && value.items.every((each) => literalText(each) !== undefined) ? textsOf(value) : undefined,
  );
  set('channels', textsOf);
  set('scratch', textsOf);
  set('responseSchema', (value) => typeField(value, ['record', 'entity'], 'record', module, linking));
  const validate = fields.get('validate');
  if (writtenName(validate) !== absentCheck)
    set('validate', (value) => typeField(value, ['event', 'open-event'], 'event', module, linking));
  else if (validate !== undefined)
    report.fault('form-ignored', validate.span, `\`${absentCheck}\` has no effect: there is no such check here`);
  if (flows.length > 0) settings['flows'] = flows;
  return settings;
}

/** An event that the predecessor has. */
const absentCheck = 'platform/validateModule';

function textsOf(value: Expression): readonly string[] | undefined {
  return nameList(value)?.map((each) => each.text);
}

function typeField(value: Expression, kinds: readonly Entry['kind'][], what: string, module: string, linking: Linking): string | undefined {
  const text = writtenName(value);
  if (text === undefined) return undefined;
  const entry = lookUp(text, module, linking.scope);
  if (entry !== undefined && kinds.some((each) => each === entry.kind)) return entry.name;
  reportUnknown(linking, 'name-unknown', { what, name: text, span: value.span, module }, (each) => kinds.includes(each.kind));
  return text;
}
