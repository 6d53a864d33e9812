// What holds for every source and every unit of the current surface.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasErrors } from '../../src/diagnostics.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { lex } from '../../src/language/current/lex/lex.ts';
import { formatSource } from '../../src/language/current/print/format.ts';
import { readScript } from '../../src/language/current/script.ts';
import type { Unit } from '../../src/model/declaration.ts';
import type { Source } from '../../src/source.ts';
import { counted, isLarge } from '../support/form.ts';
import { mutated, mutations } from '../support/mutation.ts';
import { caseFiles, sourcesOf } from './case-file.ts';
import { unit } from './generate.ts';

const options = { numRuns: isLarge ? 3_000 : 25 };
const timeout = isLarge ? 3_600_000 : 600_000;

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const exampleSources: readonly Source[] = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.al') && !name.includes('node_modules'))
  .map((name) => ({ file: name, text: readFileSync(`${examples}/${name}`, 'utf8') }));
const caseSources = caseFiles().flatMap(({ name, cases }) =>
  cases.flatMap((each) => sourcesOf(each).map((source) => ({ file: source.file, text: source.text, of: `${name}: ${each.title}` }))),
);
const sources: readonly Source[] = [...exampleSources, ...caseSources];

describe('formatting', () => {
  test('formats every example', () => {
    for (const source of exampleSources) expect(formatSource(source)).toHaveProperty('text');
  });

  test('formatting twice is formatting once, and no comment is lost, for every example and every case', () => {
    for (const source of sources) keepsEverything(source);
  });

  test('formatting twice is formatting once, and no comment is lost, wherever the comments stand', { timeout }, () => {
    fc.assert(
      fc.property(unit, comments, (each, inserted) => {
        keepsEverything({ file: 'generated.al', text: withComments(currentFrontEnd.print(each), inserted) });
      }),
      options,
    );
  });

  test('a file that does not parse is left alone', () => {
    expect(formatSource({ file: 'core.al', text: 'module m\nentity {' })).toHaveProperty('diagnostics');
  });
});

describe('reading and printing', () => {
  test('what is printed is read as the same unit', { timeout }, () => {
    fc.assert(
      fc.property(unit, (each) => {
        const text = currentFrontEnd.print(each);
        const again = currentFrontEnd.read({ file: 'generated.al', text });
        expect(hasErrors(again.diagnostics) ? [text, again.diagnostics] : []).toEqual([]);
        expect(meaning(again.unit)).toBe(meaning(each));
      }),
      options,
    );
  });
});

describe('reading anything', () => {
  test('any text is read without an exception', { timeout }, () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), tokenSoup), (text) => survives(text)),
      options,
    );
  });

  test('any mutation of a source is read without an exception', { timeout }, () => {
    fc.assert(
      fc.property(fc.constantFrom(...sources), mutations([...signs, ...words]), (source, damages) =>
        survives(mutated(source.text, damages)),
      ),
      options,
    );
  });

  test('a file has any number of operators, of which a thousand build on one another in an expression', () => {
    const workflows = (count: number, operators: number) =>
      Array.from({ length: count }, (_, index) => `workflow w${index} { ${'1 + '.repeat(operators)}1 }`).join('\n');
    const codes = (text: string) => currentFrontEnd.read({ file: 'any.al', text: `module m\n${text}` }).diagnostics.map(({ code }) => code);
    expect(codes(workflows(20, 1000))).toEqual([]);
    expect(codes(workflows(2, 1001))).toEqual(['nesting-too-deep', 'nesting-too-deep']);
  });

  // What takes more than its share for each more of them does not end with a tenth of them either.
  const many = (count: number): number => counted({ long: count, short: count / 10 });
  const extremes: readonly (readonly [title: string, text: string])[] = [
    ['very many open brackets', `module m\n${'['.repeat(many(1_000_000))}`],
    ['many open braces', `module m\nentity A {${'{'.repeat(many(100_000))}`],
    ['many pairs of brackets', `module m\n${'('.repeat(many(100_000))}${')'.repeat(many(100_000))}`],
    ['brackets that close in the wrong order', `module m\n${'['.repeat(many(100_000))}${')}'.repeat(many(50_000))}`],
    ['a long chain of operators', `module m\nworkflow W { ${'a + '.repeat(many(200_000))}b }`],
    ['a long chain of conditions', `module m\nworkflow W { ${'if (a) { b } else '.repeat(many(50_000))}{ c } }`],
    ['a long chain of negations', `module m\nworkflow W { ${'not '.repeat(many(200_000))}a }`],
    ['a fault on each of many lines', `module m\nentity A {\n${'  a Int @\n'.repeat(many(50_000))}}`],
    ['many texts without an end', `module m\n${'  \\"\n'.repeat(many(100_000))}`],
    ['many quotes that do not pair', `module m\n${'x "a\n'.repeat(many(50_000))}`],
    ['many refused characters', `module m\n${'$ a '.repeat(many(100_000))}`],
    ['one long line of attributes', `module m\nentity A { ${'a Int, '.repeat(5_000)} }`],
    ['many comments without an end', `module m\n${'/* '.repeat(many(200_000))}`],
    ['many declarations without an end', `module m\n${'entity A {\n'.repeat(many(50_000))}`],
  ];
  for (const [title, text] of extremes) test(`survives ${title}`, () => survives(text));
});

