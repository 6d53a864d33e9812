// A model as compact text: what the `model` sections of the cases hold.

import { flatText } from '../../src/language/current/print/doc.ts';
import { expressionDoc } from '../../src/language/current/print/expression.ts';
import { printScript } from '../../src/language/current/print/print.ts';
import { recordModules } from '../../src/model/ai-module.ts';
import type {
  AccessRule,
  Agent,
  Attribute,
  AttributeReference,
  Decision,
  Default,
  Entity,
  EventType,
  Flow,
  FunctionReference,
  Model,
  Reaction,
  RecordType,
  Relationship,
  Resolver,
  Trigger,
  Workflow,
} from '../../src/model/model.ts';
import type { Expression, Statement } from '../../src/model/pattern.ts';
import type { Values } from '../../src/values/value.ts';

export function describeModel(model: Model): string {
  const lines = [
    ...each(model.entities, describeEntity),
    ...each(model.records, describeRecord),
    ...each(model.relationships, describeRelationship),
    ...each(model.events, describeEvent),
    ...each(model.workflows, describeWorkflow),
    ...model.triggers.flatMap(describeTrigger),
    ...each(model.agents, describeAgent),
    ...[...model.languageModels].map(([name, given]) => `llm ${name} ${JSON.stringify(given)}`),
    ...[...model.documents.values()].map(({ title, url, agents }) =>
      words(`document ${JSON.stringify(title)} ${url}`, ...agents.map((each) => `of ${each}`)),
    ),
    ...each(model.flows, describeFlow),
    ...each(model.decisions, describeDecision),
    ...each(model.resolvers, describeResolver),
    ...model.functions.map(({ module, alias, file, external }) => `import ${file} as ${alias} in ${module}${external ? ', external' : ''}`),
    ...model.reactions.flatMap(describeReaction),
    ...model.code.map(({ module, name, text }) => `code ${name ?? '-'} in ${module}: ${text.replace(/\s+/g, ' ')}`),
    ...[...model.unavailable].map(([name, form]) => `${form} ${name} unavailable`),
    ...block('startup', model.startup),
  ];
  return `${lines.join('\n')}\n`;
}

/** Without what the service itself brings: it stands in no text. */
function each<T extends { readonly module: string }>(
  items: ReadonlyMap<string, T>,
  describe: (item: T) => readonly string[],
): readonly string[] {
  return [...items.values()].filter(({ module }) => !recordModules.has(module)).flatMap(describe);
}

function words(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== false && part !== undefined && part !== '').join(' ');
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

function describeEntity({ name, attributes, identifier, extensions, uniques, rbac, profile, meta, was }: Entity): readonly string[] {
  const head = words('entity', name, `by ${identifier.name}`, metaText(meta), was && `was ${was}`, profile && `of user ${profile}`);
  const names = extensions.map((each) =>
    words(
      `also ${each.name}`,
      `for ${each.relationship}`,
      each.ofLink && 'links',
      each.list && 'list',
      each.order !== 0 && `at ${each.order}`,
    ),
  );
  return [head, ...indented([...attributes.map(attributeText), ...names, ...uniquesText(uniques), ...accessText(rbac)])];
}

function describeRecord({ name, attributes, meta }: RecordType): readonly string[] {
  return [words('record', name, metaText(meta)), ...indented(attributes.map(attributeText))];
}

function describeEvent({ name, attributes, open, isPublic, isInternal, runAs, rbac, schedule, meta }: EventType): readonly string[] {
  const head = words(
    'event',
    name,
    open && 'open',
    isPublic && 'public',
    isInternal && 'internal',
    runAs && `as ${runAs}`,
    schedule && `at ${schedule}`,
    metaText(meta),
  );
  return [head, ...indented([...attributes.map(attributeText), ...accessText(rbac)])];
}

function describeRelationship(relationship: Relationship): readonly string[] {
  const { name, rbac, meta, was } = relationship;
  const tail = words(metaText(meta), was && `was ${was}`);
  if (relationship.kind === 'contains') {
    const { parent, child, parentRole, childRole, cascade, inherit } = relationship;
    const ends = `${parent}${role(parentRole)} > ${child}${role(childRole)}`;
    return [words('contains', name, ends, !cascade && 'no-cascade', inherit && 'inherit', tail), ...indented(accessText(rbac))];
  }
  const { ends, cardinality, attributes, identifier, uniques, owner, assign } = relationship;
  const joined = ends.map(({ entity, attribute }) => `${attribute}:${entity}`).join(' - ');
  const rights = words(owner && `owner ${owner}`, assign && `assign ${assign.to} to ${assign.from}`);
  const head = words('between', name, joined, cardinality, `by ${identifier.name}`, rights, tail);
  return [head, ...indented([...attributes.map(attributeText), ...uniquesText(uniques), ...accessText(rbac)])];
}

function role(name: string | undefined): string {
  return name === undefined ? '' : ` as ${name}`;
}

