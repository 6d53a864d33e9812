// In charge of the text of values: literals, references, quoted calls, conditions and plain data.

import { unreachable } from '../../../errors.ts';
import { comparesValues } from '../../../model/equality.ts';
import { addsNumbers } from '../../../model/numeric-expression.ts';
import {
  type BinaryExpression,
  type BinaryOperator,
  type CallExpression,
  comparisonWords,
  type Expression,
  type InstancePattern,
  type MapExpression,
} from '../../../model/pattern.ts';
import { someNode, type Node as WalkedNode } from '../../../model/walk.ts';
import { isKeywordText } from '../read/atom.ts';
import type { Node } from './layout.ts';
import { dataLiteral, form, keyword, list, literalNode, map, quotedList, textNode, vector } from './node.ts';

/** What names mean where a value stands. */
export interface Scene {
  readonly module: string;
  readonly declared: ReadonlySet<string>;
  /** Names of imported modules. */
  readonly imports?: ReadonlySet<string>;
  readonly aliases: ReadonlySet<string>;
  readonly isTrigger: boolean;
  /** The type of the pattern around. */
  readonly type: string | undefined;
  /** Handed in, because values hold patterns and patterns hold values. */
  instance(pattern: InstancePattern, scene: Scene): Node;
  /** How a reference is written, where it is not written as in a dataflow. */
  reference?(path: readonly string[]): string;
}

export function valueNode(value: Expression, scene: Scene): Node {
  return node(value, scene, false);
}

/** `quoted`: already behind a quote, where calls need none of their own. */
function node(value: Expression, scene: Scene, quoted: boolean): Node {
  const inside = (each: Expression) => node(each, scene, quoted);
  switch (value.kind) {
    case 'literal':
      return literalNode(value);
    case 'reference':
      return referenceNode(value.path, scene);
    case 'list':
      return vector(value.items.map(inside));
    case 'map':
      return mapNode(value, inside);
    case 'call':
    case 'unary':
    case 'binary':
      return callNode(value, scene, quoted);
    case 'pattern':
      return scene.instance(value.pattern, scene);
    case 'quote':
      return form([keyword('q#'), dataNode(value.value, scene)]);
    case 'unquote':
      return form([keyword('uq#'), node(value.value, scene, isComputedInside(value.value, scene))]);
    case 'code':
      return value.text;
    default:
      return unreachable(value);
  }
}

/** In what is computed for an attribute, calls inside of an unquoted collection are computed without a quote of their own. */
function isComputedInside({ kind }: Expression, { reference }: Scene): boolean {
  return reference !== undefined && (kind === 'list' || kind === 'map');
}

function mapNode(value: MapExpression, inside: (each: Expression) => Node): Node {
  const entries = value.entries.map(({ key, value: each }) => ({
    key: dataLiteral(key),
    value: inside(each),
    span: { start: key.span.start, end: each.span.end },
  }));
  return map(entries);
}

const known = new Set(['%', 'auth', 'EventContext', 'Error', 'this', '_']);

/** As short as it can be without meaning something else. */
function referenceNode(path: readonly string[], scene: Scene): string {
  if (scene.reference !== undefined) return scene.reference(path);
  const [first = '', ...rest] = path;
  const { module, declared, aliases, isTrigger, type } = scene;
  if (isTrigger && first === 'this' && !aliases.has('this')) return keyword(['Instance', ...rest].join('.'));
  const [only, ...more] = rest;
  const isOwn = type !== undefined && first === type && only !== undefined && more.length === 0;
  if (
    isOwn &&
    !aliases.has(only) &&
    !known.has(only) &&
    !declared.has(only) &&
    !only.includes('/') &&
    !(isTrigger && only === 'Instance')
  ) {
    return keyword(only);
  }
  const local = first.startsWith(`${module}/`) ? first.slice(module.length + 1) : undefined;
  if (local !== undefined && declared.has(local) && !aliases.has(local) && !known.has(local)) return keyword([local, ...rest].join('.'));
  return keyword(path.join('.'));
}

type Call = Extract<Expression, { readonly kind: 'call' | 'unary' | 'binary' }>;

