// Unicode simple case folding: which characters are the same without regard to case, on every store and whatever its locale is.

/** All characters that are the same as this one without regard to case; it is one of them. */
export function alikeCharacters(character: string): readonly string[] {
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
