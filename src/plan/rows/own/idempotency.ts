// The service's own table of answers already given, by which a repeated POST replays the first one.

import type { IdempotencyPlan } from '../../plan.ts';
import { equal } from '../../query/condition.ts';
import type { Output } from '../../query/shape.ts';
import type { Column, Table } from '../table.ts';

/** Each new answer removes a few that have expired: all of them in one statement would hold up everybody. */
export const expiredAtOnce = 20;

export function idempotencyPlan(): IdempotencyPlan {
  const text = (name: string): Column => ({ name, kind: 'text', required: true });
  const table: Table = {
    name: '__platform_answers',
    columns: [text('scope'), text('digest'), text('answer'), { name: 'time', kind: 'integer', required: true }],
    primaryKey: ['scope'],
    uniques: [],
    indexes: [['time']],
    foreignKeys: [],
  };
  const output: Output = { fields: [], columns: ['digest', 'answer', 'time'] };
  return {
    table,
    find: { kind: 'select', table, output, where: equal('scope'), order: [], limit: false, offset: false },
    insert: { kind: 'insert', table, columns: table.columns.map((each) => each.name), output: { fields: [], columns: [] } },
    expired: {
      kind: 'select',
      table,
      output: { fields: [], columns: ['scope'] },
      where: { kind: 'compare', column: 'time', operator: 'lt' },
      order: [{ column: 'time', descending: false }],
      limit: true,
      offset: false,
    },
    expire: { kind: 'delete', table, where: { kind: 'compare', column: 'scope', operator: 'in', count: expiredAtOnce } },
  };
}
