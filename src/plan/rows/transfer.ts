// What is moved when data goes elsewhere: every column of every row, in an order in which nothing comes before what it points at.

import { isOtherName } from '../names.ts';
import type { EntityPlan, LinkPlan, Plan } from '../plan.ts';
import { everything } from '../query/condition.ts';
import type { Field, Output, Select } from '../query/shape.ts';
import type { Table } from './table.ts';
import { pathColumn, versionColumn } from './tables.ts';

/** The rows of a table in the order of its key, from the beginning and behind a key. The last parameter is how many. */
export interface Pages {
  readonly first: Select;
  readonly next: Select;
}

/** The key of a row is its one further column. */
export function pagesOf(table: Table, fields: readonly Field[]): Pages {
  const [key = ''] = table.primaryKey;
  const output: Output = { fields, columns: [key] };
  const order = [{ column: key, descending: false }];
  const first: Select = { kind: 'select', table, output, where: everything, order, limit: true, offset: false };
  return { first, next: { ...first, where: { kind: 'after', order, nulls: [false] } } };
}

export function columnFields(table: Table): readonly Field[] {
  return table.columns.map(({ name }): Field => ({ kind: 'column', name, column: name }));
}

/** An instance as an export holds it: all attributes, also those in no answer, where it stands, and its version. */
export function instanceFields(plan: EntityPlan | LinkPlan, secrets: boolean): readonly Field[] {
  const attributes = plan.attributes.filter((each) => secrets || !each.attribute.secret);
  const ends = plan.kind === 'link' ? plan.output.fields.slice(0, plan.ends.length) : [];
  const place = plan.kind === 'entity' && plan.contained ? [pathColumn] : [];
  return [
    ...ends,
    ...attributes.map((each): Field => ({ kind: 'column', name: each.name, column: each.column })),
    ...[...place, versionColumn].map((name): Field => ({ kind: 'column', name, column: name })),
  ];
}

/** Parents before children, what is referred to before what refers, links last. A circle is broken where it was entered. */
export function plansInOrder(plan: Plan): readonly (EntityPlan | LinkPlan)[] {
  const entities = [...plan.entities.values()].filter((each) => !isOtherName(each.entity));
  const before = (each: EntityPlan): readonly (EntityPlan | undefined)[] => [
    ...each.parents.map(({ parent }) => parent),
    ...each.attributes.map(({ target }) => (target === undefined ? undefined : plan.entities.get(target.entity))),
  ];
  return [...inOrder(entities, before), ...plan.links.values()];
}

export function tablesInOrder(tables: readonly Table[]): readonly Table[] {
  const byName = new Map(tables.map((each) => [each.name, each]));
  return inOrder(tables, (each) => each.foreignKeys.map((key) => byName.get(key.table)));
}

function inOrder<T>(all: readonly T[], before: (each: T) => readonly (T | undefined)[]): readonly T[] {
  const visited = new Set<T>();
  const ordered: T[] = [];
  const visit = (each: T): void => {
    if (visited.has(each)) return;
    visited.add(each);
    for (const other of before(each)) if (other !== undefined) visit(other);
    ordered.push(each);
  };
  for (const each of all) visit(each);
  return ordered;
}
