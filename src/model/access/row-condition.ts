// The condition of a rule on a row, read from its expression: what is compared with what. What a rule means, and what is wrong with it, is decided here.

import { unreachable } from '../../errors.ts';
import type { Span } from '../../source.ts';
import type { Value } from '../../values/value.ts';
import { literalValue } from '../literals.ts';
import { type Attribute, columnKind, type Entity, type Model } from '../model.ts';
import type { BinaryExpression, CallExpression, Expression, Reference } from '../pattern.ts';
import type { ColumnKind } from '../types/attribute-type.ts';
import { profileOf } from './profile.ts';
import { isSingle, type PathFault, type RowPath, type RowType, rowPath } from './row-path.ts';

export type RowCondition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly RowCondition[] }
  | { readonly kind: 'not'; readonly condition: RowCondition }
  | RowTest
  /** What means nothing: it holds for no row, and its opposite for none. */
  | { readonly kind: 'faulty' };

/** One value is compared: it holds where all tests do, or any of them. Neither is there without a row that the value is of. */
export interface RowTest {
  readonly kind: 'test';
  readonly left: RowValue;
  readonly tests: readonly Test[];
  readonly join: 'and' | 'or';
  readonly span: Span;
}

export interface Test {
  readonly operator: RowOperator;
  /** Absent for `null` and `not-null`. */
  readonly right: RowTerm | undefined;
}

export type RowOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'like' | 'null' | 'not-null';

/** A value of a row: of the one that the rule is about, of one that a path leads to, or of the caller's own instance of an entity. */
export type RowValue =
  | ({ readonly kind: 'path' } & RowPath)
  | { readonly kind: 'profile'; readonly entity: Entity; readonly attribute: Attribute };

export type RowTerm =
  | RowValue
  | { readonly kind: 'caller'; readonly name: 'user' | 'id' }
  | { readonly kind: 'time'; readonly name: 'now' | 'today' }
  | { readonly kind: 'constant'; readonly value: Value };

/** Told of each fault, with its place. */
export type TellFault = (fault: PathFault, span: Span) => void;

/** `start` is what `this` is. */
export function rowCondition(where: Expression, start: RowType, model: Model, tell: TellFault = () => {}): RowCondition {
  return new ConditionReader(start, model, tell).read(where);
}

/** All tests of a condition, whatever joins them. */
export function testsIn(condition: RowCondition): readonly RowTest[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(testsIn);
    case 'not':
      return testsIn(condition.condition);
    case 'test':
      return [condition];
    case 'faulty':
      return [];
    default:
      return unreachable(condition);
  }
}

/** The values of rows that a test compares. */
export function valuesIn({ left, tests }: RowTest): readonly RowValue[] {
  return [left, ...tests.flatMap(({ right }) => (right !== undefined && isOfRow(right) ? [right] : []))];
}

export function isOfRow(term: RowTerm): term is RowValue {
  return term.kind === 'path' || term.kind === 'profile';
}

const operators: ReadonlyMap<string, readonly [RowOperator, turned: RowOperator]> = new Map([
  ['==', ['eq', 'eq']],
  ['!=', ['ne', 'ne']],
  ['<', ['lt', 'gt']],
  ['<=', ['lte', 'gte']],
  ['>', ['gt', 'lt']],
  ['>=', ['gte', 'lte']],
]);

/** `(now)` of the earlier surface is a local time where it is stored; moments are compared as what they are. */
const times: ReadonlyMap<string, 'now' | 'today'> = new Map([
  ['now', 'now'],
  ['localNow', 'now'],
  ['today', 'today'],
]);

const form = 'a condition compares an attribute of `this`, or of the caller, with `auth.user`, `auth.id`, a value or another attribute';
const faulty: RowCondition = Object.freeze({ kind: 'faulty' });

class ConditionReader {
  readonly #start: RowType;
  readonly #model: Model;
  readonly #tell: TellFault;

  constructor(start: RowType, model: Model, tell: TellFault) {
    [this.#start, this.#model, this.#tell] = [start, model, tell];
  }

  read(where: Expression): RowCondition {
    if (where.kind === 'unary' && where.operator === 'not') return { kind: 'not', condition: this.read(where.operand) };
    if (where.kind !== 'binary') return this.#fault(where.span, form);
    const { operator, left, right } = where;
    if (operator === 'and' || operator === 'or') return { kind: operator, conditions: [this.read(left), this.read(right)] };
    return this.#test(where);
  }

  #test(where: BinaryExpression): RowCondition {
    const { operator, left, right, span } = where;
    if (operator === 'in' || operator === 'between') return this.#ofList(where);
    const [one, other] = [this.#term(left), this.#term(right)];
    if (one === undefined || other === undefined) return faulty;
    if (operator === 'like') return this.#like(one, other, span);
    const [direct, turned] = operators.get(operator) ?? [];
    if (direct === undefined || turned === undefined) return this.#fault(span, form);
    if (isOfRow(one)) return this.#compared(one, direct, other, span);
    return isOfRow(other) ? this.#compared(other, turned, one, span) : this.#fault(span, form);
  }

  #compared(left: RowValue, operator: RowOperator, right: RowTerm, span: Span): RowCondition {
    if (right.kind === 'constant' && right.value === null) {
      if (operator !== 'eq' && operator !== 'ne') return this.#fault(span, 'nothing is less or more than `null`');
      return { kind: 'test', left, tests: [{ operator: operator === 'eq' ? 'null' : 'not-null', right: undefined }], join: 'and', span };
    }
    const read = this.#fitting(left, operator, right, span);
    return read === undefined ? faulty : { kind: 'test', left, tests: [{ operator, right: read }], join: 'and', span };
  }

