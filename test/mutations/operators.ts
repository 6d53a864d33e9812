// The small changes that can be made to a source: each of one expression or statement, and none of what is only a type, a message or a log line.

import { type CallExpression, type Expression, type Program, parseSync, type Statement, Visitor, type VisitorObject } from 'oxc-parser';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Change extends Span {
  readonly operator: Operator;
  readonly after: string;
}

export interface Mutation extends Change {
  readonly file: string;
  readonly line: number;
  readonly before: string;
}

export type Operator =
  | 'negate'
  | 'and/or'
  | 'equality'
  | 'bound'
  | 'arithmetic'
  | 'fallback'
  | 'guard'
  | 'number'
  | 'string'
  | 'boolean'
  | 'effect'
  | 'method'
  | 'nothing'
  | 'written';

/** What the changes of one source are gathered with. */
interface Gathering {
  readonly textOf: (node: Span) => string;
  readonly add: (operator: Operator, node: Span, after: string) => void;
  readonly skip: (node: Span) => void;
}

export function parsed(file: string, text: string): { readonly program: Program; readonly imports: readonly string[] } {
  const { program, errors, module } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
  const imported = module.staticImports.filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType));
  const passedOn = module.staticExports.flatMap(({ entries }) => entries.filter(({ isType, moduleRequest }) => !isType && moduleRequest));
  const lazy = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1));
  const named = [...imported, ...passedOn].map(({ moduleRequest }) => moduleRequest?.value ?? '');
  return { program, imports: [...new Set([...named, ...lazy])] };
}

export function mutationsOf(file: string, text: string): readonly Mutation[] {
  const found: Change[] = [];
  const skipped: Span[] = [];
  const gathering: Gathering = {
    textOf: ({ start, end }) => text.slice(start, end),
    add: (operator, { start, end }, after) => void found.push({ operator, start, end, after }),
    skip: ({ start, end }) => void skipped.push({ start, end }),
  };
  new Visitor({ ...types(gathering), ...conditions(gathering), ...values(gathering), ...statements(gathering) }).visit(
    parsed(file, text).program,
  );
  const isKept = (each: Change) => !skipped.some(({ start, end }) => start <= each.start && each.end <= end);
  return found.filter(isKept).map((change) => mutationOf(file, text, change));
}

export function mutationOf(file: string, text: string, change: Change): Mutation {
  const line = text.slice(0, change.start).split('\n').length;
  return { ...change, file, line, before: text.slice(change.start, change.end) };
}

export function applied(text: string, { start, end, after }: Change): string {
  return text.slice(0, start) + after + text.slice(end);
}

function types({ skip }: Gathering): VisitorObject {
  return {
    TSTypeAnnotation: skip,
    TSTypeAliasDeclaration: skip,
    TSInterfaceDeclaration: skip,
    TSTypeParameterInstantiation: skip,
    TSTypeParameterDeclaration: skip,
    TSLiteralType: skip,
    ImportDeclaration: skip,
    ExportAllDeclaration: skip,
    ImportExpression: skip,
    ExportNamedDeclaration: ({ source }) => void (source && skip(source)),
    Property: ({ key, computed }) => void (computed || skip(key)),
  };
}

const opposite = new Map<string, readonly [operator: Operator, after: string]>([
  ['===', ['equality', '!==']],
  ['!==', ['equality', '===']],
  ['<', ['bound', '<=']],
  ['<=', ['bound', '<']],
  ['>', ['bound', '>=']],
  ['>=', ['bound', '>']],
  ['-', ['arithmetic', '+']],
  ['*', ['arithmetic', '+']],
  ['%', ['arithmetic', '*']],
]);

function conditions({ textOf, add }: Gathering): VisitorObject {
  const negate = (test: Expression) => add('negate', test, `!(${textOf(test)})`);
  return {
    ConditionalExpression: ({ test }) => negate(test),
    IfStatement: (node) => {
      negate(node.test);
      if (node.alternate === null && leaves(node.consequent)) add('guard', node, ';');
    },
    LogicalExpression: (node) => {
      const [left, right] = [textOf(node.left), textOf(node.right)];
      if (node.operator === '??') add('fallback', node, left);
      else add('and/or', node, `((${left}) ${node.operator === '&&' ? '||' : '&&'} (${right}))`);
    },
    BinaryExpression: (node) => {
      const [operator, after] = opposite.get(node.operator) ?? [];
      const [left, right] = [textOf(node.left), textOf(node.right)];
      if (operator !== undefined) add(operator, node, `(${left} ${after} ${right})`);
      if (node.operator === '+' && /^\d+$/.test(right)) add('arithmetic', node, `(${left} - ${right})`);
    },
    UnaryExpression: (node) => void (node.operator === '!' && add('negate', node, textOf(node.argument))),
  };
}

function leaves(statement: Statement): boolean {
  const last = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement;
  return last !== undefined && ['ThrowStatement', 'ReturnStatement', 'ContinueStatement'].includes(last.type);
}

const otherMethod = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
]);

function values({ textOf, add, skip }: Gathering): VisitorObject {
  return {
    Literal: (node) => {
      if (typeof node.value === 'boolean') add('boolean', node, String(!node.value));
      if (typeof node.value === 'number') add('number', node, otherNumber(node.value));
      // Words that are parted by spaces are for people.
      if (typeof node.value === 'string' && !/\s/.test(node.value)) add('string', node, node.value === '' ? `'~'` : `''`);
    },
    CallExpression: (node) => {
      if (isUnreachable(node, textOf)) skip(node);
      if (node.callee.type !== 'MemberExpression') return;
      const other = otherMethod.get(textOf(node.callee.property));
      if (other !== undefined) add('method', node.callee.property, other);
    },
  };
}

/** The next one; of large ones the tenth part, as that of a limit by one more is seldom to be seen. */
function otherNumber(value: number): string {
  if (value === 1) return '0';
  return value > 16 ? String(Math.ceil(value / 10)) : String(value + 1);
}

function isUnreachable(node: Expression, textOf: Gathering['textOf']): boolean {
  return node.type === 'CallExpression' && textOf(node.callee) === 'unreachable';
}

function statements({ textOf, add, skip }: Gathering): VisitorObject {
  return {
    ExpressionStatement: (node) => {
      const call = called(node.expression);
      if (call !== undefined && /\blog(ger)?\b|\.(trace|debug|info|warn)$/.test(textOf(call.callee))) skip(node);
      else if (call !== undefined && call.callee.type !== 'Super') add('effect', node, ';');
      else if (node.expression.type === 'AssignmentExpression') add('effect', node, ';');
    },
    ReturnStatement: (node) => {
      if (node.argument === null || isUnreachable(node.argument, textOf) || textOf(node.argument) === 'undefined') return;
      add('nothing', node, 'return undefined;');
    },
    ArrowFunctionExpression: ({ body }) => {
      if (body.type !== 'BlockStatement' && textOf(body) !== 'undefined') add('nothing', body, 'undefined');
    },
  };
}

/** The call of `f()`, `await f()` and `void f()`. */
function called(node: Expression): CallExpression | undefined {
  if (node.type === 'AwaitExpression' || node.type === 'UnaryExpression') return called(node.argument);
  return node.type === 'CallExpression' ? node : undefined;
}
