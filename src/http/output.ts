// `@select` and `@include`: which attributes an answer holds, and which related instances stand in it.

import type { Fault } from '../errors.ts';
import { fault } from '../plan/attribute.ts';
import type { EntityPlan, LinkPlan, Step } from '../plan/plan.ts';
import type { Field, Output, Related } from '../plan/shape.ts';
import type { Outputs } from './query.ts';

export type Include = Extract<Field, { kind: 'related' }>;

/** Related instances of related instances, and so on, at most so deep. */
const deepest = 3;
const mostIncludes = 20;

/** The identifier and the path stay, whatever is selected (decisions 3, 6a). */
export function selected(plan: EntityPlan | LinkPlan, whole: Output, select: string, faults: Fault[]): Output {
  const names = new Set(select.split(',').map((name) => name.trim()));
  for (const name of names) {
    if (!plan.output.fields.some((field) => field.name === name))
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
    const step = plan.kind === 'entity' ? plan.steps.get(name)?.[0] : undefined;
    if (step === undefined) {
      faults.push(fault('@include', 'unknown', `${name} is not a relationship of ${plan.type}`));
      return [];
    }
    const deeper = paths.filter((path) => path[0] === name && path.length > 1).map((path) => path.slice(1));
    const fields = [...outputs.output(step.target).fields, ...fieldsOf(step.target, deeper, outputs, faults)];
    return [{ kind: 'related', name, related: relatedBy(step, plan.key, fields) } as const];
  });
}

function relatedBy(step: Step, key: string, fields: readonly Field[]): Related {
  const { target } = step;
  const base = { table: target.table, output: { fields, columns: [] }, key, order: [{ column: target.key, descending: false }] };
  if (step.kind === 'contains') return { ...base, column: step.contains.column, through: undefined };
  return { ...base, column: target.key, through: { table: step.link.table, from: step.from.column, to: step.to.column } };
}
