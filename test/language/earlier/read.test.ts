// The reader of forms, held against another reader of the same notation, and against text that no one would write.

import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../../src/diagnostics.ts';
import { earlierFrontEnd } from '../../../src/language/earlier/earlier.ts';
import type { Form } from '../../../src/language/earlier/read/form.ts';
import { pairsOf } from '../../../src/language/earlier/read/form.ts';
import { readForms } from '../../../src/language/earlier/read/read.ts';
import { ExactNumber } from '../../../src/values/exact-number.ts';
import { counted, isLarge } from '../../support/form.ts';

const numRuns = isLarge ? 10_000 : 60;

interface Peer {
  parseEDNString(text: string): unknown;
}

/** A development dependency: where it is not installed, the comparison is left out. */
async function loadPeer(): Promise<Peer | undefined> {
  try {
    return await import('edn-data');
  } catch {
    return undefined;
  }
}

const peer = await loadPeer();

/*
 * Where this reader differs from its peer, on purpose:
 * - Brackets that do not match, odd maps, repeated keys, unknown escapes and characters, unclosed texts: refused here, taken there.
 * - Integers beyond 2^53 are exact here, rounded there; 017, 0x1F, 2r101 and 1/2 are numbers here, symbols there.
 * - `'x`, `@x`, `^meta x`, `#(...)`, `#"..."`, `#:Ns{...}`, `##Inf` are Clojure, which the peer does not read.
 * The generated forms are those that both know.
 */
describe.skipIf(peer === undefined)('the reader and edn-data', () => {
  test('read the same values from the forms that both know', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { forms, diagnostics } = readForms({ file: 'a.edn', text });
        expect(hasErrors(diagnostics) ? [text, diagnostics] : []).toEqual([]);
        const [only] = forms;
        expect(only === undefined ? undefined : peerValue(only)).toEqual(peer?.parseEDNString(text));
      }),
      { numRuns },
    );
  });

  test('what the peer refuses is refused', () => {
    fc.assert(
      fc.property(soup, (text) => {
        if (!isRefused(text)) return;
        expect(hasErrors(readForms({ file: 'a.edn', text }).diagnostics) ? [] : [text]).toEqual([]);
      }),
      { numRuns },
    );
  });
});

function isRefused(text: string): boolean {
  try {
    peer?.parseEDNString(text);
    return false;
  } catch {
    return true;
  }
}

/** A form as the peer gives it. */
function peerValue(form: Form): unknown {
  switch (form.kind) {
    case 'nil':
      return null;
    case 'keyword':
      return { key: form.name };
    case 'symbol':
      return { sym: form.name };
    case 'character':
      return { char: form.value };
    case 'vector':
      return form.items.map(peerValue);
    case 'list':
      return { list: form.items.map(peerValue) };
    case 'set':
      return { set: form.items.map(peerValue) };
    case 'map':
      return { map: pairsOf(form).map(({ key, value }) => [peerValue(key), peerValue(value)]) };
    case 'tagged':
      return { tag: form.tag, val: peerValue(form.form) };
    default:
      return 'value' in form ? plainNumber(form.value) : undefined;
  }
}

/** The peer keeps no digits beyond the value. */
function plainNumber(value: unknown): unknown {
  return value instanceof ExactNumber && /\.\d*0$/.test(value.text) ? Number(value.text) : value;
}

const name = fc.constantFrom(
  'a',
  'B',
  'x1',
  'first-name',
  'size?',
  'go!',
  'a.b',
  'a.b/c',
  '*',
  '->',
  '<=',
  'q#',
  '&',
  '_',
  '%',
  'größe',
  'a:b',
);
const gap = fc.constantFrom(' ', '  ', ', ', '\n', ' ; note (\n', ' #_x ', ' #_(a [b]) ', '\t');

