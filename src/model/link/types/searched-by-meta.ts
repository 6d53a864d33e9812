// `@meta {"fullTextSearch": …}` on a type: the same as `@fulltext` on the attributes that it names.

import { literalText } from '../../literals.ts';
import type { Attribute } from '../../model.ts';
import type { Expression } from '../../pattern.ts';
import { isString } from '../../searched.ts';
import { type Marks, markValue } from '../annotations.ts';
import type { Linking } from '../scope.ts';
import { isSearchable } from './attribute-checks.ts';

const keys = ['fullTextSearch', 'fullTextSearchAttributes'] as const;

/** What `@meta` of the type itself says. */
export function withSearched(own: readonly Attribute[], local: string, marks: Marks, linking: Linking): readonly Attribute[] {
  const written = searchesIn(marks);
  if (written.length === 0) return own;
  const names = new Set(written.flatMap(([key, value]) => namesIn(key, value, local, own, linking)));
  return marked(own, names);
}

/** What an extended type has searched stays so in the copy: it is a property of the copied attributes. */
export function withCopiedSearched(own: readonly Attribute[], marks: Marks, base: ReadonlySet<string>): readonly Attribute[] {
  const names = searchesIn(marks).flatMap(([, value]) => {
    if (literalText(value) !== '*') return textsOf(value).flatMap(({ text }) => text ?? []);
    return own.filter((each) => base.has(each.name) && isStringShown(each)).map((each) => each.name);
  });
  return names.length === 0 ? own : marked(own, new Set(names));
}

/** On what has no texts of its own that are stored. */
export function warnUnsearched(marks: Marks, local: string, what: string, { report }: Linking): void {
  for (const [key, value] of searchesIn(marks))
    report.fault(
      'annotation-ignored',
      value.span,
      `the meta key \`${key}\` says nothing here: \`${local}\` is ${what}, of which nothing is stored to be searched`,
    );
}

function searchesIn(marks: Marks): readonly (readonly [key: string, value: Expression])[] {
  const meta = markValue(marks, 'meta');
  if (meta?.kind !== 'map') return [];
  return meta.entries.flatMap(({ key, value }) => {
    const name = keys.find((each) => each === literalText(key));
    return name === undefined ? [] : [[name, value] as const];
  });
}

function namesIn(key: string, value: Expression, local: string, own: readonly Attribute[], { report }: Linking): readonly string[] {
  if (literalText(value) === '*') return own.filter(isStringShown).map((each) => each.name);
  const texts = textsOf(value);
  if (value.kind !== 'list' || texts.some(({ text }) => text === undefined)) {
    report.fault('annotation-argument', value.span, `the meta key \`${key}\` is "*" or a list of names of attributes`);
    return [];
  }
  return texts.flatMap(({ text = '', span }) => {
    const attribute = own.find((each) => each.name === text);
    if (attribute === undefined) {
      const known = own.map((each) => each.name);
      report.unknown('attribute-unknown', span, `\`${local}\` has no attribute \`${text}\``, text, known);
    } else if (!isSearchable(attribute)) {
      report.fault('type-not-allowed', span, `\`${key}\` needs single texts that answers show; \`${text}\` is none`);
    } else return [text];
    return [];
  });
}

function textsOf(value: Expression): readonly { readonly text: string | undefined; readonly span: Expression['span'] }[] {
  return value.kind === 'list' ? value.items.map((each) => ({ text: literalText(each), span: each.span })) : [];
}

function isStringShown(attribute: Attribute): boolean {
  return isString(attribute) && isSearchable(attribute);
}

function marked(own: readonly Attribute[], names: ReadonlySet<string>): readonly Attribute[] {
  return own.map((each) => (names.has(each.name) && !each.fulltext ? Object.freeze({ ...each, fulltext: true }) : each));
}
