// Which parts of a source are entered or not entered as one: bodies of functions, branches, arms. With counters in them, a run tells which it enters.

import { type Expression, type Statement, Visitor } from 'oxc-parser';
import { parsed, type Span } from './operators.ts';

/** A region, and what stands around the call of its counter. */
interface Region extends Span {
  readonly kind: 'block' | 'statement' | 'expression' | 'case';
}

/** The same order each time: a region is known by where it stands in it. */
export function regionsOf(file: string, text: string): readonly Region[] {
  const regions: Region[] = [];
  const add = (kind: Region['kind'], { start, end }: Span) => void regions.push({ kind, start, end });
  const branch = (statement: Statement | null) => {
    if (statement !== null && statement.type !== 'BlockStatement') add('statement', statement);
  };
  const arm = (expression: Expression) => add('expression', expression);
  new Visitor({
    BlockStatement: (node) => add('block', node),
    IfStatement: ({ consequent, alternate }) => {
      branch(consequent);
      branch(alternate);
    },
    SwitchCase: ({ consequent }) => {
      const [first, last] = [consequent[0], consequent.at(-1)];
      if (first !== undefined && last !== undefined) add('case', { start: first.start, end: last.end });
    },
    ArrowFunctionExpression: ({ body }) => void (body.type !== 'BlockStatement' && add('expression', body)),
    ConditionalExpression: ({ consequent, alternate }) => {
      arm(consequent);
      arm(alternate);
    },
    LogicalExpression: ({ right }) => arm(right),
  }).visit(parsed(file, text).program);
  return regions;
}

/** The innermost region around a change, as its place in the order; none where it is done when the module is loaded. */
export function regionAround(regions: readonly Span[], { start, end }: Span): number | undefined {
  const around = [...regions.entries()].filter(([, each]) => each.start <= start && end <= each.end);
  return around.sort(([, a], [, b]) => a.end - a.start - (b.end - b.start))[0]?.[0];
}

/** The source with a counter in each region; `first` is the number of the first one. */
export function withCounters(text: string, regions: readonly Region[], first: number): string {
  const begins = regions.map((region, at) => ({
    at: region.kind === 'block' ? region.start + 1 : region.start,
    text: begin(region, first + at),
  }));
  // What begins later ends earlier.
  const ends = regions.map((region) => ({ at: region.end, text: end(region) })).reverse();
  const edits = [...ends, ...begins].sort((a, b) => a.at - b.at);
  let done = 0;
  let written = '';
  for (const edit of edits) {
    written += text.slice(done, edit.at) + edit.text;
    done = edit.at;
  }
  return written + text.slice(done);
}

function begin({ kind }: Region, id: number): string {
  const count = `globalThis.__entered?.(${id})`;
  if (kind === 'expression') return `(${count}, `;
  return kind === 'statement' ? `{ ${count}; ` : ` ${count}; `;
}

function end({ kind }: Region): string {
  if (kind === 'expression') return ')';
  return kind === 'statement' ? ' }' : '';
}
