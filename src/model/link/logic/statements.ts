// Statements of workflows, one after the other: each sees the aliases of those before it.

import { unreachable } from '../../../errors.ts';
import { localOf, type TypeName } from '../../model.ts';
import { type Alias, type Handler, isQuery, isReport, type Name, type Pattern, type Statement } from '../../pattern.ts';
import { lookUp, reportUnknown } from '../scope.ts';
import type { Environment, Logic } from './environment.ts';
import { linkInstance, linkRelationship, linkValue, otherEnds } from './patterns.ts';

export function linkStatements(statements: readonly Statement[], environment: Environment, logic: Logic): readonly Statement[] {
  return statements.map((each) => linkStatement(each, environment, logic));
}

export function linkStatement(statement: Statement, environment: Environment, logic: Logic): Statement {
  const { as, empty } = statement;
  const pattern = linkPattern(statement.pattern, environment, logic);
  const catches = linkHandlers(statement.catches, environment, logic);
  const throws = linkHandlers(statement.throws, environment, logic);
  const whenEmpty = empty === undefined ? undefined : linkStatement(empty, environment, logic);
  if (as !== undefined) bind(as, searchedBy(pattern, environment), environment, logic);
  const then = statement.then === undefined ? undefined : linkStatements(statement.then, environment, logic);
  return {
    ...statement,
    pattern,
    ...(catches === undefined ? {} : { catches }),
    ...(throws === undefined ? {} : { throws }),
    ...(whenEmpty === undefined ? {} : { empty: whenEmpty }),
    ...(then === undefined ? {} : { then }),
  };
}

/** In a handler `Error` is the failure. */
function linkHandlers(handlers: readonly Handler[] | undefined, environment: Environment, logic: Logic): readonly Handler[] | undefined {
  if (handlers === undefined) return undefined;
  return bounded('Error', environment, () => {
    const linked = new Map<Statement, Statement>();
    return handlers.map((each) => {
      const handler = linked.get(each.handler) ?? linkStatement(each.handler, environment, logic);
      linked.set(each.handler, handler);
      return { ...each, handler };
    });
  });
}

/** Does something while a name is bound, which it is not behind it. */
function bounded<T>(name: string, { bound }: Environment, work: () => T): T {
  const before = bound.has(name);
  bound.add(name);
  const result = work();
  if (!before) bound.delete(name);
  return result;
}

/** What is bound in a branch stays bound behind it: both branches of an `if` often bind the same name. */
function bind(alias: Alias, searched: TypeName | undefined, environment: Environment, logic: Logic): void {
  const names = alias.kind === 'whole' ? [alias.name] : [...alias.names, alias.rest];
  for (const name of names) if (name !== undefined) bindName(name, searched, environment, logic);
}

/** What a search by words has found, here or under a name. */
function searchedBy(pattern: Pattern, { searched }: Environment): TypeName | undefined {
  if (pattern.kind === 'full-text') return pattern.type.text;
  const named = pattern.kind === 'expression' && pattern.expression.kind === 'reference' ? pattern.expression.path : [];
  return named.length === 1 ? searched.get(named[0] ?? '') : undefined;
}

function bindName(name: Name, found: TypeName | undefined, { bound, searched }: Environment, { linking }: Logic): void {
  if (name.text === 'this' || name.text === 'auth' || name.text.startsWith('__')) {
    linking.report.fault('name-reserved', name.span, `\`${name.text}\` belongs to the service; it cannot be an alias`);
  }
  bound.add(name.text);
  if (found === undefined) searched.delete(name.text);
  else searched.set(name.text, found);
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
    case 'match':
      return linkMatch(pattern, environment, logic);
    case 'block':
      return { ...pattern, statements: linkStatements(pattern.statements, environment, logic) };
    case 'eval':
      return linkEval(pattern, environment, logic);
    case 'await':
      return linkAwait(pattern, environment, logic);
    case 'path':
      return linkPath(pattern, environment, logic);
    case 'query':
      return { ...pattern, query: linkValue(pattern.query, environment, logic) };
    case 'rethrow':
      return { ...pattern, after: linkStatement(pattern.after, environment, logic) };
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
  } else if (isReport(pattern.target)) {
    logic.linking.report.fault('pattern-mixed', pattern.target.span, 'rows of a join, of columns or of groups are no instances to delete');
  }
  const target = linkInstance(pattern.target, environment, logic);
  if (target.target !== undefined) {
    const message = `\`${pattern.target.type.text}\` is no type: what is deleted is found by a query`;
    logic.linking.report.fault('pattern-type', pattern.target.type.span, message);
  }
  return { ...pattern, target };
}

