// The service's own tables, which nobody reaches by a path or by a workflow: how they are written down.

import type { ColumnKind } from '../../../model/types/attribute-type.ts';
import type { ForeignKey, Table } from '../table.ts';

type Columns = Readonly<Record<string, ColumnKind | readonly [ColumnKind, 'optional']>>;

export function ownTable(
  name: string,
  columns: Columns,
  primaryKey: readonly string[],
  more: Partial<Pick<Table, 'foreignKeys' | 'indexes' | 'search'>>,
): Table {
  return {
    name: `__platform_${name}`,
    columns: Object.entries(columns).map(([column, kind]) =>
      typeof kind === 'string' ? { name: column, kind, required: true } : { name: column, kind: kind[0], required: false },
    ),
    primaryKey,
    uniques: [],
    indexes: more.indexes ?? [],
    foreignKeys: more.foreignKeys ?? [],
    ...(more.search === undefined ? {} : { search: more.search }),
    system: true,
  };
}

export function reference(column: string, to: Table, key: string): ForeignKey {
  return { columns: [column], table: to.name, references: [key], onDelete: 'cascade', onUpdate: 'cascade' };
}
