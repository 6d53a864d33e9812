// Reads one instance by its address.

import { error } from '../errors.ts';
import type { EntityPlan, LinkPlan, RowPlan } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import type { Awaitable, Reader, Row } from '../store/store.ts';
import { versionOf } from './insert.ts';
import { keep } from './kept.ts';
import { type Located, locate } from './locate.ts';
import type { Operation, Result } from './operation.ts';
import type { Handler } from './seams.ts';

type Read = Extract<Operation, { kind: 'read' }>;

export const read: Handler<Read> = (operation) => ({
  transaction: 'read',
  run(tx) {
    const located = locate(operation.at, tx);
    return located instanceof Promise ? located.then((found) => readAt(found, operation, tx)) : readAt(located, operation, tx);
  },
});

export function instanceOf(plan: EntityPlan | LinkPlan, row: Row | undefined): Result {
  if (row === undefined) throw error('instance-not-found');
  return { kind: 'instance', instance: { plan, json: row.json, version: versionOf(row), nested: [] }, created: undefined };
}

function readAt({ plan, key }: Located, operation: Read, tx: Reader): Awaitable<Result> {
  const row = tx.one(selectOf(plan, operation), [key]);
  return row instanceof Promise ? row.then((found) => instanceOf(plan, found)) : instanceOf(plan, row);
}

/** The plan's own shape where the whole instance is asked for: its statement is ready. */
function selectOf(plan: RowPlan, { output, key }: Read): Select {
  if (output === plan.output) return plan.shapes.byKey;
  const kept = plan.kept.get(`read ${key}`);
  if (kept?.kind === 'select') return kept;
  return keep(plan, `read ${key}`, { ...plan.shapes.byKey, output: { fields: output.fields, columns: plan.output.columns } });
}
