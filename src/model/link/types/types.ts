// Entities, records and declared events.

import type { Values } from '../../../values/value.ts';
import type { Attribute, Entity, EventType, RecordType, TypeName } from '../../model.ts';
import type { Name } from '../../pattern.ts';
import { hasMark, type Marks, markNames, markSpan, marksCalled, markText, readAnnotations } from '../annotations.ts';
import type { Linking, TypeEntry } from '../scope.ts';
import { linkAccess, linkRunRules } from './access-rules.ts';
import { isComparable, suitsAsIdentifier } from './attribute-checks.ts';
import { type Attributes, asValue, generatedIdentifier, isGuid, linkMeta } from './attributes.ts';
import { type AttributeDraft, type Drafts, mostLevels } from './drafts.ts';
import { linkExtensions } from './named-attributes.ts';
import { warnUnsearched, withCopiedSearched, withSearched } from './searched-by-meta.ts';

export interface Types {
  readonly entities: Map<TypeName, Entity>;
  readonly records: Map<TypeName, RecordType>;
  readonly events: Map<TypeName, EventType>;
  /** The annotations in the bodies of entities, for those who link triggers. */
  readonly marks: Map<TypeName, Marks>;
}

export function linkTypes(drafts: Drafts, attributes: Attributes, linking: Linking): Types {
  const types: Types = { entities: new Map(), records: new Map(), events: new Map(), marks: new Map() };
  for (const entry of linking.scope.entries.values()) {
    if (entry.kind !== 'entity' && entry.kind !== 'record' && entry.kind !== 'event') continue;
    const marks = readAnnotations(entry.declaration.annotations, entry.kind, linking.report);
    types.marks.set(entry.name, marks);
    const built = drafts.of(entry).map((each) => attributes.build(each));
    if (entry.kind === 'event') warnUnsearched(marks, entry.local, 'an event', linking);
    const searched = entry.kind === 'event' ? built : searchedByMeta(built, entry, marks, drafts, linking);
    const own = withRequired(withCopiedRequired(searched, entry, drafts), markNames(marks, 'required'), entry, linking);
    addType(entry, own, marks, drafts, types, linking);
  }
  return types;
}

function searchedByMeta(
  built: readonly Attribute[],
  entry: TypeEntry,
  marks: Marks,
  drafts: Drafts,
  linking: Linking,
): readonly Attribute[] {
  const copied = basesOf(entry, drafts).reduce(
    (own, base) =>
      withCopiedSearched(own, base.declaration.annotations, new Set(drafts.of(base).map((each) => each.declaration.name.text))),
    built,
  );
  return withSearched(copied, entry.local, marks, linking);
}

function addType(entry: TypeEntry, own: readonly Attribute[], marks: Marks, drafts: Drafts, types: Types, linking: Linking): void {
  const { name, module, local, span, declaration } = entry;
  const meta = linkMeta(marks, linking);
  if (entry.kind === 'entity') types.entities.set(name, linkEntity(entry, own, marks, meta, drafts, linking));
  else if (entry.kind === 'record') {
    const values = own.map((each) => asValue(each, 'record'));
    types.records.set(name, { kind: 'record', extends: drafts.base(entry)?.name, name, module, local, span, attributes: values, meta });
  } else {
    const values = own.map((each) => asValue(each, 'event'));
    types.events.set(name, {
      kind: 'event',
      name,
      module,
      local,
      span,
      attributes: values,
      open: declaration.open === true,
      isPublic: declaration.isPublic,
      rbac: linkRunRules(marks, linking),
      ...(hasMark(marks, 'internal') ? { isInternal: true } : {}),
      meta,
    });
  }
}

function linkEntity(entry: TypeEntry, own: readonly Attribute[], marks: Marks, meta: Values, drafts: Drafts, linking: Linking): Entity {
  const { name, module, local, span } = entry;
  const { attributes, identifier, guid } = identified(own, drafts.of(entry), { ...entry, contained: isContained(entry, linking) }, linking);
  return {
    kind: 'entity',
    extends: drafts.base(entry)?.name,
    name,
    module,
    local,
    span,
    attributes,
    identifier,
    guid,
    extensions: linkExtensions(entry, attributes, linking),
    uniques: [...copiedUniques(entry, drafts), ...linkUniques(marks, local, attributes, [], linking)],
    rbac: linkAccess(marks, module, () => attributes.map((each) => each.name), linking),
    profile: markNames(marks, 'profile')?.[0]?.text,
    meta,
    was: markText(marks, 'was'),
  };
}

interface Identified {
  readonly attributes: readonly Attribute[];
  readonly identifier: Attribute;
  readonly guid: Attribute | undefined;
}

