// In charge of quoted calls: arithmetic, comparison and text become expressions of the service, everything else calls of functions.

import { type EqualityFunction, sameOf } from '../../../model/equality.ts';
import { numberFunctions } from '../../../model/number-functions.ts';
import { sumOf } from '../../../model/numeric-expression.ts';
import { type BinaryOperator, type CodeExpression, choosing, comparisonWords, type Expression } from '../../../model/pattern.ts';
import type { Span } from '../../../source.ts';
import { type Collection, type Form, isMap, type Keyword, type MapForm, unquoted } from '../read/form.ts';
import { code, data, importedName, type Lowering } from './lowering.ts';
import { lowerQuote, mapOf, nestedData } from './quote.ts';

/** How names in an expression are understood, which depends on where it stands. */
export interface Surroundings {
  readonly lowering: Lowering;
  reference(keyword: Keyword): Expression;
  /** Whether functions may give their results later. */
  readonly awaits?: boolean;
  /** Whether it names an attribute of the type that is asked for. */
  isColumn?(keyword: Keyword): boolean;
  /** Whether rows are asked for: what a store can be asked goes by the declared types. */
  readonly asksRows?: boolean;
  /** Whether `[:in :A :B]` looks for the second in the first: where nothing is asked for, there is no column to begin with. */
  readonly listFirst?: boolean;
  /** What keywords in vectors and maps mean, and unquoted forms; plain data where nothing is said. */
  value?(form: Form): Expression;
  /** The instance that a map describes, if it does. */
  pattern?(form: MapForm): Expression | undefined;
}

/** The operators, by how they are written here. */
export const operators: ReadonlyMap<string, BinaryOperator> = new Map<string, BinaryOperator>([
  ['+', '+'],
  ['-', '-'],
  ['*', '*'],
  ['/', '/'],
  ...[...comparisonWords].filter(([word]) => word !== '='),
  // What `==` and `!=` are in the module syntax: by the declared types, which reads a text as what it is compared with.
  ['type=', '=='],
  ['type-not=', '!='],
  // What `+` is in the module syntax: it puts texts together, and gives nothing where one is absent.
  ['text+', '+'],
]);

/** Those that take more than two operands, one after the other. */
const chained = new Set(['+', '-', '*', '/', 'text+']);

/** Those that give one of their operands, and are no operators therefore. */
const choices: ReadonlyMap<string, string> = new Map([
  ['and', 'all'],
  ['or', 'either'],
]);

/** Those that compare values as they are: a text is no number. */
const equalities: ReadonlyMap<string, EqualityFunction> = new Map([
  ['=', 'same'],
  ['not=', 'differ'],
]);

/** Forms that are not calls, although they look like them. */
const specialForms = new Set(
  [
    'if if-let if-not if-some when when-let when-not when-some when-first cond condp case let letfn loop recur do fn fn* def defn',
    'try catch throw quote for doseq dotimes while -> ->> as-> some-> some->> cond-> cond->> doto new . .. binding lazy-seq delay',
    'assert comment memfn time var with-out-str with-redefs lazy-cat future promise locking dosync',
  ].flatMap((each) => each.split(' ')),
);

/** Functions whose arguments may be keywords that stand for themselves. */
const keyed = new Set(
  [
    'get get-in assoc assoc-in dissoc select-keys contains? update update-in find map mapv mapcat filter filterv remove keep some every?',
    'sort-by group-by juxt comp partial apply reduce zipmap conj into merge hash-map array-map max-key min-key set vector list not-any?',
  ].flatMap((each) => each.split(' ')),
);

/** What a quoted form means. Code that the service does not understand keeps its quote: without it, it would run at another time. */
export function quotedValue(form: Form, around: Surroundings): Expression {
  const value = lowerQuoted(unquoted(form), around);
  return value.kind === 'code' ? { ...value, text: `'${value.text}`, span: form.span } : value;
}

function lowerQuoted(form: Form, around: Surroundings): Expression {
  const inner = unquoted(form);
  if (inner !== form) return nestedData(inner, around.lowering) ?? runningCode(form, around);
  switch (form.kind) {
    case 'keyword':
      return around.reference(form);
    case 'list':
      return lowerCall(form, around);
    case 'symbol':
    case 'function':
    case 'deref':
      return runningCode(form, around);
    case 'vector':
    case 'set':
      return (
        lowerQuote(form, around.lowering, (each) => unquotedValue(each, around)) ?? {
          kind: 'list',
          items: form.items.map((each) => lowerItem(each, around)),
          span: form.span,
        }
      );
    case 'map':
      return (isMap(form) ? around.pattern?.(form) : undefined) ?? mapOf(form, around.lowering, (each) => lowerItem(each, around));
    default:
      return data(form, around.lowering);
  }
}

/** `[:uq# form]`: as it would be understood outside of a quoted form. */
function unquotedValue(form: Form, around: Surroundings): Expression {
  if (around.value !== undefined) return around.value(form);
  if (unquoted(form) !== form) return quotedValue(form, around);
  return form.kind === 'list' || form.kind === 'symbol' ? code(form, around.lowering) : lowerQuoted(form, around);
}

/** Inside of a quoted form, calls in vectors and maps are computed too, with everything else. */
function lowerItem(form: Form, around: Surroundings): Expression {
  if (form.kind !== 'keyword') return lowerQuoted(form, around);
  return around.value === undefined ? data(form, around.lowering) : around.value(form);
}

