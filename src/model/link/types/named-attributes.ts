// Attributes that are declared on their own: types of attributes, used by name, and names for what a relationship leads to.

import type { AttributeDeclaration } from '../../declaration.ts';
import type { Attribute, Extension } from '../../model.ts';
import { findAttributeType } from '../../types/types.ts';
import { type Marks, markLiterals, markNames, readAnnotations } from '../annotations.ts';
import { kindOf, type Linking, lookUp, type NamedAttributeEntry, qualified, reportUnknown, type TypeEntry } from '../scope.ts';

interface Expanded {
  readonly declaration: AttributeDeclaration;
  readonly marks: Marks;
}

/** A chain of names longer than this leads in a circle, or nowhere. */
const mostSteps = 20;

/** An attribute whose type is a named one: what that says, as far as the attribute itself does not say otherwise. */
export function expandAttribute(written: AttributeDeclaration, own: Marks, module: string, linking: Linking): Expanded {
  let declaration = written;
  let marks = own;
  let scope = module;
  for (let step = 0; step < mostSteps && declaration.type !== undefined; step += 1) {
    const { type, ...rest } = declaration;
    const entry = findAttributeType(type.text) === undefined ? lookUp(type.text, scope, linking.scope) : undefined;
    if (entry?.kind !== 'attribute') {
      const name = entry === undefined || scope === module ? type : { ...type, text: qualified(type.text, scope) };
      return { declaration: { ...declaration, type: name }, marks };
    }
    const base = entry.declaration;
    const given = new Set(marks.map((each) => each.name.text));
    marks = [...marks, ...marksOf(entry, linking).filter((each) => !given.has(each.name.text))];
    declaration = { ...rest, list: rest.list || base.list, ...(base.type === undefined ? {} : { type: base.type }) };
    scope = entry.module;
  }
  return { declaration, marks };
}

/** Faults are told once, where the type is declared, not at each of its uses. */
function marksOf(entry: NamedAttributeEntry, linking: Linking): Marks {
  const known = linking.namedMarks.get(entry.name);
  if (known !== undefined) return known;
  const place = isExtension(entry) ? 'named attribute' : 'attribute of an entity';
  const marks = readAnnotations(entry.declaration.annotations, place, linking.report);
  linking.namedMarks.set(entry.name, marks);
  return marks;
}

function isExtension({ declaration }: NamedAttributeEntry): boolean {
  return declaration.annotations.some((each) => each.name.text === 'extend');
}

/** Those that nothing uses are looked at too. */
export function checkNamedAttributes(linking: Linking): void {
  for (const entry of linking.scope.entries.values()) {
    if (entry.kind !== 'attribute') continue;
    const marks = marksOf(entry, linking);
    const [extended] = markNames(marks, 'extend') ?? [];
    if (extended === undefined) continue;
    const target = lookUp(extended.text, entry.module, linking.scope);
    const wanted = { what: 'entity', name: extended.text, span: extended.span, module: entry.module };
    if (target?.kind !== 'entity') reportUnknown(linking, 'name-unknown', wanted, (each) => each.kind === 'entity');
  }
}

/** The names that other declarations give to the relationships of this entity, in their order. */
export function linkExtensions(entity: TypeEntry, attributes: readonly Attribute[], linking: Linking): readonly Extension[] {
  const found = extensionsOf(entity.name, linking).flatMap((entry) => linkExtension(entry, entity, linking) ?? []);
  for (const { name } of found) {
    const taken = attributes.find((each) => each.name === name);
    if (taken !== undefined) linking.report.fault('attribute-repeated', taken.span, `\`${name}\` also extends \`${entity.local}\``);
  }
  return found.sort((a, b) => a.order - b.order);
}

function extensionsOf(entity: string, linking: Linking): readonly NamedAttributeEntry[] {
  const index = linking.extensions ?? indexExtensions(linking);
  linking.extensions = index;
  return index.get(entity) ?? [];
}

/** By the entity that they extend. */
function indexExtensions(linking: Linking): ReadonlyMap<string, readonly NamedAttributeEntry[]> {
  const index = new Map<string, NamedAttributeEntry[]>();
  for (const entry of linking.scope.entries.values()) {
    if (entry.kind !== 'attribute') continue;
    const [extended] = markNames(marksOf(entry, linking), 'extend') ?? [];
    if (extended === undefined) continue;
    const name = qualified(extended.text, entry.module);
    index.set(name, [...(index.get(name) ?? []), entry]);
  }
  return index;
}

function linkExtension(entry: NamedAttributeEntry, entity: TypeEntry, linking: Linking): Extension | undefined {
  const { declaration, module, local, span } = entry;
  const marks = marksOf(entry, linking);
  const [name] = markNames(marks, 'relationship') ?? [];
  if (name === undefined) {
    linking.report.fault('annotation-argument', span, `\`${local}\` extends \`${entity.local}\`, but names no relationship to do so`);
    return undefined;
  }
  const relationship = lookUp(name.text, module, linking.scope);
  if (relationship?.kind !== 'relationship') {
    const wanted = { what: 'relationship', name: name.text, span: name.span, module };
    reportUnknown(linking, 'name-unknown', wanted, (each) => each.kind === 'relationship');
    return undefined;
  }
  const ends = relationship.declaration.ends.map((end) => qualified(end.entity.text, relationship.module));
  const usable = relationship.declaration.type === 'contains' ? ends.slice(0, 1) : ends;
  if (!usable.includes(entity.name)) {
    linking.report.fault('pattern-type', name.span, `\`${name.text}\` is not a relationship of \`${entity.local}\``);
    return undefined;
  }
  const [order] = markLiterals(marks, 'order') ?? [];
  return {
    name: local,
    relationship: relationship.name,
    ofLink: checkExtensionType(entry, relationship.name, ends, linking),
    list: declaration.list,
    order: typeof order === 'number' ? order : 0,
  };
}

/** Whether its values are those of the link itself. */
function checkExtensionType(
  { declaration, module }: NamedAttributeEntry,
  relationship: string,
  ends: readonly string[],
  linking: Linking,
): boolean {
  const { type } = declaration;
  if (type === undefined) return false;
  const entry = lookUp(type.text, module, linking.scope);
  if (entry === undefined) {
    const wanted = { what: 'entity', name: type.text, span: type.span, module };
    reportUnknown(linking, 'type-unknown', wanted, (each) => each.kind === 'entity');
  } else if (entry.name !== relationship && !ends.includes(entry.name)) {
    linking.report.fault('type-not-allowed', type.span, `\`${type.text}\` is ${kindOf(entry)} that the relationship does not lead to`);
  }
  return entry?.name === relationship;
}
