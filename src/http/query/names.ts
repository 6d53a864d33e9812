// What the name of a filter or an order stands for: an attribute, a value inside of one, or one of these at the end of relationships.

import { type QueryValue, queryInstant, type ValueComparison } from '../../engine/eval/query-value.ts';
import type { Fault } from '../../errors.ts';
import { columnKind } from '../../model/model.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import { isCleanText } from '../../model/types/text/text.ts';
import type { AttributePlan, EntityPlan, LinkEnd, LinkPlan, LinkWay, RowPlan } from '../../plan/plan.ts';
import type { ColumnOf } from '../../plan/query/condition.ts';
import type { Filter, Test } from '../../plan/query/filter.ts';
import { type RelatedWay, wayNamed } from '../../plan/query/related.ts';
import type { RelatedStep } from '../../plan/query/sort.ts';
import { fault, textParserOf } from '../../plan/rows/attribute.ts';
import { segment } from '../../plan/rows/keys.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';

/** What a filter or an order can name of a row. */
export interface Column {
  /** As it was asked for. */
  readonly name: string;
  readonly place: ColumnOf;
  /** What the place itself asks for: the key of a map. */
  readonly values: readonly Value[];
  readonly isText: boolean;
  /** JSON that is not compared. */
  readonly isJson: boolean;
  /** Of a list of single values: as what they are kept, and how they are read. */
  readonly item?: { readonly kind: ColumnKind; read(text: string): Value | undefined };
  /** Whether only being equal or alike means something. */
  readonly isUntyped: boolean;
  /** Whether its values may be texts, numbers or booleans: they are equal or not, and a text that reads as another stands in quotes. */
  readonly isScalar: boolean;
  /** Where it is an end of a link: what names the instance there is more than one value. */
  readonly end?: LinkEnd;
  /** Nothing where the text does not fit. */
  asked(operator: ValueComparison, text: string): QueryValue | undefined;
}

/** A column, and how the row that has it is reached. */
export interface FilterName {
  readonly plan: EntityPlan | LinkPlan;
  readonly column: Column;
  /** From the row where the name begins to the one that has the column. */
  readonly steps: readonly RelatedStep[];
}

/** A filter of the row that has the column as one of the row where the name begins. */
export function filterAlong({ steps }: FilterName, filter: Filter): Filter {
  return steps.reduceRight<Filter>((inner, step) => ({ ...step, filter: inner }), filter);
}

/** Relationships of one name. */
const deepest = 3;

/** Attributes by themselves, which most filters name: made once. */
const attributes = new WeakMap<EntityPlan | LinkPlan, Map<string, FilterName>>();

/** Nothing, and a fault, where the name stands for nothing that can be asked for. */
export function named(plan: EntityPlan | LinkPlan, name: string, faults: Fault[]): FilterName | undefined {
  const known = attributes.get(plan)?.get(name);
  if (known !== undefined) return known;
  const found = nameIn(plan, name, faults);
  if (found !== undefined && plan.attribute.has(name)) {
    const ofPlan = attributes.get(plan) ?? new Map<string, FilterName>();
    attributes.set(plan, ofPlan.set(name, found));
  }
  return found;
}

function nameIn(plan: EntityPlan | LinkPlan, name: string, faults: Fault[]): FilterName | undefined {
  const parts = name.split('.');
  const steps: RelatedStep[] = [];
  let at: EntityPlan | LinkPlan = plan;
  for (let rest: readonly string[] = parts; ; ) {
    const column: Column | undefined = columnAt(at, rest, name);
    if (column !== undefined) return { plan: at, column, steps };
    const hop = hopAt(at, rest);
    if (hop === undefined) {
      faults.push(fault(name, 'unknown', unknownIn(at, plan, rest)));
      return undefined;
    }
    steps.push(hop.step);
    if (steps.length > deepest) {
      faults.push(fault(name, 'limit', `goes along more than ${deepest} relationships`));
      return undefined;
    }
    [at, rest] = [hop.plan, hop.rest];
  }
}

function unknownIn(at: EntityPlan | LinkPlan, plan: EntityPlan | LinkPlan, [first = '', second]: readonly string[]): string {
  if (second === undefined || at.attribute.has(first)) return `is not an attribute of ${at.type} that can be asked for`;
  const isWay = at.kind === 'entity' && wayNamed(at, first) !== undefined;
  if (!isWay) return `${first} is not a relationship of ${at === plan ? plan.type : at.type}`;
  return `${second} is neither what ${first} leads to nor an attribute of it`;
}

interface Hop {
  readonly plan: EntityPlan | LinkPlan;
  readonly rest: readonly string[];
  readonly step: RelatedStep;
}

/** `Rel.Other`, or `Rel` where an attribute of the link itself follows. */
function hopAt(plan: EntityPlan | LinkPlan, [name = '', other = '', ...rest]: readonly string[]): Hop | undefined {
  if (plan.kind === 'link' || rest.length + other.length === 0) return undefined;
  const ways = waysNamed(plan, name);
  const way = ways.find((each) => leadsTo(each).includes(other));
  if (way !== undefined && rest.length > 0) return { plan: way.target, rest, step: { kind: 'related', way } };
  const link = ways.find((each): each is LinkWay => each.kind === 'link');
  if (link === undefined || link.link.attribute.get(other) === undefined) return undefined;
  return { plan: link.link, rest: [other, ...rest], step: { kind: 'link', way: link } };
}