function lowerCall(list: Collection, around: Surroundings): Expression {
  const [head, ...operands] = list.items;
  if (head?.kind !== 'symbol' || isSpecial(head.name, around.lowering)) return runningCode(list, around);
  const isOwn = around.lowering.functions.has(head.name);
  return (isOwn ? undefined : lowerOperator(head.name, operands, list.span, around)) ?? lowerFunction(head, operands, list, around);
}

function isSpecial(name: string, { macros }: Lowering): boolean {
  return specialForms.has(name) || keyed.has(name) || macros.has(name) || name.startsWith('.') || name.endsWith('.');
}

/** Code that is computed whenever its value is needed, from what its keywords refer to. */
function runningCode(form: Form, around: Surroundings): CodeExpression {
  const inputs = keywordsIn(form).flatMap((each) => {
    const meant = around.reference(each);
    return meant.kind === 'reference' ? [meant] : [];
  });
  return { ...code(form, around.lowering), run: { of: 'body', inputs, span: form.span } };
}

/** Those that could be references: neither the keys of maps nor what is called. */
function keywordsIn(form: Form): readonly Keyword[] {
  if (form.kind === 'keyword') return [form];
  if (unquoted(form) !== form) return [];
  if ('form' in form) return keywordsIn(form.form);
  if (!('items' in form)) return [];
  const isName = (index: number): boolean =>
    (form.kind === 'map' && index % 2 === 0) || ((form.kind === 'list' || form.kind === 'function') && index === 0);
  return form.items.flatMap((each, index) => (each.kind === 'keyword' && isName(index) ? [] : keywordsIn(each)));
}

function lowerOperator(head: string, operands: readonly Form[], span: Span, around: Surroundings): Expression | undefined {
  const given = () => operands.map((each) => lowerQuoted(each, around));
  const call = (text: string): Expression => ({ kind: 'call', name: { text, span }, arguments: given(), awaited: false, span });
  if (head === 'not' && operands.length === 1) return unary('not', given().map(asCondition), span);
  if (head === '-' && operands.length === 1) return unary('-', given(), span);
  const choice = choices.get(head);
  if (choice !== undefined) return call(choice);
  if (head === 'boolean' && operands.length === 1) return truthOf(given(), span);
  if (head === 'str') return call('str');
  const equality = equalities.get(head);
  if (equality !== undefined && operands.length > 0) return sameOf(equality, given(), span);
  const operator = operators.get(head);
  if (operator === undefined || operands.length < 2 || (operands.length > 2 && !chained.has(head))) return undefined;
  if (head !== '+') return folded(operator, given(), span);
  const [first, ...rest] = given();
  return first === undefined ? undefined : sumOf(first, rest, span);
}

function unary(operator: 'not' | '-', operands: readonly Expression[], span: Span): Expression | undefined {
  const [operand] = operands;
  return operand === undefined ? undefined : { kind: 'unary', operator, operand, span };
}

/** `(boolean (and a b))`: where it is only asked whether, the choice is an operator. */
function truthOf([operand]: readonly Expression[], span: Span): Expression | undefined {
  const condition = operand === undefined ? undefined : asCondition(operand);
  return condition?.kind === 'binary' && condition !== operand ? { ...condition, span } : undefined;
}

/** What is only asked whether it counts as true, with operators that a store can be asked to compute. */
export function asCondition(value: Expression): Expression {
  if (value.kind === 'unary' && value.operator === 'not') return { ...value, operand: asCondition(value.operand) };
  if (value.kind !== 'call' || value.arguments.length === 0) return value;
  const choice = choosing(value);
  return (
    (choice === undefined ? undefined : folded(choice === 'all' ? 'and' : 'or', value.arguments.map(asCondition), value.span)) ?? value
  );
}

export function folded(operator: BinaryOperator, operands: readonly Expression[], span: Span): Expression | undefined {
  const [first, ...rest] = operands;
  return first === undefined
    ? undefined
    : rest.reduce<Expression>((left, right) => ({ kind: 'binary', operator, left, right, span }), first);
}

/** The service's own functions that can be called in an expression. */
const builtin = new Set(['uuid', 'autoincrement', ...numberFunctions.keys()]);

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
  const given = operands.map((each) => lowerQuoted(each, around));
  // What code gives may be a function, which is no value outside of it; neither is a regular expression.
  const isCode = given.some((each) => each.kind === 'code') || operands.some((each) => each.kind === 'regex');
  if (!isOurs && isCode) return runningCode(list, around);
  const awaited = around.awaits === true && !(isOurs && builtin.has(name)) && !name.startsWith('dateFns.') && !isClock(name);
  const call = { kind: 'call', name: { text: name, span: head.span }, arguments: given, awaited, span: list.span } as const;
  return isOurs ? call : { ...call, function: { file: list.span.source.file, function: name, language: 'clojure' } };
}

function isClock(name: string): boolean {
  return name === 'now' || name === 'localNow';
}

function functionName(symbol: string, lowering: Lowering): { readonly name: string; readonly isOurs: boolean } {
  const imported = importedName(symbol, lowering);
  if (imported !== undefined) return { name: imported.join('.'), isOurs: true };
  if (/^dateFns\/\w+$/.test(symbol)) return { name: symbol.replace('/', '.'), isOurs: true };
  if (symbol === 'utc-now') return { name: 'now', isOurs: true };
  if (symbol === 'now' || /(?:^|\.)(?:datetime|dt)\/now$/.test(symbol)) return { name: 'localNow', isOurs: true };
  return { name: symbol, isOurs: builtin.has(symbol) && !lowering.functions.has(symbol) };
}
