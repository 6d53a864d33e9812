// One attribute: its declaration and annotations become what the rest of the service reads.

import type { Span } from '../../source.ts';
import type { Attribute, Default, FunctionReference, TypeReference } from '../model.ts';
import type { Expression } from '../pattern.ts';
import type { Values } from '../types/attribute-type.ts';
import { uuid } from '../types/uuid.ts';
import { type Marks, markMap, markPath, markSpan, markText, markTexts, markValue } from './annotations.ts';
import { type AttributeTypes, typeName } from './attribute-types.ts';
import { linkDefault } from './defaults.ts';
import type { AttributeDraft, Drafts } from './drafts.ts';
import { linkExpression, reportFunction, type Surroundings } from './expressions.ts';
import { importedFunction, type Linking } from './scope.ts';

export interface Attributes {
  /** The finished attribute, made once per declaration: types that copy it share it. */
  build(draft: AttributeDraft): Attribute;
}

export function openAttributes(drafts: Drafts, types: AttributeTypes, linking: Linking): Attributes {
  const built = new Map<AttributeDraft, Attribute>();
  return {
    build(draft) {
      const before = built.get(draft);
      if (before !== undefined) return before;
      const attribute = buildAttribute(draft, drafts, types, linking);
      checkAttribute(attribute, draft, linking);
      built.set(draft, attribute);
      return attribute;
    },
  };
}

/** The identifier of a type that declares none (decisions 2.7). */
export function generatedIdentifier(span: Span): Attribute {
  return {
    ...plainAttribute,
    name: '__Id__',
    type: { kind: 'plain', type: uuid },
    identifier: true,
    default: { kind: 'uuid' },
    readonly: true,
    span,
  };
}

const plainAttribute = {
  list: false,
  optional: false,
  identifier: false,
  default: undefined,
  unique: false,
  indexed: false,
  readonly: false,
  writeonly: false,
  secret: false,
  autoincrement: false,
  check: undefined,
  expression: undefined,
  values: undefined,
  oneOf: undefined,
  ref: undefined,
  meta: {},
  comment: undefined,
  was: undefined,
} as const;

/** In a record or an event an attribute is only a value: nothing is stored, so nothing is unique, indexed or renamed. */
export function asValue(attribute: Attribute, owner: 'record' | 'event'): Attribute {
  const { identifier, unique, indexed, autoincrement, readonly, was, ...rest } = attribute;
  const plain = { ...rest, identifier: false, unique: false, indexed: false, autoincrement: false, readonly: false, was: undefined };
  const counted = attribute.default?.kind === 'autoincrement' ? { default: undefined, optional: true } : {};
  const computed = owner === 'event' && attribute.expression !== undefined ? { expression: undefined, optional: true } : {};
  return { ...plain, ...counted, ...computed };
}

function buildAttribute(draft: AttributeDraft, drafts: Drafts, types: AttributeTypes, linking: Linking): Attribute {
  const { declaration, marks } = draft;
  const type = types.typeOf(draft);
  const named = isIdentity(draft);
  const written = linkDefault(draft, type, linking);
  const filled: Default | undefined = written ?? (named && !marks.has('default') ? { kind: 'uuid' } : undefined);
  return {
    name: declaration.name.text,
    type,
    list: declaration.list,
    optional: marks.has('optional'),
    identifier: named || marks.has('id'),
    default: filled,
    unique: marks.has('unique'),
    indexed: marks.has('indexed'),
    readonly: marks.has('readonly'),
    writeonly: marks.has('writeonly'),
    secret: marks.has('secret') || (type.kind === 'plain' && type.type.secret === true),
    autoincrement: filled?.kind === 'autoincrement',
    check: linkCheck(draft, linking),
    expression: linkComputation(draft, drafts, linking),
    values: markTexts(marks, 'enum'),
    oneOf: types.target(draft, 'oneof'),
    ref: types.target(draft, 'ref'),
    meta: linkMeta(marks, linking),
    comment: markText(marks, 'comment'),
    was: markText(marks, 'was'),
    span: declaration.span,
  };
}

/** `id Identity` is short for `id UUID @id @default(uuid())` (specification 2). */
export function isIdentity({ declaration, owner }: AttributeDraft): boolean {
  return owner.kind !== 'event' && (declaration.type?.text === 'Identity' || declaration.type?.text === 'Identifier');
}

/** Switches among the meta keys: a value that is neither true nor false would silently be taken for "off". */
const metaSwitches = ['audit', 'ownerOnly'] as const;

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
  const path = markPath(draft.marks, 'check');
  if (path === undefined) return undefined;
  const found = importedFunction(path, draft.owner.module, linking);
  if (found === undefined)
    reportFunction(path.join('.'), markSpan(draft.marks, 'check') ?? draft.declaration.span, draft.owner.module, linking);
  return found;
}

