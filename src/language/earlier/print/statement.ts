// In charge of the text of statements.

import { unreachable } from '../../../errors.ts';
import type { Alias, Handler, InstancePattern, Pattern, Statement } from '../../../model/pattern.ts';
import type { Item, Node } from './layout.ts';
import { type Entry, form, keyword, map, vector } from './node.ts';
import { attributeEntries, instanceNode } from './pattern.ts';
import { operandNode, type Scene, testNode, valueNode } from './value.ts';

export function statementNode(statement: Statement, scene: Scene): Node {
  const { pattern, as, catches, throws, then, empty } = statement;
  const [inner] = pattern.kind === 'block' && pattern.statements.length === 1 ? pattern.statements : [];
  if ((catches ?? []).length === 0 && then === undefined && empty === undefined) {
    const names = as !== undefined && throws === undefined && inner?.then !== undefined && inner.as === undefined;
    return names ? tryNode(inner, as, scene) : patternNode(pattern, suffixes(as, throws, scene), scene);
  }
  return as === undefined || then === undefined ? tryNode(statement, as, scene) : tryNode(namedWithin(statement, as), undefined, scene);
}

function tryNode({ pattern, catches, throws, then, empty }: Statement, as: Alias | undefined, scene: Scene): Node {
  const [inner] = pattern.kind === 'block' && pattern.statements.length === 1 ? pattern.statements : [];
  const tried = inner === undefined ? patternNode(pattern, [], scene) : statementNode(inner, scene);
  const handlers = [
    ...(then === undefined ? [] : [{ node: keyword('ok'), value: bodyNode(then, scene) }]),
    ...handlerItems(catches ?? [], scene),
    ...(empty === undefined ? [] : [{ node: keyword('empty'), value: oneNode(empty, scene) }]),
  ];
  return form([keyword('try'), tried, ...handlers, ...flat(suffixes(as, throws, scene))]);
}

/** A name that `:ok` uses already is that of what was tried; behind `:try` it would be that of what `:ok` gives. */
function namedWithin(statement: Statement, as: Alias): Statement {
  const named = (each: Statement): Statement => ({ pattern: { kind: 'block', statements: [each], span: each.span }, as, span: each.span });
  const { pattern, span, catches, empty } = statement;
  const renamed = new Map(catches?.map(({ handler }) => [handler, named(handler)]));
  const { as: _, ...rest } = statement;
  return {
    ...rest,
    pattern: { kind: 'block', statements: [{ pattern, as, span }], span },
    ...(catches === undefined ? {} : { catches: catches.map(({ on, handler }) => ({ on, handler: renamed.get(handler) ?? handler })) }),
    ...(empty === undefined ? {} : { empty: named(empty) }),
  };
}

/** One statement where several may stand. */
function oneNode(statement: Statement, scene: Scene): Node {
  const { pattern } = statement;
  const isBlock = pattern.kind === 'block' && Object.keys(statement).length === 2;
  return isBlock ? bodyNode(pattern.statements, scene, true) : statementNode(statement, scene);
}

/** Statements as one form: a single one stands for itself. */
function bodyNode(statements: readonly Statement[], scene: Scene, isBlock = false): Node {
  const nodes = statements.map((each) => statementNode(each, scene));
  const [first, ...more] = nodes;
  if (first !== undefined && more.length === 0 && !isBlock) return first;
  // A name in front would make the vector a form of its own.
  const plain = first !== undefined && more.length > 0 && (typeof first === 'string' ? !first.startsWith(':') : true);
  return plain ? vector(nodes) : form([keyword('do'), ...nodes]);
}

function suffixes(as: Alias | undefined, throws: readonly Handler[] | undefined, scene: Scene): readonly Entry[] {
  const entries: Entry[] = [];
  if (as !== undefined) entries.push({ key: keyword('as'), value: aliasNode(as) });
  if (throws !== undefined) {
    const items = handlerItems(throws, scene);
    const pairs = items.map(({ node: key, value = 'nil' }) => ({ key, value }));
    // The same outcome twice is a vector's business: a map has each key once.
    const keys = pairs.map(({ key }) => (typeof key === 'string' ? key : (key.flat ?? '')));
    entries.push({ key: keyword('throws'), value: new Set(keys).size < keys.length ? form(items, 1) : map(pairs) });
  }
  return entries;
}

