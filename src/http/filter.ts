// `?attr=value` and `?attr[op]=value` → conditions with typed values.

import { type Asked, askedMoment, type ValueComparison } from '../engine/asked-value.ts';
import type { Fault } from '../errors.ts';
import { patternFault } from '../model/like.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { fault } from '../plan/attribute.ts';
import { type Comparison, type Condition, everything, nothing } from '../plan/condition.ts';
import { asText, type EndReference, endReference, pointsAt } from '../plan/link-references.ts';
import { placeNamed, standsAt } from '../plan/path-condition.ts';
import type { AttributePlan, EntityPlan, LinkEnd, LinkPlan, RowPlan } from '../plan/plan.ts';
import { kindOf, pathColumn } from '../plan/tables.ts';
import type { QueryPair } from './query-string.ts';

export interface Filter {
  readonly condition: Condition;
  readonly values: readonly Value[];
}

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'between', 'null']);
const mostFilters = 20;
const mostItems = 500;

/** What a filter or an order can name: a visible attribute, an end of a link, the path of a contained instance. */
export interface Column {
  readonly name: string;
  readonly column: string;
  readonly isText: boolean;
  readonly isList: boolean;
  /** Where it is an end of a link: what names the instance there is more than one value. */
  readonly end?: LinkEnd;
  /** Nothing where the text does not fit. */
  asked(operator: ValueComparison, text: string): Asked | undefined;
}

export function columnNamed(plan: EntityPlan | LinkPlan, name: string): Column | undefined {
  const attribute = plan.attribute.get(name);
  if (attribute !== undefined) return attribute.hidden ? undefined : attributeColumn(attribute, plan);
  if (name === pathColumn && plan.systemFields.includes(name))
    return { name, column: name, isText: true, isList: false, asked: (_, text) => ({ value: text }) };
  const end = plan.kind === 'link' ? plan.ends.find((each) => each.attribute === name) : undefined;
  if (end === undefined) return undefined;
  return { name, column: end.column, isText: false, isList: false, end, asked: askedAs(end.entity.identifier) };
}

export function filtersOf(plan: EntityPlan | LinkPlan, pairs: readonly QueryPair[], faults: Fault[]): readonly Filter[] {
  if (pairs.length > mostFilters) {
    faults.push(fault('', 'limit', `at most ${mostFilters} filters`));
    return [];
  }
  const seen = new Set<string>();
  return pairs.flatMap((pair) => {
    if (seen.has(pair.name)) faults.push(fault(pair.name, 'value', 'stands more than once'));
    seen.add(pair.name);
    return filterOf(plan, pair, faults) ?? [];
  });
}

function attributeColumn(attribute: AttributePlan, plan: RowPlan): Column {
  const kind = plan.table.columns.find((each) => each.name === attribute.column)?.kind;
  return {
    name: attribute.name,
    column: attribute.column,
    isText: kind === 'text' || kind === 'uuid',
    isList: kind === 'json',
    asked: askedAs(attribute),
  };
}

/** A date beside a moment is its midnight; every other text is one of the type itself. */
function askedAs(attribute: AttributePlan): Column['asked'] {
  const kind = kindOf(attribute.attribute);
  if (kind === 'date' || kind === 'datetime') return (operator, text) => askedMoment(operator, kind, text);
  return (_, text) => {
    const value = attribute.parseText(text);
    return value === undefined || value === null ? undefined : { value };
  };
}

function filterOf(plan: EntityPlan | LinkPlan, { name, value }: QueryPair, faults: Fault[]): Filter | undefined {
  const open = name.indexOf('[');
  const [attribute, operator] = open !== -1 && name.endsWith(']') ? [name.slice(0, open), name.slice(open + 1, -1)] : [name, 'eq'];
  if (attribute === pathColumn && isEquality(operator)) return pathFilter(plan, operator, value, faults);
  const column = columnNamed(plan, attribute);
  if (column === undefined) {
    faults.push(fault(attribute, 'unknown', `is not an attribute of ${plan.type} that can be asked for`));
    return undefined;
  }
  if (!isComparison(operator)) {
    faults.push(fault(attribute, 'operator', `has no operator ${operator}; there are ${[...operators].join(', ')}`));
    return undefined;
  }
  return compare(column, operator, value, faults);
}

export type Equality = 'eq' | 'ne' | 'in';

export function isEquality(operator: string): operator is Equality {
  return operator === 'eq' || operator === 'ne' || operator === 'in';
}

type Operator = Exclude<Comparison, 'not-null'>;

function isComparison(operator: string): operator is Operator {
  return operators.has(operator);
}

function compare(column: Column, operator: Operator, text: string, faults: Fault[]): Filter | undefined {
  if (operator === 'null') return nullFilter(column, text, faults);
  if (column.isList || (operator === 'like' && !column.isText)) {
    faults.push(fault(column.name, 'operator', `cannot be compared with ${operator}`));
    return undefined;
  }
  const { end } = column;
  if (end !== undefined && isEquality(operator)) return endFilter(end, operator, text, faults);
  if (end?.entity.contained === true) {
    faults.push(fault(column.name, 'operator', 'is compared with eq, ne, in and null'));
    return undefined;
  }
  if (operator === 'like') return likeFilter(column, text, faults);
  if (operator === 'in' || operator === 'between') return manyFilter(column, operator, text, faults);
  return typed(column, operator, [text], faults);
}

