// Reads one instance by its address.

import { error } from '../errors.ts';
import type { RowPlan } from '../plan/plan.ts';
import type { Output, Select } from '../plan/shape.ts';
import type { Awaitable, Reader, Row } from '../store/store.ts';
import { versionOf } from './insert.ts';
import { type Located, locate } from './locate.ts';
import type { Operation, Result } from './operation.ts';
import type { Handler } from './seams.ts';

type Read = Extract<Operation, { kind: 'read' }>;

export const read: Handler<Read> = (operation) => ({
  transaction: 'read',
  run(tx) {
    const located = locate(operation.at, tx);
    return located instanceof Promise
      ? located.then((found) => readAt(found, operation.output, tx))
      : readAt(located, operation.output, tx);
  },
});

export function instance(row: Row | undefined): Result {
  if (row === undefined) throw error('instance-not-found');
  return { kind: 'instance', json: row.json, version: versionOf(row), created: undefined };
}

function readAt(located: Located, output: Output, tx: Reader): Awaitable<Result> {
  const row = tx.one(selectOf(located.plan, output), [located.key]);
  return row instanceof Promise ? row.then(instance) : instance(row);
}

/** The plan's own shape where the whole instance is asked for: its statement is ready. */
function selectOf(plan: RowPlan, output: Output): Select {
  if (output === plan.output) return plan.shapes.byKey;
  return { ...plan.shapes.byKey, output: { fields: output.fields, columns: plan.output.columns } };
}
