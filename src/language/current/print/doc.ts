// In charge of what a printer says before lines are broken: texts in a row, and groups that stand on one line or on several.

import type { Span } from '../../../source.ts';

export type Doc = string | Row | Group;

export interface Row {
  readonly kind: 'row';
  readonly parts: readonly Doc[];
}

/** Items in brackets. Broken, each stands on a line of its own. */
export interface Group extends Extent {
  readonly kind: 'group';
  readonly open: string;
  readonly close: string;
  readonly items: readonly Item[];
  readonly separator: string;
  /** The form on one line; absent where it is always broken. */
  readonly flat: string | undefined;
}

export interface Item {
  readonly doc: Doc;
  /** Where it stood in the source: comments are kept by it. */
  readonly span?: Pick<Span, 'start' | 'end'>;
  /** Instead of the group's separator. */
  readonly separator?: string;
  /** A blank line stands before it. */
  readonly apart?: boolean;
}

/** Where the brackets stood in the source, as far as that is known. */
interface Extent {
  readonly start?: number;
  readonly end?: number;
}

interface GroupStyle extends Extent {
  readonly separator?: string;
  /** Spaces inside the brackets on one line. */
  readonly padded?: boolean;
  readonly broken?: boolean;
}

export function row(...parts: readonly Doc[]): Doc {
  return { kind: 'row', parts };
}

export function group(brackets: '{}' | '[]' | '()', items: readonly Item[], style: GroupStyle = {}): Group {
  const { separator = ',', padded = false, broken = false, ...extent } = style;
  const [open = '', close = ''] = brackets;
  const flat = broken && items.length > 0 ? undefined : flatItems(items, separator, padded && items.length > 0);
  return { kind: 'group', open, close, items, separator, flat: flat === undefined ? undefined : `${open}${flat}${close}`, ...extent };
}

function flatItems(items: readonly Item[], separator: string, padded: boolean): string | undefined {
  const texts: string[] = [];
  for (const item of items) {
    const text = flatText(item.doc);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  const joined = texts.join(`${separator} `);
  return padded ? ` ${joined} ` : joined;
}

/** The form on one line, or `undefined` where a part is always broken. */
export function flatText(doc: Doc): string | undefined {
  if (typeof doc === 'string') return doc;
  if (doc.kind === 'group') return doc.flat;
  let text = '';
  for (const part of doc.parts) {
    const flat = flatText(part);
    if (flat === undefined) return undefined;
    text += flat;
  }
  return text;
}

/** The characters it begins with. */
export function leadingText(doc: Doc): string {
  if (typeof doc === 'string') return doc;
  if (doc.kind === 'group') return doc.open;
  for (const part of doc.parts) {
    const text = leadingText(part);
    if (text !== '') return text;
  }
  return '';
}
