// Deletes one instance with everything it contains; children of relationships that do not cascade are set free.

import { error } from '../errors.ts';
import { parseJson } from '../model/json.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { isObject } from '../plan/attribute.ts';
import type { Condition } from '../plan/condition.ts';
import { below, detachedKey, rootPath } from '../plan/keys.ts';
import type { ContainsPlan, EntityPlan } from '../plan/plan.ts';
import type { Delete, Select } from '../plan/shape.ts';
import { keyColumn, pathColumn } from '../plan/tables.ts';
import type { Row } from '../store/store.ts';
import { deepestFirst, reachable } from './contained.ts';
import { keyText, type Located, locate } from './locate.ts';
import type { Context, Operation, Result, Writing } from './operation.ts';
import { instanceOf } from './read.ts';
import type { Handler } from './seams.ts';
import { checkVersion } from './update.ts';
import { within } from './within.ts';

type DeleteOperation = Extract<Operation, { kind: 'delete' }>;

export const remove: Handler<DeleteOperation> = async ({ at, versions }, context) => ({
  transaction: 'write',
  waits: context.triggers.wait('delete', at.in.plan.type, context) || (await isLarge(at, context)),
  async run(tx): Promise<Result> {
    const { plan, under } = at.in;
    const located = await locate(at, tx);
    const row = await tx.one(plan.shapes.byKey, [located.key]);
    if (row === undefined) throw error('instance-not-found');
    checkVersion(row, versions);
    if (under?.step.kind === 'link') await unlink(at, located, within(context, tx));
    else await removeRow(located, row, within(context, tx));
    return instanceOf(plan, row);
  },
});

/** So many rows go in one statement; more of them go in several, with room for other requests in between. */
const together = 2000;

/** Whether what stands below takes several statements, and so the writer to itself. */
async function isLarge(at: DeleteOperation['at'], context: Context): Promise<boolean> {
  const { plan } = at.in;
  if (plan.kind === 'link' || plan.children.length === 0 || at.in.under?.step.kind === 'link') return false;
  return context.store.read(async (reader) => {
    const key = keyText(await locate(at, reader));
    let count = 0;
    for (const { child } of reachable(plan)) count += (await reader.rows(keysBelow(child), [...rangeOf(key), together, 0])).length;
    return count >= together;
  });
}

/** On the nested path of a link the link goes and the instance stays (decisions 3, 6b). */
async function unlink(at: DeleteOperation['at'], located: Located, context: Writing): Promise<void> {
  const { under } = at.in;
  if (under?.step.kind !== 'link') return;
  const parent = await locate(under.parent, context.tx);
  await context.tx.delete(under.step.to.unlink, [located.key, parent.key]);
}

/** Deletes the instance and, unless the relationships say otherwise, everything it contains. */
export async function removeRow(located: Located, row: Row, context: Writing): Promise<void> {
  const { triggers } = context;
  const { type } = located.plan;
  if (triggers.fires('before', 'delete', type, context)) await triggers.beforeDelete(located, row, context);
  await deleteTree(located, context);
  if (triggers.fires('after', 'delete', type, context)) await triggers.after('delete', located, row, context);
}

async function deleteTree(located: Located, context: Writing): Promise<void> {
  const { plan } = located;
  if (plan.kind === 'entity' && plan.children.length > 0) {
    const key = keyText(located);
    const contained = reachable(plan);
    for (const contains of contained) {
      if (!contains.contains.cascade) await setFree(contains, key, context);
    }
    // Deepest first, so that no row is left pointing at a parent that is gone.
    for (const entity of deepestFirst(contained)) await deleteBelow(entity, key, context);
  }
  await context.tx.delete(plan.shapes.remove, [located.key]);
}

const inRange: (column: string) => Condition = (column) => ({
  kind: 'and',
  conditions: [
    { kind: 'compare', column, operator: 'gt' },
    { kind: 'compare', column, operator: 'lt' },
  ],
});

/** From the end of the range, where the deepest rows stand, so that no statement leaves a row without its parent. */
async function deleteBelow(entity: EntityPlan, key: string, context: Writing): Promise<void> {
  const [from, to] = rangeOf(key);
  for (;;) {
    const [bound] = await context.tx.rows(keysBelow(entity), [from, to, 1, together]);
    const shape: Delete = { kind: 'delete', table: entity.table, where: inRange(keyColumn) };
    await context.tx.delete(shape, [bound?.columns[0] ?? from, to]);
    if (bound === undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function rangeOf(key: string): readonly [from: string, to: string] {
  const { from, to } = below(key);
  return [from, to];
}

/** Keys of an entity's rows in a range, the last first. */
function keysBelow(entity: EntityPlan): Select {
  const output = { fields: [], columns: [keyColumn] };
  return {
    ...entity.shapes.byKey,
    output,
    where: inRange(keyColumn),
    order: [{ column: keyColumn, descending: true }],
    limit: true,
    offset: true,
  };
}

/** The children of a relationship that does not cascade get a key under no parent, and so does what they contain. */
async function setFree(contains: ContainsPlan, key: string, context: Writing): Promise<void> {
  const { child } = contains;
  const { from, to } = below(key);
  const held: Select = {
    ...child.shapes.byKey,
    where: { kind: 'and', conditions: [inRange(keyColumn), { kind: 'compare', column: contains.column, operator: 'not-null' }] },
  };
  for (const row of await context.tx.rows(held, [from, to])) {
    const [, oldKey = null, oldPath = null] = row.columns;
    const id = identifierOf(child, row);
    const moved: Move = {
      from: String(oldKey),
      to: detachedKey(context.clock.uuid(), id),
      oldPath: String(oldPath),
      newPath: rootPath(child.type, id),
    };
    await detach(contains, moved, context);
    for (const entity of deepestFirst(reachable(child))) await moveBelow(entity, moved, context);
  }
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly oldPath: string;
  readonly newPath: string;
}

async function detach({ child, column }: ContainsPlan, move: Move, context: Writing): Promise<void> {
  const where: Condition = { kind: 'compare', column: keyColumn, operator: 'eq' };
  const columns = [keyColumn, pathColumn, column];
  await context.tx.update({ kind: 'update', table: child.table, columns, version: undefined, where, output: nothing }, [
    move.to,
    null,
    null,
    move.from,
  ]);
}

/** Rows below a moved key follow it; the store carries the change on to what points at them. */
async function moveBelow(entity: EntityPlan, move: Move, context: Writing): Promise<void> {
  const { from, to } = below(move.from);
  const rows = await context.tx.rows({ ...entity.shapes.byKey, where: inRange(keyColumn) }, [from, to]);
  const where: Condition = { kind: 'compare', column: keyColumn, operator: 'eq' };
  for (const row of rows) {
    const [, key = null, path = null] = row.columns;
    const values = [move.to + String(key).slice(move.from.length), move.newPath + String(path).slice(move.oldPath.length), key];
    await context.tx.update(
      { kind: 'update', table: entity.table, columns: [keyColumn, pathColumn], version: undefined, where, output: nothing },
      values,
    );
  }
}

const nothing = Object.freeze({ fields: [], columns: [] });

function identifierOf(plan: EntityPlan, row: Row): Value {
  const value = parseJson(row.json, { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY });
  return isObject(value) ? (value[plan.identifier.name] ?? null) : null;
}
