// Random programs of nested scopes, the same in both syntaxes, and what they must give: an interpreter of its own, which keeps a stack of
// scopes where the service keeps one table of names.

import fc from 'fast-check';

/** Bound from the first statement on, so that they may be looked at anywhere. */
const names = ['a', 'b', 'c'] as const;
/** The variable of loops alone; where loops can be without a name for their elements, of those. */
export const inLoops = 'w';
const probes = ['p', 'q', 'r'] as const;

export type Source = { readonly kind: 'values'; readonly values: readonly number[] } | { readonly kind: 'items'; readonly most: number };
type Operand = { readonly kind: 'number'; readonly value: number } | { readonly kind: 'name'; readonly name: string };

export type Statement =
  | { readonly kind: 'bind'; readonly name: string; readonly value: Operand }
  | { readonly kind: 'parts'; readonly names: readonly (string | undefined)[]; readonly rest: string; readonly values: readonly number[] }
  /** Everything that can be seen, kept under a name. */
  | { readonly kind: 'probe'; readonly name: string }
  | { readonly kind: 'find'; readonly id: number; readonly as: string | undefined }
  | { readonly kind: 'loop'; readonly variable: string; readonly source: Source; readonly body: Body }
  /** A loop that fails at the end of its first round, where it has one. */
  | { readonly kind: 'failing'; readonly variable: string; readonly source: Source; readonly body: Body; readonly handler: Body }
  | { readonly kind: 'if'; readonly holds: boolean; readonly first: Body; readonly second: Body }
  | { readonly kind: 'found'; readonly id: number; readonly first: Body; readonly second: Body }
  /** A pattern inside of a value. */
  | { readonly kind: 'embedded'; readonly id: number; readonly name: string }
  /** Another workflow, whose names are its own, called for each element. */
  | { readonly kind: 'call'; readonly value: Operand };
export type Body = readonly Statement[];

const name = fc.constantFrom(...names);
const variable = fc.constantFrom(...names, inLoops);
const source: fc.Arbitrary<Source> = fc.oneof(
  fc.record({ kind: fc.constant('values' as const), values: fc.array(fc.integer({ min: 10, max: 99 }), { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('items' as const), most: fc.integer({ min: 0, max: 3 }) }),
);
const operand: fc.Arbitrary<Operand> = fc.oneof(
  fc.record({ kind: fc.constant('number' as const), value: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ kind: fc.constant('name' as const), name }),
);

const { body } = fc.letrec<{ statement: Statement; body: Body }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({ kind: fc.constant('bind' as const), name, value: operand }),
    fc.record({ kind: fc.constant('probe' as const), name: fc.constantFrom(...probes) }),
    fc.record({
      kind: fc.constant('parts' as const),
      names: fc.array(fc.option(name, { nil: undefined }), { maxLength: 2 }),
      rest: name,
      values: fc.array(fc.integer({ min: 100, max: 999 }), { maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('find' as const), id: fc.integer({ min: 1, max: 4 }), as: fc.option(name, { nil: undefined }) }),
    fc.record({ kind: fc.constant('embedded' as const), id: fc.integer({ min: 1, max: 4 }), name }),
    fc.record({ kind: fc.constant('call' as const), value: operand }),
    fc.record({ kind: fc.constant('loop' as const), variable, source, body: tie('body') }),
    fc.record({ kind: fc.constant('failing' as const), variable, source, body: tie('body'), handler: tie('body') }),
    fc.record({ kind: fc.constant('if' as const), holds: fc.boolean(), first: tie('body'), second: tie('body') }),
    fc.record({ kind: fc.constant('found' as const), id: fc.integer({ min: 1, max: 4 }), first: tie('body'), second: tie('body') }),
  ),
  body: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }),
}));

export const program: fc.Arbitrary<Body> = body.map((statements) => [
  ...names.map((each, index): Statement => ({ kind: 'bind', name: each, value: { kind: 'number', value: index + 1 } })),
  ...probes.map((each): Statement => ({ kind: 'bind', name: each, value: { kind: 'number', value: 0 } })),
  { kind: 'find', id: 1, as: undefined },
  ...statements,
]);

/** What the last statement of every program gives. */
export const seenAtEnd: readonly string[] = [...names, ...probes];
export function seenByProbes(isInLoop: boolean): readonly string[] {
  return isInLoop ? [...names, inLoops] : names;
}
export const itemCount = 3;

/** An item is `item 1`: no other value is a text, but messages. */
export type Seen = number | string | null | readonly Seen[];
export const failure = 'stop';

/** `element`: what the name of the type means until another one is found. */
interface ScopeFrame {
  readonly name: string;
  value: Seen;
  element: Seen | undefined;
}

interface Interpreter {
  readonly frames: ScopeFrame[];
  readonly table: Map<string, Seen>;
  item: Seen;
}

