// The type of each attribute: the one that is written, or the one of the attribute it refers to.

import type { Span } from '../../../source.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import type { Value } from '../../../values/value.ts';
import { didYouMean } from '../../fault-report.ts';
import type { AttributeReference, TypeReference } from '../../model.ts';
import { any } from '../../types/any.ts';
import type { AttributeType } from '../../types/attribute-type.ts';
import { boolean } from '../../types/boolean.ts';
import { bigInteger } from '../../types/number/big-integer.ts';
import { decimal } from '../../types/number/decimal.ts';
import { float } from '../../types/number/float.ts';
import { int } from '../../types/number/int.ts';
import { scalar } from '../../types/scalar.ts';
import { string } from '../../types/text/string.ts';
import { uuid } from '../../types/text/uuid.ts';
import { attributeTypeNames, attributeTypes, findAttributeType } from '../../types/types.ts';
import { hasMark, markBoolean, markLiterals, markValue } from '../annotations.ts';
import { type BuiltinEntry, type Entry, kindOf, type Linking, lookUp, reportUnknown, type TypeEntry } from '../scope.ts';
import type { AttributeDraft, Drafts } from './drafts.ts';

export interface AttributeTypes {
  typeOf(draft: AttributeDraft): TypeReference;
  /** Where `@ref` or `@oneof` points, or `undefined` when that does not exist. */
  target(draft: AttributeDraft, annotation: 'ref' | 'oneof'): AttributeReference | undefined;
}

/** Made once: a large model has thousands of attributes, and few types. */
const plainTypes: ReadonlyMap<AttributeType, TypeReference> = new Map(
  [...attributeTypes, scalar].map((type) => [type, Object.freeze({ kind: 'plain', type })]),
);
const text = plain(string);
/** What a type becomes where it identifies. */
const narrowerTypes: ReadonlyMap<TypeReference, TypeReference> = new Map([
  [plain(bigInteger), plain(int)],
  [plain(any), plain(scalar)],
]);

export function plain(type: AttributeType): TypeReference {
  return plainTypes.get(type) ?? { kind: 'plain', type };
}

/** References that take their types from each other go no deeper than this. */
const mostLevels = 100;

export function openAttributeTypes(drafts: Drafts, linking: Linking): AttributeTypes {
  let level = 0;
  const targets = new Map<AttributeDraft, Target | undefined>();

  const targetOf = (draft: AttributeDraft, annotation: 'ref' | 'oneof') => {
    if (!targets.has(draft)) targets.set(draft, findTarget(draft, annotation, drafts, linking));
    return targets.get(draft);
  };
  const typeOfTarget = (target: Target): TypeReference => (target.draft === undefined ? plain(uuid) : typeOf(target.draft));

  const typeOf = (draft: AttributeDraft): TypeReference => {
    if (draft.type === 'busy' || level > mostLevels) return circular(draft, linking);
    if (draft.type !== undefined) return draft.type;
    draft.type = 'busy';
    level += 1;
    const type = findType(draft);
    level -= 1;
    draft.type = type;
    return type;
  };
  const findType = (draft: AttributeDraft): TypeReference => {
    const { marks, declaration } = draft;
    const annotation = hasMark(marks, 'ref') ? 'ref' : 'oneof';
    const target = hasMark(marks, annotation) ? targetOf(draft, annotation) : undefined;
    if (declaration.type === undefined) return target === undefined ? untyped(draft, linking) : typeOfTarget(target);
    const written = writtenType(draft, linking);
    // Whatever refers to an identifier is what that is.
    const narrower = target === undefined ? undefined : narrowerTypes.get(written);
    if (target !== undefined && narrower !== undefined && typeOfTarget(target) === narrower) return narrower;
    if (target !== undefined) checkSameType(draft, written, typeOfTarget(target), linking);
    return written;
  };
  const target = (draft: AttributeDraft, annotation: 'ref' | 'oneof') => {
    const reference = hasMark(draft.marks, annotation) ? targetOf(draft, annotation)?.reference : undefined;
    const cascade = annotation === 'ref' && markBoolean(draft.marks, 'cascade') === true;
    return reference !== undefined && cascade ? { ...reference, cascade } : reference;
  };
  return { typeOf, target };
}

interface Target {
  readonly reference: AttributeReference;
  /** Absent for the generated identifier. */
  readonly draft: AttributeDraft | undefined;
}

