// Reads one instance by its address.

import { error } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { both, equal } from '../plan/condition.ts';
import type { EntityPlan, LinkPlan, RowPlan } from '../plan/plan.ts';
import { linkedFrom } from '../plan/query/exists.ts';
import type { Output, Select } from '../plan/shape.ts';
import { type Awaitable, type Reader, type Row, TooLarge } from '../store/store.ts';
import { tooLarge } from './included.ts';
import { versionOf } from './insert.ts';
import { keep } from './kept.ts';
import { type Located, locate } from './locate.ts';
import type { Operation, Result } from './operation.ts';
import type { Prepare } from './seams.ts';

type Read = Extract<Operation, { kind: 'read' }>;

export const read: Prepare<Read> = (operation) => ({
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

function readAt(located: Located, operation: Read, tx: Reader): Awaitable<Result> {
  const { plan, key } = located;
  const linked = linkedSelect(located, operation.output, operation.key);
  const fails = (thrown: unknown): never => {
    throw thrown instanceof TooLarge ? tooLarge(plan, operation.output, thrown) : thrown;
  };
  try {
    const row = linked === undefined ? tx.one(selectOf(plan, operation), [key]) : tx.one(linked.select, linked.values);
    return row instanceof Promise ? row.then((found) => instanceOf(plan, found), fails) : instanceOf(plan, row);
  } catch (thrown) {
    return fails(thrown);
  }
}

/** A row that was reached by a link, with the attributes of that link; `key` tells outputs apart. Nothing where there are none. */
export function linkedSelect(
  { plan, key: row, link }: Located,
  { fields }: Pick<Output, 'fields'>,
  key: string,
): { readonly select: Select; readonly values: readonly Value[] } | undefined {
  if (link?.way.field === undefined) return undefined;
  const { way, start } = link;
  const name = `linked ${way.link.type}.${way.to.attribute} ${key}`;
  const kept = plan.kept.get(name);
  const linked = linkedFrom(way.link, way.from.column, way.to.column, plan.key);
  const select: Select =
    kept?.kind === 'select'
      ? kept
      : keep(plan, name, { ...plan.shapes.byKey, output: { fields, columns: plan.output.columns }, where: both(linked, equal(plan.key)) });
  return { select, values: [start, row] };
}

/** Everything of a row, and of the link by which it was reached. */
export function withLink({ plan, link }: Located): Pick<Output, 'fields'> {
  return { fields: link?.way.field === undefined ? plan.output.fields : [...plan.output.fields, link.way.field] };
}

/** The plan's own shape where the whole instance is asked for: its statement is ready. */
function selectOf(plan: RowPlan, { output, key }: Read): Select {
  if (output === plan.output) return plan.shapes.byKey;
  const kept = plan.kept.get(`read ${key}`);
  if (kept?.kind === 'select') return kept;
  return keep(plan, `read ${key}`, { ...plan.shapes.byKey, output: { fields: output.fields, columns: plan.output.columns } });
}
