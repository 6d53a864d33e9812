// Paths of computed attributes that lead to other instances, along a relationship or a reference: where they lead, or why nowhere.

import type { Span } from '../../../source.ts';
import { localOf } from '../../model.ts';
import type { RelatedPath } from '../../pattern.ts';
import { hasMark } from '../annotations.ts';
import { type Linking, lookUp, qualified, type RelationshipEntry, type TypeEntry } from '../scope.ts';
import type { AttributeTypes } from './attribute-types.ts';
import type { AttributeDraft, Drafts } from './drafts.ts';

/** What is known when attributes are linked: everything as it is declared. */
export interface Declared {
  readonly drafts: Drafts;
  readonly types: AttributeTypes;
  readonly linking: Linking;
}

/** `faulty` where that has been told; `undefined` where the path stays inside of the instance. */
export function relatedPath(path: readonly string[], span: Span, owner: TypeEntry, declared: Declared): RelatedPath | 'faulty' | undefined {
  const [first = '', ...rest] = withoutSelf(path, owner, declared);
  const sibling = declared.drafts.find(owner, first);
  if (sibling !== undefined) return rest.length === 0 ? undefined : behind(sibling, rest, span, declared);
  const relationship = relationshipAt(first, owner, declared);
  return relationship === undefined ? undefined : along(relationship, rest, span, owner, declared);
}

/** The same question, without an answer to it: for drafts that are looked at out of turn. */
export function isRelated(path: readonly string[], owner: TypeEntry, declared: Declared): boolean {
  const [first = '', ...rest] = withoutSelf(path, owner, declared);
  const sibling = declared.drafts.find(owner, first);
  if (sibling !== undefined) return rest.length > 0 && hasMark(sibling.marks, 'ref');
  return relationshipAt(first, owner, declared) !== undefined;
}

/** Names of the relationships that begin at an entity. */
export function relationshipNames(owner: TypeEntry, { linking }: Declared): readonly string[] {
  const all = [...linking.scope.entries.values()].filter((each) => each.kind === 'relationship');
  return all.filter((each) => targetsOf(each, owner).length > 0).map((each) => each.local);
}

function withoutSelf(path: readonly string[], owner: TypeEntry, { drafts }: Declared): readonly string[] {
  const [first = ''] = path;
  const isSelf = first === 'this' || first === owner.local || first === owner.name;
  return path.length > 1 && isSelf && drafts.find(owner, first) === undefined ? path.slice(1) : path;
}

/** By its name in the own module, or in whichever module it is declared for this entity. */
function relationshipAt(name: string, owner: TypeEntry, { linking: { scope } }: Declared): RelationshipEntry | undefined {
  const found = lookUp(name, owner.module, scope);
  if (found?.kind === 'relationship') return found;
  for (const each of scope.localNames.get(name) ?? []) {
    const entry = scope.entries.get(each);
    if (entry?.kind === 'relationship' && targetsOf(entry, owner).length > 0) return entry;
  }
  return undefined;
}

/** Behind the dot of an attribute: what it refers to, or a part of its own value. */
function behind(sibling: AttributeDraft, rest: readonly string[], span: Span, declared: Declared): RelatedPath | 'faulty' | undefined {
  const { types, linking } = declared;
  const { name } = sibling.declaration;
  if (!hasMark(sibling.marks, 'ref')) return hasParts(sibling, declared) ? undefined : refuseParts(name.text, span, declared);
  const target = types.target(sibling, 'ref');
  const entry = target === undefined ? undefined : linking.scope.entries.get(target.entity);
  if (target === undefined || entry?.kind !== 'entity') return 'faulty';
  if (sibling.declaration.list) {
    linking.report.fault('expression-list', span, `\`${name.text}\` refers to many instances; a path goes on from one`);
    return 'faulty';
  }
  return leading({ kind: 'ref', attribute: name.text, target: target.attribute }, entry, rest, false, span, declared);
}

function along(
  relationship: RelationshipEntry,
  rest: readonly string[],
  span: Span,
  owner: TypeEntry,
  declared: Declared,
): RelatedPath | 'faulty' {
  const { report, scope } = declared.linking;
  const targets = targetsOf(relationship, owner);
  if (targets.length === 0) {
    report.fault('end-unknown', span, `\`${owner.local}\` is no end of \`${relationship.local}\``);
    return 'faulty';
  }
  const [alias = ''] = rest;
  const named = targets.find((each) => each.names.includes(alias));
  const [only, other] = targets;
  const target = named ?? (other === undefined && isAttribute(only, rest, declared) ? only : undefined);
  if (target === undefined) {
    const names = targets.flatMap((each) => each.names);
    const message = `\`${relationship.local}\` leads from \`${owner.local}\` to ${names.map((each) => `\`${each}\``).join(' or ')}`;
    const known = [...names, ...(other === undefined && only !== undefined ? attributesAt(only, declared) : [])];
    report.unknown('end-unknown', span, `${message}, not to \`${alias}\``, alias, known);
    return 'faulty';
  }
  const entry = scope.entries.get(target.entity);
  // An end that is no entity is told where the relationship is linked.
  if (entry?.kind !== 'entity') return 'faulty';
  return leading(target.by, entry, named === undefined ? rest : rest.slice(1), target.many, span, declared);
}

