// One attribute: its declaration and annotations become what the rest of the service reads.

import type { Span } from '../../../source.ts';
import type { Values } from '../../../values/value.ts';
import { choiceOf } from '../../choice.ts';
import type { Facet } from '../../facets/facet.ts';
import { facetTypes } from '../../facets/facets.ts';
import { deepFreeze } from '../../freeze.ts';
import { literalValue } from '../../literals.ts';
import type { Attribute, Default, FunctionReference } from '../../model.ts';
import { uuid } from '../../types/text/uuid.ts';
import {
  argumentsOf,
  facetMark,
  hasMark,
  type Marks,
  markLiterals,
  markMap,
  markSpan,
  markText,
  markTexts,
  markValue,
  noValues,
} from '../annotations.ts';
import { reportFunction } from '../expressions.ts';
import { clojureFunction, importedFunction, type Linking } from '../scope.ts';
import { linkAttributeAccess } from './access-rules.ts';
import { checkAttribute } from './attribute-checks.ts';
import { type AttributeTypes, plain } from './attribute-types.ts';
import { dependsOnOthers, linkComputation } from './computed.ts';
import { linkDefault } from './defaults.ts';
import type { AttributeDraft, Drafts } from './drafts.ts';

export interface Attributes {
  /** The finished attribute, made once per declaration: types that copy it share it. */
  build(draft: AttributeDraft): Attribute;
}

export function openAttributes(drafts: Drafts, types: AttributeTypes, linking: Linking): Attributes {
  return {
    build(draft) {
      if (draft.attribute !== undefined) return draft.attribute;
      const attribute = buildAttribute(draft, drafts, types, linking);
      checkAttribute(attribute, draft, linking);
      draft.attribute = attribute;
      return attribute;
    },
  };
}

/** The identifier of a type that declares none. */
export function generatedIdentifier(span: Span): Attribute {
  return Object.freeze({
    name: '__Id__',
    type: plain(uuid),
    list: false,
    optional: false,
    identifier: true,
    default: generatedUuid,
    unique: false,
    indexed: false,
    fulltext: false,
    readonly: true,
    writeonly: false,
    secret: false,
    autoincrement: false,
    check: undefined,
    expression: undefined,
    values: undefined,
    choices: undefined,
    facets: noFacets,
    oneOf: undefined,
    ref: undefined,
    meta: noValues,
    comment: undefined,
    was: undefined,
    span,
  });
}

const generatedUuid: Default = Object.freeze({ kind: 'uuid' });

/** In a record or an event an attribute is only a value: nothing is stored, so nothing is unique, indexed or renamed. */
export function asValue(attribute: Attribute, owner: 'record' | 'event'): Attribute {
  const { identifier, unique, indexed, fulltext, autoincrement, readonly, was, rbac, ...rest } = attribute;
  const stored = {
    identifier: false,
    unique: false,
    indexed: false,
    fulltext: false,
    autoincrement: false,
    readonly: false,
    was: undefined,
  };
  const value = { ...rest, ...stored };
  const counted = attribute.default?.kind === 'autoincrement' ? { default: undefined, optional: true } : {};
  const computed = owner === 'event' && attribute.expression !== undefined ? { expression: undefined, optional: true } : {};
  return { ...value, ...counted, ...computed };
}

function buildAttribute(draft: AttributeDraft, drafts: Drafts, types: AttributeTypes, linking: Linking): Attribute {
  const { declaration, marks } = draft;
  const declared = { drafts, types, linking };
  const type = types.typeOf(draft);
  const named = isIdentity(draft);
  const written = linkDefault(draft, type, linking);
  const filled: Default | undefined = written ?? (hasMark(marks, 'default') ? undefined : generatedDefault(draft));
  const values = markTexts(marks, 'enum');
  return frozen({
    name: declaration.name.text,
    type,
    list: declaration.list,
    // Where a relationship leads to nothing there is nothing to compute it from.
    optional: hasMark(marks, 'optional') || dependsOnOthers(draft, declared),
    identifier: named || hasMark(marks, 'id') || hasMark(marks, 'guid'),
    default: filled,
    unique: hasMark(marks, 'unique'),
    indexed: hasMark(marks, 'indexed'),
    fulltext: hasMark(marks, 'fulltext'),
    readonly: hasMark(marks, 'readonly'),
    writeonly: hasMark(marks, 'writeonly'),
    secret: hasMark(marks, 'secret') || (type.kind === 'plain' && type.type.secret === true),
    autoincrement: filled?.kind === 'autoincrement',
    check: linkCheck(draft, linking),
    expression: linkComputation(draft, declared),
    values,
    choices: values === undefined ? markLiterals(marks, 'enum')?.map((each) => choiceOf(each, type)) : undefined,
    facets: linkFacets(draft, linking),
    oneOf: types.target(draft, 'oneof'),
    ref: types.target(draft, 'ref'),
    meta: linkMeta(marks, linking),
    comment: markText(marks, 'comment'),
    was: markText(marks, 'was'),
    ...linkRules(draft, drafts, linking),
    span: declaration.span,
  });
}

