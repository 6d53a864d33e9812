// In charge of the text of whole units, in the canonical layout of the earlier surface.

import type { Declaration, ReactionDeclaration, ResolverDeclaration, Unit, WorkflowDeclaration } from '../../../model/declaration.ts';
import type { Statement } from '../../../model/pattern.ts';
import { eachNode, namesIn } from '../../../model/walk.ts';
import { type Item, layOut, type Node } from './layout.ts';
import { type Entry, keyword, list, literalNode, map, vector } from './node.ts';
import { attributeEntries, instanceNode } from './pattern.ts';
import { statementNode } from './statement.ts';
import { argumentNode, namedAttributeNode, nameNode, relationshipNode, rightsOf, typeNode } from './type.ts';
import { conditionNode, dataNode, type Scene } from './value.ts';

/** Reading it again gives the same unit. */
export function printUnit(unit: Unit): string {
  const { module, moduleOptions, imports, declarations, source, comments } = unit;
  const scene = sceneOf(unit);
  const items: Item[] = [];
  if (module !== undefined) {
    const nodes = ['component', keyword(module.text), ...(moduleOptions === undefined ? [] : [moduleOptions.text])];
    items.push({ node: list(nodes), span: { start: module.span.start, end: (moduleOptions ?? module).span.end } });
  }
  for (const { path, alias, external, span } of imports) {
    const more = external ? [':external', 'true'] : [];
    items.push({ node: list(['import', literalNode(path), ':as', keyword(alias.text), ...more]), span });
  }
  // What stands inside of another declaration is written with it.
  const own = declarations.filter((each) => each.kind !== 'startup' || each.text !== '');
  for (const declaration of own) items.push({ node: declarationNode(declaration, scene), span: declaration.span });
  return layOut(
    items.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0)),
    source.text,
    comments,
  );
}

function sceneOf({ module, declarations, imports }: Unit): Scene {
  return {
    module: module?.text ?? '',
    declared: new Set(declarations.flatMap((each) => localNames(each, module?.text))),
    imports: new Set(imports.map((each) => each.alias.text)),
    aliases: new Set(),
    isTrigger: false,
    type: undefined,
    instance: instanceNode,
  };
}

/** A dataflow on an event of another component declares nothing here. */
function localNames(declaration: Declaration, module: string | undefined): readonly string[] {
  if (!('name' in declaration) || declaration.name === undefined || declaration.kind === 'code') return [];
  const { text } = declaration.name;
  const at = text.indexOf('/');
  return declaration.kind === 'workflow' && at !== -1 && text.slice(0, at) !== module ? [] : [text.slice(at + 1)];
}

/** Whether this surface has a form for the declaration at all. */
export function hasForm(declaration: Declaration): boolean {
  const { kind } = declaration;
  if (declaration.kind === 'agent' && declaration.text !== undefined) return true;
  return !['flow', 'agent', 'decision', 'directive', 'scenario', 'glossaryEntry', 'retry', 'eval'].includes(kind);
}

function declarationNode(declaration: Declaration, scene: Scene): Node {
  switch (declaration.kind) {
    case 'entity':
    case 'record':
    case 'event':
      return typeNode(declaration, scene);
    case 'relationship':
      return relationshipNode(declaration, scene);
    case 'attribute':
      return namedAttributeNode(declaration, scene);
    case 'workflow':
      return dataflowNode(declaration, scene);
    case 'rule':
      return ruleNode(declaration, scene);
    case 'resolver':
      return resolverNode(declaration, scene);
    case 'startup':
      return declaration.text ?? startupNode(declaration.statement, scene);
    case 'code':
    case 'foreign':
      return declaration.text;
    case 'agent':
      return declaration.text ?? `; agent ${declaration.name.text} has no form here`;
    default:
      // Only the current surface has these; the conversion says so, and does not ask for them here.
      return `; ${declaration.kind} ${declaration.name.text} has no form here`;
  }
}

