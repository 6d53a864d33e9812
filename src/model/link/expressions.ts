// Expressions: every function found, every reference handed to whoever knows the names around it.

import { unreachable } from '../../errors.ts';
import type { Span } from '../../source.ts';
import { equalityFunctions } from '../equality.ts';
import { numberFunctions } from '../number-functions.ts';
import {
  aggregates,
  type CallExpression,
  type CodeExpression,
  type CodeRun,
  choosingFunctions,
  type Expression,
  type InstancePattern,
  type Reference,
  type RelatedPath,
} from '../pattern.ts';
import { withParts } from '../walk.ts';
import { importedFunction, type Linking, noteImports, usesOf } from './scope.ts';

/** What an expression can see from where it stands. */
export interface Surroundings {
  readonly module: string;
  /** The reference with its first part resolved; reports when it means nothing. */
  reference(path: readonly string[], span: Span): readonly string[];
  /** Whether a word of code that could be a reference is one. */
  knows(path: readonly string[]): boolean;
  pattern(pattern: InstancePattern): InstancePattern;
  /** What can be called here besides the functions that there are everywhere. */
  isFunction?(name: string): boolean;
  /** Where paths may lead to other instances: `faulty` where that has been told, `undefined` where this one stays inside. */
  related?(path: readonly string[], span: Span): RelatedPath | 'faulty' | undefined;
}

export function linkExpression(expression: Expression, around: Surroundings, linking: Linking): Expression {
  const inside = (each: Expression) => linkExpression(each, around, linking);
  switch (expression.kind) {
    case 'literal':
    case 'list':
    case 'map':
    case 'unary':
    case 'binary':
    case 'unquote':
      return withParts(expression, inside);
    case 'reference':
      return linkReference(expression, around);
    case 'call':
      return linkCall({ ...expression, arguments: expression.arguments.map(inside) }, around, linking);
    case 'pattern':
      return { ...expression, pattern: around.pattern(expression.pattern) };
    case 'quote':
      return { ...expression, value: linkQuoted(expression.value, around, linking) };
    case 'code':
      noteImports(expression.text, around.module, linking);
      return linkCode(expression, around);
    default:
      return unreachable(expression);
  }
}

function linkReference(reference: Reference, around: Surroundings): Reference {
  const related = around.related?.(reference.path, reference.span);
  if (related === 'faulty') return reference;
  if (related !== undefined) return { ...reference, related };
  return { ...reference, path: around.reference(reference.path, reference.span) };
}

/** Code becomes a function of the values that it refers to. */
function linkCode(code: CodeExpression, around: Surroundings): CodeExpression {
  const { run, span } = code;
  const own = (text: string) => ({ file: span.source.file, function: text, language: 'clojure' }) as const;
  if (run === undefined) return { ...code, function: own(code.text) };
  const meant = run.inputs.filter((each) => run.of === 'function' || around.knows(each.path) || isDotted(each));
  const inputs = meant.map((each) => linkReference(each, around));
  return { ...code, run: { ...run, inputs }, function: own(functionText({ ...run, inputs })) };
}

/** A word with a dot in it is hardly anything but a reference: where it means nothing, that is told. */
function isDotted({ span: { source, start, end } }: Reference): boolean {
  return source.text.slice(start, end).includes('.');
}

function functionText({ of, inputs, span }: CodeRun): string {
  const text = span.source.text.slice(span.start, span.end);
  const names = inputs.map((_, index) => `input-${index}`);
  if (of === 'function') return `(fn [${names.join(' ')}] (${text} {} ${names.join(' ')}))`;
  let body = '';
  let from = span.start;
  for (const [index, each] of inputs.entries()) {
    body += `${span.source.text.slice(from, each.span.start)}${names[index]}`;
    from = each.span.end;
  }
  return `(fn [${names.join(' ')}] ${body}${span.source.text.slice(from, span.end)})`;
}

/** Names in quoted data are data; only what is unquoted is looked at. */
function linkQuoted(expression: Expression, around: Surroundings, linking: Linking): Expression {
  if (expression.kind === 'unquote') return linkExpression(expression, around, linking);
  const isData = expression.kind === 'list' || expression.kind === 'map';
  return isData ? withParts(expression, (each) => linkQuoted(each, around, linking)) : expression;
}

