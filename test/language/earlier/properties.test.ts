// What holds for every source and every unit of the earlier surface.

import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { surfaceOf } from '../../../src/config/project.ts';
import { hasErrors } from '../../../src/diagnostics.ts';
import { earlierFrontEnd } from '../../../src/language/earlier/earlier.ts';
import { formatSource } from '../../../src/language/earlier/print/format.ts';
import type { Unit } from '../../../src/model/declaration.ts';
import type { Source } from '../../../src/source.ts';
import { isLarge } from '../../support/form.ts';
import { mutated, mutations } from '../../support/mutation.ts';
import { caseFiles, sourcesOf } from '../case-file.ts';
import { unit as currentUnit } from '../generate.ts';
import { text } from './generate.ts';

const numRuns = isLarge ? 2_000 : 120;
const options = { numRuns };

const sources: readonly Source[] = caseFiles()
  .flatMap(({ cases }) => cases.flatMap(sourcesOf))
  .filter((source) => surfaceOf(source) === 'earlier');

describe('reading and printing', () => {
  test('what is printed is read as the same unit', () => {
    fc.assert(
      fc.property(text, (each) => sameAgain({ file: 'a.clj', text: each })),
      options,
    );
  });

  test('what is printed of the units of the other surface is read as the same unit, as far as it can be said', () => {
    fc.assert(
      fc.property(currentUnit, (each) => sameAgain({ file: 'a.clj', text: earlierFrontEnd.print(each) })),
      options,
    );
  });
});

describe('formatting', () => {
  test('formatting twice is formatting once, and no comment is lost, for every case', () => {
    for (const source of sources) keepsEverything(source);
  });

  test('formatting twice is formatting once, and no comment is lost, wherever the comments stand', () => {
    fc.assert(
      fc.property(text, comments, (each, inserted) => keepsEverything({ file: 'a.clj', text: withComments(each, inserted) })),
      options,
    );
  });

  test('data is formatted as data', () => {
    const once = formatSource({ file: 'config.edn', text: '{:service {:port #$ [PORT 8080]} ; where\n :store {:type :h2,:dbname "./x"}}' });
    expect(once).toEqual({ text: '{:service {:port #$ [PORT 8080]} ; where\n :store {:type :h2 :dbname "./x"}}\n' });
  });

  test('a file that cannot be read is left alone', () => {
    expect(formatSource({ file: 'a.clj', text: '(component :A)\n(entity :E {' })).toHaveProperty('diagnostics');
  });
});

describe('reading anything', () => {
  test('any text is read without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), soup), (each) => survives(each)),
      options,
    );
  });

  test('any mutation of a source is read without an exception', () => {
    fc.assert(
      fc.property(fc.constantFrom(...sources), mutations([...signs, ...words]), (source, damages) =>
        survives(mutated(source.text, damages)),
      ),
      options,
    );
  });
});

function sameAgain(source: Source): void {
  const first = earlierFrontEnd.read(source).unit;
  const printed = earlierFrontEnd.print(first);
  const again = earlierFrontEnd.read({ ...source, text: printed });
  expect(meaning(again.unit) === meaning(first) ? '' : printed).toBe('');
}

function keepsEverything(source: Source): void {
  const once = formatSource(source);
  if (!('text' in once)) return;
  const formatted = { ...source, text: once.text };
  const twice = formatSource(formatted);
  expect('text' in twice ? twice.text : [once.text, twice.diagnostics]).toBe(once.text);
  const [before, after] = [earlierFrontEnd.read(source).unit, earlierFrontEnd.read(formatted).unit];
  expect([once.text, commentTexts(after)]).toEqual([once.text, commentTexts(before)]);
  expect(meaning(after) === meaning(before) ? '' : once.text).toBe('');
}

function commentTexts({ comments: all }: Unit): readonly string[] {
  return all.map((comment) => comment.text.replace(/\s+/g, ' ')).sort();
}

function survives(given: string): void {
  const source = { file: 'any.clj', text: given };
  const { unit, diagnostics } = earlierFrontEnd.read(source);
  for (const each of diagnostics) expect(each.line).toBeGreaterThan(0);
  expect(typeof earlierFrontEnd.print(unit)).toBe('string');
  if (!hasErrors(diagnostics)) keepsEverything(source);
}

/** A unit without what depends on its text: spans, and how literals were written. As text: thousands of them are compared. */
function meaning({ module, moduleOptions, imports, declarations }: Unit): string {
  return JSON.stringify({ module, moduleOptions, imports, declarations }, (key, value: unknown) => {
    if (key === 'span' || key === 'raw' || key === 'file') return undefined;
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const comments: Arbitrary<readonly number[]> = fc.array(fc.nat(), { maxLength: 5 });

/** Comments where there is space already, outside of texts. */
function withComments(given: string, where: readonly number[]): string {
  const gaps = [...given.matchAll(/"(?:[^"\\]|\\[\s\S])*"|;[^\n]*|\\.|( )/g)].flatMap((match) =>
    match[1] === undefined ? [] : [match.index],
  );
  const places = new Map(where.map((each, index) => [gaps[each % Math.max(1, gaps.length)] ?? given.length, index]));
  let result = '';
  let position = 0;
  for (const [offset, number] of [...places].sort(([a], [b]) => a - b)) {
    result += `${given.slice(position, offset)} ; note ${number}\n`;
    position = offset;
  }
  return result + given.slice(position);
}

const signs = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '#',
  '#_',
  '^',
  '@',
  '~',
  '`',
  '\\',
  ':',
  ';',
  '\n',
  ' ',
  ',',
  '#{',
  '#(',
  '#"',
  '#:A',
  '##',
  '#$',
];
const words = [
  'component',
  'entity',
  'dataflow',
  ':meta',
  ':as',
  ':E',
  ':E?',
  ':->',
  ':match',
  ':for-each',
  ':try',
  ':rbac',
  'nil',
  '1',
  '1M',
  ':A/E.X',
];
const soup = fc.array(fc.constantFrom(...signs, ...words), { maxLength: 60 }).map((parts) => `(component :A)\n${parts.join(' ')}`);
