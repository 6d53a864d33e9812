// What stands behind a dot: members of instances, records, events and rows, and which of them there are not.

import { localOf } from '../model.ts';
import type { Reference } from '../pattern.ts';
import type { Scope, Typing } from './scope.ts';
import { type AtomType, atomsOf, describe, nothing, orNull, presentIn, union, unknown, type ValueType } from './value-type.ts';

/** The value of a path, as far as it is known; a name that nothing there has is told. */
export function referenceType(reference: Reference, scope: Scope, typing: Typing): ValueType {
  const [first = '', ...rest] = reference.path;
  return pathType(startType(first, scope, typing), rest, reference, typing);
}

export function pathType(start: ValueType, names: readonly string[], { span }: Reference, typing: Typing): ValueType {
  let type = start;
  for (const name of names) {
    if (type === unknown) return unknown;
    const found = presentIn(type).map((each) => memberOf(each, name, typing));
    if (found.length > 0 && found.every((each) => each === undefined)) {
      tellMissing(type, name, span, typing);
      return unknown;
    }
    const isAbsent = found.length < atomsOf(type).length;
    const member = union(found.flatMap((each) => each ?? nothing));
    type = isAbsent ? orNull(member) : member;
  }
  return type;
}

function startType(name: string, { names, columns, changing, state }: Scope, { model }: Typing): ValueType {
  if (state.lost) return unknown;
  if (changing?.name === name) return changing.type;
  if (columns.has(name)) return { kind: 'instance', type: name };
  const bound = names.get(name);
  if (bound !== undefined) return bound;
  // The name of a type stands for its last instance, where there is one.
  const isType = model.entities.has(name) || model.relationships.has(name) || model.records.has(name);
  return isType ? orNull({ kind: 'instance', type: name }) : unknown;
}

/** `undefined` where there is certainly none of that name. */
function memberOf(atom: AtomType, name: string, typing: Typing): ValueType | undefined {
  switch (atom.kind) {
    case 'unknown':
      return unknown;
    case 'list':
      return firstMember(atom.of, name, typing);
    case 'map':
      return atom.fields.get(name) ?? (atom.closed ? undefined : unknown);
    case 'instance': {
      const members = typing.members(atom.type);
      return members === undefined ? unknown : (members.get(name) ?? (typing.isOfSubtype(atom.type, name) ? unknown : undefined));
    }
    default:
      return undefined;
  }
}

/** Of a list the first element counts, where there is one. */
function firstMember(element: ValueType, name: string, typing: Typing): ValueType | undefined {
  const atoms = presentIn(element);
  if (atoms.length === 0) return nothing;
  const found = atoms.map((each) => memberOf(each, name, typing));
  return found.every((each) => each === undefined) ? undefined : orNull(union(found.flatMap((each) => each ?? nothing)));
}

function tellMissing(type: ValueType, name: string, span: Reference['span'], typing: Typing): void {
  const owners = presentIn(type).flatMap(innermost);
  const known = owners.flatMap((each) => {
    if (each.kind === 'map') return [...each.fields.keys()];
    return each.kind === 'instance' ? [...(typing.members(each.type)?.keys() ?? [])] : [];
  });
  const types = owners.flatMap((each) => (each.kind === 'instance' ? [`\`${localOf(each.type)}\``] : []));
  const isRow = owners.every((each) => each.kind === 'map');
  const owner = types.length === owners.length ? [...new Set(types)].join(' or ') : describe(type);
  const message = isRow ? `there is no column \`${name}\`` : `${owner} has no attribute \`${name}\``;
  typing.unknownName(span, message, name, known);
}

function innermost(atom: AtomType): readonly AtomType[] {
  return atom.kind === 'list' ? presentIn(atom.of).flatMap(innermost) : [atom];
}
