// Patterns and expressions of dataflows: one union for both surfaces. Front ends emit them with names as written;
// `link` returns the same shapes with every type name qualified.

import type { Span } from '../source.ts';
import { ExactNumber } from '../values/exact-number.ts';

/** A name as it stands in the text: `Post`, `blog.core/Post`, or dotted `rates.convert`. */
export interface Name {
  readonly text: string;
  readonly span: Span;
}

/** A number is exact: where no double holds it, it is a bigint or an ExactNumber. */
export type Scalar = string | number | bigint | boolean | null | ExactNumber;

export function isSameScalar(first: Scalar | undefined, second: Scalar | undefined): boolean {
  if (first instanceof ExactNumber && second instanceof ExactNumber) return first.text === second.text;
  return Object.is(first, second);
}

export type Expression =
  | Literal
  | MapExpression
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly span: Span }
  | Reference
  | CallExpression
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression; readonly span: Span }
  | BinaryExpression
  /** A pattern where a value is expected: `{Order {lines {Line {n 1}}}}`. */
  | { readonly kind: 'pattern'; readonly pattern: InstancePattern; readonly span: Span }
  /** `[:q# form]`: data, not evaluated; `[:uq# ref]` inside of it is. */
  | { readonly kind: 'quote' | 'unquote'; readonly value: Expression; readonly span: Span }
  | CodeExpression;

export interface BinaryExpression {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  /**
   * Of `+`: it puts no texts together, a text counts as the number that it reads as. `written`: `add(a, b)`, `(+ a b)`;
   * `target`: because the value is for an attribute that is a number.
   */
  readonly numeric?: 'written' | 'target';
  readonly left: Expression;
  readonly right: Expression;
  readonly span: Span;
}

/** `name`, `Event.attr.sub`, `this.attr`: the first part may be qualified (`mod/Event`). */
export interface Reference {
  readonly kind: 'reference';
  readonly path: readonly string[];
  /** Set by `link` on a path of a computed attribute that leads to another instance. */
  readonly related?: RelatedPath;
  readonly span: Span;
}

/** Where a path along a relationship leads: `OrderLine.Line.price`, `product.price`. */
export interface RelatedPath {
  readonly by:
    | { readonly kind: 'ref'; readonly attribute: string; readonly target: string }
    /** To what is contained, or to what it is contained in. */
    | { readonly kind: 'child' | 'parent'; readonly relationship: string }
    | { readonly kind: 'end'; readonly relationship: string; readonly end: string };
  readonly entity: string;
  /** Absent where instances are counted. */
  readonly attribute: string | undefined;
  /** Names inside of the attribute's value. */
  readonly inside: readonly string[];
  /** Whether it leads to any number of instances, and not to one or none. */
  readonly many: boolean;
}

/** Code in place of a value, as it is written: `(fn [x] (inc x))`, the name of a Clojure variable. */
export interface CodeExpression {
  readonly kind: 'code';
  readonly text: string;
  /** Where it is computed at each run; absent where it is evaluated once, when the model is loaded. */
  readonly run?: CodeRun;
  /** Set by `link`, where its value is needed. */
  readonly function?: FunctionReference;
  readonly span: Span;
}

export interface CodeRun {
  /** `body`: the values stand in it in place of these references. `function`: it is called with them. */
  readonly of: 'body' | 'function';
  /** Those that turn out to mean nothing are only words of the code. */
  readonly inputs: readonly Reference[];
  /** The code itself, without a quote around it. */
  readonly span: Span;
}

/** `now()`, `rates.convert(a, b)`, `await rates.load(x)`. */
export interface CallExpression {
  readonly kind: 'call';
  readonly name: Name;
  readonly arguments: readonly Expression[];
  readonly awaited: boolean;
  /** Set by `link` on a call of an imported function, by a front end on one of its own language; absent on the built-in ones. */
  readonly function?: FunctionReference;
  /** Set by `link` where its one argument is a path along a relationship. */
  readonly aggregate?: Aggregate['function'];
  readonly span: Span;
}

/** Built-in functions that evaluate their arguments only until one decides: it is their value, else the last one is. */
export const choosingFunctions = ['either', 'all'] as const;

/** Which of them a call is, if any. */
export function choosing({ name, function: own }: CallExpression): (typeof choosingFunctions)[number] | undefined {
  return own === undefined ? choosingFunctions.find((each) => each === name.text) : undefined;
}

export const aggregates = ['sum', 'count', 'min', 'max', 'avg'] as const satisfies readonly Aggregate['function'][];