function survives(text: string): void {
  const source = { file: 'any.al', text };
  const { unit: read, diagnostics } = currentFrontEnd.read(source);
  expect(diagnostics.every((each) => each.line > 0 && each.column > 0)).toBe(true);
  expect(typeof currentFrontEnd.print(read)).toBe('string');
  readScript(source);
  if (!hasErrors(diagnostics)) keepsEverything(source);
}

/** Formats, when it can be read, to something that means the same, is formatted already, and has all the comments. */
function keepsEverything(source: Source): void {
  const once = formatSource(source);
  if (!('text' in once)) return;
  const formatted = { ...source, text: once.text };
  const twice = formatSource(formatted);
  expect('text' in twice ? twice.text : [once.text, twice.diagnostics]).toBe(once.text);
  const [before, after] = [currentFrontEnd.read(source).unit, currentFrontEnd.read(formatted).unit];
  expect(commentTexts(after)).toEqual(commentTexts(before));
  expect(meaning(after)).toBe(meaning(before));
}

function commentTexts({ comments }: Unit): readonly string[] {
  return comments.map((comment) => comment.text.replace(/\s+/g, ' ')).sort();
}

/** A unit without what depends on its text: spans, and how literals were written. */
function meaning({ module, imports, declarations }: Unit): string {
  return canonical({ module, imports, declarations });
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : (JSON.stringify(value) ?? 'undefined');
  const entries = Object.entries(value).filter(([key]) => key !== 'span' && key !== 'raw');
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${key}:${canonical(each)}`)
    .join()}}`;
}

interface Inserted {
  readonly where: number;
  readonly line: boolean;
}

const comments: Arbitrary<readonly Inserted[]> = fc.array(fc.record({ where: fc.nat(), line: fc.boolean() }), { maxLength: 6 });

/** Comments between tokens, where there is space already, so that the text means what it meant. */
function withComments(text: string, inserted: readonly Inserted[]): string {
  const { tokens } = lex({ file: 'generated.al', text });
  const at = new Map<number, string>();
  for (const [number, { where, line }] of inserted.entries()) {
    const index = where % tokens.length;
    const [token, following] = [tokens[index], tokens[index + 1]];
    if (token === undefined || following === undefined || token.end === following.start) continue;
    at.set(token.end, line && following.newline ? ` // note ${number}` : ` /* note ${number} */`);
  }
  let result = '';
  let position = 0;
  for (const [offset, comment] of [...at].sort(([a], [b]) => a - b)) {
    result += text.slice(position, offset) + comment;
    position = offset;
  }
  return result + text.slice(position);
}

const words = [
  'module',
  'entity',
  'event',
  'workflow',
  'relationship',
  'contains',
  'agent',
  'flow',
  'decision',
  'case',
  'if',
  'else',
  'for',
  'in',
  'not',
];
const signs = [
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  ',',
  ';',
  ':',
  '.',
  '?',
  '@',
  '=',
  '==',
  '-',
  '-->',
  '->',
  '/',
  '*',
  '\n',
  ' ',
  '"a"',
  '`b`',
  '1',
  '.5',
  '//x\n',
  '/*y*/',
];
const annotations = ['@as', '@public', '@rbac', '@meta', '@after', '@empty', '@catch', '@then', '@join', '@into', '@actions', '@assign'];
const tokenSoup: Arbitrary<string> = fc
  .array(fc.constantFrom(...words, ...signs, ...annotations, 'a', 'b', 'Post', 'true', 'return'), { maxLength: 60 })
  .map((parts) => `module m\n${parts.join(' ')}`);
