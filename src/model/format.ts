// `@format`: a regular expression that a whole text must match.

/** Longer texts are refused before they are matched: the time of a bad pattern grows with them. */
export const longestFormatted = 1000;

/** The pattern for whole texts, or nothing when it is not one that can be used. */
export function formatPattern(format: string): RegExp | undefined {
  // A repetition inside a repetition can take time without end on a text that nearly matches.
  if (hasNestedRepetition(format)) return undefined;
  for (const flags of ['u', '']) {
    try {
      return new RegExp(`^(?:${format})$`, flags);
    } catch {
      // The stricter reading first; older patterns escape more than it allows.
    }
  }
  return undefined;
}

/** `(a+)+`, `([a-z]*b?)*`: an unbounded repetition of a group that holds an unbounded one. */
function hasNestedRepetition(format: string): boolean {
  const plain = format.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const open: boolean[] = [];
  let closed = false;
  for (let index = 0; index < plain.length; index += 1) {
    const character = plain.charAt(index);
    const repeats = character === '*' || character === '+' || /^\{\d+,\}/.test(plain.slice(index, index + 12));
    if (character === '(') open.push(false);
    else if (repeats && closed) return true;
    else if (repeats && open.length > 0) open[open.length - 1] = true;
    if (character !== ')') {
      closed = false;
      continue;
    }
    closed = open.pop() ?? false;
    if (closed && open.length > 0) open[open.length - 1] = true;
  }
  return false;
}
