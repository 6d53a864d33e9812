// In charge of what a text of the earlier surface consists of: forms, as the reader finds them.

import type { Span } from '../../../source.ts';
import type { ExactNumber } from '../../../values/exact-number.ts';

export type Form = Atom | Collection | Prefixed;

export type Atom =
  | { readonly kind: 'nil'; readonly span: Span }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly span: Span }
  /** `value` is exact; `text` is how it was written (`1.50M`, `0x1F`). */
  | { readonly kind: 'number'; readonly value: number | bigint | ExactNumber; readonly text: string; readonly span: Span }
  | { readonly kind: 'text'; readonly value: string; readonly span: Span }
  | { readonly kind: 'character'; readonly value: string; readonly span: Span }
  /** Without its colon. */
  | { readonly kind: 'keyword'; readonly name: string; readonly span: Span }
  | { readonly kind: 'symbol'; readonly name: string; readonly span: Span }
  | { readonly kind: 'regex'; readonly value: string; readonly span: Span };

export interface Collection {
  /** `function` is `#(...)`. Of a map, keys and values take turns. */
  readonly kind: 'list' | 'vector' | 'set' | 'map' | 'function';
  readonly items: readonly Form[];
  readonly span: Span;
}

/** `'form`, `@form`, `#tag form` and the like. */
export interface Prefixed {
  readonly kind: 'quote' | 'syntax-quote' | 'unquote' | 'splice' | 'deref' | 'var' | 'tagged' | 'conditional';
  /** Of a tagged form. */
  readonly tag: string;
  readonly form: Form;
  readonly span: Span;
}

export type Keyword = Extract<Form, { readonly kind: 'keyword' }>;
export type MapForm = Collection & { readonly kind: 'map' };

export interface Pair {
  readonly key: Form;
  readonly value: Form;
}

/** A key without its value is left out: the reader has reported it. */
export function pairsOf({ items }: Collection): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let index = 0; index + 1 < items.length; index += 2) {
    const [key, value] = [items[index], items[index + 1]];
    if (key !== undefined && value !== undefined) pairs.push({ key, value });
  }
  return pairs;
}

export function isMap(form: Form | undefined): form is MapForm {
  return form?.kind === 'map';
}

export function isKeyword(form: Form | undefined, name?: string): form is Keyword {
  return form?.kind === 'keyword' && (name === undefined || form.name === name);
}

/** The value beside a keyword key. */
export function lookUp(map: Collection, name: string): Form | undefined {
  return pairsOf(map).find(({ key }) => isKeyword(key, name))?.value;
}

/** Without a quote around it: `'form` and `(quote form)`. */
export function unquoted(form: Form): Form {
  if (form.kind === 'quote') return form.form;
  const [head, quoted] = form.kind === 'list' ? form.items : [];
  return head?.kind === 'symbol' && head.name === 'quote' && quoted !== undefined ? quoted : form;
}

/** The form as it stands in its source. */
export function textOf({ span }: { readonly span: Span }): string {
  return span.source.text.slice(span.start, span.end);
}
