// In charge of what stands inside of expressions, patterns and statements: their children, listed once, of which every walk over them is made.

import { unreachable } from '../errors.ts';
import type { Model } from './model.ts';
import type { Expression, Handler, InstancePattern, Pattern, PatternAttribute, PatternOptions, Statement } from './pattern.ts';

export type Node = Expression | Pattern | Statement;

/** Every statement of the model, wherever it runs. */
export function statementsOf({ workflows, triggers, substitutions, reactions, flows, startup }: Model): readonly Statement[] {
  return [
    ...[...workflows.values()].flatMap((each) => each.body),
    ...triggers.flatMap((each) => (each.runs.kind === 'body' ? each.runs.body : [])),
    ...[...substitutions.values()].flat(),
    ...reactions.flatMap((each) => [...each.conditions, ...each.body]),
    ...[...flows.values()].flatMap((each) =>
      [...each.nodes.values()].flatMap((node) => (node.kind === 'statement' ? [node.statement] : [])),
    ),
    ...startup,
  ];
}

type Test = (node: Node) => boolean;

/** Calls `visit` with these nodes and everything inside of them, from the outside in. */
export function eachNode(nodes: readonly Node[], visit: (node: Node) => void): void {
  someNode(nodes, (node) => {
    visit(node);
    return false;
  });
}

/** Whether the test holds for any of these nodes or anything inside of them. */
export function someNode(nodes: readonly Node[], test: Test): boolean {
  const isIn = (node: Node): boolean => test(node) || someChild(node, isIn);
  return nodes.some(isIn);
}

/** The names that statements give to results, however deep they stand. */
export function namesIn(statements: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  eachNode(statements, (node) => {
    const alias = node.kind === undefined ? node.as : undefined;
    if (alias?.kind === 'whole') names.add(alias.name.text);
    else if (alias !== undefined) for (const each of [...alias.names, alias.rest]) if (each !== undefined) names.add(each.text);
  });
  return names;
}

/** The expressions directly inside of one. A pattern in the place of a value is not one of them. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'reference':
    case 'pattern':
      return [];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.map((each) => each.value);
    case 'call':
      return expression.arguments;
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'quote':
    case 'unquote':
      return [expression.value];
    case 'code':
      return expression.run?.inputs ?? [];
    default:
      return unreachable(expression);
  }
}

/** The same expression with its parts changed; the inputs of code stay. */
export function withParts(expression: Expression, change: (part: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'literal':
    case 'reference':
    case 'pattern':
    case 'code':
      return expression;
    case 'list':
      return { ...expression, items: expression.items.map(change) };
    case 'map':
      return { ...expression, entries: expression.entries.map(({ key, value }) => ({ key, value: change(value) })) };
    case 'call':
      return { ...expression, arguments: expression.arguments.map(change) };
    case 'unary':
      return { ...expression, operand: change(expression.operand) };
    case 'binary':
      return { ...expression, left: change(expression.left), right: change(expression.right) };
    case 'quote':
    case 'unquote':
      return { ...expression, value: change(expression.value) };
    default:
      return unreachable(expression);
  }
}

/** Whether the test holds for a child of the node. A list of all of them would cost more than the rest of a walk. */
function someChild(node: Node, test: Test): boolean {
  switch (node.kind) {
    case undefined:
      return inStatement(node, test);
    case 'pattern':
      return test(node.pattern);
    case 'instance':
      return inInstance(node, test);
    case 'expression':
      return test(node.expression);
    case 'full-text':
      return test(node.text) || is(node.options, test);
    case 'delete':
      return test(node.target);
    case 'for':
      return test(node.source) || node.body.some(test);
    case 'if':
      return test(node.condition) || node.then.some(test) || some(node.otherwise, test);
    case 'return':
      return test(node.value);
    case 'throw':
      return test(node.reason);
    case 'match':
      return test(node.subject) || node.cases.some(({ value, body }) => test(value) || body.some(test)) || some(node.otherwise, test);
    case 'block':
      return node.statements.some(test);
    case 'eval':
      return test(node.value) || is(node.check, test);
    case 'await':
      return test(node.body) || some(node.done, test) || inHandlers(node.handlers, test);
    case 'path':
      return node.steps.some(test);
    case 'query':
      return test(node.query);
    case 'rethrow':
      return test(node.after);
    default:
      return partsOf(node).some(test);
  }
}

function inStatement({ pattern, catches, throws, empty, then }: Statement, test: Test): boolean {
  return test(pattern) || inHandlers(catches, test) || inHandlers(throws, test) || is(empty, test) || some(then, test);
}

function inHandlers(handlers: readonly Handler[] | undefined, test: Test): boolean {
  return handlers?.some((each) => test(each.handler)) === true;
}

function inInstance({ attributes, nested, links, options }: InstancePattern, test: Test): boolean {
  return (
    inValues(attributes, test) ||
    nested.some((each) => each.patterns.some(test)) ||
    links?.some((each) => inValues(each.attributes, test) || is(each.other, test) || is(each.id, test)) === true ||
    inOptions(options, test)
  );
}

function inOptions({ from, joins, into, where, condition, limit, offset, ignored }: PatternOptions, test: Test): boolean {
  return (
    is(from, test) ||
    joins?.some((each) => inValues(each.attributes, test)) === true ||
    inValues(into, test) ||
    inValues(where, test) ||
    is(condition, test) ||
    is(limit, test) ||
    is(offset, test) ||
    inValues(ignored, test)
  );
}

function inValues(given: readonly Pick<PatternAttribute, 'value'>[] | undefined, test: Test): boolean {
  return given?.some(({ value }) => value.kind !== 'aggregate' && test(value)) === true;
}

function is(node: Node | undefined, test: Test): boolean {
  return node !== undefined && test(node);
}

function some(nodes: readonly Node[] | undefined, test: Test): boolean {
  return nodes?.some(test) === true;
}
