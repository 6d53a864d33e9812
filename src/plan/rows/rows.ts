// What the plans of entities and links share: the shapes that find, add and remove one row.

import { auditEntry } from '../../model/builtin.ts';
import type { TypeName } from '../../model/model.ts';
import { searchedAttributes } from '../../model/searched.ts';
import { computedOrder } from '../computed/order.ts';
import type { AttributePlan, RowPlan } from '../plan.ts';
import { equal, type Search } from '../query/condition.ts';
import type { Field, Output } from '../query/shape.ts';
import type { Table } from './table.ts';
import { versionColumn } from './tables.ts';

/** What an answer holds of a row, with its version, its key and, when contained, its path beside it. */
export function rowPlan(
  type: TypeName,
  local: string,
  table: Table,
  attributes: readonly AttributePlan[],
  identifier: AttributePlan,
  key: string,
  fields: readonly Field[],
  systemFields: readonly string[],
): Omit<RowPlan, 'cached'> {
  const columns = [versionColumn, key, ...systemFields];
  const output: Output = { fields, columns };
  const select = { kind: 'select', table, output, order: [], offset: false } as const;
  return {
    type,
    local,
    table,
    attributes,
    attribute: new Map(attributes.map((each) => [each.name, each])),
    identifier,
    key,
    output,
    systemFields,
    shapes: {
      read: { ...select, output: { fields, columns: [versionColumn] }, where: equal(key), limit: false },
      byKey: { ...select, where: equal(key), limit: false },
      toChange: { ...select, where: equal(key), limit: false, lock: 'change' },
      toRemove: { ...select, where: equal(key), limit: false, lock: 'remove' },
      byIdentifier: { ...select, where: equal(identifier.column), order: [{ column: key, descending: false }], limit: true },
      whole: { ...select, output: { fields: allFields(attributes), columns }, where: equal(key), limit: false },
      exists: { ...select, output: { fields: [], columns: [] }, where: equal(key), limit: false },
      insert: { kind: 'insert', table, columns: table.columns.map((each) => each.name), output },
      remove: { kind: 'delete', table, where: equal(key) },
    },
    ...computedOrder(attributes),
    checked: attributes.filter((each) => each.attribute.check !== undefined),
    secrets: attributes.filter((each) => each.attribute.secret),
    ruled: attributes.filter((each) => each.attribute.rbac !== undefined),
    search: searchIn(attributes, table),
    isPlain: attributes.every(isPlain),
    isAppendOnly: table.name === auditEntry,
  };
}

/** Whether its value is known from what is given alone. */
function isPlain({ attribute, target }: AttributePlan): boolean {
  const { expression, check, secret, autoincrement, rbac } = attribute;
  return expression === undefined && check === undefined && !secret && !autoincrement && target === undefined && rbac === undefined;
}

/** Whether a write has to wait for the application's own rules on its values: functions in Clojure give their verdict at once. */
export function waitsForChecks({ checked }: RowPlan): boolean {
  return checked.some((each) => each.attribute.check?.language !== 'clojure');
}

export function visibleFields(attributes: readonly AttributePlan[]): readonly Field[] {
  return allFields(attributes.filter((each) => !each.hidden));
}

function allFields(attributes: readonly AttributePlan[]): readonly Field[] {
  return attributes.map((each): Field => ({ kind: 'column', name: each.name, column: each.column }));
}

/** Nothing where there is nothing to search. */
function searchIn(attributes: readonly AttributePlan[], table: Table): Search | undefined {
  if (table.search !== undefined) return { columns: table.search, isIndexed: true };
  const searched = new Set(searchedAttributes(attributes.map((each) => each.attribute)));
  const columns = attributes.filter((each) => searched.has(each.attribute)).map((each) => each.column);
  return columns.length === 0 ? undefined : { columns, isIndexed: false };
}
