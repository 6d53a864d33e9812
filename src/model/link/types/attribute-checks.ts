// Whether the annotations of an attribute go with its type and with each other.

import type { Value } from '../../../values/value.ts';
import type { Annotation } from '../../declaration.ts';
import { facetTypes } from '../../facets/facets.ts';
import type { Attribute, TypeReference } from '../../model.ts';
import { facetMark, hasMark, mark, markArguments, markSpan, repeatedAt, wordOf } from '../annotations.ts';
import type { Linking } from '../scope.ts';
import { typeName } from './attribute-types.ts';
import type { AttributeDraft } from './drafts.ts';

export function checkAttribute(attribute: Attribute, draft: AttributeDraft, linking: Linking): void {
  checkIdentifier(attribute, draft, linking);
  checkAllowedType(attribute, draft, linking);
  checkEnum(attribute, draft, linking);
  checkRules(attribute, draft, linking);
  const cascade = markSpan(draft.marks, 'cascade');
  if (cascade !== undefined && attribute.ref === undefined) {
    linking.report.fault('annotation-misplaced', cascade, 'only what refers to another instance is deleted with it');
  }
  if (attribute.expression !== undefined && (attribute.identifier || attribute.default !== undefined)) {
    const span = markSpan(draft.marks, 'expr') ?? attribute.span;
    linking.report.fault('annotation-misplaced', span, 'what is computed with `@expr` has no default, and cannot be the identifier');
  }
}

function checkIdentifier(attribute: Attribute, { marks, declaration }: AttributeDraft, { report }: Linking): void {
  if (!attribute.identifier) return;
  const span = markSpan(marks, 'id') ?? declaration.span;
  if (!suitsAsIdentifier(attribute)) {
    report.fault(
      'identifier-type',
      span,
      `\`${attribute.name}\` (${written(attribute)}) cannot be the identifier: it could not stand in a path`,
      `write \`${attribute.name} String @id\``,
    );
  }
  if (attribute.optional) report.fault('identifier-optional', span, `the identifier \`${attribute.name}\` cannot be optional`);
}

/** What is never hidden, and what is never shown, has no rules. */
function checkRules(
  { name, rbac, identifier, secret, writeonly }: Attribute,
  { marks, declaration }: AttributeDraft,
  { report }: Linking,
): void {
  if (rbac === undefined) return;
  const span = markSpan(marks, 'rbac') ?? declaration.span;
  if (identifier)
    report.fault(
      'annotation-misplaced',
      span,
      `\`${name}\` is the identifier, which whoever may read an instance can read: it has no rules of its own`,
      'move the rules to the entity, or take another attribute as the identifier',
    );
  else if (secret || writeonly)
    report.fault(
      'annotation-misplaced',
      span,
      `\`${name}\` is in no answer for anybody: it has no rules of its own`,
      'say who may set it by the rules of the entity',
    );
}

/** Whether it can stand in a path. */
export function suitsAsIdentifier({ type, list, secret, writeonly }: Attribute): boolean {
  return type.kind === 'plain' && type.type.identifies && !list && !secret && !writeonly;
}

function written({ type, list }: { readonly type: TypeReference; readonly list: boolean }): string {
  return `${typeName(type)}${list ? '[]' : ''}`;
}

/** Annotations that need a type of a certain kind. */
const needs = [
  { annotation: 'unique', fits: isComparable, need: 'a single value that is kept as it is' },
  { annotation: 'indexed', fits: isComparable, need: 'a single value that is kept as it is' },
  { annotation: 'fulltext', fits: isSearchable, need: 'a single text that answers show' },
  { annotation: 'ref', fits: isComparable, need: 'a single value that is kept as it is' },
  { annotation: 'oneof', fits: isComparable, need: 'a single value that is kept as it is' },
  {
    annotation: 'secret',
    fits: ({ type, list }: Attribute) => type.kind === 'plain' && type.type.column === 'text' && !list,
    need: 'a single text',
  },
  { annotation: 'enum', fits: fitsChoices, need: 'values of its type' },
] as const;

function checkAllowedType(attribute: Attribute, { marks }: AttributeDraft, { report }: Linking): void {
  const check = (given: Annotation | undefined, fits: (attribute: Attribute) => boolean, need: string): void => {
    if (given === undefined || fits(attribute)) return;
    report.fault('type-not-allowed', given.span, `\`${wordOf(given)}\` needs ${need}; \`${attribute.name}\` is ${written(attribute)}`);
  };
  for (const { annotation, fits, need } of needs) check(mark(marks, annotation), fits, need);
  for (const type of facetTypes) check(facetMark(marks, type), type.fits, type.needs);
  if (attribute.list && attribute.secret && !hasMark(marks, 'secret')) {
    report.fault('type-not-allowed', attribute.span, `there are no lists of passwords; \`${attribute.name}\` is ${written(attribute)}`);
  }
}

function isText({ type }: Attribute): boolean {
  return type.kind === 'plain' && type.type.column === 'text' && type.type.secret !== true;
}

export function isSearchable(attribute: Attribute): boolean {
  return isText(attribute) && !attribute.list && !attribute.secret && !attribute.writeonly;
}

function fitsChoices(attribute: Attribute): boolean {
  const { type, choices } = attribute;
  if (choices === undefined) return isText(attribute);
  return type.kind === 'plain' && choices.every((each) => type.type.parse(each) !== undefined);
}

/** Whether two values can be compared in the store. */
export function isComparable({ type, list, secret }: Attribute): boolean {
  return type.kind === 'plain' && type.type.column !== 'json' && !list && !secret;
}

function checkEnum({ values: texts, choices, name }: Attribute, { marks }: AttributeDraft, { report }: Linking): void {
  const span = markSpan(marks, 'enum');
  const values: readonly Value[] | undefined = texts ?? choices;
  if (values === undefined || span === undefined) return;
  if (values.length === 0 || values.includes(''))
    report.fault('enum-empty', span, `the values of \`${name}\` are non-empty texts, at least one`);
  const second = repeatedAt(values);
  const place = markArguments(marks, 'enum')?.[second]?.span ?? span;
  if (second !== -1) report.fault('enum-repeated', place, `\`${String(values[second])}\` stands twice among the values of \`${name}\``);
}
