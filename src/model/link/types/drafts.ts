// The attributes of each type as they are written, with those that `extends` copies in front.

import type { AttributeDeclaration } from '../../declaration.ts';
import type { Attribute, TypeReference } from '../../model.ts';
import { type AnnotationTarget, type Marks, readAnnotations } from '../annotations.ts';
import { checkName, nameSpace } from '../names.ts';
import { kindOf, type Linking, lookUp, type RelationshipEntry, reportUnknown, type TypeEntry } from '../scope.ts';
import { expandAttribute } from './named-attributes.ts';

export interface AttributeDraft {
  /** Who declared it: its module is where its names are looked up. */
  readonly owner: TypeEntry | RelationshipEntry;
  readonly declaration: AttributeDeclaration;
  readonly marks: Marks;
  /** Filled in as linking goes on. */
  type: TypeReference | 'busy' | undefined;
  attribute: Attribute | undefined;
}

export interface Drafts {
  of(entry: TypeEntry | RelationshipEntry): readonly AttributeDraft[];
  find(entry: TypeEntry | RelationshipEntry, attribute: string): AttributeDraft | undefined;
  /** The type that this one extends, when it exists and may be extended. */
  base(entry: TypeEntry): TypeEntry | undefined;
}

/** More would be no model of anything, and deep enough to be dangerous. */
export const mostLevels = 100;

export function openDrafts(linking: Linking): Drafts {
  const known = new Map<string, readonly AttributeDraft[]>();
  const bases = new Map<string, TypeEntry | undefined>();
  const busy = new Set<string>();

  const base = (entry: TypeEntry) => {
    if (!bases.has(entry.name)) bases.set(entry.name, findBase(entry, linking));
    return bases.get(entry.name);
  };
  const copied = (entry: TypeEntry): readonly AttributeDraft[] => {
    const from = base(entry);
    if (from === undefined) return [];
    if (!busy.has(from.name) && busy.size < mostLevels) return of(from);
    const why = busy.has(from.name) ? `extends itself, by way of \`${from.local}\`` : `is the end of more than ${mostLevels} extensions`;
    linking.report.fault('extends-cycle', entry.declaration.extends?.span ?? entry.span, `\`${entry.local}\` ${why}`);
    return [];
  };
  const of = (entry: TypeEntry | RelationshipEntry): readonly AttributeDraft[] => {
    const before = known.get(entry.name);
    if (before !== undefined) return before;
    busy.add(entry.name);
    const all = withOwn(entry, entry.kind === 'relationship' ? [] : copied(entry), linking);
    busy.delete(entry.name);
    known.set(entry.name, all);
    return all;
  };
  return {
    of,
    base,
    // Types have few attributes: an index of each would cost more than it saves.
    find: (entry, attribute) => of(entry).find((each) => each.declaration.name.text === attribute),
  };
}

const places: Record<(TypeEntry | RelationshipEntry)['kind'], AnnotationTarget> = {
  entity: 'attribute of an entity',
  record: 'attribute of a record',
  event: 'attribute of an event',
  relationship: 'attribute of a relationship',
};

function withOwn(owner: TypeEntry | RelationshipEntry, copied: readonly AttributeDraft[], linking: Linking): readonly AttributeDraft[] {
  const { report } = linking;
  const all = [...copied];
  const isNew = nameSpace(report, 'attribute-repeated', 'attribute');
  for (const each of copied) isNew(each.declaration.name.text, each.declaration.span);
  for (const written of owner.declaration.attributes) {
    checkName(written.name, 'the name of an attribute', report);
    const own = readAnnotations(written.annotations, places[owner.kind], report);
    const { declaration, marks } = expandAttribute(written, own, owner.module, linking);
    if (isNew(declaration.name.text, declaration.name.span)) all.push({ owner, declaration, marks, type: undefined, attribute: undefined });
  }
  return all;
}

/** What each kind may copy from. */
const extendable: Record<TypeEntry['kind'], readonly string[]> = {
  entity: ['entity', 'record'],
  record: ['record'],
  event: ['entity', 'record', 'event'],
};

function findBase(entry: TypeEntry, linking: Linking): TypeEntry | undefined {
  const name = entry.declaration.extends;
  if (name === undefined) return undefined;
  const kinds = extendable[entry.kind];
  const what = kinds.join(' or ');
  const found = lookUp(name.text, entry.module, linking.scope);
  if (found === undefined) {
    const wanted = { what, name: name.text, span: name.span, module: entry.module };
    reportUnknown(linking, 'name-unknown', wanted, (each) => kinds.includes(each.kind));
  } else if ((found.kind === 'entity' || found.kind === 'record' || found.kind === 'event') && kinds.includes(found.kind)) {
    return found;
  } else {
    linking.report.fault('extends-kind', name.span, `${kindOf(entry)} can extend ${what}; \`${found.local}\` is ${kindOf(found)}`);
  }
  return undefined;
}
