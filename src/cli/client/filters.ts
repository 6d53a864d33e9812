// What a generated client can ask of the instances of a type: the type of its filters, and the names that it sorts by.

import type { Model } from '../../model/model.ts';
import { type AttributeDescription, describeRow, describeType } from '../../plan/description/description.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { propertyName } from './schema-types.ts';

export type RowPlan = EntityPlan | LinkPlan;

/** Of the attributes themselves, one line for each. */
export function filterMembers(plan: RowPlan, model: Model): readonly string[] {
  const own = describeRow(plan).readable.map((each) => filterMember(each, model));
  const ends = plan.kind === 'link' ? plan.ends.map(({ attribute }) => member(attribute, 'Equality<string | Int>')) : [];
  const path = plan.systemFields.includes(pathColumn) ? [member(pathColumn, 'Equality<string>')] : [];
  return [...own, ...ends, ...path];
}

export function sortNames(plan: RowPlan): readonly string[] {
  const own = describeRow(plan)
    .readable.filter((each) => !each.list && !isParted(each))
    .map(({ name }) => name);
  return plan.systemFields.includes(pathColumn) ? [...own, pathColumn] : own;
}

/** Attributes that are asked about by their parts: records and maps. */
export function partedNames(plan: RowPlan): readonly string[] {
  return describeRow(plan)
    .readable.filter((each) => !each.list && isParted(each))
    .map(({ name }) => name);
}

function isParted({ kind }: AttributeDescription): boolean {
  return kind === 'json' || kind === 'record';
}

function filterMember(attribute: AttributeDescription, model: Model): string {
  return member(attribute.name, filterType(attribute, model));
}

function member(name: string, type: string): string {
  return `readonly ${propertyName(name)}?: ${type};`;
}

function filterType(attribute: AttributeDescription, model: Model): string {
  const { list, record, optional, kind, type } = attribute;
  if (list) return `ListComparison<${record === undefined ? valueType(attribute) : 'never'}>`;
  if (record !== undefined) return recordFilter(record, model);
  const value = valueType(attribute);
  const orNull = optional ? ' | null' : '';
  switch (kind) {
    case 'json':
      return type === 'Map' ? 'Readonly<Record<string, Equality<string | number | boolean>>>' : 'Presence';
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
  const found = model.records.get(record);
  const attributes = found === undefined ? [] : describeType(found).attributes;
  const fields = attributes.filter(({ list, record: inner, readable }) => !list && inner === undefined && readable);
  return `{ ${[...fields.map((each) => filterMember(each, model)), 'readonly null?: boolean;'].join(' ')} }`;
}

function valueType({ attribute: { values, choices, secret, type } }: AttributeDescription): string {
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
