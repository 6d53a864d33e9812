// Source text and positions in it: what a diagnostic points at.

export interface Source {
  readonly file: string;
  readonly text: string;
}

/** A stretch of one source, as offsets in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/** A position as people count: both begin at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionOf(span: Span): Position {
  const starts = lineStarts(span.source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= span.start) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: span.start - (starts[low] ?? 0) + 1 };
}

// Found once per source: a file with a fault on each line would otherwise be walked through as often as it has lines.
const knownLineStarts = new WeakMap<Source, readonly number[]>();

function lineStarts(source: Source): readonly number[] {
  const known = knownLineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let index = source.text.indexOf('\n'); index !== -1; index = source.text.indexOf('\n', index + 1)) starts.push(index + 1);
  knownLineStarts.set(source, starts);
  return starts;
}