function linkComputation(draft: AttributeDraft, drafts: Drafts, linking: Linking): Expression | undefined {
  const expression = markValue(draft.marks, 'expr');
  return expression === undefined ? undefined : linkExpression(expression, siblings(draft, drafts, linking), linking);
}

/** Around an @expr: the other attributes, bare, or behind `this` or the name of their type. */
function siblings({ owner }: AttributeDraft, drafts: Drafts, { report }: Linking): Surroundings {
  return {
    module: owner.module,
    reference(path, span) {
      const [first = '', ...rest] = path;
      const own = drafts.find(owner, first) === undefined && rest.length > 0 && isSelf(first) ? rest : path;
      const [name = ''] = own;
      if (drafts.find(owner, name) === undefined) {
        const names = drafts.of(owner).map((each) => each.declaration.name.text);
        report.unknown('attribute-unknown', span, `\`${owner.local}\` has no attribute \`${name}\``, name, names);
      }
      return own;
    },
    pattern(pattern) {
      report.fault(
        'pattern-type',
        pattern.span,
        'an attribute is computed from the other attributes of its instance; no pattern can stand here',
      );
      return pattern;
    },
  };

  function isSelf(word: string): boolean {
    return word === 'this' || word === owner.local || word === owner.name;
  }
}

function checkAttribute(attribute: Attribute, draft: AttributeDraft, linking: Linking): void {
  checkIdentifier(attribute, draft, linking);
  checkAllowedType(attribute, draft, linking);
  checkEnum(attribute, draft, linking);
  if (attribute.expression !== undefined && (attribute.identifier || attribute.default !== undefined)) {
    const span = markSpan(draft.marks, 'expr') ?? attribute.span;
    linking.report.fault('annotation-misplaced', span, 'what is computed with `@expr` has no default, and cannot be the identifier');
  }
}

function checkIdentifier(attribute: Attribute, { marks, declaration }: AttributeDraft, { report }: Linking): void {
  if (!attribute.identifier) return;
  const span = markSpan(marks, 'id') ?? declaration.span;
  const suits =
    attribute.type.kind === 'plain' && attribute.type.type.identifies && !attribute.list && !attribute.secret && !attribute.writeonly;
  if (!suits) {
    report.fault(
      'identifier-type',
      span,
      `\`${attribute.name}\` (${written(attribute)}) cannot be the identifier: it could not stand in a path`,
      `write \`${attribute.name} String @id\``,
    );
  }
  if (attribute.optional) report.fault('identifier-optional', span, `the identifier \`${attribute.name}\` cannot be optional`);
}

function written({ type, list }: { readonly type: TypeReference; readonly list: boolean }): string {
  return `${typeName(type)}${list ? '[]' : ''}`;
}

/** Annotations that need a type of a certain kind. */
function checkAllowedType(attribute: Attribute, { marks }: AttributeDraft, { report }: Linking): void {
  const column = attribute.type.kind === 'plain' ? attribute.type.type.column : 'json';
  const single = column !== 'json' && !attribute.list;
  const rules = [
    { annotation: 'unique', fits: single && !attribute.secret, need: 'a single value that is kept as it is' },
    { annotation: 'indexed', fits: single && !attribute.secret, need: 'a single value that is kept as it is' },
    { annotation: 'secret', fits: column === 'text' && single, need: 'a single text' },
    { annotation: 'enum', fits: typeName(attribute.type) === 'String', need: 'texts' },
    { annotation: 'ref', fits: single && !attribute.secret, need: 'a single value that is kept as it is' },
    { annotation: 'oneof', fits: single && !attribute.secret, need: 'a single value that is kept as it is' },
  ] as const;
  for (const { annotation, fits, need } of rules) {
    const span = markSpan(marks, annotation);
    if (span !== undefined && !fits) {
      report.fault('type-not-allowed', span, `\`@${annotation}\` needs ${need}; \`${attribute.name}\` is ${written(attribute)}`);
    }
  }
  if (attribute.list && attribute.secret && !marks.has('secret')) {
    report.fault('type-not-allowed', attribute.span, `there are no lists of passwords; \`${attribute.name}\` is ${written(attribute)}`);
  }
}

function checkEnum({ values, name }: Attribute, { marks }: AttributeDraft, { report }: Linking): void {
  const span = markSpan(marks, 'enum');
  if (values === undefined || span === undefined) return;
  if (values.length === 0 || values.includes(''))
    report.fault('enum-empty', span, `the values of \`${name}\` are non-empty texts, at least one`);
  const repeated = new Set(values).size < values.length ? values.find((each, index) => values.indexOf(each) < index) : undefined;
  if (repeated !== undefined) report.fault('enum-repeated', span, `\`${repeated}\` stands twice among the values of \`${name}\``);
}