function linkRules({ marks, owner }: AttributeDraft, drafts: Drafts, linking: Linking): Pick<Attribute, 'rbac'> {
  if (marks.length === 0) return noRules;
  const rbac = linkAttributeAccess(marks, owner.module, () => drafts.of(owner).map((each) => each.declaration.name.text), linking);
  return rbac === undefined ? noRules : { rbac };
}

const noRules = Object.freeze({});

/** Most attributes of a large model are frozen here, part by part: walking over all their fields later would take far longer. */
function frozen(attribute: Attribute): Attribute {
  deepFreeze(attribute.type);
  deepFreeze(attribute.default);
  deepFreeze(attribute.check);
  deepFreeze(attribute.expression);
  deepFreeze(attribute.values);
  deepFreeze(attribute.facets);
  deepFreeze(attribute.oneOf);
  deepFreeze(attribute.ref);
  deepFreeze(attribute.rbac);
  deepFreeze(attribute.meta);
  return Object.freeze(attribute);
}

/** `id Identity` is short for `id UUID @id @default(uuid())` (specification 2). */
export function isIdentity({ declaration, owner }: AttributeDraft): boolean {
  return owner.kind !== 'event' && (declaration.type?.text === 'Identity' || declaration.type?.text === 'Identifier');
}

/** Whether no two instances share its value, under whatever parent. */
export function isGuid(draft: AttributeDraft): boolean {
  return isIdentity(draft) || hasMark(draft.marks, 'guid');
}

/** What a type fills in by itself: `Identity` a UUID, `Now` the local time. */
function generatedDefault(draft: AttributeDraft): Default | undefined {
  if (isIdentity(draft)) return generatedUuid;
  return draft.declaration.type?.text === 'Now' ? localNow : undefined;
}

const localNow: Default = Object.freeze({ kind: 'local-now' });

const noFacets: readonly Facet[] = Object.freeze([]);

function linkFacets({ marks, declaration }: AttributeDraft, { report }: Linking): readonly Facet[] {
  if (marks.length === 0) return noFacets;
  const found = facetTypes.flatMap((type): readonly Facet[] => {
    const written = facetMark(marks, type);
    const [given] = argumentsOf(written) ?? [];
    if (written === undefined || given === undefined) return [];
    const read = type.read(literalValue(given) ?? null);
    if (typeof read !== 'string') return [read];
    const message = `the ${type.name} of \`${declaration.name.text}\` cannot be used: ${read}`;
    report.fault(type.invalid ?? 'annotation-argument', written.span, message);
    return [];
  });
  return found.length === 0 ? noFacets : found;
}

/** Switches among the meta keys: a value that is neither true nor false would silently be taken for "off". */
const metaSwitches = ['audit', 'ownerOnly', 'creatorOwns'] as const;

export function linkMeta(marks: Marks, { report }: Linking): Values {
  const meta = markMap(marks, 'meta');
  const span = markSpan(marks, 'meta');
  for (const key of metaSwitches) {
    const wrong = span !== undefined && meta[key] !== undefined && typeof meta[key] !== 'boolean';
    if (wrong) report.fault('annotation-argument', span, `the meta key \`${key}\` is true or false`);
  }
  return meta;
}

function linkCheck(draft: AttributeDraft, linking: Linking): FunctionReference | undefined {
  const written = markValue(draft.marks, 'check');
  if (written?.kind === 'code') return clojureFunction(written);
  if (written?.kind !== 'reference') return undefined;
  const { path, span } = written;
  const found = importedFunction(path, span, draft.owner.module, linking);
  if (found === undefined) reportFunction(path.join('.'), span, draft.owner.module, linking);
  return found;
}
