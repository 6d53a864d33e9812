// In charge of the text of expressions and patterns.

import { unreachable } from '../../../errors.ts';
import {
  type Aggregate,
  absence,
  type BinaryExpression,
  type Expression,
  type InstancePattern,
  type Join,
  type MapExpression,
  type Name,
  type NestedPattern,
  type PatternAttribute,
  type PatternOptions,
} from '../../../model/pattern.ts';
import { literalText } from '../lex/literal.ts';
import { type Doc, group, type Item, row } from './doc.ts';

export function expressionDoc(expression: Expression): Doc {
  switch (expression.kind) {
    case 'literal':
      return literalText(expression);
    case 'reference':
      return referenceText(expression.path);
    case 'list':
      return listDoc(expression);
    case 'map':
      return mapDoc(expression);
    case 'call':
      return row(expression.awaited ? 'await ' : '', expression.name.text, argumentsDoc(expression.arguments));
    case 'unary':
      return unaryDoc(expression);
    case 'binary':
      return isWrittenSum(expression) ? row('add', argumentsDoc(summandsOf(expression))) : binaryDoc(expression);
    case 'pattern':
      return instanceDoc(expression.pattern);
    case 'quote':
    case 'unquote':
      return expressionDoc(expression.value);
    case 'code':
      return literalText({ kind: 'literal', value: expression.text, raw: '', span: expression.span });
    default:
      return unreachable(expression);
  }
}

/** The condition of an access rule, whose equality is written with a single sign: `auth.user = this.owner`. */
export function ruleConditionDoc(expression: Expression): Doc {
  return expression.kind === 'binary' && expression.operator === '==' ? binaryDoc(expression, '=') : expressionDoc(expression);
}

/** Words that would be read as something else where a value can stand. */
const ambiguous = new Set(['not', 'await', 'return', 'throw', 'delete', 'purge', 'for', 'if', 'and', 'or', 'in', 'like', 'between']);

/** Names of the earlier surface that have another one here. */
export function nameText(text: string): string {
  return text === '%' ? 'item' : text;
}

function referenceText([first = '', ...rest]: readonly string[]): string {
  const isCaller = first === 'EventContext' && rest.length === 1 && rest[0] === 'User';
  const text = isCaller ? 'auth.user' : [nameText(first), ...rest].join('.');
  return ambiguous.has(text) ? `(${text})` : text;
}

function listDoc(list: Extract<Expression, { kind: 'list' }>): Doc {
  const broken = list.items.length > 1 && list.items.every((item) => item.kind === 'map' || item.kind === 'pattern');
  return group('[]', list.items.map(expressionItem), { broken, start: list.span.start, end: list.span.end });
}

function expressionItem(expression: Expression): Item {
  return { doc: expressionDoc(expression), span: expression.span };
}

export function mapDoc(map: MapExpression): Doc {
  const items = map.entries.map(({ key, value }) => ({
    doc: row(literalText(key), ': ', expressionDoc(value)),
    span: { start: key.span.start, end: value.span.end },
  }));
  return group('{}', items, { start: map.span.start, end: map.span.end });
}

/** Arguments in parentheses; a single one that cannot be broken itself gains nothing from lines of its own. */
export function argumentsDoc(args: readonly Expression[]): Doc {
  const [only] = args;
  if (only !== undefined && args.length === 1) return row('(', expressionDoc(only), ')');
  return group('()', args.map(expressionItem), extentOf(args));
}

/** The end of the last item is known, the bracket behind it is found by the layout. */
function extentOf(expressions: readonly Expression[]): { readonly start: number } | object {
  const [first] = expressions;
  return first === undefined ? {} : { start: first.span.start };
}

const tightest = 8;

/** `add(a, b)`: a sum of numbers that could be taken for a text otherwise. */
function isWrittenSum({ operator, numeric }: BinaryExpression): boolean {
  return operator === '+' && numeric === 'written';
}

function summandsOf({ left, right }: BinaryExpression): readonly Expression[] {
  return left.kind === 'binary' && isWrittenSum(left) ? [...summandsOf(left), right] : [left, right];
}

function precedence(expression: Expression): number {
  if (expression.kind === 'unary') return expression.operator === 'not' ? 3 : 7;
  if (expression.kind !== 'binary' || isWrittenSum(expression)) return tightest;
  switch (expression.operator) {
    case 'or':
      return 1;
    case 'and':
      return 2;
    case '+':
    case '-':
      return 5;
    case '*':
    case '/':
      return 6;
    default:
      return 4;
  }
}

function unaryDoc(expression: Extract<Expression, { kind: 'unary' }>): Doc {
  const { operator, operand } = expression;
  if (operator === 'not') return row('not ', operandDoc(operand, operand.kind === 'binary' ? tightest : 3));
  // `-1` is a literal, so that the negation of a literal needs its parentheses.
  const plain = operand.kind !== 'literal' && operand.kind !== 'unary';
  return row('-', plain ? operandDoc(operand, 7) : row('(', expressionDoc(operand), ')'));
}

