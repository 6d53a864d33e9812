// In charge of what goes along with a deleted instance: what refers to it to go with it; what it contains and its links, where that sets something off.

import type { ContainsPlan, EntityPlan, LinkPlan, RowPlan } from '../../plan/plan.ts';
import { type Condition, inRange } from '../../plan/query/condition.ts';
import { cascadedPlans, type Referrer, referrersOf } from '../../plan/rows/cascade.ts';
import { below, keyName } from '../../plan/rows/keys.ts';
import { keyColumn } from '../../plan/rows/tables.ts';
import type { Row } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { keyText, linkLocated, locatedRow } from '../address/address.ts';
import { deepestFirst, reachable } from '../address/contained.ts';
import type { WriteContext } from '../operation.ts';
import type { Located } from '../row.ts';
import { isRecorded } from './record.ts';
import { composingOf } from './rows.ts';

export interface CascadedRow {
  readonly located: Located;
  readonly row: Row;
}

/** Tells apart everything that is stored. */
export function nameOf({ located }: CascadedRow): string {
  return `${located.plan.type} ${keyName(located.key)}`;
}

export function containedIn({ plan }: Located): readonly ContainsPlan[] {
  return plan.kind === 'entity' ? reachable(plan) : [];
}

/**
 * Everything but the first tree itself: what the trees contain, their links, and the further ones. Only where the model waits for
 * it: everything else goes unread.
 */
export async function cascadeOf(trees: readonly CascadedRow[], context: WriteContext): Promise<readonly CascadedRow[]> {
  const [own] = trees;
  const found = new Map<string, CascadedRow>();
  for (const tree of trees) {
    const { located } = tree;
    for (const link of located.plan.kind === 'link' ? [] : context.plan.links.values())
      if (isHeeded(link, context)) for (const each of await linksOf(link, located, context)) found.set(nameOf(each), each);
    for (const entity of deepestFirst(containedIn(located)))
      if (isHeeded(entity, context)) for (const each of await rowsBelow(entity, located, context)) found.set(nameOf(each), each);
    if (tree !== own && isHeeded(located.plan, context)) found.set(nameOf(tree), tree);
  }
  if (own !== undefined) found.delete(nameOf(own));
  return [...found.values()];
}

async function rowsBelow(entity: EntityPlan, located: Located, context: WriteContext): Promise<readonly CascadedRow[]> {
  const { from, to } = below(keyText(located));
  const rows = await context.tx.rows(
    { ...entity.shapes.byKey, where: inRange(keyColumn), order: [{ column: keyColumn, descending: false }] },
    [from, to],
  );
  return rows.map((row) => ({ located: locatedRow(entity, identifierOf(entity, row), row), row }));
}

/** What goes with an instance, or with what it contains, because it refers to it. What the store can remove by itself is not looked for. */
export async function referringTo(located: Located, context: WriteContext): Promise<readonly CascadedRow[]> {
  if (located.plan.kind === 'link') return [];
  const found: CascadedRow[] = [];
  const plans = new Set([located.plan, ...containedIn(located).map((each) => each.child)]);
  for (const plan of plans) {
    for (const referrer of referrersOf(plan, context.plan)) {
      if (!takesAlong(referrer.plan, context)) continue;
      for (const values of batches(await valuesOf(referrer.target, plan, located, context)))
        found.push(...(await referringRows(referrer, values, context)));
    }
  }
  return found;
}

/** Whether somebody is told when its rows go, or they hold something that the store would not remove with them. */
function takesAlong(plan: EntityPlan | LinkPlan, context: WriteContext): boolean {
  // What has owners takes them along.
  if (context.plan.access !== undefined && plan.kind === 'entity' && plan.entity.system === undefined) return true;
  return cascadedPlans(plan, context.plan).some((each) => isHeeded(each, context) || (each.kind === 'entity' && each.children.length > 0));
}

/** What an attribute holds in the instance itself, or in those of a type that it contains; both where a type contains itself. */
async function valuesOf(attribute: string, plan: EntityPlan, located: Located, context: WriteContext): Promise<readonly Value[]> {
  const select = { ...plan.shapes.byKey, output: { fields: [], columns: [plan.attribute.get(attribute)?.column ?? attribute] } };
  const rows = plan === located.plan ? [...(await context.tx.rows(select, [located.key]))] : [];
  if (containedIn(located).some(({ child }) => child === plan)) {
    const { from, to } = below(keyText(located));
    rows.push(...(await context.tx.rows({ ...select, where: inRange(keyColumn) }, [from, to])));
  }
  return rows.map((row) => row.columns[0] ?? null).filter((value) => value !== null);
}

/** So many values go into one statement. */
const together = 500;

function batches(values: readonly Value[]): readonly (readonly Value[])[] {
  const found: (readonly Value[])[] = [];
  for (let start = 0; start < values.length; start += together) found.push(values.slice(start, start + together));
  return found;
}

async function referringRows({ plan, column }: Referrer, values: readonly Value[], context: WriteContext): Promise<readonly CascadedRow[]> {
  const where: Condition = { kind: 'compare', column, operator: 'in', count: values.length };
  const order = [{ column: plan.key, descending: false }];
  const rows = await context.tx.rows({ ...plan.shapes.byKey, where, order }, values);
  return rows.map((row) => ({
    located: plan.kind === 'link' ? linkLocated(plan, row) : locatedRow(plan, identifierOf(plan, row), row),
    row,
  }));
}

/** Whether somebody is told of each row of that type that is deleted. */
export function isHeeded(plan: RowPlan, context: WriteContext): boolean {
  const { triggers } = context;
  const { type } = plan;
  if (triggers.fires('before', 'delete', type, context) || triggers.fires('after', 'delete', type, context)) return true;
  return isRecorded(plan, context) || composingOf(plan, context) !== undefined;
}

async function linksOf(link: LinkPlan, located: Located, context: WriteContext): Promise<readonly CascadedRow[]> {
  const conditions: Condition[] = [];
  const values: Value[] = [];
  for (const { entity, column } of link.ends) {
    if (entity === located.plan) {
      conditions.push({ kind: 'compare', column, operator: 'eq' });
      values.push(located.key);
    }
    if (containedIn(located).some(({ child }) => child === entity)) {
      const { from, to } = below(keyText(located));
      conditions.push(inRange(column));
      values.push(from, to);
    }
  }
  if (conditions.length === 0) return [];
  const rows = await context.tx.rows({ ...link.shapes.byKey, where: { kind: 'or', conditions } }, values);
  return rows.map((row) => ({ located: linkLocated(link, row), row }));
}

export function identifierOf(plan: RowPlan, row: Row): Value {
  return parseStored(row.json)[plan.identifier.name] ?? null;
}
