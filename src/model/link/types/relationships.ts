// Relationships: contains and between, their ends, roles and attributes.

import type { RelationshipDeclaration, RelationshipEnd } from '../../declaration.ts';
import { type Between, type Contains, localOf, type Relationship, type TypeName } from '../../model.ts';
import type { Name } from '../../pattern.ts';
import { hasMark, type Marks, mark, markBoolean, markSpan, markText, markValue, readAnnotations } from '../annotations.ts';
import { checkName } from '../names.ts';
import { kindOf, type Linking, lookUp, qualified, type RelationshipEntry, reportUnknown } from '../scope.ts';
import { linkAccess } from './access-rules.ts';
import { type Attributes, linkMeta } from './attributes.ts';
import type { Drafts } from './drafts.ts';
import { warnUnsearched, withSearched } from './searched-by-meta.ts';
import { identified, linkUniques, type Types } from './types.ts';

export function linkRelationships(
  drafts: Drafts,
  attributes: Attributes,
  types: Types,
  linking: Linking,
): ReadonlyMap<TypeName, Relationship> {
  const relationships = new Map<TypeName, Relationship>();
  for (const entry of linking.scope.entries.values()) {
    if (entry.kind !== 'relationship') continue;
    const { type, annotations, bodyAnnotations } = entry.declaration;
    const marks = readAnnotations([...annotations, ...bodyAnnotations], type, linking.report);
    types.marks.set(entry.name, marks);
    for (const end of entry.declaration.ends) checkEnd(end, entry, linking);
    relationships.set(
      entry.name,
      type === 'contains' ? linkContains(entry, marks, linking) : linkBetween(entry, marks, drafts, attributes, linking),
    );
  }
  return relationships;
}

function checkEnd({ entity, role }: RelationshipEnd, { module }: RelationshipEntry, linking: Linking): void {
  if (role !== undefined) checkName(role, 'a role', linking.report);
  const found = lookUp(entity.text, module, linking.scope);
  if (found === undefined) {
    reportUnknown(
      linking,
      'end-unknown',
      { what: 'entity', name: entity.text, span: entity.span, module },
      (each) => each.kind === 'entity',
    );
  } else if (found.kind !== 'entity') {
    linking.report.fault(
      'end-kind',
      entity.span,
      `the ends of a relationship are entities of the model; \`${entity.text}\` is ${kindOf(found)}`,
    );
  }
}

function linkContains(entry: RelationshipEntry, marks: Marks, linking: Linking): Contains {
  const { name, module, local, span, declaration } = entry;
  const [parent, child] = declaration.ends;
  const [first] = declaration.attributes;
  if (first !== undefined) {
    linking.report.fault(
      'contains-attributes',
      first.span,
      `\`${local}\` is a contains relationship, which has no attributes; put \`${first.name.text}\` on the child`,
    );
  }
  warnUnsearched(marks, local, 'a contains relationship', linking);
  const self = qualified(parent.entity.text, module) === qualified(child.entity.text, module);
  if (self) checkRoles(entry, linking);
  return {
    kind: 'contains',
    name,
    module,
    local,
    span,
    parent: qualified(parent.entity.text, module),
    child: qualified(child.entity.text, module),
    parentRole: parent.role?.text,
    childRole: child.role?.text,
    cascade: markBoolean(marks, 'cascade') ?? true,
    inherit: hasMark(marks, 'inherit'),
    rbac: linkAccess(marks, module, () => [], linking),
    meta: linkMeta(marks, linking),
    was: markText(marks, 'was'),
  };
}

