// In charge of what a reader of forms has open: brackets and prefixes, how they are closed, and where finished forms go.

import { type Diagnostic, type DiagnosticCode, diagnostic } from '../../../diagnostics.ts';
import type { Comment } from '../../../model/declaration.ts';
import type { Source, Span } from '../../../source.ts';
import type { Collection, Form, Prefixed } from './form.ts';

export interface Reader {
  readonly source: Source;
  readonly text: string;
  position: number;
  /** What is open at this place, from the outside in. */
  readonly frames: Frame[];
  readonly forms: Form[];
  readonly comments: Comment[];
  readonly diagnostics: Diagnostic[];
  /** Until a text was found that does not end: from then on, texts end with their line. */
  textsEnd: boolean;
  /** Whether what is open here lacks its end because a text swallowed it, which has been told. */
  swallowed: boolean;
}

export type Frame =
  | {
      readonly kind: 'open';
      readonly of: Collection['kind'];
      readonly close: string;
      readonly start: number;
      readonly items: Form[];
      readonly namespace: string | undefined;
    }
  | { readonly kind: 'prefix'; readonly of: Prefixed['kind']; readonly tag: string; readonly start: number }
  /** `#_ form`. */
  | { readonly kind: 'discard'; readonly start: number }
  /** `^meta form`: what the form is said to be, then the form. */
  | { readonly kind: 'meta'; readonly start: number; skipped: boolean };

/** Deeper forms are refused: nobody could read them either. */
const deepest = 200;

export function match(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.position;
  return pattern.exec(reader.text)?.[0];
}

export function spanAt({ source }: Reader, start: number, end: number): Span {
  return { source, start, end };
}

export function report(reader: Reader, code: DiagnosticCode, start: number, end: number, message: string, suggestion?: string): void {
  reader.diagnostics.push(diagnostic(code, spanAt(reader, start, end), message, suggestion));
}

export function comment(reader: Reader, start: number, end: number): void {
  reader.comments.push({ text: reader.text.slice(start, end).trimEnd(), span: spanAt(reader, start, end) });
}

/** A form that begins a declaration at the start of a line is not inside of another one: that one was not closed. */
const declares =
  /\((?:component|entity|record|event|relationship|attribute|dataflow|rule|inference|resolver|view|pattern|ns|require|def|defn|defn-)[\s)]/uy;

export function open(reader: Reader, of: Collection['kind'], closer: string, length: number, namespace?: string): undefined {
  const start = reader.position;
  const atLineStart = start === 0 || reader.text.charAt(start - 1) === '\n';
  if (reader.frames.length > 0 && atLineStart && match(reader, declares) !== undefined && !isCommentedOut(reader)) {
    for (let frame = reader.frames.pop(); frame !== undefined; frame = reader.frames.pop()) abandon(reader, frame, start);
  }
  push(reader, { kind: 'open', of, close: closer, start, items: [], namespace }, length);
}

/** `(comment ...)`, `(do ...)` and discarded forms may hold declarations. */
function isCommentedOut({ frames }: Reader): boolean {
  const [outer] = frames;
  if (outer?.kind !== 'open') return true;
  const [head] = outer.items;
  return head?.kind === 'symbol' && (head.name === 'comment' || head.name === 'do');
}

export function push(reader: Reader, frame: Frame, length: number): void {
  if (reader.frames.length >= deepest) {
    report(reader, 'nesting-too-deep', reader.position, reader.position + length, `forms nest deeper than ${deepest} levels here`);
    // Nothing behind it can be trusted to be where it seems to be.
    reader.frames.length = 0;
    reader.position = reader.text.length;
    return;
  }
  reader.frames.push(frame);
  reader.position += length;
}

export function close(reader: Reader, closer: string): void {
  const at = reader.frames.findLastIndex((frame) => frame.kind === 'open' && frame.close === closer);
  if (at === -1) {
    report(reader, 'token-unexpected', reader.position, reader.position + 1, `\`${closer}\` closes nothing`);
    reader.position += 1;
    return;
  }
  while (reader.frames.length > at + 1) {
    const inner = reader.frames.pop();
    if (inner !== undefined) abandon(reader, inner, reader.position);
  }
  const frame = reader.frames.pop();
  reader.position += 1;
  if (frame?.kind === 'open') emit(reader, collection(reader, frame, reader.position));
}

/** What is open and will not be closed any more: reported, and kept as far as it goes. */
export function abandon(reader: Reader, frame: Frame, end: number): void {
  const isTold = reader.swallowed;
  if (reader.frames.length === 0) reader.swallowed = false;
  if (!isTold) {
    const [what, suggestion] =
      frame.kind === 'open'
        ? [`nothing closes this \`${reader.text.charAt(frame.start)}\``, `add \`${frame.close}\``]
        : ['a form is missing behind this', undefined];
    report(reader, 'token-unexpected', frame.start, frame.start + 1, what, suggestion);
  }
  if (frame.kind === 'open') emit(reader, collection(reader, frame, end));
}

function collection(reader: Reader, frame: Extract<Frame, { kind: 'open' }>, end: number): Form {
  const { of, items, namespace, start } = frame;
  if (of === 'map') checkPairs(reader, items, end);
  return { kind: of, items: namespace === undefined ? items : namespaced(items, namespace), span: spanAt(reader, start, end) };
}

function checkPairs(reader: Reader, items: readonly Form[], end: number): void {
  const last = items.at(-1)?.span;
  if (items.length % 2 === 1)
    report(reader, 'token-unexpected', last?.start ?? end, last?.end ?? end, 'this key has no value; a map consists of keys and values');
  const seen = new Set<string>();
  for (let index = 0; index < items.length; index += 2) {
    const key = items[index];
    if (key?.kind !== 'keyword' && key?.kind !== 'text') continue;
    const written = key.kind === 'keyword' ? `:${key.name}` : JSON.stringify(key.value);
    if (seen.has(written)) report(reader, 'token-unexpected', key.span.start, key.span.end, `\`${written}\` stands twice in this map`);
    seen.add(written);
  }
}

/** Hands a finished form to what is open around it. */
export function emit(reader: Reader, finished: Form): undefined {
  let form = finished;
  for (;;) {
    const frame = reader.frames.at(-1);
    if (frame === undefined) {
      reader.forms.push(form);
      return;
    }
    if (frame.kind === 'open') {
      frame.items.push(form);
      return;
    }
    if (frame.kind === 'meta' && !frame.skipped) {
      frame.skipped = true;
      return;
    }
    reader.frames.pop();
    if (frame.kind === 'discard') {
      // Comments inside of what is discarded are discarded with it.
      while ((reader.comments.at(-1)?.span.start ?? -1) > frame.start) reader.comments.pop();
      comment(reader, frame.start, form.span.end);
      return;
    }
    const span = spanAt(reader, frame.start, form.span.end);
    form = frame.kind === 'meta' ? { ...form, span } : { kind: frame.of, tag: frame.tag, form, span };
  }
}

/** Keys that name a component themselves keep it; `:_/X` stays without one. */
function namespaced(items: readonly Form[], namespace: string): readonly Form[] {
  return items.map((item, index) => {
    if (index % 2 === 1 || (item.kind !== 'keyword' && item.kind !== 'symbol')) return item;
    if (item.name.startsWith('_/')) return { ...item, name: item.name.slice(2) };
    return item.name.includes('/') ? item : { ...item, name: `${namespace}/${item.name}` };
  });
}
