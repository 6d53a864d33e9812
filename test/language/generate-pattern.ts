// In charge of generated expressions, patterns and statements.

import fc, { type Arbitrary } from 'fast-check';
import { sumOf } from '../../src/model/numeric-expression.ts';
import type {
  Aggregate,
  Alias,
  BinaryOperator,
  ComparisonOperator,
  Expression,
  InstancePattern,
  Join,
  MapExpression,
  NestedPattern,
  Pattern,
  PatternAttribute,
  PatternOptions,
  Statement,
} from '../../src/model/pattern.ts';
import { anyName, anywhere, literal, literalOf, nameOf, plainName, plainText, span, typeName, typeText } from './generate-parts.ts';

const few = { maxLength: 3 };
const comparisons: readonly ComparisonOperator[] = ['==', '!=', '<', '<=', '>', '>=', 'in', 'like', 'between'];
const operators: readonly BinaryOperator[] = [...comparisons, '+', '-', '*', '/', 'and', 'or'];

const words = fc.constantFrom('not', 'in', 'return', 'if', 'like', 'await', 'delete');
const first = fc.oneof(
  typeText.map((each) => each.replace(/(\/[^.]*)\..*/, '$1')).map((each) => (each.includes('/') ? each : (each.split('.')[0] ?? each))),
  words,
);
const leaf: Arbitrary<Expression> = fc.oneof(
  literal,
  fc.tuple(first, fc.array(plainText, few)).map(([start, rest]): Expression => ({ kind: 'reference', path: [start, ...rest], span })),
);

function anyExpression(
  expression: Arbitrary<Expression>,
  map: Arbitrary<Expression>,
  instance: Arbitrary<InstancePattern>,
): Arbitrary<Expression> {
  const unary = fc.constantFrom('not' as const, '-' as const);
  return fc.oneof(
    leaf,
    fc.array(expression, few).map((items): Expression => ({ kind: 'list', items, span })),
    map,
    call(expression),
    fc.tuple(unary, expression).map(([operator, operand]): Expression => ({ kind: 'unary', operator, operand, span })),
    fc
      .tuple(fc.constantFrom(...operators), expression, expression)
      .map(([operator, left, right]): Expression => ({ kind: 'binary', operator, left, right, span })),
    fc.tuple(expression, fc.array(expression, { minLength: 1, maxLength: 3 })).map(([first, rest]) => sumOf(first, rest, span)),
    instance.map((pattern): Expression => ({ kind: 'pattern', pattern, span })),
  );
}

function call(expression: Arbitrary<Expression>): Arbitrary<Expression> {
  return fc
    .tuple(typeName, fc.array(expression, few), fc.boolean())
    .map(([name, args, awaited]) => ({ kind: 'call', name, arguments: args, awaited, span }));
}

function anyMap(expression: Arbitrary<Expression>): Arbitrary<MapExpression> {
  const key = fc.oneof(fc.string({ maxLength: 6 }), fc.integer(), fc.boolean()).map(literalOf);
  const entry = fc.record({ key, value: expression });
  return fc.array(entry, few).map((entries) => ({ kind: 'map', entries, span }));
}

function anyInstance(expression: Arbitrary<Expression>, instance: Arbitrary<InstancePattern> | undefined): Arbitrary<InstancePattern> {
  const attributes = fc.array(attribute(expression), few);
  return fc.record({
    kind: fc.constant('instance' as const),
    type: typeName,
    all: fc.boolean(),
    attributes,
    nested: instance === undefined ? fc.constant([]) : fc.array(nested(instance), { maxLength: 2 }),
    options: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: options(expression, attributes) }),
    span: anywhere,
  });
}

function nested(instance: Arbitrary<InstancePattern>): Arbitrary<NestedPattern> {
  return fc.oneof(
    fc.tuple(typeName, fc.array(instance, few)).map(([relationship, patterns]) => ({ relationship, list: true, patterns, span })),
    fc.tuple(typeName, instance).map(([relationship, pattern]) => ({ relationship, list: false, patterns: [pattern], span })),
  );
}

const aggregate: Arbitrary<Aggregate> = fc.record({
  kind: fc.constant('aggregate' as const),
  function: fc.constantFrom('count' as const, 'sum' as const, 'avg' as const, 'min' as const, 'max' as const),
  of: typeName,
  span: anywhere,
});

function attribute(expression: Arbitrary<Expression>): Arbitrary<PatternAttribute> {
  const value = fc.oneof<Arbitrary<Expression | Aggregate>[]>(expression, aggregate);
  const name = fc.oneof(anyName, typeName);
  return fc.record({ name, query: fc.constantFrom(...comparisons), value, span: anywhere }, { requiredKeys: ['name', 'value', 'span'] });
}

