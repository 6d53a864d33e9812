// Comparisons that Clojure functions are given in place of the interpreter's own: numbers go by their values, whatever they are kept as.

import { compareNumbers } from '../../../values/arithmetic.ts';
import { AuthorException } from '../host.ts';
import type { Callable, Core, NamedFunction } from '../interpreter.ts';
import { isNumber, numberOf, numericOf } from './number-types.ts';

export function comparisons(core: Core): readonly NamedFunction[] {
  const equal = (first: unknown, second: unknown): boolean => areEqual(first, second, core);
  const equals: Callable = (...values) => values.every((each, index) => index === 0 || equal(values[index - 1], each));
  return [
    ordered('<', (order) => order < 0),
    ordered('<=', (order) => order <= 0),
    ordered('>', (order) => order > 0),
    ordered('>=', (order) => order >= 0),
    ordered('==', (order) => order === 0),
    ['=', equals],
    ['not=', (...values) => equals(...values) !== true],
    ...orders(core),
    ['max-key', (by, ...values) => extreme(by, values, 1, core)],
    ['min-key', (by, ...values) => extreme(by, values, -1, core)],
  ];
}

/** What `case` asks where one of its constants is a number that is none of the interpreter's own. */
export function isOneOf(constants: unknown, value: unknown, core: Core): boolean {
  for (let rest = core.seq(constants); isThere(rest); rest = core.next(rest))
    if (core.equals(core.first(rest), value) === true) return true;
  return false;
}

function ordered(name: string, holds: (order: number) => boolean): NamedFunction {
  return [
    name,
    (...values) => {
      const numbers = values.map((each) => orderedNumber(each, name));
      return numbers.every((each, index) => index === 0 || holds(compareNumbers(numbers[index - 1] ?? each, each)));
    },
  ];
}

/** Texts have an order of their own, which depends on what they stand for: here nobody knows. */
function orderedNumber(value: unknown, name: string): ReturnType<typeof numberOf> {
  if (typeof value === 'string')
    throw new AuthorException(`\`${name}\` compares numbers in Clojure, and a text was given; \`compare\` orders texts`);
  return numberOf(value);
}

/** Numbers by value, also inside of lists and maps; the rest as the interpreter has it. */
function areEqual(first: unknown, second: unknown, core: Core): boolean {
  if (first === second) return true;
  if (isNumber(first) && isNumber(second)) return compareNumbers(numericOf(first), numericOf(second)) === 0;
  if (!isCollection(first) || !isCollection(second)) return core.equals(first, second) === true;
  if (core.isSequential(first) === true && core.isSequential(second) === true) return areEqualLists(first, second, core);
  if (core.isMap(first) === true && core.isMap(second) === true) return areEqualMaps(first, second, core);
  return core.equals(first, second) === true;
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function areEqualLists(first: object, second: object, core: Core): boolean {
  let [one, other] = [core.seq(first), core.seq(second)];
  while (isThere(one) && isThere(other)) {
    if (!areEqual(core.first(one), core.first(other), core)) return false;
    [one, other] = [core.next(one), core.next(other)];
  }
  return !isThere(one) && !isThere(other);
}

function areEqualMaps(first: object, second: object, core: Core): boolean {
  if (core.count(first) !== core.count(second)) return false;
  for (let rest = core.seq(first); isThere(rest); rest = core.next(rest)) {
    const entry = core.first(rest);
    const other = core.find(second, core.key(entry));
    if (!isThere(other) || !areEqual(core.val(entry), core.val(other), core)) return false;
  }
  return true;
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** What sorts, with numbers by their values. */
function orders(core: Core): readonly NamedFunction[] {
  const compare: Callable = (first, second) =>
    isNumber(first) && isNumber(second) ? compareNumbers(numericOf(first), numericOf(second)) : core.compare(first, second);
  return [
    ['compare', compare],
    ['sort', (...given) => (given.length === 1 ? core.sort(compare, ...given) : core.sort(...given))],
    ['sort-by', (...given) => (given.length === 2 ? core.sortBy(given[0], compare, given[1]) : core.sortBy(...given))],
    ['sorted-map', (...given) => core.sortedMap(compare, ...given)],
    ['sorted-set', (...given) => core.sortedSet(compare, ...given)],
  ];
}

/** The one with the greatest or least number; the last of several. */
function extreme(by: unknown, values: readonly unknown[], sign: 1 | -1, core: Core): unknown {
  const numberFor = (value: unknown) => numberOf(core.apply(by, core.vector([value])));
  return values.reduce((best, each) => (compareNumbers(numberFor(each), numberFor(best)) * sign >= 0 ? each : best));
}