function waysNamed(plan: EntityPlan, name: string): readonly RelatedWay[] {
  if (plan.attribute.has(name)) return [];
  const steps = plan.steps.get(name);
  if (steps !== undefined) return [...steps, ...upward(plan, name)];
  const way = wayNamed(plan, name);
  return way === undefined ? [] : [way];
}

/** Where a type contains itself, its relationship leads to the parent too, by the role of that. */
function upward(plan: EntityPlan, name: string): readonly RelatedWay[] {
  return plan.parents.flatMap(({ contains: { local, name: qualified, parentRole }, parent, child }) => {
    if (parent !== child || parentRole === undefined || (local !== name && segment(qualified) !== name)) return [];
    return wayNamed(plan, parentRole) ?? [];
  });
}

function leadsTo(way: RelatedWay): readonly string[] {
  if (way.kind !== 'parent') return way.names;
  const { parentRole } = way.contains.contains;
  const names = [way.target.local, segment(way.target.type)];
  return parentRole === undefined ? names : [...names, parentRole];
}

/** Nothing where the first part is no attribute, the path or an end of a link. */
function columnAt(plan: EntityPlan | LinkPlan, [first = '', ...inside]: readonly string[], name: string): Column | undefined {
  const attribute = plan.attribute.get(first);
  if (attribute !== undefined) return attribute.hidden ? undefined : insideColumn(attribute, inside, name, plan);
  if (inside.length > 0) return undefined;
  const plain = { name, values: [], isJson: false, isUntyped: false, isScalar: false } as const;
  if (first === pathColumn && plan.systemFields.includes(first))
    return { ...plain, place: { column: first }, isText: true, asked: askedText };
  const end = plan.kind === 'link' ? plan.ends.find((each) => each.attribute === first) : undefined;
  return (
    end && {
      ...plain,
      place: { column: end.column },
      isText: false,
      isScalar: end.entity.form === 'scalar',
      end,
      asked: askedAs(end.entity.identifier),
    }
  );
}

/** In a record, by the names of its attributes; in a map, by a key, which may hold dots. */
function insideColumn(attribute: AttributePlan, inside: readonly string[], name: string, plan: RowPlan): Column | undefined {
  let at = attribute;
  const path: string[] = [];
  for (const [index, part] of inside.entries()) {
    if (isMap(at)) {
      const key = inside.slice(index).join('.');
      if (!isCleanText(key)) return undefined;
      const place: ColumnOf = { column: attribute.column, inside: { kind: 'map', path } };
      return { name, place, values: [key], isText: true, isJson: false, isUntyped: true, isScalar: false, asked: askedText };
    }
    const field = at.attribute.list ? undefined : at.fieldsOf?.().find((each) => each.name === part);
    if (field === undefined || field.hidden) return undefined;
    path.push(part);
    at = field;
  }
  if (path.length === 0) return attributeColumn(attribute, name, { column: attribute.column }, plan);
  const kind = columnKind(at.attribute);
  const as = kind === 'scalar' ? 'json' : kind;
  return attributeColumn(at, name, { column: attribute.column, inside: { kind: 'record', path, as } }, plan);
}

function isMap({ attribute: { list, type } }: AttributePlan): boolean {
  return !list && type.kind === 'plain' && type.type.name === 'Map';
}

function attributeColumn({ attribute, ...plan }: AttributePlan, name: string, place: ColumnOf, row: RowPlan): Column {
  const kind = place.inside === undefined ? row.table.columns.find((each) => each.name === plan.column)?.kind : columnKind(attribute);
  const isScalar = kind === 'scalar' && place.inside === undefined;
  const isJson = kind === 'json' || (kind === 'scalar' && !isScalar);
  const column = { name, place, values: [], isText: kind === 'text' || kind === 'uuid', isJson, isUntyped: false, isScalar } as const;
  const single = { ...attribute, list: false };
  const isList = attribute.list && !['json', 'scalar'].includes(columnKind(single));
  const asked = askedAs({ attribute, ...plan });
  return isList ? { ...column, item: { kind: columnKind(single), read: textParserOf(single) }, asked } : { ...column, asked };
}

/** What no text can hold, PostgreSQL does not take as a parameter either. */
function askedText(_: ValueComparison, value: string): QueryValue | undefined {
  return isCleanText(value) ? { value } : undefined;
}

/** A date beside a moment is its midnight; every other text is one of the type itself. */
function askedAs(attribute: AttributePlan): Column['asked'] {
  const kind = columnKind(attribute.attribute);
  if (kind === 'date' || kind === 'datetime') return (operator, text) => queryInstant(operator, kind, text);
  return (_, text) => {
    const value = attribute.parseText(text);
    return value === undefined || value === null ? undefined : { value };
  };
}

/** Of a column, with what its place asks for in front. */
export function testOf({ values: own, name, place }: Column, { condition, values }: Omit<Test, 'kind' | 'asks'>): Test {
  return { kind: 'test', condition, values: own.length === 0 ? values : [...own, ...values], asks: { name, column: place.column } };
}
