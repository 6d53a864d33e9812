// What of an instance is wanted: which attributes, and which related instances with what of them. Which rows the caller gets is said where the
// caller is known, and becomes part of the output there.

import type { Value } from '../../values/value.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { both, type Condition, everything } from './condition.ts';
import { conditionKey, keyOfCondition, termKey } from './condition-key.ts';
import { existsWith } from './exists.ts';
import { type Filter, filterCondition, filterValues } from './filter.ts';
import { type IncludedWay, isToOne, relatedBy } from './related.ts';
import { allRows, type RowsOf } from './rows-of.ts';
import type { Field, LinkField, Output, Related, RowRight } from './shape.ts';
import { orderOf, type SortTerm } from './sort.ts';

/** How whole instances look in the answers of a surface. */
export interface View {
  /** Tells apart the outputs that several surfaces make of one type. */
  readonly name: string;
  output(plan: EntityPlan | LinkPlan): Output;
  /** By which an instance is named that is shown no more, where this view has names of its own. */
  readonly names?: View;
}

export interface Selection {
  readonly view: View;
  /** Names of attributes besides the identifier and the path, which always come; absent where all are wanted. */
  readonly attributes: ReadonlySet<string> | undefined;
  readonly includes: readonly Included[];
  /** The attributes of the link by which the instance is reached. */
  readonly link: LinkField | undefined;
  /** Tells it from other selections of the same type, apart from the queries of what it includes. */
  readonly key: string;
  /** The names in the order in which they are wanted; absent where attributes come first, then what is included. */
  readonly sequence?: readonly string[];
  /** Whether each instance says what the caller may do with it, and also what may be made and removed at it. */
  readonly asksRights?: boolean | 'related';
  /** What that depends on, where the caller is known. */
  readonly rights?: readonly RowRight[];
}

/** Under this name an instance says what the caller may do with it. */
export const rightsMember = '@rights';

export interface Included {
  readonly name: string;
  readonly way: IncludedWay;
  readonly selection: Selection;
  /** Absent where all related instances are wanted, with the attributes of their links. */
  readonly query?: RelatedQuery;
}

/** Which of the related instances are wanted, and in what order. Not more than one is there where the way leads to one. */
export interface RelatedQuery {
  readonly filter: Filter;
  readonly order: readonly SortTerm[];
  readonly limit: number;
  readonly offset: number;
}

export function wholeSelection(view: View, link?: LinkField): Selection {
  return { view, attributes: undefined, includes: [], link, key: view.name };
}

/** Whether it is the row as its plan has it, in the form in which the engine itself reads it. */
export function isWhole(plan: EntityPlan | LinkPlan, { view, attributes, includes, link, rights }: Selection): boolean {
  const isPlain = attributes === undefined && includes.length === 0 && link === undefined && rights === undefined;
  return isPlain && view.output(plan) === plan.output;
}

/** The view of the engine itself: instances as their plan has them. */
export const plainView: View = { name: '', output: (plan) => plan.output };

/** The fields of an answer; what stands in it of other rows is only of those that the caller gets. */
export function outputOf(plan: EntityPlan | LinkPlan, selection: Selection, rows: RowsOf): Output {
  const { view, attributes, includes, link, sequence, rights } = selection;
  const { fields, columns } = view.output(plan);
  if (attributes === undefined && link === undefined && rights === undefined && showsNoOthers(plan, selection, rows))
    return view.output(plan);
  const all = link === undefined ? fields : [...fields, link];
  const own = attributes === undefined ? all : all.filter((field) => isSelected(field, attributes, plan));
  const related = includes.map((each): Field => ({ kind: 'related', name: each.name, related: relatedTo(plan, each, rows) }));
  const allowed: readonly Field[] = rights === undefined ? [] : [{ kind: 'rights', name: rightsMember, rights }];
  const wanted = [...own.map((field) => visibleField(field, plan, rows)), ...related, ...allowed];
  return { fields: sequence === undefined ? wanted : inSequence(wanted, sequence), columns };
}

function inSequence(fields: readonly Field[], names: readonly string[]): readonly Field[] {
  const places = new Map(names.map((name, place) => [name, place]));
  return [...fields].sort((one, other) => (places.get(one.name) ?? 0) - (places.get(other.name) ?? 0));
}

/** What the queries of the included instances ask with, in the order of the statement: behind all its other values. */
export function includedValues({ includes }: Selection): readonly Value[] {
  if (includes.length === 0) return none;
  return includes.flatMap(({ way, query, selection }) => {
    const own = query === undefined ? [] : [...filterValues(query.filter), ...(isToOne(way) ? [] : [query.limit, query.offset])];
    return [...own, ...includedValues(selection)];
  });
}

const none: readonly Value[] = [];

/** Whether an answer has nothing of rows besides its own that depends on who asks. */
export function showsNoOthers(plan: EntityPlan | LinkPlan, { includes }: Selection, rows: RowsOf): boolean {
  return includes.length === 0 && (rows === allRows || plan.kind === 'entity');
}

/** Tells apart the outputs that callers who get other rows are given. */
export function outputKey(plan: EntityPlan | LinkPlan, selection: Selection, rows: RowsOf): string {
  if (showsNoOthers(plan, selection, rows)) return selection.key;
  const key = `${selection.key}${queriesKey(selection, rows)}`;
  if (rows === allRows) return key;
  return `${key} ${plansIn(plan, selection)
    .map((each) => keyOfCondition(rows(each)))
    .join(' ')}`;
}

function queriesKey({ includes }: Selection, rows: RowsOf): string {
  return includes
    .map(({ way: { target }, query, selection }) => {
      const own =
        query &&
        `${conditionKey(filterCondition(query.filter, target, rows).condition)} ${orderOf(query.order, target, rows).map(termKey)}`;
      return own === undefined ? queriesKey(selection, rows) : `(${own}${queriesKey(selection, rows)})`;
    })
    .join('');
}

function isSelected(field: Field, attributes: ReadonlySet<string>, plan: EntityPlan | LinkPlan): boolean {
  if (field.kind === 'constant' || attributes.has(field.name)) return true;
  return field.name === plan.identifier.name || plan.systemFields.includes(field.name);
}

function relatedTo(plan: EntityPlan | LinkPlan, { way, selection, query }: Included, rows: RowsOf): Related {
  const { fields } = outputOf(way.target, selection, rows);
  const related =
    query === undefined ? relatedBy(way, plan.key, fields) : queried(relatedBy(way, plan.key, fields, false), way, query, rows);
  if (rows === allRows) return related;
  const { through } = related;
  const shown = { ...related, where: both(both(related.where ?? everything, rows(way.target)), linkedRows(way, rows)) };
  return through === undefined || way.kind !== 'link' ? shown : { ...shown, through: { ...through, where: rows(way.link) } };
}

/** A link to an instance that the caller may not read is none. */
function linkedRows(way: IncludedWay, rows: RowsOf): Condition {
  if (way.kind !== 'links') return everything;
  const { to, target } = way.way;
  return existsWith(target.table, target.key, { column: to.column }, rows(target));
}

function queried(related: Related, { target }: IncludedWay, { filter, order }: RelatedQuery, rows: RowsOf): Related {
  const { condition } = filterCondition(filter, target, rows);
  return { ...related, where: condition, order: orderOf(order, target, rows), ...(related.single ? {} : { paged: true }) };
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
      ...(way.kind === 'link' ? [way.link] : way.kind === 'links' ? [way.way.target] : []),
      ...plansIn(way.target, selection),
    ]),
  ];
}