class Stop extends Error {}

/** What a program gives: the names at its end, and the item that was found last. */
export function interpret(statements: Body): Seen {
  const interpreter: Interpreter = { frames: [], table: new Map(), item: null };
  runBody(statements, interpreter);
  return [...seenAtEnd.map((each) => lookUp(each, interpreter)), itemIn(interpreter)];
}

function runBody(statements: Body, interpreter: Interpreter): void {
  for (const each of statements) runStatement(each, interpreter);
}

function lookUp(wanted: string, { frames, table }: Interpreter): Seen {
  return (frames.findLast((each) => each.name === wanted) ?? { value: table.get(wanted) ?? null }).value;
}

function assign(wanted: string, value: Seen, { frames, table }: Interpreter): void {
  const frame = frames.findLast((each) => each.name === wanted);
  if (frame === undefined) table.set(wanted, value);
  else frame.value = value;
}

/** The identifier of what the name of the type means. */
function itemIn({ frames, item }: Interpreter): Seen {
  const meant = frames.findLast((each) => each.element !== undefined)?.element ?? item;
  return typeof meant === 'string' ? Number(meant.replace('item ', '')) : null;
}

function findItems(fits: (id: number) => boolean, interpreter: Interpreter): readonly string[] {
  const found = Array.from({ length: itemCount }, (_, index) => index + 1).filter(fits);
  const items = found.map((each) => `item ${each}`);
  const [first] = items;
  if (first !== undefined) {
    interpreter.item = first;
    for (const each of interpreter.frames) each.element = undefined;
  }
  return items;
}

function operandValue(given: Operand, interpreter: Interpreter): Seen {
  return given.kind === 'number' ? given.value : lookUp(given.name, interpreter);
}

function runStatement(statement: Statement, interpreter: Interpreter): void {
  if (statement.kind === 'loop') loop(statement, false, interpreter);
  else if (statement.kind === 'failing') failing(statement, interpreter);
  else if (statement.kind === 'if') runBody(statement.holds ? statement.first : statement.second, interpreter);
  else if (statement.kind === 'found') {
    const found = findItems((id) => id === statement.id, interpreter);
    runBody(found.length > 0 ? statement.first : statement.second, interpreter);
  } else for (const [wanted, value] of assignments(statement, interpreter)) assign(wanted, value, interpreter);
}

type Plain = Exclude<Statement, { kind: 'loop' | 'failing' | 'if' | 'found' }>;

/** What a statement without others in it gives names to. */
function assignments(statement: Plain, interpreter: Interpreter): readonly (readonly [string, Seen])[] {
  switch (statement.kind) {
    case 'bind':
      return [[statement.name, operandValue(statement.value, interpreter)]];
    case 'parts': {
      const parts = statement.names.flatMap((each, index) =>
        each === undefined ? [] : [[each, statement.values[index] ?? null] as const],
      );
      return [...parts, [statement.rest, statement.values.slice(statement.names.length)]];
    }
    case 'probe': {
      const seen = seenByProbes(interpreter.frames.some((each) => each.name === inLoops));
      return [[statement.name, [...seen.map((each) => lookUp(each, interpreter)), itemIn(interpreter)]]];
    }
    case 'find': {
      const found = findItems((id) => id === statement.id, interpreter);
      return statement.as === undefined ? [] : [[statement.as, found]];
    }
    case 'embedded':
      return [[statement.name, [findItems((id) => id === statement.id, interpreter), 5]]];
    default:
      return [['a', called(operandValue(statement.value, interpreter))]];
  }
}

function loop(statement: Extract<Statement, { kind: 'loop' | 'failing' }>, stops: boolean, interpreter: Interpreter): void {
  const { source: from } = statement;
  const values = from.kind === 'values' ? from.values : findItems((id) => id <= from.most, interpreter);
  for (const value of values) {
    const depth = interpreter.frames.length;
    interpreter.frames.push({ name: statement.variable, value, element: from.kind === 'items' ? value : undefined });
    try {
      runBody(statement.body, interpreter);
      if (stops) throw new Stop();
    } finally {
      interpreter.frames.length = depth;
    }
  }
}

function failing(statement: Extract<Statement, { kind: 'failing' }>, interpreter: Interpreter): void {
  try {
    loop(statement, true, interpreter);
  } catch (thrown) {
    if (!(thrown instanceof Stop)) throw thrown;
    assign('b', failure, interpreter);
    runBody(statement.handler, interpreter);
  }
}

/** What the other workflow gives for a value: it uses the same names, which are its own. */
function called(value: Seen): Seen {
  const elements = Array.isArray(value) ? value : value === null ? [] : [value];
  return [elements.map((each) => [each, 7]), value, 7];
}