/** The attributes with exactly one identifier among them: the declared one, or a generated one in front. */
export function identified(
  own: readonly Attribute[],
  drafts: readonly AttributeDraft[],
  entry: Pick<TypeEntry, 'local' | 'span'> & { readonly contained: boolean },
  { report }: Linking,
): Identified {
  const ids = drafts.filter((each) => hasMark(each.marks, 'id'));
  const guids = drafts.filter((each) => isGuid(each) && !ids.includes(each));
  // `Identity` beside another identifier of the same kind is what it looks like: one too many.
  for (const [first, ...others] of [ids, guids]) {
    for (const extra of others) {
      // What cannot be an identifier at all has been told.
      if (own.some((each) => each.name === extra.declaration.name.text && each.identifier && !suitsAsIdentifier(each))) continue;
      const span = markSpan(extra.marks, 'id') ?? markSpan(extra.marks, 'guid') ?? extra.declaration.span;
      report.fault('identifier-repeated', span, `\`${entry.local}\` already has the identifier \`${first?.declaration.name.text}\``);
    }
  }
  // Under a parent instances are told apart by their `@id`, everywhere else by their `@guid`.
  const chosen = (entry.contained ? (ids[0] ?? guids[0]) : (guids[0] ?? ids[0]))?.declaration.name.text;
  const guid = guids[0]?.declaration.name.text ?? ids.find(isGuid)?.declaration.name.text;
  const attributes = own.map((each) => asIdentifier(each, each.name === chosen, each.name === guid, entry.contained));
  const identifier = attributes.find((each) => each.name === chosen);
  const found = { guid: attributes.find((each) => each.name === guid) };
  if (identifier !== undefined) return { attributes, identifier, ...found };
  const generated = generatedIdentifier(entry.span);
  return { attributes: [generated, ...attributes], identifier: generated, ...found };
}

/** What the identifier of a type promises: the one in paths is a key already, unless it is one only together with a parent. */
function asIdentifier(attribute: Attribute, chosen: boolean, guid: boolean, contained: boolean): Attribute {
  if (!attribute.identifier) return attribute;
  // Without a parent, within which it would be, an `@id` beside the `@guid` is unique among all.
  const unique = attribute.unique || (contained ? guid : !chosen);
  return chosen && unique === attribute.unique ? attribute : { ...attribute, identifier: chosen, unique };
}

function isContained({ name }: TypeEntry, { scope }: Linking): boolean {
  return scope.contained.has(name);
}

/** What a base says of its attributes holds for those that are copied from it, unless a type in between says otherwise. */
function withCopiedRequired(own: readonly Attribute[], entry: TypeEntry, drafts: Drafts): readonly Attribute[] {
  return basesOf(entry, drafts).reduceRight((attributes, base) => {
    const required = markNames(base.declaration.annotations, 'required');
    if (required === undefined) return attributes;
    const [names, copied] = [namesOf(required), new Set(drafts.of(base).map((each) => each.declaration.name.text))];
    return attributes.map((each) => (each.identifier || !copied.has(each.name) ? each : { ...each, optional: !names.has(each.name) }));
  }, own);
}

function namesOf(names: readonly Name[]): ReadonlySet<string> {
  return new Set(names.map((each) => each.text));
}

/** `@required(a, b)`: these must be given, all others may be left out. */
function withRequired(
  own: readonly Attribute[],
  required: readonly Name[] | undefined,
  { local }: TypeEntry,
  { report }: Linking,
): readonly Attribute[] {
  if (required === undefined) return own;
  const known = own.map((each) => each.name);
  for (const { text, span } of required) {
    if (!known.includes(text)) report.unknown('attribute-unknown', span, `\`${local}\` has no attribute \`${text}\``, text, known);
  }
  const names = namesOf(required);
  return own.map((each) => (each.identifier ? each : { ...each, optional: !names.has(each.name) }));
}

/** @with_unique: each a group of attributes of which no two instances share all values. */
export function linkUniques(
  marks: Marks,
  local: string,
  attributes: readonly Attribute[],
  ends: readonly string[],
  { report }: Linking,
): readonly (readonly string[])[] {
  const annotations = marksCalled(marks, 'with_unique');
  if (annotations.length === 0) return [];
  const known = new Map(attributes.map((each) => [each.name, each]));
  const groups: string[][] = [];
  for (const annotation of annotations) {
    const group: string[] = [];
    for (const each of annotation.kind === 'plain' ? annotation.arguments : []) {
      const name = each.kind === 'reference' ? (each.path[0] ?? '') : '';
      const attribute = known.get(name);
      if (attribute === undefined && !ends.includes(name)) {
        report.unknown('attribute-unknown', each.span, `\`${local}\` has no attribute \`${name}\``, name, [...known.keys(), ...ends]);
      } else if (attribute !== undefined && !isComparable(attribute)) {
        report.fault(
          'type-not-allowed',
          each.span,
          `\`${name}\` is not a single value that is kept as it is; it cannot be part of what is unique`,
        );
      } else if (group.includes(name)) {
        report.fault('attribute-repeated', each.span, `\`${name}\` stands twice in one \`@with_unique\``);
      } else group.push(name);
    }
    groups.push(group);
  }
  return groups;
}

/** What an extended entity keeps unique stays so in the copy: it is a promise about the copied attributes. */
function copiedUniques(entry: TypeEntry, drafts: Drafts): readonly (readonly string[])[] {
  const groups: string[][] = [];
  for (const base of basesOf(entry, drafts)) {
    for (const annotation of base.declaration.annotations) {
      if (annotation.kind !== 'plain' || annotation.name.text !== 'with_unique') continue;
      groups.push(annotation.arguments.flatMap((each) => (each.kind === 'reference' ? each.path.slice(0, 1) : [])));
    }
  }
  return groups;
}

/** What it extends, the nearest first. */
function basesOf(entry: TypeEntry, drafts: Drafts): readonly TypeEntry[] {
  if (entry.declaration.extends === undefined) return [];
  const seen = new Set([entry]);
  for (let base = drafts.base(entry); base !== undefined && !seen.has(base) && seen.size <= mostLevels; base = drafts.base(base)) {
    seen.add(base);
  }
  return [...seen].slice(1);
}
