// In charge of the rough shape of a token list: where declarations begin and how deep each token is nested,
// found before parsing and in spite of missing brackets, so that recovery knows where to go on.

import type { Token } from '../lex/lex.ts';

export interface Outline {
  /** Whether a declaration surely begins at the token: its words stand there, and if a bracket is open, no deeper than the last declaration. */
  readonly starts: readonly boolean[];
  /** Number of closed brackets around each token; an opening and its closing bracket have the depth of what is around them. */
  readonly depths: readonly number[];
}

export const declarationWords: readonly string[] = [
  'module',
  'import',
  'entity',
  'record',
  'event',
  'relationship',
  'attribute',
  'workflow',
  'flow',
  'agent',
  'decision',
  'directive',
  'scenario',
  'glossaryEntry',
  'retry',
  'eval',
  'resolver',
];

const bracedWords = new Set(['flow', 'agent', 'decision', 'directive', 'scenario', 'glossaryEntry', 'retry', 'eval']);
const typeWords = new Set(['entity', 'record', 'event']);
const closers = new Map([
  ['{', '}'],
  ['[', ']'],
  ['(', ')'],
]);

export function outline(tokens: readonly Token[]): Outline {
  const starts: boolean[] = [];
  const brackets = openBrackets();
  let indent = 0;
  for (const [index, token] of tokens.entries()) {
    const begins = token.newline && (brackets.areClosed() || token.indent <= indent) && startsDeclaration(tokens, index);
    starts.push(begins);
    if (begins) {
      indent = token.indent;
      brackets.forget();
    }
    if (token.kind === 'symbol') brackets.pass(token.text, index);
  }
  return { starts, depths: sums(tokens.length, brackets.pairs) };
}

function startsDeclaration(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined) return false;
  if (token.text === '@' && ['schedule', 'runAs'].includes(textAt(tokens, index + 1))) return textAt(tokens, index + 2) === '(';
  if (token.text === '@') return opensBare.has(textAt(tokens, index + 1)) && ['@', ...declarationWords].includes(textAt(tokens, index + 2));
  if (token.kind !== 'name') return false;
  if (textAt(tokens, index + 1) === '/' && textAt(tokens, index + 2) === 'retry') return startsNamed(tokens, index + 2);
  return startsNamed(tokens, index);
}

/** What stands before a declaration by itself. */
const opensBare: ReadonlySet<string> = new Set(['public', 'internal']);

function startsNamed(tokens: readonly Token[], index: number): boolean {
  const word = textAt(tokens, index);
  const after = behindName(tokens, index + 1);
  if (word === 'workflow' && textAt(tokens, index + 1) === '@') return textAt(tokens, index + 4) === ':';
  if (after === undefined) return false;
  const next = textAt(tokens, after);
  if (typeWords.has(word)) return next === '{' || next === 'extends';
  if (word === 'relationship') return (next === 'contains' || next === 'between') && textAt(tokens, after + 1) === '(';
  if (word === 'resolver') return next === '[';
  if (word === 'workflow') return next === '{';
  return bracedWords.has(word) && next === '{';
}

function textAt(tokens: readonly Token[], index: number): string {
  return tokens[index]?.text ?? '';
}

/** The index behind the (dotted, qualified) name at `index`, or `undefined` when there is none on the line. */
function behindName(tokens: readonly Token[], index: number): number | undefined {
  let at = index;
  if (tokens[at]?.kind !== 'name' || tokens[at]?.newline === true) return undefined;
  while (/^[./]$/.test(textAt(tokens, at + 1)) && tokens[at + 2]?.kind === 'name') at += 2;
  return at + 1;
}

interface Brackets {
  /** Indices of opening brackets with those of their closing ones. */
  readonly pairs: readonly (readonly [number, number])[];
  pass(sign: string, index: number): void;
  areClosed(): boolean;
  forget(): void;
}

function openBrackets(): Brackets {
  const pairs: (readonly [number, number])[] = [];
  const open: { readonly closer: string; readonly index: number }[] = [];
  const waiting = new Map<string, number>();
  const wait = (closer: string, by: number) => waiting.set(closer, (waiting.get(closer) ?? 0) + by);
  return {
    pairs,
    areClosed: () => open.length === 0,
    forget() {
      open.length = 0;
      waiting.clear();
    },
    pass(sign, index) {
      const closer = closers.get(sign);
      if (closer !== undefined) {
        open.push({ closer, index });
        wait(closer, 1);
        return;
      }
      // Brackets that were left open between the two do not count.
      while ((waiting.get(sign) ?? 0) > 0) {
        const last = open.pop();
        wait(last?.closer ?? sign, -1);
        if (last?.closer !== sign) continue;
        pairs.push([last.index, index]);
        return;
      }
    },
  };
}

function sums(length: number, pairs: readonly (readonly [number, number])[]): readonly number[] {
  const changes = new Int32Array(length + 1);
  const change = (index: number, by: number) => {
    changes[index] = (changes[index] ?? 0) + by;
  };
  for (const [from, to] of pairs) {
    change(from + 1, 1);
    change(to, -1);
  }
  let depth = 0;
  return Array.from({ length }, (_, index) => {
    depth += changes[index] ?? 0;
    return depth;
  });
}
