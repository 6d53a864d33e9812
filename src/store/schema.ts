// The difference between the tables that are stored and those that a plan asks for: steps that only add, and reasons to refuse. Pure.

import type { Column, ForeignKey, Table } from '../plan/table.ts';

export interface Difference {
  readonly steps: readonly Step[];
  /** What the model would take away or change: each a sentence. The start is refused when there is one. */
  readonly refusals: readonly string[];
}

export type Step =
  | { readonly kind: 'create-table'; readonly table: Table }
  /** Its keys change, which only an empty table can follow. */
  | { readonly kind: 'replace-empty-table'; readonly table: Table; readonly reason: string }
  | { readonly kind: 'add-column'; readonly table: Table; readonly column: Column; readonly foreignKey: ForeignKey | undefined }
  | { readonly kind: 'create-index'; readonly table: Table; readonly columns: readonly string[]; readonly unique: boolean }
  | { readonly kind: 'drop-index'; readonly table: Table; readonly columns: readonly string[]; readonly unique: boolean }
  | { readonly kind: 'require'; readonly table: Table; readonly column: Column }
  /** Stored values need not fit the new type. */
  | { readonly kind: 'retype'; readonly table: Table; readonly column: Column; readonly reason: string }
  | { readonly kind: 'narrow-values'; readonly table: Table; readonly column: Column };

export function difference(stored: readonly Table[], wanted: readonly Table[]): Difference {
  const steps: Step[] = [];
  const refusals: string[] = [];
  const known = new Map(stored.map((table) => [table.name, table]));
  const names = new Set(wanted.map((table) => table.name));
  for (const table of stored) {
    if (!names.has(table.name)) refusals.push(`${table.name} is stored but no longer in the model`);
  }
  for (const table of wanted) {
    const before = known.get(table.name);
    if (before === undefined) steps.push({ kind: 'create-table', table });
    else compareTables(before, table, steps, refusals);
  }
  return { steps, refusals };
}

function compareTables(before: Table, table: Table, steps: Step[], refusals: string[]): void {
  const count = refusals.length;
  const keysChange = keysDiffer(before, table);
  if (!keysChange) compareColumns(before, table, steps, refusals);
  else if (droppedColumns(before, table).length > 0) refuseDropped(before, table, refusals);
  if (refusals.length > count) return;
  if (keysChange) steps.push({ kind: 'replace-empty-table', table, reason: `the keys of ${table.name} change` });
  else compareIndexes(before, table, steps);
}

function compareColumns(before: Table, table: Table, steps: Step[], refusals: string[]): void {
  refuseDropped(before, table, refusals);
  const known = new Map(before.columns.map((column) => [column.name, column]));
  for (const column of table.columns) {
    const old = known.get(column.name);
    if (old === undefined) steps.push({ kind: 'add-column', table, column, foreignKey: keyOn(table, column) });
    else if (old.kind !== column.kind)
      refusals.push(`${table.name}.${column.name} is stored as ${old.kind} and would become ${column.kind}`);
    else compareColumn(old, column, table, steps);
  }
}

function compareColumn(old: Column, column: Column, table: Table, steps: Step[]): void {
  if (column.required && !old.required) steps.push({ kind: 'require', table, column });
  if (old.type !== undefined && column.type !== undefined && !isWider(old.type, column)) {
    steps.push({
      kind: 'retype',
      table,
      column,
      reason: `${table.name}.${column.name} is stored as ${old.type} and would become ${column.type}`,
    });
  }
  const narrower = column.values !== undefined && !(old.values?.every((value) => column.values?.includes(value)) ?? false);
  if (narrower) steps.push({ kind: 'narrow-values', table, column });
}

/** Whether every value of the old type is one of the new type, kept in the same way. */
function isWider(old: string, { type, kind }: Column): boolean {
  if (old === type) return true;
  if (old.startsWith('secret')) return false;
  if (type === 'String') return kind === 'text';
  return type === 'Any' || (type === 'Map' && !old.endsWith('[]') && old.includes('/'));
}

function compareIndexes(before: Table, table: Table, steps: Step[]): void {
  for (const unique of [true, false]) {
    const old = unique ? before.uniques : before.indexes;
    const wanted = unique ? table.uniques : table.indexes;
    for (const columns of old.filter((each) => !includes(wanted, each))) steps.push({ kind: 'drop-index', table, columns, unique });
    for (const columns of wanted.filter((each) => !includes(old, each))) steps.push({ kind: 'create-index', table, columns, unique });
  }
}

function refuseDropped(before: Table, table: Table, refusals: string[]): void {
  for (const name of droppedColumns(before, table)) refusals.push(`${table.name}.${name} is stored but no longer in the model`);
}

/** Columns of attributes that are gone; the service's own (`__...`) come and go with the relationships. */
function droppedColumns(before: Table, table: Table): readonly string[] {
  const names = new Set(table.columns.map((column) => column.name));
  return before.columns.map((column) => column.name).filter((name) => !names.has(name) && !name.startsWith('__'));
}

/** Keys can be added with a new column, and not otherwise. */
function keysDiffer(before: Table, table: Table): boolean {
  if (JSON.stringify(before.primaryKey) !== JSON.stringify(table.primaryKey)) return true;
  const old = new Set(before.foreignKeys.map((key) => JSON.stringify(key)));
  const wanted = new Set(table.foreignKeys.map((key) => JSON.stringify(key)));
  const isNew = (name: string): boolean => before.columns.every((column) => column.name !== name);
  const isGone = (name: string): boolean => table.columns.every((column) => column.name !== name);
  return (
    [...old].some((key) => !wanted.has(key)) ||
    table.foreignKeys.some((key) => !old.has(JSON.stringify(key)) && !(key.columns.length === 1 && key.columns.every(isNew))) ||
    before.columns.some((column) => column.name.startsWith('__') && isGone(column.name))
  );
}

function keyOn(table: Table, column: Column): ForeignKey | undefined {
  return table.foreignKeys.find((key) => key.columns.length === 1 && key.columns[0] === column.name);
}

function includes(groups: readonly (readonly string[])[], group: readonly string[]): boolean {
  return groups.some((each) => JSON.stringify(each) === JSON.stringify(group));
}
