// Reads one instance by its address.

import { error, isError, type PlatformError } from '../../errors.ts';
import { countedFrom } from '../../memory-budget.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { both, equal } from '../../plan/query/condition.ts';
import { linkedFrom } from '../../plan/query/exists.ts';
import type { RowsOf } from '../../plan/query/rows-of.ts';
import { includedValues, isWhole, outputKey, outputOf, type Selection, showsNoOthers } from '../../plan/query/selection.ts';
import type { Select } from '../../plan/query/shape.ts';
import { type Awaitable, type Reader, type Row, TooLarge } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { isLookedUp } from '../address/address.ts';
import { rowCondition, visibleRows } from '../instances/guard.ts';
import { versionOf } from '../instances/insert.ts';
import { reach, readable } from '../instances/readable.ts';
import { holdBytes } from '../memory.ts';
import type { Context, Operation, Result } from '../operation.ts';
import type { Located } from '../row.ts';
import type { Prepare } from '../seams.ts';
import { cacheShape } from '../shape-cache.ts';
import { refuseHiddenSelection } from './hidden-names.ts';
import { withRights } from './rights.ts';

type Read = Extract<Operation, { kind: 'read' }>;

export const read: Prepare<Read> = (operation, context) => ({
  transaction: 'read',
  run(tx) {
    rowCondition('read', operation.at.in.plan, context);
    refuseHiddenSelection(operation.at.in.plan, operation.selection, context);
    const found = readOnce(operation, tx, context);
    return found instanceof Promise && isLookedUp(operation.at) ? found.catch((thrown) => readAgain(operation, thrown, context)) : found;
  },
});

function readOnce({ at, selection: asked }: Read, tx: Reader, context: Context): Awaitable<Result> {
  const selection = asked.asksRights ? withRights(at.in.plan, asked, context) : asked;
  const located = reach(at, tx, context);
  const reader = readable(tx, context);
  return located instanceof Promise
    ? located.then((found) => readAt(found, selection, reader, context))
    : readAt(located, selection, reader, context);
}

/** What is looked up in one statement and read in a later one may have been moved in between: whether it is there is seen in one state. */
function readAgain(operation: Read, thrown: unknown, context: Context): Awaitable<Result> {
  if (!isError(thrown, 'instance-not-found')) throw thrown;
  const one = { consistent: true, repeatable: () => true };
  return context.store.read((snapshot) => readOnce(operation, snapshot, context), one, context.request);
}

export function instanceOf(plan: EntityPlan | LinkPlan, row: Row | undefined): Result {
  if (row === undefined) throw error('instance-not-found');
  return { kind: 'instance', instance: { plan, json: row.json, version: versionOf(row), nested: [] }, created: undefined };
}

function readAt(located: Located, selection: Selection, tx: Reader, context: Context): Awaitable<Result> {
  const rows = visibleRows(context);
  const { plan, key } = located;
  const linked = linkedSelect(located, selection, rows);
  const fails = (thrown: unknown): never => {
    throw thrown instanceof TooLarge ? tooLarge(plan, selection, thrown) : thrown;
  };
  try {
    const row =
      linked === undefined
        ? tx.one(selectOf(plan, selection, rows), selection.includes.length === 0 ? [key] : [key, ...includedValues(selection)])
        : tx.one(linked.select, linked.values);
    return row instanceof Promise ? row.then((found) => heldInstance(plan, found, context), fails) : heldInstance(plan, row, context);
  } catch (thrown) {
    return fails(thrown);
  }
}

function heldInstance(plan: EntityPlan | LinkPlan, row: Row | undefined, context: Context): Result {
  if (row !== undefined && row.json.length > countedFrom) holdBytes(row.json.length, context);
  return instanceOf(plan, row);
}

/** A row that was reached by a link, with the attributes of that link. Nothing where there are none. */
export function linkedSelect(
  { plan, key: row, link }: Located,
  selection: Selection,
  rows: RowsOf,
): { readonly select: Select; readonly values: readonly Value[] } | undefined {
  if (link?.way.field === undefined) return undefined;
  const { way, start } = link;
  const name = `linked ${way.link.type}.${way.to.attribute} ${outputKey(plan, selection, rows)}`;
  const values = [start, row, ...includedValues(selection)];
  const cached = plan.cached.get(name);
  if (cached?.kind === 'select') return { select: cached, values };
  const linked = linkedFrom(way.link, way.from.column, way.to.column, plan.key);
  const output = { fields: outputOf(plan, selection, rows).fields, columns: plan.output.columns };
  return { select: cacheShape(plan, name, { ...plan.shapes.byKey, output, where: both(linked, equal(plan.key)) }), values };
}

/** The plan's own shape where the whole instance is asked for: its statement is ready. */
function selectOf(plan: EntityPlan | LinkPlan, selection: Selection, rows: RowsOf): Select {
  if (showsNoOthers(plan, selection, rows) && isWhole(plan, selection)) return plan.shapes.read;
  const key = `read ${outputKey(plan, selection, rows)}`;
  const cached = plan.cached.get(key);
  if (cached?.kind === 'select') return cached;
  return cacheShape(plan, key, {
    ...plan.shapes.read,
    output: { fields: outputOf(plan, selection, rows).fields, columns: plan.shapes.read.output.columns },
  });
}

/** `thrown` itself where nothing is included: then it is a fault of the service. */
export function tooLarge(plan: EntityPlan | LinkPlan, { includes }: Selection, thrown: TooLarge): PlatformError | TooLarge {
  const lists = includes.map(({ name, way }) =>
    way.kind === 'parent' ? `/${way.target.type}` : `/${plan.type}/{id}/${name}/${way.target.type.replace(/^.*\//, '')}`,
  );
  if (lists.length === 0) return thrown;
  const detail = `An instance with what it includes is larger than a request may hold; read instead ${lists.join(', ')}.`;
  return error('include-too-large', { detail }, thrown);
}