function nullFilter(column: Column, text: string, faults: Fault[]): Filter | undefined {
  if (text !== 'true' && text !== 'false') {
    faults.push(fault(column.name, 'value', 'null takes true or false'));
    return undefined;
  }
  return { condition: { kind: 'compare', column: column.column, operator: text === 'true' ? 'null' : 'not-null' }, values: [] };
}

function likeFilter(column: Column, text: string, faults: Fault[]): Filter | undefined {
  const wrong = patternFault(text);
  if (wrong !== undefined) {
    faults.push(fault(column.name, 'limit', wrong));
    return undefined;
  }
  if (text.includes('\0')) {
    faults.push(fault(column.name, 'type', 'does not fit the type of the attribute'));
    return undefined;
  }
  return { condition: { kind: 'compare', column: column.column, operator: 'like' }, values: [text] };
}

function manyFilter(column: Column, operator: 'in' | 'between', text: string, faults: Fault[]): Filter | undefined {
  const items = itemsOf(text);
  const fits = operator === 'in' ? items.length <= mostItems : items.length === 2;
  if (!fits) {
    faults.push(fault(column.name, 'value', operator === 'in' ? `in takes at most ${mostItems} values` : 'between takes two values'));
    return undefined;
  }
  return typed(column, operator, items, faults);
}

/** The path of an instance, or the identifier of one that stands under no parent. */
function pathFilter(plan: EntityPlan | LinkPlan, operator: Equality, text: string, faults: Fault[]): Filter | undefined {
  const items = operator === 'in' ? itemsOf(text) : [text];
  if (items.length > mostItems) faults.push(fault(pathColumn, 'value', `in takes at most ${mostItems} values`));
  else {
    const found = pathComparison(plan, operator, items);
    if (found !== undefined) return found;
    faults.push(fault(pathColumn, 'type', `is neither the path nor the identifier of a ${plan.local}`));
  }
  return undefined;
}

export function pathComparison(plan: EntityPlan | LinkPlan, operator: Equality, items: readonly string[]): Filter | undefined {
  const places = items.map((item) => placeNamed(plan, item, asText));
  if (places.includes('unread')) return undefined;
  const { condition, values } = standsAt(
    plan,
    places.filter((each) => each !== undefined && each !== 'unread'),
  );
  return operator === 'ne' ? { condition: { kind: 'not', condition }, values } : { condition, values };
}

/** An instance at the end of a link goes by its path, its guid or its identifier. */
function endFilter(end: LinkEnd, operator: Equality, text: string, faults: Fault[]): Filter | undefined {
  const items = operator === 'in' ? itemsOf(text) : [text];
  if (items.length > mostItems) faults.push(fault(end.attribute, 'value', `in takes at most ${mostItems} values`));
  const references = items.slice(0, mostItems).map((item) => endReference(end, item, asText));
  const known = references.filter((each) => each !== undefined);
  if (known.length < items.length) {
    if (items.length <= mostItems)
      faults.push(fault(end.attribute, 'type', `is neither the path nor the identifier of a ${end.entity.local}`));
    return undefined;
  }
  return endComparison(end, operator, known);
}

export function endComparison(end: LinkEnd, operator: Equality, references: readonly EndReference[]): Filter {
  const { condition, values } = pointsAt(end, references);
  return operator === 'ne' ? { condition: { kind: 'not', condition }, values } : { condition, values };
}

/** Values separated by commas; a comma inside a value stands in quotes, or percent-encoded twice (decisions 3.4). */
export function itemsOf(text: string): readonly string[] {
  const items: string[] = [];
  let item = '';
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quoted && character === '\\' && index + 1 < text.length) {
      index += 1;
      item += text[index];
    } else if (character === '"') quoted = !quoted;
    else if (character === ',' && !quoted) {
      items.push(item);
      item = '';
    } else item += character;
  }
  return [...items, item].map((each) => each.replace(/%2c/gi, ',').replaceAll('%22', '"').replaceAll('%25', '%'));
}

function typed(column: Column, operator: ValueOperator, texts: readonly string[], faults: Fault[]): Filter | undefined {
  const filter = valueFilter(column, operator, texts);
  if (filter === undefined) faults.push(fault(column.name, 'type', 'does not fit the type of the attribute'));
  return filter;
}

export type ValueOperator = ValueComparison | 'in' | 'between';

/** Nothing where a text does not fit the type of the column; `between` has two of them, and all but `in` one. */
export function valueFilter({ column, asked }: Column, operator: ValueOperator, texts: readonly string[]): Filter | undefined {
  const one = operator === 'in' ? 'eq' : operator;
  const [text] = texts;
  if (text !== undefined && texts.length === 1 && one === operator && one !== 'between') {
    const only = asked(one, text);
    if (only === undefined) return undefined;
    if (typeof only === 'object') return { condition: { kind: 'compare', column, operator }, values: [only.value] };
  }
  const all = texts.map((text, index) => asked(one === 'between' ? (index === 0 ? 'gte' : 'lte') : one, text));
  if (all.includes(undefined)) return undefined;
  const values = all.flatMap((each) => (typeof each === 'object' ? [each.value] : []));
  if (operator === 'in' || values.length === all.length)
    return {
      condition: { kind: 'compare', column, operator, ...(texts.length === 1 && operator !== 'in' ? {} : { count: values.length }) },
      values,
    };
  if (all.includes('all')) return { condition: { kind: 'compare', column, operator: 'not-null' }, values: [] };
  return { condition: operator === 'ne' ? everything : nothing, values: [] };
}
