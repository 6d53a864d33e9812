// How two values compare in expressions: by the declared type of each side where it is known, else by what they are.

import { error, unreachable } from '../../errors.ts';
import type { ComparisonOperator, Expression } from '../../model/pattern.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { decimal } from '../../model/types/number/decimal.ts';
import { uuid } from '../../model/types/text/uuid.ts';
import { momentKey } from '../../model/types/time/calendar.ts';
import { momentIn } from '../../model/types/time/datetime.ts';
import { time } from '../../model/types/time/time.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import { canonical, compareNumbers, isNumeric, type Numeric } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { writeJson } from '../../values/json/json.ts';
import { isLike, patternFault } from '../../values/like.ts';
import type { Value } from '../../values/value.ts';

/** What is known of the two sides of a comparison besides their values. */
export interface Sides {
  readonly left: Expression;
  readonly right: Expression;
}

/** Tells the declared type of what a path leads to; of a list, that of its elements. */
export interface Declarations {
  kindAt?(path: readonly string[]): ColumnKind | undefined;
}

export function holds(
  operator: ComparisonOperator,
  first: Value,
  second: Value,
  sides?: Sides | undefined,
  declarations?: Declarations | undefined,
): boolean {
  switch (operator) {
    case '==':
      return same(first, second, sides, declarations);
    case '!=':
      return !same(first, second, sides, declarations);
    case 'in':
      return isIn(first, second, sides, declarations);
    case 'like':
      return typeof first === 'string' && typeof second === 'string' && isLike(first, checkedPattern(second));
    case 'between': {
      if (!Array.isArray(second)) return false;
      const [low, high] = second.map((each) => compared(first, each, sides, declarations));
      return low !== undefined && low >= 0 && high !== undefined && high <= 0;
    }
    case '<':
      return (compared(first, second, sides, declarations) ?? 0) < 0;
    case '<=':
      return (compared(first, second, sides, declarations) ?? 1) <= 0;
    case '>':
      return (compared(first, second, sides, declarations) ?? 0) > 0;
    case '>=':
      return (compared(first, second, sides, declarations) ?? -1) >= 0;
    default:
      return unreachable(operator);
  }
}

/** The list stands on either side: models of the earlier syntax are written with it in front as well as behind. */
function isIn(first: Value, second: Value, sides: Sides | undefined, declarations: Declarations | undefined): boolean {
  const [value, list] = !Array.isArray(second) && Array.isArray(first) ? [second, first] : [first, second];
  return Array.isArray(list) && list.some((each) => same(value, each, sides, declarations));
}

function checkedPattern(pattern: string): string {
  const wrong = patternFault(pattern);
  if (wrong !== undefined) throw error('dataflow-failed', { detail: `In \`like\`, ${wrong}.` });
  return pattern;
}

/** Lists element by element; maps whatever the order of their keys. */
export function same(first: Value, second: Value, sides?: Sides | undefined, declarations?: Declarations | undefined): boolean {
  if (first === null || second === null) return first === second;
  if (Array.isArray(first) || Array.isArray(second)) return Array.isArray(first) && Array.isArray(second) && areSameItems(first, second);
  if (isObject(first) || isObject(second)) return isObject(first) && isObject(second) && haveSame(first, second);
  return compared(first, second, sides, declarations) === 0;
}

function areSameItems(first: readonly Value[], second: readonly Value[]): boolean {
  return first.length === second.length && first.every((each, index) => same(each, second[index] ?? null));
}

function haveSame(first: { readonly [key: string]: Value }, second: { readonly [key: string]: Value }): boolean {
  const keys = Object.keys(first);
  return (
    keys.length === Object.keys(second).length &&
    keys.every((key) => Object.hasOwn(second, key) && same(first[key] ?? null, second[key] ?? null))
  );
}

/** Whether each is what the one before it is: numbers by value, everything else only beside its own kind, no text read as anything. */
export function areSame(values: readonly Value[]): boolean {
  return values.every((each, index) => index === 0 || isSame(values[index - 1] ?? null, each));
}

function isSame(first: Value, second: Value): boolean {
  if (isNumeric(first) && isNumeric(second)) return compareNumbers(first, second) === 0;
  if (Array.isArray(first) && Array.isArray(second))
    return first.length === second.length && first.every((each, index) => isSame(each, second[index] ?? null));
  if (!isObject(first) || !isObject(second)) return first === second;
  const keys = Object.keys(first);
  const has = (key: string): boolean => Object.hasOwn(second, key) && isSame(first[key] ?? null, second[key] ?? null);
  return keys.length === Object.keys(second).length && keys.every(has);
}

/** Below, above or at zero; nothing where the two cannot be compared. */
function compared(first: Value, second: Value, sides: Sides | undefined, declarations: Declarations | undefined): number | undefined {
  if (isNumeric(first) && isNumeric(second)) return compareNumbers(first, second);
  if (first === null || second === null) return undefined;
  if (sides === undefined || declarations?.kindAt === undefined || isPlainText(first, second)) return comparedAs(undefined, first, second);
  const [one, other] = [kindOf(sides.left, declarations), kindOf(sides.right, declarations)];
  // A number is no text: what is declared as a text is read as a number only beside what is declared as one.
  if (one === undefined || other === undefined) return comparedAs(one ?? other, first, second);
  const kind = commonKind(one, other);
  return kind === undefined ? undefined : comparedAs(kind, first, second);
}

