// `@select` and `@include`: which attributes an answer holds, and which related instances stand in it.

import type { Fault } from '../errors.ts';
import { fault } from '../plan/attribute.ts';
import type { EntityPlan, LinkPlan } from '../plan/plan.ts';
import { relatedBy, wayNamed } from '../plan/related.ts';
import type { Field, Output } from '../plan/shape.ts';
import type { Outputs } from './query.ts';

export type Include = Extract<Field, { kind: 'related' }>;

/** Related instances of related instances, and so on, at most so deep. */
const deepest = 3;
const mostIncludes = 20;

/** The identifier and the path stay, whatever is selected (decisions 3, 6a). */
export function selected(plan: EntityPlan | LinkPlan, whole: Output, select: string, faults: Fault[]): Output {
  const names = new Set(select.split(',').map((name) => name.trim()));
  for (const name of names) {
    if (!whole.fields.some((field) => field.name === name && field.kind !== 'constant'))
      faults.push(fault('@select', 'unknown', `${name} is not an attribute of ${plan.type}`));
  }
  const stays = new Set([plan.identifier.name, ...plan.systemFields]);
  return {
    fields: whole.fields.filter((field) => field.kind === 'constant' || names.has(field.name) || stays.has(field.name)),
    columns: whole.columns,
  };
}

/** `@include=PostComment,PostTag` or deeper, `@include=PostComment.CommentReply`. */
export function included(plan: EntityPlan | LinkPlan, include: string, outputs: Outputs, faults: Fault[]): readonly Include[] {
  const paths = include.split(',').map((path) => path.trim().split('.'));
  if (paths.length > mostIncludes) faults.push(fault('@include', 'limit', `at most ${mostIncludes} relationships`));
  if (paths.some((path) => path.length > deepest)) faults.push(fault('@include', 'limit', `at most ${deepest} levels`));
  return faults.length > 0 ? [] : fieldsOf(plan, paths, outputs, faults);
}

function fieldsOf(
  plan: EntityPlan | LinkPlan,
  paths: readonly (readonly string[])[],
  outputs: Outputs,
  faults: Fault[],
): readonly Include[] {
  const names = [...new Set(paths.map(([first = '']) => first))];
  return names.flatMap((name) => {
    const way = wayNamed(plan, name);
    if (way === undefined) {
      faults.push(fault('@include', 'unknown', `${name} is not a relationship of ${plan.type}`));
      return [];
    }
    const deeper = paths.filter((path) => path[0] === name && path.length > 1).map((path) => path.slice(1));
    const fields = [...outputs.output(way.target).fields, ...fieldsOf(way.target, deeper, outputs, faults)];
    return [{ kind: 'related', name, related: relatedBy(way, plan.key, fields) } as const];
  });
}