interface Target {
  readonly by: RelatedPath['by'];
  readonly entity: string;
  readonly names: readonly string[];
  readonly many: boolean;
}

/** Where it leads from an entity: two ways, when that stands at both of its ends. */
function targetsOf(relationship: RelationshipEntry, owner: TypeEntry): readonly Target[] {
  const { declaration, module, name } = relationship;
  const [first, second] = declaration.ends.map(({ entity, role }) => ({
    entity: qualified(entity.text, module),
    role: role?.text,
    local: localOf(entity.text),
  }));
  if (first === undefined || second === undefined) return [];
  const namesOf = (end: typeof first, isSelf: boolean) => [...(end.role === undefined ? [] : [end.role]), ...(isSelf ? [] : [end.local])];
  const isSelf = first.entity === second.entity;
  const isContains = declaration.type === 'contains';
  const byEnd = ({ role, local }: typeof first) => ({ kind: 'end', relationship: name, end: role ?? local }) as const;
  const one = [...declaration.annotations, ...declaration.bodyAnnotations].map((each) => each.name.text);
  const toSecond: Target = {
    by: isContains ? { kind: 'child', relationship: name } : byEnd(second),
    entity: second.entity,
    names: namesOf(second, isSelf),
    many: isContains || !one.includes('one_one'),
  };
  const toFirst: Target = {
    by: isContains ? { kind: 'parent', relationship: name } : byEnd(first),
    entity: first.entity,
    names: namesOf(first, isSelf),
    many: !isContains && !one.includes('one_one') && !one.includes('one_many'),
  };
  return [...(first.entity === owner.name ? [toSecond] : []), ...(second.entity === owner.name ? [toFirst] : [])];
}

/** Whether the path goes on to an attribute without naming the end; the bare relationship stands for the instances themselves. */
function isAttribute(target: Target | undefined, [name]: readonly string[], declared: Declared): boolean {
  return target !== undefined && (name === undefined || attributesAt(target, declared).includes(name));
}

function attributesAt({ entity }: Target, { drafts, linking }: Declared): readonly string[] {
  const entry = linking.scope.entries.get(entity);
  return entry?.kind === 'entity' ? ['__Id__', ...drafts.of(entry).map((each) => each.declaration.name.text)] : [];
}

function leading(
  by: RelatedPath['by'],
  entry: TypeEntry,
  [attribute, ...inside]: readonly string[],
  many: boolean,
  span: Span,
  declared: Declared,
): RelatedPath | 'faulty' {
  const { drafts, types, linking } = declared;
  const draft = attribute === undefined ? undefined : drafts.find(entry, attribute);
  if (attribute !== undefined && attribute !== '__Id__' && draft === undefined) {
    const names = drafts.of(entry).map((each) => each.declaration.name.text);
    linking.report.unknown('attribute-unknown', span, `\`${entry.local}\` has no attribute \`${attribute}\``, attribute, names);
    return 'faulty';
  }
  if (draft !== undefined) {
    const type = types.typeOf(draft);
    const isSecret = type.kind === 'plain' && type.type.secret === true;
    if (isSecret || hasMark(draft.marks, 'secret') || hasMark(draft.marks, 'writeonly')) {
      linking.report.fault(
        'pattern-secret',
        span,
        `\`${attribute}\` of \`${entry.local}\` is shown to nobody: nothing is computed from it`,
      );
      return 'faulty';
    }
    if (inside.length > 0 && !hasParts(draft, declared)) return refuseParts(attribute ?? '', span, declared);
  }
  return { by, entity: entry.name, attribute, inside, many };
}

/** Whether something can stand behind its dot. */
function hasParts(draft: AttributeDraft, { types }: Declared): boolean {
  const type = types.typeOf(draft);
  return draft.declaration.list || type.kind === 'record' || type.type.column === 'json';
}

function refuseParts(name: string, span: Span, { linking }: Declared): 'faulty' {
  const message = `\`${name}\` is a single value without parts; a path goes along one relationship`;
  linking.report.fault('attribute-unknown', span, message, 'compute what lies further away in an attribute of its own, where it is near');
  return 'faulty';
}