/** Whether both are texts that no declared type but a text has: then there is nothing to be looked up. */
function isPlainText(first: Value, second: Value): boolean {
  return typeof first === 'string' && typeof second === 'string' && !isFormatted(first) && !isFormatted(second);
}

/** Dates and times begin with a digit, and a UUID has a dash behind eight of its own. */
function isFormatted(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= 0x30 && code <= 0x39) || text.charCodeAt(8) === 0x2d;
}

function kindOf(expression: Expression, declarations: Declarations): ColumnKind | undefined {
  switch (expression.kind) {
    case 'reference': {
      const kind = declarations.kindAt?.(expression.path);
      // What a list, a map or `Any` holds is known by its values alone.
      return kind === 'json' ? undefined : kind;
    }
    case 'call': {
      const [only] = expression.arguments;
      const isOneOfThem = expression.aggregate === 'min' || expression.aggregate === 'max';
      return isOneOfThem && only !== undefined ? kindOf(only, declarations) : undefined;
    }
    default:
      return undefined;
  }
}

const numeric: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['integer', 'real', 'decimal']);
const days: ReadonlySet<ColumnKind> = new Set<ColumnKind>(['date', 'datetime']);

/** What two declared types are compared as: a text as the other one, a date as its midnight. */
function commonKind(one: ColumnKind, other: ColumnKind): ColumnKind | undefined {
  if (one === other) return one;
  if (one === 'scalar' || other === 'scalar') return 'scalar';
  if (numeric.has(one) && numeric.has(other)) return 'decimal';
  if (days.has(one) && days.has(other)) return 'datetime';
  if (one === 'text') return other;
  return other === 'text' ? one : undefined;
}

function comparedAs(kind: ColumnKind | undefined, first: Value, second: Value): number | undefined {
  switch (kind) {
    case undefined:
    case 'json':
      return comparedByValue(first, second);
    case 'text':
      return typeof first === 'string' && typeof second === 'string' ? byCodePoint(first, second) : undefined;
    case 'boolean':
      return typeof first === 'boolean' && typeof second === 'boolean' ? Number(first) - Number(second) : undefined;
    case 'scalar':
      // Of one kind, or not the same: the text "1" is not the number 1.
      return typeof first === typeof second ? comparedByValue(first, second) : undefined;
    case 'integer':
    case 'real':
    case 'decimal': {
      const [a, b] = [numberIn(first), numberIn(second)];
      return a === undefined || b === undefined ? undefined : compareNumbers(a, b);
    }
    default: {
      const [a, b] = [formattedKey(kind, first), formattedKey(kind, second)];
      return a === undefined || b === undefined ? undefined : byCodePoint(a, b);
    }
  }
}

/** Where neither side has a declared type: a text beside a number is read as one. */
function comparedByValue(first: Value, second: Value): number | undefined {
  if (typeof first === 'string' && typeof second === 'string') return byCodePoint(first, second);
  if (typeof first === 'boolean' && typeof second === 'boolean') return Number(first) - Number(second);
  return comparedAs('decimal', first, second);
}

/** A number, or a text that is written as one. */
export function numberIn(value: Value): Numeric | undefined {
  if (value instanceof Double) return value.value;
  if (isNumeric(value)) return value;
  const text = typeof value === 'string' ? decimal.parseText(value) : undefined;
  return typeof text === 'string' ? new ExactNumber(text) : undefined;
}

/** The one text of all that are the same, which sorts as they do; nothing where it does not fit. */
function formattedKey(kind: 'uuid' | 'date' | 'time' | 'datetime', value: Value): string | undefined {
  const read = kind === 'uuid' ? uuid.parse(value) : kind === 'time' ? time.parse(value) : momentIn(value);
  if (typeof read !== 'string') return undefined;
  return kind === 'uuid' ? read : momentKey(read);
}

/** As the store sorts: what is absent first, numbers by value, texts by code point, dates and times by moment. */
export function order(first: Value, second: Value, kind?: ColumnKind): number {
  if (first === null || second === null) return Number(first !== null) - Number(second !== null);
  if (isNumeric(first) && isNumeric(second)) return compareNumbers(first, second);
  return kind !== undefined && isMomentKind(kind)
    ? byCodePoint(momentKey(textOf(first)), momentKey(textOf(second)))
    : byCodePoint(textOf(first), textOf(second));
}

/** A text that is the same for all values that are the same, for groups and `@distinct`. */
export function identityOf(value: Value, kind?: ColumnKind): string {
  const isTime = kind !== undefined && isMomentKind(kind) && typeof value === 'string';
  if (isTime) return writeJson(momentKey(value));
  return writeJson(identical(kind === 'decimal' ? (numberIn(value) ?? value) : value));
}

function identical(value: Value): Value {
  if (isNumeric(value)) {
    const number = value instanceof Double ? value.value : value;
    return new ExactNumber(canonical(number instanceof ExactNumber ? number : new ExactNumber(String(number))));
  }
  if (Array.isArray(value)) return value.map(identical);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  // As pairs, because an object would sort some of its keys by itself.
  return { pairs: names.map((name) => [name, identical(value[name] ?? null)]) };
}

function textOf(value: Value): string {
  return typeof value === 'object' ? writeJson(value) : String(value);
}

function byCodePoint(first: string, second: string): number {
  return first === second ? 0 : Buffer.compare(Buffer.from(first), Buffer.from(second));
}
