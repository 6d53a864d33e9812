// In charge of what goes along with a deleted instance and sets something off: what it contains, and the links of all of it.

import { parseJson } from '../model/json.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { isObject } from '../plan/attribute.ts';
import type { Condition } from '../plan/condition.ts';
import { below } from '../plan/keys.ts';
import type { ContainsPlan, LinkPlan, RowPlan } from '../plan/plan.ts';
import { keyColumn } from '../plan/tables.ts';
import type { Row } from '../store/store.ts';
import { deepestFirst } from './contained.ts';
import { keyText, type Located, linkLocated, locatedRow } from './locate.ts';
import type { Writing } from './operation.ts';

export interface Along {
  readonly located: Located;
  readonly row: Row;
}

/** Only where the model waits for it: everything else goes unread. */
export async function alongWith(located: Located, contained: readonly ContainsPlan[], context: Writing): Promise<readonly Along[]> {
  const { plan } = located;
  if (plan.kind === 'link') return [];
  const found: Along[] = [];
  for (const link of context.plan.links.values()) {
    if (setsOff(link.type, context)) found.push(...(await linksOf(link, located, contained, context)));
  }
  for (const entity of deepestFirst(contained)) {
    if (!setsOff(entity.type, context)) continue;
    const { from, to } = below(keyText(located));
    const rows = await context.tx.rows(
      { ...entity.shapes.byKey, where: inRange(keyColumn), order: [{ column: keyColumn, descending: false }] },
      [from, to],
    );
    found.push(...rows.map((row) => ({ located: locatedRow(entity, identifierOf(entity, row), row), row })));
  }
  return found;
}

/** Whether something runs when rows of that type are deleted. */
export function setsOff(type: string, context: Writing): boolean {
  const { triggers } = context;
  return triggers.fires('before', 'delete', type, context) || triggers.fires('after', 'delete', type, context);
}

async function linksOf(link: LinkPlan, located: Located, contained: readonly ContainsPlan[], context: Writing): Promise<readonly Along[]> {
  const conditions: Condition[] = [];
  const values: Value[] = [];
  for (const { entity, column } of link.ends) {
    if (entity === located.plan) {
      conditions.push({ kind: 'compare', column, operator: 'eq' });
      values.push(located.key);
    }
    if (contained.some(({ child }) => child === entity)) {
      const { from, to } = below(keyText(located));
      conditions.push(inRange(column));
      values.push(from, to);
    }
  }
  if (conditions.length === 0) return [];
  const rows = await context.tx.rows({ ...link.shapes.byKey, where: { kind: 'or', conditions } }, values);
  return rows.map((row) => ({ located: linkLocated(link, row), row }));
}

/** Between two keys, which come as parameters. */
export function inRange(column: string): Condition {
  return {
    kind: 'and',
    conditions: [
      { kind: 'compare', column, operator: 'gt' },
      { kind: 'compare', column, operator: 'lt' },
    ],
  };
}

export function identifierOf(plan: RowPlan, row: Row): Value {
  const value = parseJson(row.json, { depth: 1000, keys: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY });
  return isObject(value) ? (value[plan.identifier.name] ?? null) : null;
}