function attributeText(attribute: Attribute): string {
  const { name, type, list, check, expression, values, choices, facets, oneOf, ref, meta, comment, was, rbac } = attribute;
  const flags = ['identifier', 'optional', 'unique', 'indexed', 'fulltext', 'readonly', 'writeonly', 'secret', 'autoincrement'] as const;
  return words(
    name,
    `${type.kind === 'plain' ? type.type.name : type.record}${list ? '[]' : ''}`,
    ...flags.filter((flag) => attribute[flag]),
    defaultText(attribute.default),
    values && `in ${JSON.stringify(values)}`,
    choices && `in ${jsonText(choices)}`,
    ...facets.map(({ name, given }) => `${name === 'format' ? 'like' : name} ${JSON.stringify(given)}`),
    ref && `ref ${referenceText(ref)}${ref.cascade === true ? ' cascade' : ''}`,
    oneOf && `one of ${referenceText(oneOf)}`,
    check && `check ${functionText(check)}`,
    expression && `= ${expressionText(expression)}`,
    metaText(meta),
    comment && `comment ${JSON.stringify(comment)}`,
    was && `was ${was}`,
    rbac && `rules (${accessText(rbac).join('; ')})`,
  );
}

function defaultText(filled: Default | undefined): string | undefined {
  if (filled === undefined) return undefined;
  if (filled.kind === 'value') return `default ${jsonText(filled.value)}`;
  return filled.kind === 'function' ? `default ${functionText(filled.function)}()` : `default ${filled.kind}()`;
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one));
}

function referenceText({ entity, attribute }: AttributeReference): string {
  return `${entity}.${attribute}`;
}

function functionText({ file, function: name }: FunctionReference): string {
  return `${file}#${name}`;
}

function expressionText(expression: Expression): string {
  return flatText(expressionDoc(expression)) ?? '...';
}

function metaText(meta: Values): string | undefined {
  return Object.keys(meta).length === 0 ? undefined : `meta ${jsonText(meta)}`;
}

function uniquesText(uniques: readonly (readonly string[])[]): readonly string[] {
  return uniques.map((group) => `unique (${group.join(', ')})`);
}

function accessText(rules: readonly AccessRule[] | undefined): readonly string[] {
  return (rules ?? []).map(({ roles, owners, allow, where }) =>
    words(
      'allow',
      owners === true ? `owners in ${roles.join(',')}` : roles.join(','),
      'to',
      allow.join(','),
      where && `where ${expressionText(where)}`,
    ),
  );
}

function block(head: string, statements: readonly Statement[]): readonly string[] {
  const text = printScript(statements, '', []);
  return statements.length === 0 ? [] : [head, ...indented(text.trimEnd().split('\n'))];
}

function describeReaction({ name, onDelete, conditions, body, options }: Reaction): readonly string[] {
  return [
    words('rule', name, onDelete && 'on delete', metaText(options)),
    ...indented([...block('when', conditions), ...block('then', body)]),
  ];
}

function describeWorkflow({ name, module, isPublic, condition, body }: Workflow): readonly string[] {
  const when = condition && words(`when ${expressionText(condition.when)}`, condition.on && `on ${condition.on}`);
  const where = condition?.where && `where ${expressionText(condition.where)}`;
  const head = words('workflow', name, !name.startsWith(`${module}/`) && `in ${module}`, isPublic && 'public', when, where);
  return body.length === 0 ? [head] : block(head, body);
}

function describeTrigger({ when, operation, entity, runs, runAs }: Trigger): readonly string[] {
  const head = words(when, operation, entity, runAs && `as ${runAs}`);
  return runs.kind === 'body' ? block(head, runs.body) : [words(head, 'run', runs.event, runs.async && 'async')];
}

function describeAgent(agent: Agent): readonly string[] {
  const { name, isPublic, rbac, instruction, role: persona, tools, flow, settings, retry } = agent;
  return [
    words('agent', name, isPublic && 'public', agent.isInternal && 'internal', flow && `flow ${flow}`),
    ...indented([
      ...(instruction === undefined ? [] : [`instruction ${JSON.stringify(instruction)}`]),
      ...(persona === undefined ? [] : [`role ${JSON.stringify(persona)}`]),
      ...agent.directives.map(({ condition, result }) => `if ${JSON.stringify(condition)} then ${JSON.stringify(result)}`),
      ...agent.scenarios.map(({ user, ai }) => `user ${JSON.stringify(user)} ai ${JSON.stringify(ai)}`),
      ...agent.glossary.map((one) => `word ${jsonText(one)}`),
      ...(tools.length === 0 ? [] : [`tools ${tools.join(', ')}`]),
      ...(Object.keys(settings).length === 0 ? [] : [`settings ${jsonText(settings)}`]),
      ...(retry === undefined ? [] : [`retry ${jsonText(retry)}`]),
      ...accessText(rbac),
    ]),
  ];
}

function describeFlow({ name, first, steps, nodes }: Flow): readonly string[] {
  const routes = steps.map(({ from, condition, to }) => words(from, '-->', condition !== undefined && JSON.stringify(condition), to));
  const runs = [...nodes].flatMap(([step, node]) =>
    node.kind === 'statement' ? block(`${step}:`, [node.statement]) : [`${step}: ${node.kind} ${node.name}`],
  );
  return [`flow ${name} from ${first}`, ...indented([...routes, ...runs])];
}

function describeDecision({ name, cases }: Decision): readonly string[] {
  const lines = cases.map(({ condition, results }) =>
    words(condition === undefined ? 'default' : `case ${expressionText(condition)}`, '->', results.join(', ')),
  );
  return [`decision ${name}`, ...indented(lines)];
}

function describeResolver({ name, types, methods, onSubscription }: Resolver): readonly string[] {
  const lines = Object.entries(methods).map(([method, target]) => `${method} ${functionText(target)}`);
  const subscription = onSubscription === undefined ? [] : [`onSubscription ${onSubscription}`];
  return [`resolver ${name} for ${types.join(', ')}`, ...indented([...lines, ...subscription])];
}
