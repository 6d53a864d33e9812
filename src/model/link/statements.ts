// Statements of workflows, one after the other: each sees the aliases of those before it.

import { unreachable } from '../../errors.ts';
import type { Alias, Name, Pattern, Statement } from '../pattern.ts';
import { isQuery } from './columns.ts';
import type { Environment, Logic } from './environment.ts';
import { linkInstance, linkValue } from './patterns.ts';
import { lookUp, reportUnknown } from './scope.ts';

export function linkStatements(statements: readonly Statement[], environment: Environment, logic: Logic): readonly Statement[] {
  return statements.map((each) => linkStatement(each, environment, logic));
}

export function linkStatement(statement: Statement, environment: Environment, logic: Logic): Statement {
  const { as, catches, empty } = statement;
  const pattern = linkPattern(statement.pattern, environment, logic);
  const handled = catches?.map((each) => ({ ...each, handler: linkStatement(each.handler, environment, logic) }));
  const whenEmpty = empty === undefined ? undefined : linkStatement(empty, environment, logic);
  if (as !== undefined) bind(as, environment, logic);
  const then = statement.then === undefined ? undefined : linkStatements(statement.then, environment, logic);
  return {
    ...statement,
    pattern,
    ...(handled === undefined ? {} : { catches: handled }),
    ...(whenEmpty === undefined ? {} : { empty: whenEmpty }),
    ...(then === undefined ? {} : { then }),
  };
}

/** What is bound in a branch stays bound behind it: both branches of an `if` often bind the same name. */
function bind(alias: Alias, { bound }: Environment, logic: Logic): void {
  const names = alias.kind === 'whole' ? [alias.name] : [...alias.names, alias.rest];
  for (const name of names) if (name !== undefined) bindName(name, bound, logic);
}

function bindName(name: Name, bound: Set<string>, { linking }: Logic): void {
  if (name.text === 'this' || name.text === 'auth' || name.text.startsWith('__')) {
    linking.report.fault('name-reserved', name.span, `\`${name.text}\` belongs to the service; it cannot be an alias`);
  }
  bound.add(name.text);
}

function linkPattern(pattern: Pattern, environment: Environment, logic: Logic): Pattern {
  switch (pattern.kind) {
    case 'instance':
      return linkInstance(pattern, environment, logic);
    case 'expression':
      return { ...pattern, expression: linkValue(pattern.expression, environment, logic) };
    case 'full-text':
      return linkFullText(pattern, environment, logic);
    case 'delete':
      return linkDelete(pattern, environment, logic);
    case 'for':
      return linkFor(pattern, environment, logic);
    case 'if':
      return linkIf(pattern, environment, logic);
    case 'return':
      return { ...pattern, value: linkStatement(pattern.value, environment, logic) };
    case 'throw':
      return { ...pattern, reason: linkValue(pattern.reason, environment, logic) };
    default:
      return unreachable(pattern);
  }
}

type Kind<K extends Pattern['kind']> = Extract<Pattern, { readonly kind: K }>;

function linkFullText(pattern: Kind<'full-text'>, environment: Environment, logic: Logic): Pattern {
  const { name, kind } = lookUp(pattern.type.text, environment.module, logic.linking.scope) ?? {};
  if (kind !== 'entity') {
    const wanted = { what: 'entity', name: pattern.type.text, span: pattern.type.span, module: environment.module };
    reportUnknown(logic.linking, 'name-unknown', wanted, (each) => each.kind === 'entity');
  }
  const options = pattern.options === undefined ? undefined : linkValue(pattern.options, environment, logic);
  const type = { ...pattern.type, text: name ?? pattern.type.text };
  return { ...pattern, type, text: linkValue(pattern.text, environment, logic), ...(options?.kind === 'map' ? { options } : {}) };
}

function linkDelete(pattern: Kind<'delete'>, environment: Environment, logic: Logic): Pattern {
  const set = pattern.target.attributes.find((each) => each.query === undefined);
  if (set !== undefined) {
    const message = `what is deleted is found by a query; \`${set.name.text}\` has no \`?\``;
    logic.linking.report.fault('pattern-mixed', set.span, message, `write \`${set.name.text}?\``);
  } else if (!isQuery(pattern.target)) {
    logic.linking.report.fault('pattern-mixed', pattern.target.span, 'what is deleted is found by a query, and nothing here has a `?`');
  }
  return { ...pattern, target: linkInstance(pattern.target, environment, logic) };
}

function linkFor(pattern: Kind<'for'>, environment: Environment, logic: Logic): Pattern {
  const source = linkStatement(pattern.source, environment, logic);
  const variable = pattern.variable.text;
  const wasBound = environment.bound.has(variable);
  bindName(pattern.variable, environment.bound, logic);
  const body = linkStatements(pattern.body, environment, logic);
  if (!wasBound) environment.bound.delete(variable);
  return { ...pattern, source, body };
}

function linkIf(pattern: Kind<'if'>, environment: Environment, logic: Logic): Pattern {
  const condition = linkValue(pattern.condition, environment, logic);
  const then = linkStatements(pattern.then, environment, logic);
  const otherwise = pattern.otherwise === undefined ? {} : { otherwise: linkStatements(pattern.otherwise, environment, logic) };
  return { ...pattern, condition, then, ...otherwise };
}
