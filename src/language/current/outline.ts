// In charge of the rough shape of a token list: where declarations begin and how deep each token is nested,
// found before parsing and in spite of missing brackets, so that recovery knows where to go on.

import type { Token } from './lex.ts';

export interface Outline {
  /** Whether a declaration surely begins at the token, whatever is open before it. */
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
const closing = new Set(closers.values());

export function outline(tokens: readonly Token[]): Outline {
  const starts = tokens.map((token, index) => token.newline && startsDeclaration(tokens, index));
  return { starts, depths: nestingDepths(tokens, starts) };
}

function startsDeclaration(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined) return false;
  if (token.text === '@') return textAt(tokens, index + 1) === 'public' && declarationWords.includes(textAt(tokens, index + 2));
  if (token.kind !== 'name') return false;
  if (textAt(tokens, index + 1) === '/' && textAt(tokens, index + 2) === 'retry') return startsNamed(tokens, index + 2);
  return startsNamed(tokens, index);
}

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

function nestingDepths(tokens: readonly Token[], starts: readonly boolean[]): readonly number[] {
  const changes = new Array<number>(tokens.length + 1).fill(0);
  const open: number[] = [];
  const waiting = new Map<string, number>();
  const wait = (closer: string, by: number) => waiting.set(closer, (waiting.get(closer) ?? 0) + by);
  for (const [index, token] of tokens.entries()) {
    if (starts[index] === true) {
      open.length = 0;
      waiting.clear();
    }
    if (token.kind !== 'symbol') continue;
    const closer = closers.get(token.text);
    if (closer !== undefined) {
      open.push(index);
      wait(closer, 1);
    } else if (closing.has(token.text) && (waiting.get(token.text) ?? 0) > 0) {
      // Brackets that were left open between the two do not count.
      for (let from = open.pop(); from !== undefined; from = open.pop()) {
        const expected = closers.get(textAt(tokens, from)) ?? '';
        wait(expected, -1);
        if (expected !== token.text) continue;
        mark(changes, from + 1, 1);
        mark(changes, index, -1);
        break;
      }
    }
  }
  let depth = 0;
  return tokens.map((_, index) => {
    depth += changes[index] ?? 0;
    return depth;
  });
}

function mark(changes: number[], index: number, by: number): void {
  changes[index] = (changes[index] ?? 0) + by;
}