/** A function of an imported module, or of the model's own code. */
export interface FunctionReference {
  /** Absolute, or relative to where the project was read from. */
  readonly file: string;
  /** Its name; in Clojure also the text of a function that is written in place. */
  readonly function: string;
  /** Absent for JavaScript and TypeScript modules. */
  readonly language?: 'clojure';
  /** Its import says that it acts on other systems: nothing of the request is done twice behind it. */
  readonly external?: true;
}

export interface Literal {
  readonly kind: 'literal';
  readonly value: Scalar;
  /** How it was written, where that matters to a reader: a back-quoted text, `1.50`. */
  readonly raw: string;
  readonly span: Span;
}

/** What the `null` of `is null` is written as. */
export const absence = 'is null';

export interface MapExpression {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Literal; readonly value: Expression }[];
  readonly span: Span;
}

export type UnaryOperator = 'not' | '-';
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'like' | 'between';
/** How comparisons are written wherever they are; a surface may have further spellings of its own. */
export const comparisonWords: ReadonlyMap<string, ComparisonOperator> = new Map<string, ComparisonOperator>([
  ['=', '=='],
  ['<>', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
  ['like', 'like'],
  ['in', 'in'],
  ['between', 'between'],
]);
/** Spellings of the current surface and of query objects besides. */
export const comparisonSigns: ReadonlyMap<string, ComparisonOperator> = new Map<string, ComparisonOperator>([
  ...comparisonWords,
  ['==', '=='],
  ['!=', '!='],
]);
export type BinaryOperator = ComparisonOperator | '+' | '-' | '*' | '/' | 'and' | 'or';

/** One thing that a workflow does, with what is done with its result. */
export interface Statement {
  /** It has none, which tells it from patterns and expressions. */
  readonly kind?: never;
  readonly pattern: Pattern;
  readonly as?: Alias;
  /** Handlers whose value becomes the result. */
  readonly catches?: readonly Handler[];
  /** Handlers whose value is told with the failure, which stays one. */
  readonly throws?: readonly Handler[];
  readonly empty?: Statement;
  readonly then?: readonly Statement[];
  readonly span: Span;
}

/** Handlers that stand for several outcomes at once are the same object. */
export interface Handler {
  readonly on: 'not_found' | 'error' | 'declined';
  readonly handler: Statement;
}

/** `@as name`, or `@as [first, _, third, __, rest]`, where `_` skips and the name after `__` takes the rest. */
export type Alias =
  | { readonly kind: 'whole'; readonly name: Name }
  | { readonly kind: 'parts'; readonly names: readonly (Name | undefined)[]; readonly rest?: Name; readonly span: Span };

export type Pattern =
  | InstancePattern
  | { readonly kind: 'expression'; readonly expression: Expression; readonly span: Span }
  | { readonly kind: 'full-text'; readonly type: Name; readonly text: Expression; readonly options?: MapExpression; readonly span: Span }
  | { readonly kind: 'delete'; readonly purge: boolean; readonly target: InstancePattern; readonly span: Span }
  | { readonly kind: 'for'; readonly variable: Name; readonly source: Statement; readonly body: readonly Statement[]; readonly span: Span }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly then: readonly Statement[];
      readonly otherwise?: readonly Statement[];
      readonly span: Span;
    }
  | { readonly kind: 'return'; readonly value: Statement; readonly span: Span }
  | { readonly kind: 'throw'; readonly reason: Expression; readonly span: Span }
  /** `[:match value 1 body 2 body otherwise]`: the first equal one wins. */
  | {
      readonly kind: 'match';
      readonly subject: Expression;
      readonly cases: readonly { readonly value: Expression; readonly body: readonly Statement[]; readonly span: Span }[];
      readonly otherwise?: readonly Statement[];
      readonly span: Span;
    }
  /** Statements where one is expected; the value is that of the last. */
  | { readonly kind: 'block'; readonly statements: readonly Statement[]; readonly span: Span }
  /** `[:eval value :check Type]`: the value, which must be of that type or pass that test. */
  | { readonly kind: 'eval'; readonly value: Expression; readonly check?: Expression; readonly span: Span }
  /** `[:await body :ok h :error h]`: the body runs later, the handlers after it. */
  | {
      readonly kind: 'await';
      readonly body: Statement;
      readonly done?: readonly Statement[];
      readonly handlers: readonly Handler[];
      readonly span: Span;
    }
  /** `[:? {:A {:Id 1}} :R1 {:B {:Y 2}} :R2 :C]`: instances at the end of a path, and the relationships between them. */
  | {
      readonly kind: 'path';
      readonly steps: readonly InstancePattern[];
      /** One fewer than the steps. */
      readonly relationships: readonly Name[];
      readonly span: Span;
    }
  /** `[:query :Ev.Query]`: a query object that is known at run time only. */
  | { readonly kind: 'query'; readonly query: Expression; readonly span: Span }
  /** `[:rethrow-after pattern]` in a handler: the failure goes on after the pattern has run. */
  | { readonly kind: 'rethrow'; readonly after: Statement; readonly span: Span };

