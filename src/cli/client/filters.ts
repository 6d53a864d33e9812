// What a generated client can ask of the instances of a type: the type of its filters, and the names that it sorts by.

import { type Attribute, columnKind, type Model } from '../../model/model.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { propertyName } from './schema-types.ts';

export type RowPlan = EntityPlan | LinkPlan;

/** Of the attributes themselves, one line for each. */
export function filterMembers(plan: RowPlan, model: Model): readonly string[] {
  const own = plan.attributes.flatMap(({ name, attribute, hidden }) => (hidden ? [] : [filterMember(name, attribute, model)]));
  const ends = plan.kind === 'link' ? plan.ends.map(({ attribute }) => member(attribute, 'Equality<string | Int>')) : [];
  const path = plan.systemFields.includes(pathColumn) ? [member(pathColumn, 'Equality<string>')] : [];
  return [...own, ...ends, ...path];
}

export function sortNames(plan: RowPlan): readonly string[] {
  const own = plan.attributes.filter(({ attribute, hidden }) => !hidden && columnKind(attribute) !== 'json').map(({ name }) => name);
  return plan.systemFields.includes(pathColumn) ? [...own, pathColumn] : own;
}

/** Attributes that are asked about by their parts: records and maps. */
export function partedNames(plan: RowPlan): readonly string[] {
  return plan.attributes
    .filter(({ attribute, hidden }) => !hidden && !attribute.list && columnKind(attribute) === 'json')
    .map(({ name }) => name);
}

function filterMember(name: string, attribute: Attribute, model: Model): string {
  return member(name, filterType(attribute, model));
}

function member(name: string, type: string): string {
  return `readonly ${propertyName(name)}?: ${type};`;
}

function filterType(attribute: Attribute, model: Model): string {
  if (attribute.list) return `ListComparison<${attribute.type.kind === 'record' ? 'never' : valueType({ ...attribute, list: false })}>`;
  if (attribute.type.kind === 'record') return recordFilter(attribute.type.record, model);
  const value = valueType(attribute);
  const orNull = attribute.optional ? ' | null' : '';
  switch (columnKind(attribute)) {
    case 'json':
      return attribute.type.type.name === 'Map' ? 'Readonly<Record<string, Equality<string | number | boolean>>>' : 'Presence';
    case 'boolean':
    case 'scalar':
      return `Equality<${value}${orNull}>`;
    case 'text':
      return `TextComparison<${value}${orNull}>`;
    default:
      return `Comparison<${value}${orNull}>`;
  }
}

function recordFilter(record: string, model: Model): string {
  const attributes = model.records.get(record)?.attributes ?? [];
  const fields = attributes.filter(({ list, type, secret, writeonly }) => !list && type.kind === 'plain' && !secret && !writeonly);
  return `{ ${[...fields.map((each) => filterMember(each.name, each, model)), 'readonly null?: boolean;'].join(' ')} }`;
}

function valueType({ values, choices, type, secret }: Attribute): string {
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ');
  if (choices !== undefined || type.kind === 'record' || secret) return 'string | Int';
  switch (type.type.column) {
    case 'integer':
      return 'Int';
    case 'real':
      return 'number';
    case 'decimal':
      return 'string | number';
    case 'boolean':
      return 'boolean';
    case 'scalar':
      return 'string | Int | boolean';
    default:
      return 'string';
  }
}