function flat(entries: readonly Entry[]): readonly Item[] {
  return entries.map(({ key, value }) => ({ node: key, value }));
}

function aliasNode(alias: Alias): Node {
  if (alias.kind === 'whole') return keyword(alias.name.text);
  const names = alias.names.map((name) => keyword(name?.text ?? '_'));
  return vector([...names, ...(alias.rest === undefined ? [] : [keyword('&'), keyword(alias.rest.text)])]);
}

const outcomeWords = { not_found: 'not-found', error: 'error', declined: 'declined' } as const;

/** Outcomes that share a handler stand before it together. */
function handlerItems(handlers: readonly Handler[], scene: Scene): readonly Item[] {
  const items: Item[] = [];
  for (let index = 0; index < handlers.length; ) {
    const handler = handlers[index]?.handler;
    const tags: string[] = [];
    for (; handler !== undefined && handlers[index]?.handler === handler; index += 1)
      tags.push(keyword(outcomeWords[handlers[index]?.on ?? 'error']));
    const [tag = ''] = tags;
    if (handler !== undefined) items.push({ node: tags.length === 1 ? tag : vector(tags), value: oneNode(handler, scene) });
  }
  return items;
}

function patternNode(pattern: Pattern, tail: readonly Entry[], scene: Scene): Node {
  if (pattern.kind === 'instance') return instanceNode(pattern, scene, tail);
  if (pattern.kind === 'expression' && tail.length === 0 && !needsEval(pattern)) return valueNode(pattern.expression, scene);
  return form([...wordNodes(pattern, scene), ...flat(tail)], pattern.kind === 'if' ? 1 : 2);
}

/** Calls are evaluated; a map would be taken for a pattern, a text for the documentation. */
function needsEval({ expression }: Extract<Pattern, { kind: 'expression' }>): boolean {
  if (expression.kind === 'literal') return typeof expression.value === 'string';
  return ['call', 'unary', 'binary', 'map', 'list'].includes(expression.kind);
}

function wordNodes(pattern: Exclude<Pattern, InstancePattern>, scene: Scene): readonly (Node | Item)[] {
  const body = (statements: readonly Statement[]) => statements.map((each) => statementNode(each, scene));
  switch (pattern.kind) {
    case 'expression':
      return [keyword(['reference', 'literal'].includes(pattern.expression.kind) ? 'value' : 'eval'), valueNode(pattern.expression, scene)];
    case 'full-text':
      return [
        keyword('search'),
        keyword(pattern.type.text),
        valueNode(pattern.text, scene),
        ...(pattern.options === undefined ? [] : [valueNode(pattern.options, scene)]),
      ];
    case 'delete':
      return deleteNodes(pattern, scene);
    case 'for':
      return [keyword('for-each'), sourceNode(pattern, scene), ...body(pattern.body)];
    case 'if':
      return [keyword('match'), ...conditionNodes(pattern, scene)];
    case 'match':
      return matchNodes(pattern, scene);
    case 'return':
      return [keyword('return'), statementNode(pattern.value, scene)];
    case 'throw':
      return [keyword('throw'), valueNode(pattern.reason, scene)];
    case 'block':
      return [keyword('do'), ...body(pattern.statements)];
    case 'eval':
      return [keyword('eval'), valueNode(pattern.value, scene), ...checkNodes(pattern, scene)];
    case 'await': {
      const done = pattern.done === undefined ? [] : [{ node: keyword('ok'), value: bodyNode(pattern.done, scene) }];
      return [keyword('await'), statementNode(pattern.body, scene), ...done, ...handlerItems(pattern.handlers, scene)];
    }
    case 'path':
      return pathNodes(pattern, scene);
    case 'query':
      return [keyword('query'), valueNode(pattern.query, scene)];
    case 'rethrow':
      return [keyword('rethrow-after'), statementNode(pattern.after, scene)];
    default:
      return unreachable(pattern);
  }
}

