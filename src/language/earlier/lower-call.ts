// In charge of quoted calls: arithmetic, comparison and text become expressions of the service, everything else calls of functions.

import type { BinaryOperator, Expression } from '../../model/pattern.ts';
import type { Span } from '../../source.ts';
import type { Collection, Form, Keyword } from './form.ts';
import { unquoted } from './form.ts';
import { code, data, importedName, type Lowering } from './lowering.ts';

/** How names in an expression are understood, which depends on where it stands. */
export interface Surroundings {
  readonly lowering: Lowering;
  reference(keyword: Keyword): Expression;
  /** What maps and vectors mean; plain data where nothing is said. */
  value?(form: Form): Expression;
}

/** The operators, by how they are written here. */
export const operators: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ['+', '+'],
  ['-', '-'],
  ['*', '*'],
  ['/', '/'],
  ['and', 'and'],
  ['or', 'or'],
  ['=', '=='],
  ['not=', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['in', 'in'],
  ['like', 'like'],
  ['between', 'between'],
]);

/** Those that take more than two operands, one after the other. */
const chained = new Set(['+', '-', '*', '/', 'and', 'or']);

/** Forms that are not calls, although they look like them. */
const specialForms = new Set(
  'if if-let if-not when when-let when-not cond case let loop recur do fn fn* def defn try catch throw quote for doseq -> ->> new . ..'.split(
    ' ',
  ),
);

/** What a quoted form means. Code that the service does not understand keeps its quote: without it, it would run at another time. */
export function quotedValue(form: Form, around: Surroundings): Expression {
  const value = lowerQuoted(unquoted(form), around);
  return value.kind === 'code' ? { ...value, text: `'${value.text}`, span: form.span } : value;
}

function lowerQuoted(form: Form, around: Surroundings): Expression {
  switch (form.kind) {
    case 'keyword':
      return around.reference(form);
    case 'list':
      return lowerCall(form, around);
    case 'quote':
      return lowerQuoted(unquoted(form), around);
    case 'symbol':
      return code(form, around.lowering);
    case 'vector':
    case 'map':
      return around.value === undefined ? data(form, around.lowering) : around.value(form);
    default:
      return data(form, around.lowering);
  }
}

function lowerCall(list: Collection, around: Surroundings): Expression {
  const [head, ...operands] = list.items;
  if (head?.kind !== 'symbol' || specialForms.has(head.name) || head.name.startsWith('.') || head.name.endsWith('.')) {
    return code(list, around.lowering);
  }
  return lowerOperator(head.name, operands, list.span, around) ?? lowerFunction(head, operands, list, around);
}

function lowerOperator(head: string, operands: readonly Form[], span: Span, around: Surroundings): Expression | undefined {
  const given = () => operands.map((each) => lowerQuoted(each, around));
  if (head === 'not' && operands.length === 1) return unary('not', given(), span);
  if (head === '-' && operands.length === 1) return unary('-', given(), span);
  // A text in front makes every `+` behind it put texts together.
  if (head === 'str' && operands.length > 0) return folded('+', [{ kind: 'literal', value: '', raw: '""', span }, ...given()], span);
  const operator = operators.get(head);
  if (operator === undefined || operands.length < 2 || (operands.length > 2 && !chained.has(head))) return undefined;
  return folded(operator, given(), span);
}

function unary(operator: 'not' | '-', operands: readonly Expression[], span: Span): Expression | undefined {
  const [operand] = operands;
  return operand === undefined ? undefined : { kind: 'unary', operator, operand, span };
}

export function folded(operator: BinaryOperator, operands: readonly Expression[], span: Span): Expression | undefined {
  const [first, ...rest] = operands;
  return first === undefined
    ? undefined
    : rest.reduce<Expression>((left, right) => ({ kind: 'binary', operator, left, right, span }), first);
}

/** The service's own functions that can be called in an expression. */
const builtin = new Set(['uuid', 'autoincrement']);

function lowerFunction(
  head: Extract<Form, { kind: 'symbol' }>,
  operands: readonly Form[],
  list: Collection,
  around: Surroundings,
): Expression {
  const [only] = operands;
  const inner = head.name === 'await' && operands.length === 1 && only !== undefined ? lowerQuoted(only, around) : undefined;
  if (inner?.kind === 'call') return { ...inner, awaited: true, span: list.span };
  const { name, isOurs } = functionName(head.name, around.lowering);
  const call = {
    kind: 'call',
    name: { text: name, span: head.span },
    arguments: operands.map((each) => lowerQuoted(each, around)),
    awaited: false,
    span: list.span,
  } as const;
  return isOurs ? call : { ...call, function: { file: list.span.source.file, function: name, language: 'clojure' } };
}

function functionName(symbol: string, lowering: Lowering): { readonly name: string; readonly isOurs: boolean } {
  const imported = importedName(symbol, lowering);
  if (imported !== undefined) return { name: imported.join('.'), isOurs: true };
  if (symbol.startsWith('dateFns/')) return { name: symbol.replace('/', '.'), isOurs: true };
  if (symbol === 'utc-now') return { name: 'now', isOurs: true };
  if (symbol === 'now' || /(?:^|\.)(?:datetime|dt)\/now$/.test(symbol)) return { name: 'localNow', isOurs: true };
  return { name: symbol, isOurs: builtin.has(symbol) };
}