const builtinFunctions = new Set([
  ...numberFunctions.keys(),
  'str',
  ...choosingFunctions,
  ...equalityFunctions,
  ...['console.log', 'JSON.stringify'],
  'now',
  'localNow',
  'uuid',
  'autoincrement',
  ...[
    'addDays',
    'addWeeks',
    'addMonths',
    'startOfWeek',
    'endOfWeek',
    'startOfMonth',
    'endOfMonth',
    'getWeek',
    'dayName',
    'formatDate',
    'parseDate',
    'diffInDays',
    'diffInWeeks',
    'today',
    'toTimezone',
  ].map((name) => `dateFns.${name}`),
]);

function linkCall(call: CallExpression, around: Surroundings, linking: Linking): CallExpression {
  const { module } = around;
  const aggregated = linkAggregate(call, around, linking);
  if (aggregated !== undefined) return aggregated;
  const number = numberFunctions.get(call.name.text);
  if (call.function === undefined && (number !== undefined || call.name.text === 'str') && isOwn(call.name.text, around, linking))
    return { ...call, function: { file: call.span.source.file, function: call.name.text, language: 'clojure' } };
  if (call.function === undefined && number !== undefined) return linkNumber(call, number, linking);
  if (call.function !== undefined || builtinFunctions.has(call.name.text) || around.isFunction?.(call.name.text) === true) return call;
  const found = importedFunction(call.name.text.split('.'), call.name.span, module, linking);
  if (found !== undefined) return { ...call, function: found };
  reportFunction(call.name.text, call.name.span, module, linking);
  return call;
}

function linkNumber(call: CallExpression, [least, most]: readonly [number, number], linking: Linking): CallExpression {
  const { name, arguments: given, span } = call;
  if (given.length >= least && given.length <= most) return call;
  const wanted = most === 1 ? 'one argument' : most === 2 ? 'one or two arguments' : 'one argument or more';
  const message = `\`${name.text}\` takes ${wanted}; here it gets ${given.length}`;
  linking.report.fault('function-arguments', span, message);
  return call;
}

/** Whether the model's own code has a function of that name, in whatever file of the component: it wins. */
function isOwn(name: string, { module }: Surroundings, { scope }: Linking): boolean {
  return scope.code.some((each) => each.module === module && each.declaration.name?.text === name);
}

/** `sum(OrderLine.price)`. Functions of the model's own of the same names stay what they are, and so do those of Clojure on single values. */
function linkAggregate(call: CallExpression, around: Surroundings, linking: Linking): CallExpression | undefined {
  const { name, arguments: given, awaited, span } = call;
  const aggregate = aggregates.find((each) => each === name.text);
  const [only, ...more] = given;
  if (aggregate === undefined || around.related === undefined || isOwn(name.text, around, linking)) return undefined;
  const related = only?.kind === 'reference' && more.length === 0 ? only.related : undefined;
  if (related?.many !== true && (call.function !== undefined || (related === undefined && numberFunctions.has(name.text))))
    return undefined;
  if (related === undefined) {
    // A path that leads nowhere has been told.
    const isTold = only?.kind === 'reference' && more.length === 0 && !around.knows(only.path);
    if (!isTold) linking.report.fault('expression-list', span, `\`${name.text}\` takes one path along a relationship, and nothing else`);
    return call;
  }
  return { kind: 'call', name, arguments: given, awaited, aggregate, span };
}

export function reportFunction(text: string, span: Span, module: string, linking: Linking): void {
  const { report, scope } = linking;
  const [alias = '', name] = text.split('.');
  const aliases = [...(scope.imports.get(module)?.keys() ?? [])];
  const imports = name === undefined ? [] : aliases.map((each) => `${each}.${name}`);
  const missing = name !== undefined && alias !== 'dateFns' && !aliases.includes(alias);
  if (!missing) usesOf(module, alias, linking);
  const message = `there is no function \`${text}\`${missing ? `: nothing is imported as \`${alias}\`` : ''}`;
  report.unknown('function-unknown', span, message, text, [...builtinFunctions, ...imports]);
}
