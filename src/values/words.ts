// The words of a text as full-text search takes them, the same on every store: runs of letters and digits, without regard to case and accents.

import { bracketOf, ignorable, rangesIn, separators } from './word-characters.ts';

/** Of longer words so many characters count: no index of a store takes words of any length. */
const longestWord = 64;
/** So many words, and characters, a search may have. */
const mostWords = 16;
const longestSearch = 1000;

const separator = new RegExp(`[${bracketOf(separators)}]`, 'u');
const ignored = new RegExp(`[${bracketOf(ignorable)}]`, 'u');

/** In the order of the text, each as often as it stands there. */
export function wordsOf(text: string): readonly string[] {
  return wordsIn(folded(text));
}

function wordsIn(text: string): readonly string[] {
  const words = text.match(/[a-z0-9\u0080-\u{10ffff}]+/gu) ?? [];
  return words.map((each) => (each.length <= longestWord ? each : [...each].slice(0, longestWord).join('')));
}

/** What a store keeps of a text to search it: each word between spaces of its own, so that one is found, and counted, by its neighbours. */
export function wordText(text: string): string {
  return wordsOf(text)
    .map((each) => ` ${each} `)
    .join('');
}

/** The different words of a search, or what is wrong with it. */
export function searchWords(text: string): { readonly words: readonly string[] } | { readonly fault: string; readonly isLong: boolean } {
  if (text.length > longestSearch) return { fault: `has at most ${longestSearch} characters`, isLong: true };
  const words = [...new Set(wordsOf(text))];
  if (words.length > mostWords) return { fault: `has at most ${mostWords} words`, isLong: true };
  return words.length === 0 ? { fault: 'has no word: letters or digits', isLong: false } : { words };
}

/** How well a text answers a search, 0 where a word is missing: by how often its words stand there, and how much else does. */
export function rankOf(text: string, words: readonly string[]): number {
  const plain = folded(text);
  // Most texts are told apart by this alone, which takes no time.
  if (!words.every((each) => plain.includes(each))) return 0;
  const counts = new Map(words.map((each) => [each, 0]));
  let found = 0;
  for (const each of wordsIn(plain)) {
    const count = counts.get(each);
    if (count === undefined) continue;
    counts.set(each, count + 1);
    found += 1;
  }
  if ([...counts.values()].includes(0)) return 0;
  return Math.floor((found * 1_000_000) / ([...text].length + 100));
}

/** Finds words in texts whose characters are composed, for a database that has neither these rules nor a function of ours. */
export class WordExpressions {
  /** It takes a few milliseconds to make, and most processes need none. */
  #alike: ReadonlyMap<string, string> | undefined;

  /** One for each word; it matches the character before the word with it, and not the one behind it. */
  of(words: readonly string[]): readonly string[] {
    this.#alike ??= charactersByFold();
    const alike = this.#alike;
    const [between, marks] = [bracketOf(separators), bracketOf(ignorable)];
    return words.map((word) => {
      const characters = [...word];
      const parts = characters.map((each) => `[${each}${alike.get(each) ?? ''}][${marks}]*`);
      // Of a word that was cut, anything may follow.
      const end = characters.length < longestWord ? `(?=[${between}]|$)` : '';
      return `(?:^|[${between}])[${marks}]*${parts.join('')}${end}`;
    });
  }
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function folded(text: string): string {
  return isAscii(text) ? text.toLowerCase() : foldText(text);
}

function foldText(text: string): string {
  const known = new Map<string, string>();
  return text.normalize('NFC').replace(/[A-Z]|[^\0-\x7f]/gu, (character) => {
    let folded = known.get(character);
    if (folded === undefined) {
      folded = foldCharacter(character);
      known.set(character, folded);
    }
    return folded;
  });
}

/** The character that it counts as; nothing where it does not count, a space where it stands between words. */
function foldCharacter(character: string): string {
  if (ignored.test(character)) return '';
  if (separator.test(character)) return ' ';
  for (const form of ['NFKD', 'NFD'] as const) {
    const [base, ...more] = [...character.normalize(form)].filter((each) => !ignored.test(each));
    if (base !== undefined && more.length === 0 && !separator.test(base)) return foldCase(base);
  }
  return foldCase(character);
}

function foldCase(character: string): string {
  const upper = character.toUpperCase();
  const lower = (isOne(upper) ? upper : character).toLowerCase();
  return isOne(lower) ? lower : character;
}

function isOne(text: string): boolean {
  return text !== '' && String.fromCodePoint(text.codePointAt(0) ?? 0) === text;
}

/** Where the characters stand that count as another one, other than those that composing replaces: ranges of code points, in hexadecimal. */
const blocks = rangesIn(
  '41-5a aa-24e 2b0-2e4 370-556 622-626 6c0-6d3 929-95f 9dc-9df a33-a5e b5c-b5d 10a0-10fc 13a0-13f5 1c80-1cbf 1d2c-1dbf 1e00-1ffc ' +
    '2070-209c 2102-2183 2460-2468 24ea 2c00-2cf2 2d6f 3038-3195 3280-3289 a640-a69d a722-a7f9 ab5c-ab69 fb1d-fbff fc5b-fc90 fcd9-fcf4 ' +
    'fd3c-fd3d fe71-ffdc 10400-10427 104b0-104d3 10570-105e4 10781-107ba 10c80-10cb2 10d50-10d65 118a0-118bf 16e40-16e5f 16ea0-16eb8 ' +
    '1ccf0-1ccf9 1d400-1d7ff 1e030-1e06d 1e900-1e921 1ee00-1eebb 1fbf0-1fbf9',
);

/** By what they count as. */
function charactersByFold(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [from, to] of blocks) {
    for (let code = from; code <= to; code += 1) {
      const character = String.fromCodePoint(code);
      const folded = foldCharacter(character);
      if (folded.trim() !== '' && folded !== character) found.set(folded, `${found.get(folded) ?? ''}${character}`);
    }
  }
  return found;
}
