// In charge of generated values as texts of both syntaxes: literals of every kind, in lists, maps and sums.

import fc, { type Arbitrary } from 'fast-check';

const digits = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
const fraction = fc
  .tuple(digits, fc.stringMatching(/^\d{1,20}$/), fc.constantFrom('', '0', '00'))
  .map(([whole, part, zeros]) => `${whole}.${part}${zeros}`);
const exponent = fc
  .tuple(fc.constantFrom('1', '2.50', '0.00'), fc.constantFrom('e', 'E'), fc.integer({ min: -30, max: 30 }))
  .map((each) => each.join(''));
/** But for `-0`, which each syntax spells in its own way. */
const number = fc
  .tuple(fc.constantFrom('', '-'), fc.oneof(digits, fc.nat().map(String), fraction, exponent))
  .map(([sign, each]) => (each === '0' ? each : `${sign}${each}`));
const moments = ['"2025-01-31"', '"2025-01-31T09:30:00.500+02:00"', '"12:30"', '"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"'];
const words = ['"a\\"b\\\\c"', '"\\n\\t\\u00e9"', '"größe\n名"', '"1.50"', '":k"', '"{{x}}"', '""'];
const text = fc.oneof(
  fc.constantFrom(...moments, ...words),
  fc.string({ maxLength: 6 }).map((each) => JSON.stringify(each)),
);
const keys = fc.uniqueArray(fc.constantFrom('2', '1', '10', '-3', '007', 'b', 'a c', '1.50', 'true', ':k'), { maxLength: 4 });

interface Syntax {
  readonly literals: readonly Arbitrary<string>[];
  readonly references: readonly string[];
  list(items: readonly string[]): string;
  map(entries: readonly (readonly [string, string])[]): string;
  call(word: string, operands: readonly string[]): string;
}

function valueIn({ literals, references, list, map, call }: Syntax, calls: readonly string[]): Arbitrary<string> {
  const { value } = fc.letrec<{ readonly value: string; readonly sum: string }>((tie) => ({
    value: fc.oneof(
      { depthIdentifier: 'values', depthSize: 'small', maxDepth: 3, withCrossShrink: true },
      ...literals,
      fc.constantFrom(...references),
      fc.array(tie('value'), { maxLength: 3 }).map(list),
      keys.chain((names) => fc.tuple(...names.map((name) => tie('value').map((each) => [name, each] as const)))).map(map),
      tie('sum'),
    ),
    sum: fc
      .tuple(fc.constantFrom(...calls), fc.array(tie('value'), { minLength: 2, maxLength: 3 }))
      .map(([word, operands]) => call(word, operands)),
  }));
  return value;
}

/** Where it is only asked whether something is true, `either` is `or`, and the earlier syntax has one word for them. */
function asValue(operand: string): string {
  return operand.startsWith('either(') ? `str(${operand})` : operand;
}

export const currentValue: Arbitrary<string> = valueIn(
  {
    literals: [number, text, fc.constantFrom('true', 'false', 'null')],
    references: ['Made.One', 'Made.Two.x'],
    list: (items) => `[${items.join(', ')}]`,
    map: (entries) => `{${entries.map(([key, each]) => `${JSON.stringify(key)}: ${each}`).join(', ')}}`,
    call: (word, operands) =>
      ['add', 'str', 'max', 'either'].includes(word)
        ? `${word}(${operands.join(', ')})`
        : `(${operands.map((each) => (word === 'and' ? asValue(each) : each)).join(` ${word} `)})`,
  },
  ['+', '+', '-', '*', '/', '==', 'and', 'add', 'str', 'max', 'either'],
);

export const earlierValue: Arbitrary<string> = valueIn(
  {
    literals: [
      number,
      number.map((each) => (/[.eE]/.test(each) ? `${each}M` : `${each}N`)),
      text,
      fc.constantFrom('true', 'false', 'nil', '0x1F', '1/2', '\\a', '#inst "2025-01-31T09:30:00Z"', '5M'),
    ],
    references: [':Made.One', ':Made.Two.x'],
    list: (items) => `[${items.join(' ')}]`,
    map: (entries) => `{${entries.map(([key, each]) => `${JSON.stringify(key)} ${each}`).join(' ')}}`,
    call: (word, operands) => `(${[word, ...(['not='].includes(word) ? operands.slice(0, 2) : operands)].join(' ')})`,
  },
  ['+', '+', 'text+', '-', '*', '/', 'not=', 'and', 'str', 'max', 'or'],
);
