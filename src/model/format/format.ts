// `@format`: a regular expression that a whole text must match.

import { exampleText } from './example.ts';
import { FormatMatcher } from './matcher.ts';
import { compileFormat } from './program.ts';
import { FormatRefusal, readFormat } from './syntax.ts';

/** Longer texts have no format: they are refused before they are matched. */
const longestFormatted = 1000;

/** Longer ones are refused: nobody could say what they match. */
const longestFormat = 1000;

export interface Format {
  fits(text: string): boolean;
}

/** Throws a `FormatRefusal` where the expression is none, or none that can be matched in one pass. */
export function formatOf(format: string): Format {
  if (format.length > longestFormat) throw new FormatRefusal(`it has more than ${longestFormat} characters`);
  const flags = flagsOf(format);
  if (flags === undefined) throw new FormatRefusal('it is not a regular expression');
  const matcher = new FormatMatcher(compileFormat(readFormat(format, flags), longestFormatted), flags);
  return { fits: (text) => text.length <= longestFormatted && matcher.test(text) };
}

/** A text that fits, where a short one is found. */
export function formatExample(format: string): string | undefined {
  const flags = flagsOf(format);
  if (flags === undefined) return undefined;
  const { fits } = formatOf(format);
  const node = readFormat(format, flags);
  return ([1, 0] as const).map((rounds) => exampleText(node, flags, rounds)).find((each) => each !== undefined && fits(each));
}

/** The stricter reading first; older expressions escape more than it allows. */
function flagsOf(format: string): string | undefined {
  return ['u', ''].find((flags) => {
    try {
      return new RegExp(`^(?:${format})$`, flags) !== undefined;
    } catch {
      return false;
    }
  });
}
