// Whether a text is like a pattern, in time that grows with the text alone: patterns come from requests.

/** So many characters a pattern may have, and so many wildcards: wherever patterns come from. */
const longestPattern = 1000;
const mostWildcards = 16;

/** What is wrong with a pattern of `like`. */
export function patternFault(pattern: string): string | undefined {
  const isFine = pattern.length <= longestPattern && wildcardsIn(pattern).length <= mostWildcards;
  return isFine ? undefined : `a pattern has at most ${longestPattern} characters and ${mostWildcards} wildcards`;
}

/** Where the wildcards stand. */
export function wildcardsIn(pattern: string): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '%' || character === '_') found.push(at);
  }
  return found;
}

/** `%` is any text, `_` any character, a backslash takes the next one as it is; the same as in a query. */
export function isLike(text: string, pattern: string): boolean {
  return likeMatcher(pattern)(text);
}

/** For many texts. */
export function likeMatcher(pattern: string): (text: string) => boolean {
  const automaton = automatonOf(pattern);
  return (text) => accepts(automaton, text);
}

/** The same without regard to case. */
export function ilikeMatcher(pattern: string): (text: string) => boolean {
  const automaton = automatonOf(pattern, alikeCharacters);
  return (text) => accepts(automaton, text);
}

/** `ilike` as a regular expression that knows no more of case: each character is one of those that it is the same as. */
export function ilikeExpression(pattern: string): string {
  const { characters, stars } = readPattern(pattern);
  const any = new Set(stars);
  const parts = characters.map((each) => (each === undefined ? '.' : `(${alikeCharacters(each).map(quoted).join('|')})`));
  return `^${[...parts, ''].map((part, at) => `${any.has(at) ? '.*' : ''}${part}`).join('')}$`;
}

/** Letters and digits mean something behind a backslash. */
function quoted(character: string): string {
  return /^[!-/:-@[-`{-~]$/.test(character) ? `\\${character}` : character;
}

function accepts({ length, words, ascii, others, any, loops }: Automaton, text: string): boolean {
  const states = new Uint32Array(words);
  states[0] = 1;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    if (code >= 0xd800) {
      code = text.codePointAt(at) ?? code;
      if (code > 0xffff) at += 1;
    }
    const mask = (code < 128 ? ascii[code] : others.get(code)) ?? any;
    let carry = 0;
    let alive = 0;
    for (let word = 0; word < words; word += 1) {
      const now = states[word] ?? 0;
      const next = (((now << 1) | carry) & (mask[word] ?? 0)) | (now & (loops[word] ?? 0));
      carry = now >>> 31;
      alive |= next;
      states[word] = next;
    }
    if (alive === 0) return false;
  }
  return isSet(states, length);
}

/** States are bits: that many characters of the pattern have been seen. A character leads from a state to the next, `%` to itself. */
interface Automaton {
  readonly length: number;
  readonly words: number;
  /** Which states a character leads to, by its code. */
  readonly ascii: readonly Uint32Array[];
  readonly others: ReadonlyMap<number, Uint32Array>;
  /** Those that any character leads to. */
  readonly any: Uint32Array;
  readonly loops: Uint32Array;
}

function automatonOf(pattern: string, variants: (character: string) => readonly string[] = (each) => [each]): Automaton {
  const { characters, stars } = readPattern(pattern);
  const words = (characters.length >>> 5) + 1;
  const any = new Uint32Array(words);
  const loops = new Uint32Array(words);
  for (const star of stars) set(loops, star);
  for (const [at, each] of characters.entries()) if (each === undefined) set(any, at + 1);
  const masks = new Map<number, Uint32Array>();
  for (const [at, each] of characters.entries()) {
    if (each === undefined) continue;
    for (const variant of variants(each)) {
      const code = variant.codePointAt(0) ?? 0;
      const mask = masks.get(code) ?? any.slice();
      set(mask, at + 1);
      masks.set(code, mask);
    }
  }
  const ascii = Array.from({ length: 128 }, (_, code) => masks.get(code) ?? any);
  return { length: characters.length, words, ascii, others: masks, any, loops };
}

/** The characters that are wanted, `undefined` for any; and behind how many of them any text may stand. */
function readPattern(pattern: string): { readonly characters: readonly (string | undefined)[]; readonly stars: readonly number[] } {
  const all = [...pattern];
  const characters: (string | undefined)[] = [];
  const stars: number[] = [];
  for (let at = 0; at < all.length; at += 1) {
    const character = all[at];
    if (character === '%') stars.push(characters.length);
    else if (character === '_') characters.push(undefined);
    else {
      if (character === '\\' && at + 1 < all.length) at += 1;
      characters.push(all[at]);
    }
  }
  return { characters, stars };
}

function set(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
}

function isSet(bits: Uint32Array, at: number): boolean {
  return ((bits[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;
}

/** All characters that are the same as this one without regard to case; it is one of them. */
function alikeCharacters(character: string): readonly string[] {
  const upper = character.toUpperCase();
  const lower = upper.toLowerCase();
  const candidates = [upper, lower, character.toLowerCase(), lower.toUpperCase(), ...further];
  return [character, ...new Set(candidates)].filter(
    (each, index, all) => isOne(each) && isSame(each, character) && all.indexOf(each) === index,
  );
}

/** Those that are neither the upper case of a character nor its lower case: title case, forms inside or at the end of words, signs of units. */
const further: readonly string[] = [
  ...'\u00b5\u017f\u01c5\u01c8\u01cb\u01f2\u0345\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f4\u03f5\u1e9b\u1e9e\u1fbc\u1fbe\u1fcc\u1ffc\u2126\u212a\u212b',
  ...[0x1c80, 0x1c88, 0x1f88, 0x1f8f, 0x1f98, 0x1f9f, 0x1fa8, 0x1faf].flatMap((from, index, all) =>
    index % 2 === 0 ? Array.from({ length: (all[index + 1] ?? from) - from + 1 }, (_, step) => String.fromCodePoint(from + step)) : [],
  ),
];

/** A mapping to several characters is no simple folding. */
function isOne(text: string): boolean {
  return text !== '' && String.fromCodePoint(text.codePointAt(0) ?? 0) === text;
}

/** The regular expressions of the language go by simple case folding. */
function isSame(one: string, other: string): boolean {
  return one === other || new RegExp(`^\\u{${(one.codePointAt(0) ?? 0).toString(16)}}$`, 'iu').test(other);
}