function linkBetween(entry: RelationshipEntry, marks: Marks, drafts: Drafts, attributes: Attributes, linking: Linking): Between {
  const { name, module, local, span, declaration } = entry;
  const [from, to] = declaration.ends;
  const ends = [endAttribute(from), endAttribute(to)] as const;
  checkRoles(entry, linking);
  const built = drafts.of(entry).map((each) => attributes.build(each));
  const own = withSearched(built, local, marks, linking);
  for (const each of declaration.attributes) {
    const taken = ends.includes(each.name.text);
    if (taken)
      linking.report.fault('attribute-repeated', each.name.span, `\`${each.name.text}\` is already the name of an end of \`${local}\``);
  }
  const { attributes: all, identifier } = identified(own, drafts.of(entry), { ...entry, contained: false }, linking);
  return {
    kind: 'between',
    name,
    module,
    local,
    span,
    ends: [
      { entity: qualified(from.entity.text, module), attribute: ends[0] },
      { entity: qualified(to.entity.text, module), attribute: ends[1] },
    ],
    cardinality: cardinalityOf(marks, linking),
    attributes: all,
    identifier,
    uniques: linkUniques(marks, local, all, ends, linking),
    rbac: linkAccess(marks, module, () => [...ends, ...all.map((each) => each.name)], linking),
    owner: linkOwner(marks, entry, ends, linking),
    assign: linkAssign(marks, entry, ends, linking),
    meta: linkMeta(marks, linking),
    was: markText(marks, 'was'),
  };
}

function endAttribute({ entity, role }: RelationshipEnd): string {
  return role?.text ?? localOf(entity.text);
}

/** The two ends need names that tell them apart, as columns too. */
function checkRoles({ declaration, local }: RelationshipEntry, { report }: Linking): void {
  const [from, to] = declaration.ends;
  if (endAttribute(from).toLowerCase() !== endAttribute(to).toLowerCase()) return;
  if (from.role !== undefined || to.role !== undefined) {
    const span = (to.role ?? from.role ?? to.entity).span;
    report.fault('roles-repeated', span, `both ends of \`${local}\` are called \`${endAttribute(from)}\``);
    return;
  }
  const message = `the ends of \`${local}\` have the same name; roles must tell them apart`;
  report.fault('roles-required', declaration.name.span, message, rolesHint(declaration));
}

/** How the roles are written, in the syntax of the file. */
function rolesHint({ type, name: { span }, ends: [from, to] }: RelationshipDeclaration): string {
  const [first, second] = type === 'contains' ? ['parent', 'child'] : ['from', 'to'];
  if (span.source.text.charAt(span.start) !== ':')
    return `write \`${type}(${from.entity.text} @as ${first}, ${to.entity.text} @as ${second})\``;
  const roles = [first, second].map((role) => `:${role.charAt(0).toUpperCase()}${role.slice(1)}`).join(' ');
  return `add \`:as [${roles}]\`: \`:meta {:${type} [:${from.entity.text} :${to.entity.text} :as [${roles}]]}\``;
}

const cardinalities = { one_one: 'one-one', one_many: 'one-many', many_many: 'many-many' } as const;

function cardinalityOf(marks: Marks, { report }: Linking): Between['cardinality'] {
  const given = (['one_one', 'one_many', 'many_many'] as const).filter((each) => hasMark(marks, each));
  const [first, second] = given;
  const span = second === undefined ? undefined : markSpan(marks, second);
  if (span !== undefined) report.fault('annotation-repeated', span, `\`@${first}\` and \`@${second}\` cannot both be true`);
  return first === undefined ? 'many-many' : cardinalities[first];
}

function linkOwner(marks: Marks, entry: RelationshipEntry, ends: readonly string[], linking: Linking): string | undefined {
  const expression = markValue(marks, 'owner');
  if (expression?.kind !== 'reference') return undefined;
  const [text = ''] = expression.path;
  checkEndName({ text, span: expression.span }, entry, ends, linking);
  return text;
}

function linkAssign(marks: Marks, entry: RelationshipEntry, ends: readonly string[], linking: Linking): Between['assign'] {
  const annotation = mark(marks, 'assign');
  if (annotation?.kind !== 'assign') return undefined;
  const { to, from, span } = annotation;
  const known = [to, from].map((each) => checkEndName(each, entry, ends, linking));
  if (known.every(Boolean) && to.text === from.text) {
    linking.report.fault('roles-repeated', span, 'ownership goes from one end to the other; both names here are the same');
  }
  return { to: to.text, from: from.text };
}

function checkEndName(name: Name, { local }: RelationshipEntry, ends: readonly string[], { report }: Linking): boolean {
  if (ends.includes(name.text)) return true;
  report.unknown('end-unknown', name.span, `\`${local}\` has no end \`${name.text}\`; its ends are ${ends.join(' and ')}`, name.text, ends);
  return false;
}
