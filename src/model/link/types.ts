// Entities, records and declared events.

import type { Attribute, Entity, EventType, RecordType, TypeName } from '../model.ts';
import type { Values } from '../types/attribute-type.ts';
import { linkAccess } from './access.ts';
import { hasMark, type Marks, markSpan, marksCalled, markText, readAnnotations } from './annotations.ts';
import { isComparable } from './attribute-checks.ts';
import { type Attributes, asValue, generatedIdentifier, isIdentity, linkMeta } from './attributes.ts';
import { type AttributeDraft, type Drafts, mostLevels } from './drafts.ts';
import type { Linking, TypeEntry } from './scope.ts';

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
    const own = drafts.of(entry).map((each) => attributes.build(each));
    addType(entry, own, marks, drafts, types, linking);
  }
  return types;
}

function addType(entry: TypeEntry, own: readonly Attribute[], marks: Marks, drafts: Drafts, types: Types, linking: Linking): void {
  const { name, module, local, span, declaration } = entry;
  const meta = linkMeta(marks, linking);
  if (entry.kind === 'entity') types.entities.set(name, linkEntity(entry, own, marks, meta, drafts, linking));
  else if (entry.kind === 'record') {
    types.records.set(name, { kind: 'record', name, module, local, span, attributes: own.map((each) => asValue(each, 'record')), meta });
  } else {
    const values = own.map((each) => asValue(each, 'event'));
    types.events.set(name, {
      kind: 'event',
      name,
      module,
      local,
      span,
      attributes: values,
      open: false,
      isPublic: declaration.isPublic,
      meta,
    });
  }
}

function linkEntity(entry: TypeEntry, own: readonly Attribute[], marks: Marks, meta: Values, drafts: Drafts, linking: Linking): Entity {
  const { name, module, local, span } = entry;
  const { attributes, identifier } = identified(own, drafts.of(entry), entry, linking);
  return {
    kind: 'entity',
    name,
    module,
    local,
    span,
    attributes,
    identifier,
    uniques: [...copiedUniques(entry, drafts), ...linkUniques(marks, local, attributes, [], linking)],
    rbac: linkAccess(marks, module, () => attributes.map((each) => each.name), linking),
    meta,
    was: markText(marks, 'was'),
  };
}

interface Identified {
  readonly attributes: readonly Attribute[];
  readonly identifier: Attribute;
}

/** The attributes with exactly one identifier among them: the declared one, or a generated one in front. */
export function identified(
  own: readonly Attribute[],
  drafts: readonly AttributeDraft[],
  entry: Pick<TypeEntry, 'local' | 'span'>,
  { report }: Linking,
): Identified {
  const declared = drafts.filter((each) => hasMark(each.marks, 'id') || isIdentity(each));
  for (const extra of declared.slice(1)) {
    const span = markSpan(extra.marks, 'id') ?? extra.declaration.span;
    report.fault('identifier-repeated', span, `\`${entry.local}\` already has the identifier \`${declared[0]?.declaration.name.text}\``);
  }
  const identifier = own.find((each) => each.identifier);
  if (identifier !== undefined) return { attributes: own, identifier };
  const generated = generatedIdentifier(entry.span);
  return { attributes: [generated, ...own], identifier: generated };
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
  if (entry.declaration.extends === undefined) return [];
  const groups: string[][] = [];
  const seen = new Set([entry]);
  for (let base = drafts.base(entry); base !== undefined && !seen.has(base) && seen.size <= mostLevels; base = drafts.base(base)) {
    seen.add(base);
    for (const annotation of base.declaration.annotations) {
      if (annotation.kind !== 'plain' || annotation.name.text !== 'with_unique') continue;
      groups.push(annotation.arguments.flatMap((each) => (each.kind === 'reference' ? each.path.slice(0, 1) : [])));
    }
  }
  return groups;
}