const atom: Arbitrary<string> = fc.oneof(
  fc.constantFrom('nil', 'true', 'false', '\\a', '\\newline', '\\space', '\\tab', '\\u00e9'),
  name.map((each) => `:${each}`),
  name,
  fc.integer().map(String),
  fc.integer().map((each) => `+${Math.abs(each)}`),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e20, max: 1e20 })
    .filter((each) => !Number.isInteger(each) && !String(each).includes('e'))
    .map(String),
  fc.constantFrom('1.50M', '0.1', '1e3', '2.5e-3', '-7'),
  fc.string({ maxLength: 8 }).map((each) => JSON.stringify(each).replace(/\\u007f/g, '\u007f')),
  fc.constantFrom('"a\nb"', '"\\t\\"\\\\"', '""', '"; not a comment"'),
);

const { form } = fc.letrec<{ form: string; items: string[] }>((tie) => ({
  items: fc.array(tie('form'), { maxLength: 4 }),
  form: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('items'), gap).map(([items, space]) => `[${items.join(space)}]`),
    fc.tuple(tie('items'), gap).map(([items, space]) => `(${items.join(space)} )`),
    fc.tuple(tie('items'), gap).map(([items, space]) => `#{${items.join(space)}}`),
    fc.tuple(tie('items'), gap).map(([items, space]) => `{${items.flatMap((each, index) => [`:k${index}`, each]).join(space)}}`),
    tie('form').map((each) => `#my/tag ${each}`),
  ),
}));

/** In a vector, because the peer does not tell several forms apart. */
const anyText = fc.tuple(gap, form, gap).map(([before, each, behind]) => `${before.includes('#_') ? ' ' : before}[${each}]${behind}`);

const soup = fc
  .array(fc.constantFrom('(', ')', '[', ']', '{', '}', '#{', '"', ':a', 'b', '1', '\\c', '#t', '#_', ';', '\n', ' ', ','), {
    maxLength: 30,
  })
  .map((parts) => parts.join(' '));

describe('reading anything', () => {
  // What takes more than its share for each more of them does not end with a tenth of them either.
  const many = (count: number): number => counted({ long: count, short: count / 10 });
  const most = many(1_000_000);
  const extremes: readonly (readonly [title: string, text: string])[] = [
    ['very many open brackets', '['.repeat(most)],
    ['very many pairs of brackets', `${'('.repeat(most)}${')'.repeat(most)}`],
    ['very many closing brackets', ')'.repeat(most)],
    ['very many quotes', "'".repeat(most)],
    ['very many discards', '#_'.repeat(most)],
    ['very many metadata marks', '^'.repeat(most)],
    ['very many tags', '#a '.repeat(most)],
    ['brackets that close in the wrong order', `${'['.repeat(most)}${')}'.repeat(most / 2)}`],
    ['short brackets in the wrong order', '[)'.repeat(many(100_000))],
    ['many texts without an end', '(a "b\n'.repeat(many(100_000))],
    ['many declarations without an end', '(entity :A {\n'.repeat(many(50_000))],
    ['many comments', '; a\n'.repeat(many(200_000))],
    ['many functions with comments', '(defn f [x] ; c\n x)\n'.repeat(many(20_000))],
    ['a long number', '9'.repeat(most)],
    ['a long name', `:${'a'.repeat(most)}`],
    ['one map of many keys', `{${Array.from({ length: many(100_000) }, (_, index) => `:k${index} 1`).join(' ')}}`],
    ['many refused characters', '\\foo # '.repeat(many(50_000))],
    [
      'an entity of many attributes',
      `(component :A)\n(entity :E {${Array.from({ length: many(20_000) }, (_, index) => `:a${index} :Int`).join(' ')}})`,
    ],
  ];
  for (const [title, text] of extremes) {
    test(`survives ${title}`, () => {
      const { unit } = earlierFrontEnd.read({ file: 'any.clj', text });
      expect(typeof earlierFrontEnd.print(unit)).toBe('string');
    });
  }

  test('nesting of very many levels is refused, with one fault', () => {
    const { diagnostics } = readForms({ file: 'any.clj', text: '['.repeat(most) });
    expect(diagnostics.map((each) => each.code)).toEqual(['nesting-too-deep']);
  });
});
