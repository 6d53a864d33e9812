// A text that has a format: the shortest that its tree leads to, with one round of what may be left out.

import type { FormatNode } from './syntax.ts';

/** Longer ones are not made: an example is to be read. */
const longest = 100;

/** What single characters are looked for among. */
const candidates = [...'aA1-_ ', ...Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)), ...'äéß日\t\n'];

/** Nothing where it would be long, or a character is none of the usual ones; assertions are left to whoever tests the text. */
export function exampleText(node: FormatNode, flags: string, rounds: 0 | 1): string | undefined {
  switch (node.kind) {
    case 'assertion':
      return '';
    case 'character': {
      const character = new RegExp(`^(?:${node.source})$`, flags);
      return candidates.find((each) => character.test(each));
    }
    case 'sequence':
      return joined(node.parts, flags, rounds);
    case 'choice':
      return exampleText(node.branches[0] ?? { kind: 'sequence', parts: [] }, flags, rounds);
    case 'repetition': {
      const count = Math.min(Math.max(node.least, rounds), node.most);
      if (count > longest) return undefined;
      return joined(
        Array.from({ length: count }, () => node.body),
        flags,
        rounds,
      );
    }
  }
}

function joined(parts: readonly FormatNode[], flags: string, rounds: 0 | 1): string | undefined {
  let text = '';
  for (const part of parts) {
    const next = exampleText(part, flags, rounds);
    if (next === undefined || text.length + next.length > longest) return undefined;
    text += next;
  }
  return text;
}