/**
 * `{Type {attr value, attr? value}, Rel [...], @options}`. Without `?` it creates (or calls the event), with only `?` it queries,
 * with both it updates what it finds.
 */
export interface InstancePattern {
  readonly kind: 'instance';
  readonly type: Name;
  /** `{Type? {}}`: all instances. */
  readonly all: boolean;
  readonly attributes: readonly PatternAttribute[];
  readonly nested: readonly NestedPattern[];
  /** Where it hangs, seen from the instance: `:-> [[:WorksFor :Dept]]`. */
  readonly links?: readonly LinkPattern[];
  readonly options: PatternOptions;
  /** Set by `link` where `type` is not the name of a type but of earlier results, which are then changed. */
  readonly target?: readonly string[];
  /** Set by `link` where the event runs with subtypes: what its dataflow is then called in the model. */
  readonly substitution?: string;
  readonly span: Span;
}

/** How the values of such a change refer to the one instance of the target that is being changed, as the first part of a path. */
export function changedName(target: readonly string[]): string {
  return target.join('.');
}

/** Whether it looks for what is there: one that creates asks for nothing. */
export function isQuery({ all, attributes, links = [], options }: InstancePattern): boolean {
  return all || options.condition !== undefined || attributes.some((each) => each.query !== undefined) || links.some((each) => each.query);
}

/** Whether its rows are no instances: they are joined, grouped, or of chosen columns. */
export function isReport({ attributes, options: { joins, into, groupBy, distinct } }: InstancePattern): boolean {
  return [joins, into, groupBy, distinct].some((each) => each !== undefined) || attributes.some((each) => each.value.kind === 'aggregate');
}

/** `[:WorksFor parent id]`, `[{:Knows {:Since "2020"}} other]`: a relationship of the instance and what stands at its other end. */
export interface LinkPattern {
  readonly relationship: Name;
  /** `:WorksFor?`: what is there already is looked for. */
  readonly query: boolean;
  /** Those of the link itself. */
  readonly attributes: readonly PatternAttribute[];
  readonly other?: Expression;
  /** The identifier of the instance under that parent. */
  readonly id?: Expression;
  readonly span: Span;
}

export interface PatternAttribute {
  readonly name: Name;
  /** Present on `attr? value` and `attr?op value`. */
  readonly query?: ComparisonOperator;
  readonly value: Expression | Aggregate;
  readonly span: Span;
}

/** `PostComment [{Comment {...}}, ...]` or `PostComment {Comment? {}}`. */
export interface NestedPattern {
  readonly relationship: Name;
  readonly list: boolean;
  readonly patterns: readonly InstancePattern[];
  readonly span: Span;
}

export interface PatternOptions {
  readonly from?: Expression;
  readonly upsert?: boolean;
  readonly distinct?: boolean;
  readonly joins?: readonly Join[];
  readonly into?: readonly { readonly name: Name; readonly value: Expression | Aggregate }[];
  readonly where?: readonly PatternAttribute[];
  /** A condition over the columns, besides `where`: `@where(Sale.a > 3 or Sale.b == 1)`. */
  readonly condition?: Expression;
  readonly groupBy?: readonly Name[];
  readonly orderBy?: readonly { readonly name: Name; readonly descending: boolean }[];
  readonly limit?: Expression;
  readonly offset?: Expression;
  /** `:with-types {:Base :Sub}`: of an event, what stands in the place of the types in its dataflow. */
  readonly withTypes?: readonly { readonly base: Name; readonly subtype: Name }[];
  /** What is written, but has no effect: `:deleted`, `:timeout-ms`. */
  readonly ignored?: readonly { readonly name: Name; readonly value: CodeExpression }[];
}

export interface Join {
  readonly side: 'inner' | 'left' | 'right' | 'full';
  readonly type: Name;
  readonly attributes: readonly PatternAttribute[];
  readonly span: Span;
}

/**
 * Whether a condition of this join may be decided on the rows of the whole query: what an inner join leaves out can be left out at the end,
 * unless a row of a later join would stand alone for it.
 */
export function isDecidedLast(joins: readonly Pick<Join, 'side'>[], index: number): boolean {
  return joins[index]?.side === 'inner' && joins.slice(index + 1).every(({ side }) => side === 'inner' || side === 'left');
}

/** `@count(id)`, `@count(*)`, `@sum(Sale.amount)`. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly function: 'count' | 'sum' | 'avg' | 'min' | 'max';
  readonly of: Name;
  readonly span: Span;
}
