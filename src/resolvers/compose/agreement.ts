// Makes what is stored of one instance be what the other system has, after a call of which nobody knows how it ended.

import { locatedRow } from '../../engine/address/address.ts';
import { type CascadedRow, identifierOf, removeInstance } from '../../engine/instances/cascade.ts';
import { insertEntity } from '../../engine/instances/insert.ts';
import { changeRow } from '../../engine/instances/update.ts';
import type { WriteContext } from '../../engine/operation.ts';
import type { Draft, Parent } from '../../engine/row.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { placeAt, stepsOf } from '../../plan/rows/path.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import { parentPath } from '../answer.ts';
import { differences, keyOf, type TableRow } from './composed.ts';
import type { Intention } from './intentions.ts';

export interface TwoSides {
  readonly here: TableRow | undefined;
  readonly there: TableRow | undefined;
}

/** What was created or changed is taken over; what was deleted is deleted here too, unless the other system still has it. */
export async function bringIntoAgreement(
  { operation, after }: Intention,
  plan: EntityPlan,
  { here, there }: TwoSides,
  writing: WriteContext,
): Promise<void> {
  if (there === undefined) {
    if (here === undefined) return;
    if (operation !== 'delete') throw new Error('it is stored, and the other system does not have it');
    const { located, row } = await rowHere(plan, keyOf(plan, here), writing);
    await removeInstance(located, row, writing);
    return;
  }
  if (here === undefined) {
    await insertEntity(draftFrom(plan, withHidden(plan, there, after)), parentOf(plan, there), writing);
    return;
  }
  const changes = differences(plan, here, there);
  if (operation === 'delete' || changes.size === 0) return;
  const { located, row } = await rowHere(plan, keyOf(plan, here), writing);
  await changeRow({ changes, unchanged: [], faults: [], prefix: '' }, located, row, writing);
}

async function rowHere(plan: EntityPlan, key: Value, { tx }: WriteContext): Promise<CascadedRow> {
  const row = await tx.one(plan.shapes.toChange, [key]);
  if (row === undefined) throw new Error(`${plan.type} is gone`);
  return { located: locatedRow(plan, identifierOf(plan, row), row), row };
}

/** What nobody is answered does not come back from elsewhere: it is what was sent. */
function withHidden(plan: EntityPlan, there: TableRow, after: Value): TableRow {
  const sent = isObject(after) ? after : {};
  return there.map((value, index) => {
    const attribute = plan.attributes[index];
    return value === null && attribute?.hidden === true ? (sent[attribute.name] ?? null) : value;
  });
}

function draftFrom(plan: EntityPlan, row: TableRow): Draft {
  return { plan, values: row.slice(0, plan.attributes.length), children: [], prefix: '', onlyIdentifier: false, ends: undefined };
}

function parentOf(plan: EntityPlan, row: TableRow): Parent | undefined {
  const path = row[plan.table.columns.findIndex((each) => each.name === pathColumn)];
  if (!plan.contained || typeof path !== 'string') return undefined;
  const steps = stepsOf(plan, path);
  const contains = steps.kind === 'wrong' ? undefined : steps.below.at(-1)?.contains;
  if (contains === undefined) return undefined;
  const { parent } = contains;
  const above = parentPath(path);
  const place = placeAt(parent, above);
  if (place === undefined) throw new Error(`${plan.type}: ${pathColumn} is not where it stands`);
  return { located: { plan: parent, key: place.key, id: place.id, path: parent.contained ? above : undefined }, contains, assumed: true };
}
