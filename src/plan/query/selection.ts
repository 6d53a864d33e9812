// What of an instance is wanted: which attributes, and which related instances with what of them. Which rows the caller gets is said where the
// caller is known, and becomes part of the output there.

import type { EntityPlan, LinkPlan } from '../plan.ts';
import { type Condition, everything } from './condition.ts';
import { keyOfCondition } from './condition-key.ts';
import { type RelatedWay, relatedBy } from './related.ts';
import type { Field, LinkField, Output, Related } from './shape.ts';

/** How whole instances look in the answers of a surface. */
export interface View {
  /** Tells apart the outputs that several surfaces make of one type. */
  readonly name: string;
  output(plan: EntityPlan | LinkPlan): Output;
}

export interface Selection {
  readonly view: View;
  /** Names of attributes besides the identifier and the path, which always come; absent where all are wanted. */
  readonly attributes: ReadonlySet<string> | undefined;
  readonly includes: readonly Included[];
  /** The attributes of the link by which the instance is reached. */
  readonly link: LinkField | undefined;
  /** Tells it from other selections of the same type. */
  readonly key: string;
}

export interface Included {
  readonly name: string;
  readonly way: RelatedWay;
  readonly selection: Selection;
}

/** Which rows of a type the caller gets. */
export type RowsOf = (plan: EntityPlan | LinkPlan) => Condition;

export const allRows: RowsOf = () => everything;

export function wholeSelection(view: View, link?: LinkField): Selection {
  return { view, attributes: undefined, includes: [], link, key: view.name };
}

/** Whether it is the row as its plan has it, in the form in which the engine itself reads it. */
export function isWhole(plan: EntityPlan | LinkPlan, { view, attributes, includes, link }: Selection): boolean {
  return attributes === undefined && includes.length === 0 && link === undefined && view.output(plan) === plan.output;
}

/** The view of the engine itself: instances as their plan has them. */
export const plainView: View = { name: '', output: (plan) => plan.output };

/** The fields of an answer; what stands in it of other rows is only of those that the caller gets. */
export function outputOf(plan: EntityPlan | LinkPlan, selection: Selection, rows: RowsOf): Output {
  const { view, attributes, includes, link } = selection;
  const { fields, columns } = view.output(plan);
  if (attributes === undefined && includes.length === 0 && link === undefined && rows === allRows) return view.output(plan);
  const all = link === undefined ? fields : [...fields, link];
  const own = attributes === undefined ? all : all.filter((field) => isSelected(field, attributes, plan));
  const related = includes.map((each): Field => ({ kind: 'related', name: each.name, related: relatedTo(plan, each, rows) }));
  return { fields: [...own.map((field) => visibleField(field, plan, rows)), ...related], columns };
}

/** Tells apart the outputs that callers who get other rows are given. */
export function outputKey(plan: EntityPlan | LinkPlan, selection: Selection, rows: RowsOf): string {
  if (rows === allRows) return selection.key;
  return `${selection.key} ${plansIn(plan, selection)
    .map((each) => keyOfCondition(rows(each)))
    .join(' ')}`;
}

function isSelected(field: Field, attributes: ReadonlySet<string>, plan: EntityPlan | LinkPlan): boolean {
  if (field.kind === 'constant' || attributes.has(field.name)) return true;
  return field.name === plan.identifier.name || plan.systemFields.includes(field.name);
}

function relatedTo(plan: EntityPlan | LinkPlan, { way, selection }: Included, rows: RowsOf): Related {
  const related = relatedBy(way, plan.key, outputOf(way.target, selection, rows).fields);
  if (rows === allRows) return related;
  const { through } = related;
  const shown = { ...related, where: rows(way.target) };
  return through === undefined || way.kind !== 'link' ? shown : { ...shown, through: { ...through, where: rows(way.link) } };
}

/** What a field shows of a link, or of the instance at its end. */
function visibleField(field: Field, plan: EntityPlan | LinkPlan, rows: RowsOf): Field {
  if (rows === allRows || field.kind !== 'lookup' || plan.kind !== 'link') return field;
  const end = plan.ends.find(({ column }) => column === field.column);
  return end === undefined ? field : { ...field, where: rows(end.entity) };
}

function plansIn(plan: EntityPlan | LinkPlan, { includes }: Selection): readonly (EntityPlan | LinkPlan)[] {
  const ends = plan.kind === 'link' ? plan.ends.map(({ entity }) => entity) : [];
  return [
    ...ends,
    ...includes.flatMap(({ way, selection }) => [
      way.target,
      ...(way.kind === 'link' ? [way.link] : []),
      ...plansIn(way.target, selection),
    ]),
  ];
}