  /** A pattern stands in the model: an address may hold what stands for any letters. */
  #like(left: RowTerm, right: RowTerm, span: Span): RowCondition {
    if (!isOfRow(left) || right.kind !== 'constant' || typeof right.value !== 'string')
      return this.#fault(span, 'with `like` an attribute is compared with a text');
    if (kindOf(left) !== 'text') return this.#fault(span, `\`${nameOf(left)}\` is no text, and like no other one`);
    return { kind: 'test', left, tests: [{ operator: 'like', right }], join: 'and', span };
  }

  #ofList({ operator, left, right, span }: BinaryExpression): RowCondition {
    const value = this.#term(left);
    if (value === undefined) return faulty;
    if (right.kind !== 'list' || right.items.length === 0 || (operator === 'between' && right.items.length !== 2))
      return this.#fault(right.span, operator === 'between' ? '`between` takes a list of two' : '`in` takes a list of values');
    const items = right.items.map((each) => this.#term(each));
    const tests: Test[] = [];
    for (const [index, item] of items.entries()) {
      if (item === undefined) return faulty;
      const place = right.items[index]?.span ?? span;
      if (operator === 'in' && !isOfRow(value) && isOfRow(item)) return this.#amongRows(value, items, right.items, span);
      if (!isOfRow(value)) return this.#fault(span, form);
      if (isOfRow(item)) return this.#fault(place, 'a list holds values, `auth.user`, `auth.id`, `now()` and `today()`');
      if (item.kind === 'constant' && item.value === null) return this.#fault(place, 'a list holds no `null`');
      const wanted = operator === 'in' ? 'eq' : index === 0 ? 'gte' : 'lte';
      const read = this.#fitting(value, wanted, item, place);
      if (read === undefined) return faulty;
      tests.push({ operator: wanted, right: read });
    }
    if (!isOfRow(value)) return this.#fault(span, form);
    return { kind: 'test', left: value, tests, join: operator === 'in' ? 'or' : 'and', span };
  }

  /** `auth.user in [this.author, this.editor]`: one of them is. */
  #amongRows(value: RowTerm, items: readonly (RowTerm | undefined)[], places: readonly Expression[], span: Span): RowCondition {
    const conditions = items.map((item, index): RowCondition => {
      if (item === undefined) return faulty;
      return isOfRow(item)
        ? this.#compared(item, 'eq', value, places[index]?.span ?? span)
        : this.#fault(places[index]?.span ?? span, form);
    });
    return { kind: 'or', conditions };
  }

  /** The right side as the left one can be compared with it. */
  #fitting(left: RowValue, operator: RowOperator, right: RowTerm, span: Span): RowTerm | undefined {
    const kind = kindOf(left);
    const name = nameOf(left);
    const refuse = (message: string, suggestion?: string): undefined =>
      this.#refuse({ code: 'rbac-never', message, ...(suggestion === undefined ? {} : { suggestion }) }, span);
    if (kind === 'json') return refuse(`\`${name}\` holds more than one value, and is compared with nothing`);
    switch (right.kind) {
      case 'path':
      case 'profile':
        return isAlike(kind, kindOf(right)) ? right : refuse(`\`${name}\` and \`${nameOf(right)}\` are of different types`);
      case 'caller':
        return this.#fittingCaller(left, operator, right, span);
      case 'time': {
        if (kind === (right.name === 'now' ? 'datetime' : 'date')) return right;
        const other = kind === 'date' ? 'today()' : kind === 'datetime' ? 'now()' : undefined;
        return refuse(`\`${name}\` is never compared with \`${right.name}()\``, other === undefined ? undefined : `write \`${other}\``);
      }
      case 'constant': {
        const value = constantFor(left.attribute, right.value);
        if (value !== undefined) return { kind: 'constant', value };
        this.#tell({ code: 'rbac-empty', message: `\`${name}\` never holds this value` }, span);
        return undefined;
      }
      default:
        return unreachable(right);
    }
  }

  #fittingCaller(left: RowValue, operator: RowOperator, right: RowTerm & { kind: 'caller' }, span: Span): RowTerm | undefined {
    const kind = kindOf(left);
    if (operator !== 'eq' && operator !== 'ne')
      return this.#refuse({ code: 'rbac-condition', message: `\`auth.${right.name}\` is neither less nor more than anything` }, span);
    if (kind === 'text' || kind === 'scalar' || (kind === 'uuid' && right.name === 'id')) return right;
    const what = right.name === 'user' ? 'an e-mail, which `auth.user` is' : 'a text, which `auth.id` is';
    return this.#refuse({ code: 'rbac-never', message: `\`${nameOf(left)}\` never holds ${what}` }, span);
  }

  #term(expression: Expression): RowTerm | undefined {
    if (expression.kind === 'reference') return this.#reference(expression);
    if (expression.kind === 'call') return this.#call(expression);
    const value = literalValue(expression.kind === 'quote' ? expression.value : expression);
    if (value !== undefined && (value === null || typeof value !== 'object' || !Array.isArray(value))) return { kind: 'constant', value };
    return this.#refuse({ code: 'rbac-condition', message: form }, expression.span);
  }

  #call({ name, arguments: given, function: own, span }: CallExpression): RowTerm | undefined {
    const found = given.length === 0 && own === undefined ? times.get(name.text) : undefined;
    if (found !== undefined) return { kind: 'time', name: found };
    return this.#refuse({ code: 'rbac-condition', message: 'a condition calls nothing but `now()` and `today()`' }, span);
  }

  #reference({ path: [first, ...rest], span }: Reference): RowTerm | undefined {
    if (first === 'auth') return this.#ofCaller(rest, span);
    if (first !== 'this' || rest.length === 0) return this.#refuse({ code: 'rbac-condition', message: form }, span);
    const found = rowPath(rest, this.#start, this.#model);
    return 'code' in found ? this.#refuse(found, span) : { kind: 'path', ...found };
  }

  #ofCaller([name = '', ...rest]: readonly string[], span: Span): RowTerm | undefined {
    if (rest.length === 0 && (name === 'user' || name === 'id')) return { kind: 'caller', name };
    const entity = this.#model.entities.get(name);
    if (entity === undefined) return this.#refuse(this.#unknownOfCaller([name, ...rest]), span);
    if (profileOf(entity) === undefined) {
      const suggestion = 'say with `@profile(…)` which of its attributes is the e-mail of the user';
      return this.#refuse({ code: 'rbac-condition', message: `\`${entity.local}\` describes no users`, suggestion }, span);
    }
    const found = rowPath(rest, entity, this.#model);
    if ('code' in found) return this.#refuse(found, span);
    if (found.steps.length === 0) return { kind: 'profile', entity, attribute: found.attribute };
    const message = `a path goes on from \`this\`; of the caller it is one attribute of \`${entity.local}\``;
    return this.#refuse({ code: 'rbac-path', message }, span);
  }

  #unknownOfCaller(path: readonly string[]): PathFault {
    const profiles = [...this.#model.entities.values()].filter((each) => profileOf(each) !== undefined);
    const names = profiles.map(({ name, local, module }) => (module === this.#start.module ? local : name));
    const known = ['user', 'id', ...names].map((each) => `auth.${each}`);
    const written = `auth.${path.join('.')}`;
    const message = `a condition knows of the caller ${known.map((each) => `\`${each}\``).join(', ')}, not \`${written}\``;
    const near = names.find((each) => each.endsWith(`/${path[0]}`));
    const name = near === undefined ? `auth.${path[0]}` : `auth.${near}`;
    return near === undefined
      ? { code: 'attribute-unknown', message, unknown: { name, known } }
      : { code: 'attribute-unknown', message, suggestion: `write \`${name}\`` };
  }

  #fault(span: Span, message: string): RowCondition {
    this.#tell({ code: 'rbac-never', message }, span);
    return faulty;
  }

  #refuse(fault: PathFault, span: Span): undefined {
    this.#tell(fault, span);
    return undefined;
  }
}

export function kindOf({ attribute }: RowValue): ColumnKind {
  return columnKind(attribute);
}

export function nameOf({ attribute }: RowValue): string {
  return attribute.name;
}

/** Tells values of rows apart, by where they come from; nothing where there may be several of them. */
export function keyOfValue(value: RowValue): string | undefined {
  if (value.kind === 'profile') return undefined;
  return isSingle(value) ? JSON.stringify([value.steps, value.attribute.name]) : undefined;
}

const numbers: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['integer', 'real', 'decimal']);

function isAlike(one: ColumnKind, other: ColumnKind): boolean {
  return one === other || (numbers.has(one) && numbers.has(other));
}

/** As the attribute would keep it; nothing where it never could. */
function constantFor({ type, values }: Attribute, value: Value): Value | undefined {
  if (values !== undefined) return typeof value === 'string' && values.includes(value) ? value : undefined;
  return type.kind === 'plain' ? type.type.parse(value) : undefined;
}