/** What people write who come from elsewhere. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['Long', 'Int'],
  ['Bool', 'Boolean'],
  ['Text', 'String'],
  ['Timestamp', 'DateTime'],
  ['Object', 'Map'],
  ['Json', 'Any'],
  ['JSON', 'Any'],
  ['GUID', 'UUID'],
]);

function writtenType(draft: AttributeDraft, linking: Linking): TypeReference {
  const name = draft.declaration.type;
  if (name === undefined) return text;
  const known = findAttributeType(name.text);
  // What identifies stands in paths and keys, where a number has 64 bits.
  if (known === bigInteger && (identifies(draft) || hasMark(draft.marks, 'autoincrement'))) return plain(int);
  if (known === any && isStored(draft) && identifies(draft) && !draft.declaration.list) return plain(scalar);
  if (known !== undefined) return plain(known);
  const entry = lookUp(name.text, draft.owner.module, linking.scope);
  if (entry === undefined) {
    const message = { what: 'type', name: name.text, span: name.span, module: draft.owner.module };
    const word = otherWords.get(name.text);
    if (word !== undefined) linking.report.fault('type-unknown', name.span, `there is no type \`${name.text}\``, didYouMean(word));
    else reportUnknown(linking, 'type-unknown', message, (each) => each.kind === 'record', attributeTypeNames());
    return text;
  }
  if (entry.kind === 'record' || (entry.kind === 'entity' && !isStored(draft))) return { kind: 'record', record: entry.name };
  refuseType(draft, entry, linking);
  return text;
}

function identifies({ marks }: AttributeDraft): boolean {
  return hasMark(marks, 'id') || hasMark(marks, 'guid');
}

function isStored({ owner }: AttributeDraft): boolean {
  return owner.kind === 'entity' || owner.kind === 'relationship';
}

function refuseType(draft: AttributeDraft, entry: Entry | BuiltinEntry, { report }: Linking): void {
  const span = draft.declaration.type?.span ?? draft.declaration.span;
  if (entry.kind === 'entity') {
    const message = `\`${entry.local}\` is an entity; an attribute refers to one with \`@ref\`, or the two are linked by a relationship`;
    report.fault('type-not-allowed', span, message, `write \`@ref(${entry.local}.id)\``);
  } else {
    report.fault('type-not-allowed', span, `\`${entry.local}\` is ${kindOf(entry)}, which cannot be the type of an attribute`);
  }
}

function untyped(draft: AttributeDraft, { report }: Linking): TypeReference {
  const { declaration, marks } = draft;
  const choices = markLiterals(marks, 'enum');
  if (choices !== undefined) return plain(typeOfChoices(choices));
  // A reference to nothing has been reported where it stands.
  if (!hasMark(marks, 'ref') && !hasMark(marks, 'oneof')) {
    report.fault(
      'type-missing',
      declaration.name.span,
      `the attribute \`${declaration.name.text}\` needs a type`,
      `write \`${declaration.name.text} String\``,
    );
  }
  return text;
}

function typeOfChoices(choices: readonly Value[]): AttributeType {
  const isInteger = (each: Value) => typeof each === 'bigint' || Number.isInteger(each);
  if (choices.every((each) => typeof each === 'string')) return string;
  if (choices.every(isInteger)) return int;
  const isNumber = (each: Value) => typeof each === 'number' || typeof each === 'bigint' || each instanceof ExactNumber;
  if (choices.every(isNumber)) return choices.some((each) => each instanceof ExactNumber) ? decimal : float;
  return choices.every((each) => typeof each === 'boolean') ? boolean : any;
}

function circular(draft: AttributeDraft, { report }: Linking): TypeReference {
  const { name } = draft.declaration;
  report.fault('type-missing', name.span, `the attribute \`${name.text}\` takes its type from an attribute that has none of its own`);
  return text;
}

function checkSameType(draft: AttributeDraft, written: TypeReference, target: TypeReference, { report }: Linking): void {
  const same = written.kind === 'plain' && target.kind === 'plain' && written.type === target.type;
  const span = draft.declaration.type?.span ?? draft.declaration.span;
  if (!same)
    report.fault(
      'type-not-allowed',
      span,
      `\`${draft.declaration.name.text}\` must have the type of what it refers to`,
      `write \`${typeName(target)}\``,
    );
}

export function typeName(type: TypeReference): string {
  return type.kind === 'plain' ? type.type.name : type.record;
}

function findTarget(draft: AttributeDraft, annotation: 'ref' | 'oneof', drafts: Drafts, linking: Linking): Target | undefined {
  const expression = markValue(draft.marks, annotation);
  if (expression?.kind !== 'reference') return undefined;
  const [entityName = '', attribute = ''] = expression.path;
  const { span } = expression;
  const { module } = draft.owner;
  const entry = lookUp(entityName, module, linking.scope);
  if (entry?.kind !== 'entity') {
    reportUnknown(linking, 'name-unknown', { what: 'entity', name: entityName, span, module }, (each) => each.kind === 'entity');
    return undefined;
  }
  return findIn(entry, attribute, drafts) ?? reportAttribute(entry, attribute);

  function reportAttribute(entity: TypeEntry, name: string): undefined {
    const names = drafts.of(entity).map((each) => each.declaration.name.text);
    linking.report.unknown('attribute-unknown', endOf(span, name), `\`${entity.local}\` has no attribute \`${name}\``, name, names);
    return undefined;
  }
}

/** The place of the last part of a name. */
function endOf(span: Span, part: string): Span {
  const isLast = span.source.text.slice(span.start, span.end).endsWith(part);
  return isLast ? { ...span, start: span.end - part.length } : span;
}

function findIn(entity: TypeEntry, attribute: string, drafts: Drafts): Target | undefined {
  const reference = { entity: entity.name, attribute };
  const draft = drafts.find(entity, attribute);
  if (draft !== undefined) return { reference, draft };
  return attribute === '__Id__' && !drafts.of(entity).some((each) => hasMark(each.marks, 'id'))
    ? { reference, draft: undefined }
    : undefined;
}