type Kind<K extends Pattern['kind']> = Extract<Pattern, { readonly kind: K }>;

function checkNodes({ check }: Kind<'eval'>, scene: Scene): readonly Item[] {
  if (check === undefined) return [];
  const node = check.kind === 'reference' ? keyword(check.path.join('.')) : valueNode(check, scene);
  return [{ node: keyword('check'), value: node }];
}

function sourceNode({ variable, source }: Kind<'for'>, scene: Scene): Node {
  const { pattern } = source;
  const isAll = pattern.kind === 'instance' && pattern.all && isBare(pattern) && Object.keys(source).length === 2;
  const node = isAll ? keyword(`${pattern.type.text}?`) : statementNode(source, scene);
  return variable.text === '%' ? node : form([node, keyword('as'), keyword(variable.text)]);
}

function isBare({ attributes, nested, links, options }: InstancePattern): boolean {
  return attributes.length === 0 && nested.length === 0 && links === undefined && Object.keys(options).length === 0;
}

/** A chain of conditions as pairs, with what is done otherwise at the end. */
function conditionNodes({ condition, then, otherwise }: Kind<'if'>, scene: Scene): readonly (Node | Item)[] {
  const nodes = [{ node: testNode(condition, scene), value: bodyNode(then, scene), wraps: true } as const];
  if (otherwise === undefined) return nodes;
  const [only] = otherwise;
  const chained = otherwise.length === 1 && only?.pattern.kind === 'if' && Object.keys(only).length === 2 ? only.pattern : undefined;
  return [...nodes, ...(chained === undefined ? [bodyNode(otherwise, scene)] : conditionNodes(chained, scene))];
}

function matchNodes({ subject, cases, otherwise }: Kind<'match'>, scene: Scene): readonly (Node | Item)[] {
  const pairs = cases.map(({ value, body }) => ({ node: valueNode(value, scene), value: bodyNode(body, scene), wraps: true }) as const);
  return [keyword('match'), operandNode(subject, scene), ...pairs, ...(otherwise === undefined ? [] : [bodyNode(otherwise, scene)])];
}

function deleteNodes({ purge, target }: Kind<'delete'>, scene: Scene): readonly Node[] {
  const { type, all, attributes, nested, links, options } = target;
  const isPlain = nested.length === 0 && links === undefined && Object.keys(options).length === 0;
  const name = keyword(type.text);
  if (isPlain && all && attributes.length === 0) return [keyword('delete'), name, keyword(purge ? 'purge' : '*')];
  const word = keyword(purge ? 'purge' : 'delete');
  const isSimple = isPlain && !all && attributes.length > 0 && attributes.every((each) => each.query !== undefined);
  return isSimple
    ? [word, name, map(attributeEntries(attributes, { ...scene, type: type.text }, ''))]
    : [word, instanceNode(target, scene)];
}

function pathNodes({ steps, relationships }: Kind<'path'>, scene: Scene): readonly Node[] {
  const nodes: Node[] = [keyword('?')];
  for (const [index, step] of steps.entries()) {
    const name = relationships[index - 1];
    if (name !== undefined) nodes.push(keyword(name.text));
    nodes.push(stepNode(step, scene));
  }
  return nodes;
}

function stepNode(step: InstancePattern, scene: Scene): Node {
  if (step.all && isBare(step)) return keyword(step.type.text);
  const isPlain = !step.all && step.attributes.every((each) => each.query !== undefined);
  if (!isPlain) return instanceNode(step, scene);
  return map(
    [{ key: keyword(step.type.text), value: map(attributeEntries(step.attributes, { ...scene, type: step.type.text }, '')) }],
    step.span,
  );
}
