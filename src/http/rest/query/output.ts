// `@select` and `@include`: which attributes an answer holds, and which related instances stand in it.

import type { Fault } from '../../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../../plan/plan.ts';
import { wayNamed } from '../../../plan/query/related.ts';
import { type Included, type Selection, type View, wholeSelection } from '../../../plan/query/selection.ts';
import type { LinkField } from '../../../plan/query/shape.ts';
import { fault } from '../../../plan/rows/attribute.ts';
import { linkMember } from '../../../plan/rows/link.ts';

/** Related instances of related instances, and so on, at most so deep. */
const deepest = 3;
const mostIncludes = 20;

/** `link` holds the attributes of the link by which the instance was reached, where it has any. */
export function selectionOf(
  plan: EntityPlan | LinkPlan,
  options: ReadonlyMap<string, string>,
  view: View,
  link: LinkField | undefined,
  faults: Fault[],
): Selection {
  const [select, include] = [options.get('@select'), options.get('@include')];
  if (select === undefined && include === undefined) return wholeSelection(view, link);
  return {
    view,
    attributes: select === undefined ? undefined : selected(plan, view, link, select, faults),
    includes: include === undefined ? [] : included(plan, include, view, faults),
    link,
    key: `${view.name} ${JSON.stringify([select, include])}`,
  };
}

function selected(
  plan: EntityPlan | LinkPlan,
  view: View,
  link: LinkField | undefined,
  select: string,
  faults: Fault[],
): ReadonlySet<string> {
  const names = new Set(select.split(',').map((name) => name.trim()));
  const { fields } = view.output(plan);
  for (const name of names) {
    const isThere = fields.some((field) => field.name === name && field.kind !== 'constant') || (link !== undefined && name === linkMember);
    if (!isThere) faults.push(fault('@select', 'unknown', `${name} is not an attribute of ${plan.type}`));
  }
  return names;
}

/** `@include=PostComment,PostTag` or deeper, `@include=PostComment.CommentReply`. */
function included(plan: EntityPlan | LinkPlan, include: string, view: View, faults: Fault[]): readonly Included[] {
  const paths = include.split(',').map((path) => path.trim().split('.'));
  if (paths.length > mostIncludes) faults.push(fault('@include', 'limit', `at most ${mostIncludes} relationships`));
  if (paths.some((path) => path.length > deepest)) faults.push(fault('@include', 'limit', `at most ${deepest} levels`));
  return faults.length > 0 ? [] : includesOf(plan, paths, view, faults);
}

function includesOf(plan: EntityPlan | LinkPlan, paths: readonly (readonly string[])[], view: View, faults: Fault[]): readonly Included[] {
  const names = [...new Set(paths.map(([first = '']) => first))];
  return names.flatMap((name) => {
    const way = wayNamed(plan, name);
    if (way === undefined) {
      faults.push(fault('@include', 'unknown', `${name} is not a relationship of ${plan.type}`));
      return [];
    }
    const deeper = paths.filter((path) => path[0] === name && path.length > 1).map((path) => path.slice(1));
    return [{ name, way, selection: { ...wholeSelection(view), includes: includesOf(way.target, deeper, view, faults) } }];
  });
}