function linkFor(pattern: Kind<'for'>, environment: Environment, logic: Logic): Pattern {
  const source = linkStatement(pattern.source, environment, logic);
  const body = bounded(pattern.variable.text, environment, () => {
    bindName(pattern.variable, searchedBy(source.pattern, environment), environment, logic);
    return linkStatements(pattern.body, environment, logic);
  });
  return { ...pattern, source, body };
}

function linkIf(pattern: Kind<'if'>, environment: Environment, logic: Logic): Pattern {
  const condition = linkValue(pattern.condition, environment, logic);
  const then = linkStatements(pattern.then, environment, logic);
  const otherwise = pattern.otherwise === undefined ? {} : { otherwise: linkStatements(pattern.otherwise, environment, logic) };
  return { ...pattern, condition, then, ...otherwise };
}

function linkMatch(pattern: Kind<'match'>, environment: Environment, logic: Logic): Pattern {
  const subject = linkValue(pattern.subject, environment, logic);
  const cases = pattern.cases.map((each) => ({
    ...each,
    value: linkValue(each.value, environment, logic),
    body: linkStatements(each.body, environment, logic),
  }));
  const otherwise = pattern.otherwise === undefined ? {} : { otherwise: linkStatements(pattern.otherwise, environment, logic) };
  return { ...pattern, subject, cases, ...otherwise };
}

/** The check is a type, whose name is looked up, or a function. */
function linkEval(pattern: Kind<'eval'>, environment: Environment, logic: Logic): Pattern {
  const value = linkValue(pattern.value, environment, logic);
  const { check } = pattern;
  if (check === undefined) return { ...pattern, value };
  if (check.kind !== 'reference') return { ...pattern, value, check: linkValue(check, environment, logic) };
  const text = check.path.join('.');
  const entry = lookUp(text, environment.module, logic.linking.scope);
  if (entry === undefined) {
    const wanted = { what: 'type', name: text, span: check.span, module: environment.module };
    reportUnknown(logic.linking, 'name-unknown', wanted, (each) => each.kind === 'entity' || each.kind === 'record');
  }
  return { ...pattern, value, check: { ...check, path: [entry?.name ?? text] } };
}

function linkAwait(pattern: Kind<'await'>, environment: Environment, logic: Logic): Pattern {
  const body = linkStatement(pattern.body, environment, logic);
  const done = pattern.done === undefined ? {} : { done: linkStatements(pattern.done, environment, logic) };
  return { ...pattern, body, ...done, handlers: linkHandlers(pattern.handlers, environment, logic) ?? [] };
}

/** Each relationship leads from the step before it to the one behind it. */
function linkPath(pattern: Kind<'path'>, environment: Environment, logic: Logic): Pattern {
  const steps = pattern.steps.map((each) => linkInstance(each, environment, logic));
  const relationships = pattern.relationships.map((name, index) => {
    const [from, to] = [steps[index]?.type, steps[index + 1]?.type];
    const found = linkRelationship(name, from?.text, environment, logic);
    if (found === undefined || from === undefined || to === undefined) return name;
    if (!otherEnds(found, from.text).includes(to.text)) {
      const message = `\`${name.text}\` does not lead from \`${localOf(from.text)}\` to \`${localOf(to.text)}\``;
      logic.linking.report.fault('pattern-type', name.span, message);
    }
    return { ...name, text: found.name };
  });
  return { ...pattern, steps, relationships };
}