function callNode(call: Call, scene: Scene, quoted: boolean): Node {
  const inside = (each: Expression) => node(each, scene, true);
  const nodes = call.kind === 'call' ? functionNodes(call, inside) : operatorNodes(call, inside);
  return quoted ? list(nodes) : quotedList(nodes);
}

const ownFunctions: ReadonlyMap<string, string> = new Map([
  ['localNow', 'now'],
  ['now', 'utc-now'],
  ['either', 'or'],
  ['all', 'and'],
  ['same', '='],
  ['differ', 'not='],
]);

function functionNodes(call: CallExpression, inside: (each: Expression) => Node): readonly Node[] {
  const { name, arguments: given, awaited, function: found } = call;
  const written = found?.language === 'clojure' ? name.text : (ownFunctions.get(name.text) ?? name.text.replace(/\.([^.]*)$/, '/$1'));
  const nodes = [written, ...given.map(inside)];
  return awaited ? ['await', list(nodes)] : nodes;
}

/** By the declared types; and where that is the same, by the values. */
const operatorWords: ReadonlyMap<BinaryOperator, readonly [string, string]> = new Map([
  ['==', ['type=', '=']],
  ['!=', ['type-not=', 'not=']],
]);

const chained = new Set<BinaryOperator>(['+', '-', '*', '/']);

function operatorNodes(call: Exclude<Call, CallExpression>, inside: (each: Expression) => Node): readonly Node[] {
  const condition = (each: Expression): Node => (isTruth(each) ? list(truthNodes(each, condition)) : inside(each));
  if (call.kind === 'unary') return [call.operator, call.operator === 'not' ? condition(call.operand) : inside(call.operand)];
  if (isTruth(call)) return ['boolean', list(truthNodes(call, condition))];
  const operands = chained.has(call.operator) ? spine(call, wordFor(call)) : [call.left, call.right];
  return [wordFor(call), ...operands.map(inside)];
}

/** Here `+` is a sum of numbers only. */
function wordFor(call: BinaryExpression): string {
  if (call.operator === '+') return addsNumbers(call) ? '+' : 'text+';
  const [byTypes, byValues] = operatorWords.get(call.operator) ?? [call.operator, call.operator];
  return comparesValues(call) ? byValues : byTypes;
}

type Truth = Extract<Expression, { readonly kind: 'binary' }> & { readonly operator: 'and' | 'or' };

/** Whether it is `and` or `or` that only tells whether: here these words give one of their operands. */
function isTruth(value: Expression): value is Truth {
  return value.kind === 'binary' && (value.operator === 'and' || value.operator === 'or');
}

/** Where it is only asked whether, nothing more has to be said inside. */
function truthNodes(value: Truth, condition: (each: Expression) => Node): readonly Node[] {
  return [value.operator, ...spine(value, value.operator).map(condition)];
}

/** `((a + b) + c)` as its operands. */
function spine(value: Expression, word: string): readonly Expression[] {
  const operands: Expression[] = [];
  let each = value;
  while (each.kind === 'binary' && wordFor(each) === word) {
    operands.unshift(each.right);
    each = each.left;
  }
  return [each, ...operands];
}

const wordOf: ReadonlyMap<BinaryOperator, string> = new Map([...comparisonWords].map(([word, operator]) => [operator, word]));

export function comparisonWord(operator: BinaryOperator): string {
  return wordOf.get(operator) ?? operator;
}