function dataflowNode(workflow: WorkflowDeclaration, scene: Scene): Node {
  const { name, trigger, condition, isPublic, annotations, documentation, body, span } = workflow;
  const inside = { ...scene, aliases: boundAliases(body), isTrigger: trigger !== undefined };
  const options: Node[] = [];
  if (condition !== undefined) {
    options.push(':when', conditionNode(condition.when, inside));
    if (condition.on !== undefined) options.push(':on', keyword(condition.on.text));
    if (condition.where !== undefined) options.push(':where', conditionNode(condition.where, inside));
  }
  const rights = rightsOf(annotations, scene);
  if (rights !== undefined && trigger === undefined) options.push(':rbac', rights.value);
  if (isPublic && trigger === undefined) options.push(':public', 'true');
  const schedule = annotations.find((each) => each.kind === 'plain' && each.name.text === 'schedule');
  if (schedule !== undefined && trigger === undefined) options.push(':schedule', argumentNode(schedule, scene));
  if (trigger === undefined && annotations.some((each) => each.name.text === 'internal')) options.push(':internal', 'true');
  const runAs = annotations.find((each) => each.name.text === 'runAs');
  if (runAs !== undefined) options.push(':run-as', nameNode(runAs));
  const event = keyword(name?.text ?? '');
  const head =
    trigger === undefined
      ? options.length === 0
        ? event
        : vector([event, ...options])
      : vector([keyword(trigger.when), keyword(trigger.operation.text), keyword(trigger.entity.text), ...options]);
  const items: Item[] = body.map((each) => ({ node: statementNode(each, inside), span: each.span }));
  const text = documentation === undefined || body.length === 0 ? [] : [{ node: literalNode(documentation), span: documentation.span }];
  return list(['dataflow', head, ...text, ...items], { span, broken: true });
}

function ruleNode({ name, onDelete, conditions, body, options, span }: ReactionDeclaration, scene: Scene): Node {
  const inside = { ...scene, aliases: boundAliases([...conditions, ...body]) };
  const tests = conditions.map((each): Node => (onDelete ? vector([':delete', testNode(each, inside)]) : testNode(each, inside)));
  const actions: Item[] = body.map((each) => ({ node: statementNode(each, inside), span: each.span }));
  const meta = options === undefined ? [] : [map([{ key: ':meta', value: dataNode(options, scene) }])];
  return list(['rule', keyword(name.text), ...tests, ':then', ...actions, ...meta], { span });
}

/** In a rule the attributes that are asked for have no mark. */
function testNode(statement: Statement, scene: Scene): Node {
  const { pattern, as } = statement;
  const isPlain = pattern.kind === 'instance' && !pattern.all && pattern.attributes.every((each) => each.query !== undefined);
  const isBare = isPlain && pattern.nested.length === 0 && pattern.links === undefined && Object.keys(pattern.options).length === 0;
  const onlyAlias = as === undefined ? Object.keys(statement).length === 2 : as.kind === 'whole' && Object.keys(statement).length === 3;
  if (!isPlain || !isBare || !onlyAlias) return statementNode(statement, scene);
  const body = map(attributeEntries(pattern.attributes, { ...scene, type: pattern.type.text }, ''));
  const alias: readonly Entry[] = as?.kind === 'whole' ? [{ key: ':as', value: keyword(as.name.text) }] : [];
  return map([{ key: keyword(pattern.type.text), value: body }, ...alias]);
}

function resolverNode({ name, types, methods, compose, options }: ResolverDeclaration, scene: Scene): Node {
  const subscription = methods.find((each) => each.name.text === 'onSubscription');
  const called = methods.filter((each) => each !== subscription);
  const functions = called.map((each) => ({
    key: keyword(each.name.text),
    value: 'kind' in each.function ? each.function.text : each.function.text.replace(/\.([^.]*)$/, '/$1'),
  }));
  const entries: Entry[] = [];
  if (called.length > 0) entries.push({ key: ':with-methods', value: map(functions) });
  if (types.length > 0) entries.push({ key: ':paths', value: vector(types.map((each) => keyword(each.text))) });
  if (compose === true) entries.push({ key: ':compose?', value: 'true' });
  if (subscription !== undefined) entries.push({ key: ':on-subscription', value: keyword(subscription.function.text) });
  for (const { key, value } of options?.entries ?? []) entries.push({ key: keyword(String(key.value)), value: dataNode(value, scene) });
  return list(['resolver', keyword(name.text), map(entries)]);
}

/** A map stands for itself; every other statement needs a word in front. */
function startupNode(statement: Statement, scene: Scene): Node {
  const node = statementNode(statement, { ...scene, aliases: boundAliases([statement]) });
  const isMap = typeof node !== 'string' && node.open === '{';
  return isMap ? node : list(['pattern', node]);
}

function boundAliases(statements: readonly Statement[]): ReadonlySet<string> {
  const found = namesIn(statements);
  eachNode(statements, (node) => {
    if (node.kind === 'for' && node.variable.text !== '%') found.add(node.variable.text);
  });
  return found;
}
