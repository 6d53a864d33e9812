// The service's own tables of the audit trail: what is not sealed yet, the blocks, and who seals. Nobody reaches them by a path or by a workflow.

import type { ColumnKind } from '../../../model/types/attribute-type.ts';
import type { Table } from '../table.ts';

export interface AuditTables {
  /** Entries of one transaction that are in no block yet: their identifiers and hashes. */
  readonly unsealed: Table;
  /** Sealed entries, each with its hash; a block names the signature of the one before it. What was pruned is one row of `kind` pruned. */
  readonly blocks: Table;
  /** One row: which key is used, and which process seals. `beat` grows while that one is alive. */
  readonly state: Table;
}

/** `entries` is the table of the entries themselves. */
export function auditTables(entries: Table | undefined): AuditTables | undefined {
  if (entries === undefined) return undefined;
  return {
    unsealed: table('audit_unsealed', { id: 'uuid', entries: 'text' }, ['id']),
    blocks: table(
      'audit_blocks',
      { number: 'integer', kind: 'text', time: 'integer', count: 'integer', entries: 'text', previous: 'text', signature: 'text' },
      ['number'],
    ),
    state: table('audit_state', { id: 'integer', key: 'text', holder: ['text', 'optional'], beat: 'integer' }, ['id']),
  };
}

type Columns = Readonly<Record<string, ColumnKind | readonly [ColumnKind, 'optional']>>;

function table(name: string, columns: Columns, primaryKey: readonly string[]): Table {
  return {
    name: `__platform_${name}`,
    columns: Object.entries(columns).map(([column, kind]) =>
      typeof kind === 'string' ? { name: column, kind, required: true } : { name: column, kind: kind[0], required: false },
    ),
    primaryKey,
    uniques: [],
    indexes: [],
    foreignKeys: [],
    system: true,
  };
}