/** A condition as a vector; anything else as the value it is. */
export function conditionNode(value: Expression, scene: Scene): Node {
  const inside = (each: Expression) => conditionNode(each, scene);
  if (value.kind === 'unary' && value.operator === 'not') {
    // Code of a quoted call has no quote of its own: in a vector it would be data.
    const isBare = someNode([value], isBareCode) && !someNode([value], isQuotedCode);
    return isBare ? operandNode(value, scene) : form([keyword('not'), inside(value.operand)]);
  }
  if (value.kind !== 'binary') return operandNode(value, scene);
  const { operator, left, right } = value;
  if (operator === 'and' || operator === 'or') return form([keyword(operator), ...spine(value, operator).map(inside)], 1);
  const word = wordOf.get(operator);
  if (word === undefined) return valueNode(value, scene);
  // A vector in front of `:in` would be taken for its list.
  const subject = operator === 'in' ? operandNode(left, scene, true) : conditionNode(left, scene);
  const bounds = operator === 'between' && right.kind === 'list' && right.items.length === 2 ? right.items : undefined;
  if (bounds !== undefined && isName(subject)) {
    if (isColumn(left, scene)) return form([keyword(word), subject, ...bounds.map(inside)]);
    // With a column among them, the value would be looked for there; three names do not tell which of them is the value.
    const isClear = bounds.some((each) => !isName(inside(each))) && !bounds.some((each) => isColumn(each, scene));
    if (isClear) return form([keyword(word), ...bounds.map(inside), subject]);
  }
  const other = conditionNode(right, scene);
  // Where nothing is asked for, the list comes first.
  const listFirst = scene.type === undefined && scene.reference === undefined;
  if (operator === 'in' && listFirst && isName(subject) && isName(other)) return form([keyword(word), other, subject]);
  return form([keyword(word), subject, other]);
}

/** Code inside of a quoted call: the one quote around the call is its own, too. */
function isBareCode(value: WalkedNode): boolean {
  return value.kind === 'code' && value.run?.of === 'body' && !value.text.startsWith("'");
}

function isQuotedCode(value: WalkedNode): boolean {
  return value.kind === 'code' && value.text.startsWith("'");
}

function isName(node: Node): boolean {
  return typeof node === 'string' && node.startsWith(':');
}

/** Whether it is read as an attribute of the type that is asked for. */
function isColumn(value: Expression, { type, module, aliases }: Scene): boolean {
  const [first = '', second] = value.kind === 'reference' && value.path.length === 2 ? value.path : [];
  const qualified = (each: string) => (each.includes('/') ? each : `${module}/${each}`);
  return type !== undefined && second !== undefined && !aliases.has(first) && qualified(first) === qualified(type);
}

/** A list that begins with a name could be taken for a condition: a quote tells them apart. */
export function operandNode(value: Expression, scene: Scene, always = false): Node {
  // Here a bare name is an attribute of what is asked for, whatever else is called so.
  if (value.kind === 'reference' && isColumn(value, scene) && value.path[0] === scene.type) {
    return referenceNode(value.path, { ...scene, declared: new Set() });
  }
  const found = node(value, scene, always && value.kind === 'list');
  if (value.kind !== 'list' || typeof found === 'string') return found;
  const [first, ...rest] = found.items;
  const isNamed = typeof first?.node === 'string' && first.node.startsWith(':');
  // Behind a quote of the list, what is computed in it would mean something else: the name gets one of its own.
  if (!always && isNamed && someNode([value], isComputed) && !someNode([value], isBareCode))
    return vector([{ ...first, node: `'${first.node}` }, ...rest]);
  return always || isNamed ? { ...found, open: "'[", flat: found.flat === undefined ? undefined : `'${found.flat}` } : found;
}

function isComputed({ kind }: WalkedNode): boolean {
  return kind === 'call' || kind === 'unary' || kind === 'binary' || kind === 'code';
}

/** As `conditionNode`, where only a vector is taken for a condition. */
export function testNode(value: Expression, scene: Scene): Node {
  const found = conditionNode(value, scene);
  const isTest =
    value.kind === 'unary'
      ? value.operator === 'not'
      : value.kind === 'binary' && (wordOf.has(value.operator) || value.operator === 'and' || value.operator === 'or');
  return isTest ? found : form([keyword('and'), found]);
}

/** Plain data: keywords stand for themselves. */
export function dataNode(value: Expression, scene: Scene): Node {
  const inside = (each: Expression) => dataNode(each, scene);
  switch (value.kind) {
    case 'literal':
      return dataLiteral(value);
    case 'list':
      return vector(value.items.map(inside));
    case 'map':
      return mapNode(value, inside);
    default:
      return node(value, scene, false);
  }
}

/** A key that may be written as a keyword, whatever it was before. */
export function keyNode(text: string): string {
  return isKeywordText(text) ? keyword(text) : textNode(text);
}
