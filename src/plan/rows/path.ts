// A path as it stands in `__path__` → its steps, from the root on: what a text that comes from a request or a file can name.

import type { Value } from '../../values/value.ts';
import type { ContainsPlan, EntityPlan, LinkPlan } from '../plan.ts';
import { isPath, type Place, placeOf, prefixOf, rootStart, type Subject, scheme, segment, subjectIn } from './keys.ts';

interface PathRoot {
  readonly entity: EntityPlan;
  readonly id: Value;
}

interface PathStep extends PathRoot {
  /** How it stands under the step before it. */
  readonly contains: ContainsPlan;
}

/** The last of the steps is the instance that the path names. */
export type PathSteps =
  | { readonly kind: 'steps'; readonly root: PathRoot; readonly below: readonly PathStep[] }
  | { readonly kind: 'wrong'; readonly message: string };

export function stepsOf(entity: EntityPlan, path: string): PathSteps {
  const segments = isPath(path) ? path.slice(scheme.length).split('/') : [];
  return segments.length % 3 === 2 ? stepsIn(entity, segments) : wrong(`is not the path of a ${entity.type}`);
}

/** From the end: an identifier, its type and the relationship, then the path of the parent. */
function stepsIn(entity: EntityPlan, segments: readonly string[]): PathSteps {
  const [type, last = ''] = segments.slice(-2);
  if (type !== segment(entity.type)) return wrong(`is not the path of a ${entity.type}`);
  const text = decoded(last);
  if (text === undefined) return wrong('is not percent-encoded as it should be');
  const id = entity.identifier.parseText(text);
  if (id === undefined || id === null) return wrong('holds an identifier of the wrong type');
  if (segments.length === 2) return { kind: 'steps', root: { entity, id }, below: [] };
  const above = segments.slice(0, -3);
  const contains = entity.parents.find(
    (each) => segment(each.contains.name) === segments.at(-3) && segment(each.parent.type) === above.at(-2),
  );
  if (contains === undefined) return wrong(`names no parent of ${entity.type}`);
  const parents = stepsIn(contains.parent, above);
  return parents.kind === 'wrong' ? parents : { ...parents, below: [...parents.below, { entity, id, contains }] };
}

/** The key of what a path names, made without asking the store, and the path as it is stored. */
export interface PathPlace extends Place {
  readonly id: Value;
  /** Whether the instance may have another key: its path begins with a child that may stand under no parent. */
  readonly isMovable: boolean;
}

export function placeAt(entity: EntityPlan, path: string): PathPlace | undefined {
  const steps = stepsOf(entity, path);
  if (steps.kind === 'wrong') return undefined;
  const { root, below } = steps;
  let subject: Subject = subjectIn(root.entity, root.id);
  let place = placeOf(subject);
  for (const { entity: child, id, contains } of below) {
    const under = { parent: prefixOf(subject, place), relationship: contains.contains.name };
    subject = subjectIn(child, id);
    place = placeOf(subject, under);
  }
  return { ...place, id: subject.id, isMovable: root.entity.contained };
}

/** The identifier in the path of what is contained nowhere; nothing where it is no such path. */
export function rootIdentifier({ type, identifier }: EntityPlan | LinkPlan, path: string): Value | undefined {
  const start = rootStart(type);
  const text = path.startsWith(start) ? decoded(path.slice(start.length)) : undefined;
  return text === undefined ? undefined : identifier.parseText(text);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (thrown) {
    if (thrown instanceof URIError) return undefined;
    throw thrown;
  }
}

function wrong(message: string): PathSteps {
  return { kind: 'wrong', message };
}
