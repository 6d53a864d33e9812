// In charge of the smallest parts of generated units: names, literals, and the one span that all of them share.

import fc, { type Arbitrary } from 'fast-check';
import { valueText } from '../../src/language/current/lex/literal.ts';
import type { Literal, Name, Scalar } from '../../src/model/pattern.ts';
import type { Span } from '../../src/source.ts';
import { ExactNumber } from '../../src/values/exact-number.ts';

export const span: Span = { source: { file: 'generated.al', text: '' }, start: 0, end: 0 };
export const anywhere: Arbitrary<Span> = fc.constant(span);

export function nameOf(text: string): Name {
  return { text, span };
}

export function literalOf(value: Scalar): Literal {
  return { kind: 'literal', value, raw: '', span };
}

export const plainText: Arbitrary<string> = fc.constantFrom('a', 'b1', 'Post', 'größe', '名', '_x', 'constructor', 'toString', 'x_y');
const wordText = fc.constantFrom(
  'event',
  'query',
  'where',
  'case',
  'delete',
  'in',
  'not',
  'module',
  'entity',
  'select',
  '__proto__',
  'true',
  'if',
  'as',
);

/** A name where any word may stand. */
export const anyName: Arbitrary<Name> = fc.oneof(plainText, wordText).map(nameOf);
export const plainName: Arbitrary<Name> = plainText.map(nameOf);

const parts = fc.array(plainText, { minLength: 1, maxLength: 3 }).map((each) => each.join('.'));
export const moduleName: Arbitrary<Name> = parts.map(nameOf);
/** `Post`, `blog.core/Post`, `blog.core/Post.title`. */
export const typeText: Arbitrary<string> = fc.oneof(
  plainText,
  fc.tuple(parts, parts).map(([module, name]) => `${module}/${name}`),
);
export const typeName: Arbitrary<Name> = typeText.map(nameOf);

export const text: Arbitrary<Literal> = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom('\\', '"', '`', '\n', '{{x}}'))
  .map(literalOf);

const scalar: Arbitrary<Scalar> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
  fc.bigInt({ min: -(2n ** 80n), max: -(2n ** 53n) }),
  fc.bigInt({ min: 10n ** 20n, max: 10n ** 30n }).map((digits) => new ExactNumber(`0.${digits}1`)),
  fc.bigInt({ min: 10n ** 20n, max: 10n ** 30n }).map((digits) => new ExactNumber(`-${digits}.5`)),
  fc.boolean(),
  fc.constant(null),
);

/** As another front end gives it, without how it was written, or with it. */
export const literal: Arbitrary<Literal> = fc
  .tuple(scalar, fc.boolean())
  .map(([value, written]) => ({ ...literalOf(value), raw: written ? valueText(value) : ':from-elsewhere' }));