function options(expression: Arbitrary<Expression>, attributes: Arbitrary<readonly PatternAttribute[]>): Arbitrary<PatternOptions> {
  const join: Arbitrary<Join> = fc.record({
    side: fc.constantFrom('inner' as const, 'left' as const, 'right' as const, 'full' as const),
    type: typeName,
    attributes,
    span: anywhere,
  });
  const column = fc.record({ name: anyName, value: fc.oneof<Arbitrary<Expression | Aggregate>[]>(expression, aggregate) });
  const names = fc.array(typeName, few);
  return fc.record(
    {
      from: expression,
      upsert: fc.constant(true),
      distinct: fc.constant(true),
      joins: fc.array(join, { minLength: 1, maxLength: 2 }),
      into: fc.array(column, few),
      where: attributes,
      groupBy: names,
      condition: expression,
      orderBy: fc.array(fc.record({ name: typeName, descending: fc.boolean() }), few),
      limit: expression,
      offset: expression,
    },
    { requiredKeys: [] },
  );
}

type Simple = Exclude<Pattern, { kind: 'return' }>;

function anyPattern(
  expression: Arbitrary<Expression>,
  instance: Arbitrary<InstancePattern>,
  map: Arbitrary<MapExpression>,
  statement: Arbitrary<Statement>,
  block: Arbitrary<readonly Statement[]>,
): Arbitrary<Simple> {
  const search = { kind: fc.constant('full-text' as const), type: typeName, text: expression, options: map, span: anywhere };
  // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no arbitrary is ever awaited.
  const condition = { kind: fc.constant('if' as const), condition: expression, then: block, otherwise: block, span: anywhere };
  return fc.oneof(
    instance,
    // A pattern that stands alone is that pattern, not an expression.
    expression.filter((each) => each.kind !== 'pattern').map((each): Simple => ({ kind: 'expression', expression: each, span })),
    fc.record(search, { requiredKeys: ['kind', 'type', 'text', 'span'] }),
    fc.tuple(fc.boolean(), instance).map(([purge, target]): Simple => ({ kind: 'delete', purge, target, span })),
    fc.tuple(plainName, statement, block).map(([variable, source, body]): Simple => ({ kind: 'for', variable, source, body, span })),
    fc.record(condition, { requiredKeys: ['kind', 'condition', 'then', 'span'] }),
    expression.map((reason): Simple => ({ kind: 'throw', reason, span })),
  );
}

const alias: Arbitrary<Alias> = fc.oneof(
  anyName.map((name): Alias => ({ kind: 'whole', name })),
  fc.record(
    {
      kind: fc.constant('parts' as const),
      names: fc.array(fc.option(plainName, { nil: undefined }), few),
      rest: plainName,
      span: anywhere,
    },
    { requiredKeys: ['kind', 'names', 'span'] },
  ),
);

/** What follows a `return` belongs to what is returned. */
function anyStatement(
  pattern: Arbitrary<Simple>,
  statement: Arbitrary<Statement>,
  block: Arbitrary<readonly Statement[]>,
): Arbitrary<Statement> {
  const handler = fc.record({ on: fc.constantFrom('not_found' as const, 'error' as const, 'declined' as const), handler: statement });
  const plain = pattern.map((each): Statement => ({ pattern: each, span }));
  const suffixed = fc.record(
    // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no arbitrary is ever awaited.
    { pattern, as: alias, catches: fc.array(handler, few), throws: fc.array(handler, few), empty: plain, then: block, span: anywhere },
    { requiredKeys: ['pattern', 'span'] },
  );
  const returned = statement.map((value): Statement => ({ pattern: { kind: 'return', value, span }, span }));
  return fc.oneof(plain, suffixed, returned);
}

interface Grammar {
  readonly expression: Arbitrary<Expression>;
  readonly map: Arbitrary<MapExpression>;
  readonly instance: Arbitrary<InstancePattern>;
  readonly statement: Arbitrary<Statement>;
  readonly block: Arbitrary<readonly Statement[]>;
}

const flat: Grammar = {
  expression: leaf,
  map: anyMap(leaf),
  instance: anyInstance(leaf, undefined),
  statement: leaf.map((each) => ({ pattern: { kind: 'expression', expression: each, span }, span })),
  block: fc.constant([]),
};

/** The grammar with everything in it one level deeper. */
function deeper({ expression, map, instance, statement, block }: Grammar): Grammar {
  const pattern = anyPattern(expression, instance, map, statement, block);
  const deeperStatement = anyStatement(pattern, statement, block);
  return {
    expression: anyExpression(expression, map, instance),
    map: anyMap(expression),
    instance: anyInstance(expression, instance),
    statement: deeperStatement,
    block: fc.array(deeperStatement, few),
  };
}

export const { expression, map, instance, statement, block } = deeper(deeper(deeper(flat)));

/** `name --> {...} @as made`. */
export const made: Arbitrary<Statement> = instance.map((pattern) => ({ pattern, as: { kind: 'whole', name: nameOf('made') }, span }));