function binaryDoc(expression: Extract<Expression, { kind: 'binary' }>, sign: string = expression.operator): Doc {
  const own = precedence(expression);
  const { operator, left, right } = expression;
  const isAbsence = right.kind === 'literal' && right.raw === absence;
  if (isAbsence && (operator === '==' || operator === '!='))
    return row(operandDoc(left, own), operator === '==' ? ' is null' : ' is not null');
  return row(operandDoc(expression.left, own), ` ${sign} `, operandDoc(expression.right, own + 1));
}

function operandDoc(operand: Expression, lowest: number): Doc {
  return precedence(operand) < lowest ? row('(', expressionDoc(operand), ')') : expressionDoc(operand);
}

/** `{Type {attr value, attr? value}, Rel [...], @options}`. */
export function instanceDoc(pattern: InstancePattern): Doc {
  const { type, all, attributes, span } = pattern;
  const rest = [...pattern.nested.map(nestedItem), ...optionItems(pattern.options)];
  const last = attributes.at(-1)?.span.end ?? type.span.end;
  const extent = rest.length === 0 ? { end: span.end } : {};
  const body = group('{}', attributes.map(patternAttributeItem), { start: type.span.end, ...extent });
  const head = row(type.text, all ? '? ' : ' ', body);
  if (rest.length === 0) return row('{', head, '}');
  const items = [{ doc: head, span: { start: type.span.start, end: last } }, ...rest];
  return group('{}', items, { start: span.start, end: span.end });
}

function nestedItem(nested: NestedPattern): Item {
  const { relationship, list, patterns, span } = nested;
  const items = patterns.map((each) => ({ doc: instanceDoc(each), span: each.span }));
  const style = { broken: items.length > 1, start: relationship.span.end, end: span.end };
  const [only] = items;
  const body = list || only === undefined ? group('[]', items, style) : only.doc;
  return { doc: row(relationship.text, ' ', body), span };
}

function patternAttributeItem(attribute: PatternAttribute): Item {
  const { name, query, value, span } = attribute;
  const operator = query === undefined ? '' : query === '==' ? '?' : /^\w/.test(query) ? `? ${query}` : `?${query}`;
  return { doc: row(name.text, operator, ' ', valueDoc(value)), span };
}

function valueDoc(value: Expression | Aggregate): Doc {
  return value.kind === 'aggregate' ? `@${value.function}(${value.of.text})` : expressionDoc(value);
}

function optionItems(options: PatternOptions): readonly Item[] {
  const docs: Doc[] = [];
  if (options.from !== undefined) docs.push(row('@from ', expressionDoc(options.from)));
  if (options.upsert === true) docs.push('@upsert');
  if (options.distinct === true) docs.push('@distinct');
  const joins = (options.joins ?? []).map(joinItem);
  const behind: Doc[] = [];
  if (options.into !== undefined) behind.push(row('@into ', group('{}', options.into.map(columnItem))));
  if (options.where !== undefined) behind.push(row('@where ', group('{}', options.where.map(patternAttributeItem))));
  if (options.groupBy !== undefined) behind.push(row('@groupBy', namesDoc(options.groupBy)));
  if (options.condition !== undefined) behind.push(row('@where(', expressionDoc(options.condition), ')'));
  if (options.orderBy !== undefined) behind.push(row('@orderBy', orderDoc(options.orderBy)));
  if (options.limit !== undefined) behind.push(row('@limit(', expressionDoc(options.limit), ')'));
  if (options.offset !== undefined) behind.push(row('@offset(', expressionDoc(options.offset), ')'));
  return [...docs.map((doc) => ({ doc })), ...joins, ...behind.map((doc) => ({ doc }))];
}

const joinWords = { inner: '@join', left: '@left_join', right: '@right_join', full: '@full_join' } as const;

function joinItem(join: Join): Item {
  const attributes = group('{}', join.attributes.map(patternAttributeItem), { start: join.type.span.end, end: join.span.end });
  return { doc: row(joinWords[join.side], ' ', join.type.text, ' ', attributes), span: join.span };
}

function columnItem(column: { readonly name: Name; readonly value: Expression | Aggregate }): Item {
  const span = { start: column.name.span.start, end: column.value.span.end };
  return { doc: row(column.name.text, ' ', valueDoc(column.value)), span };
}

function orderDoc(columns: NonNullable<PatternOptions['orderBy']>): Doc {
  const all = columns.length > 0 && columns.every((each) => each.descending);
  const items = columns.map(({ name, descending }) => ({ doc: descending && !all ? `${name.text} @desc` : name.text, span: name.span }));
  return row(group('()', items), all ? ' @desc' : '');
}

function namesDoc(names: readonly Name[]): Doc {
  return group(
    '()',
    names.map((name) => ({ doc: name.text, span: name.span })),
  );
}
