// Tells whether what an import is to put back is there already, exactly so: found where it would stand, and compared.

import type { AttributePlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { both, type Condition, equal } from '../../plan/query/condition.ts';
import type { Select } from '../../plan/query/shape.ts';
import { isDetached } from '../../plan/rows/keys.ts';
import { keyColumn, pathColumn, versionColumn } from '../../plan/rows/tables.ts';
import { instanceFields } from '../../plan/rows/transfer.ts';
import type { Row } from '../../store/store.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value, Values } from '../../values/value.ts';
import { freeOf, rootOf } from '../address/address.ts';
import { foundEnd } from '../address/link-ends.ts';
import { followPath } from '../address/path.ts';
import { draftedValue } from '../draft/draft.ts';
import { readable } from '../instances/readable.ts';
import type { Transaction, WriteContext } from '../operation.ts';
import type { Draft } from '../row.ts';

export async function isThere(draft: Draft, body: Values, context: WriteContext): Promise<boolean> {
  const { plan } = draft;
  return plan.kind === 'link' ? isLinkThere(plan, draft, body, context) : isEntityThere(plan, draft, body, context);
}

/** Whether it is a child that outlived its parent. */
export function isFreed(plan: EntityPlan | LinkPlan, body: Values): boolean {
  return plan.kind === 'entity' && typeof body[pathColumn] !== 'string' && body['__detached'] === true;
}

const hashForm = /^\$argon2id\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/** Whether a secret came as it is stored. */
export function isHash({ attribute }: AttributePlan, value: Value | undefined): boolean {
  return attribute.secret && typeof value === 'string' && hashForm.test(value);
}

async function isEntityThere(plan: EntityPlan, draft: Draft, body: Values, { tx }: Transaction): Promise<boolean> {
  const id = draftedValue(draft, plan.identifier);
  const path = body[pathColumn];
  if (isFreed(plan, body)) {
    if (!plan.contained) return false;
    const rows = await tx.rows(rowsBy(plan, equal(plan.identifier.column), [keyColumn]), [id, mostFreed]);
    // Several may have the same identifier, and the same attributes: their versions tell them apart.
    const { key: free } = freeOf(plan, id);
    return rows.some(
      ({ columns: [key = null], ...row }) =>
        (key === free || isDetached(key)) && holds(draft, body, { ...row, columns: [] }, body[versionColumn]),
    );
  }
  const located = typeof path === 'string' ? await followPath(plan, path, tx) : undefined;
  const key = located?.kind === 'found' ? located.located.key : rootOf(plan, id).key;
  const [row] = await tx.rows(rowsBy(plan, equal(plan.key), []), [key, 1]);
  return row !== undefined && holds(draft, body, row, undefined);
}

const mostFreed = 1000;

/** By its own identifier where that was given, else by what it links. */
async function isLinkThere(plan: LinkPlan, draft: Draft, body: Values, context: WriteContext): Promise<boolean> {
  const [first, second] = plan.ends;
  const [one, other] = draft.ends ?? [null, null];
  const reader = readable(context.tx, context);
  const keys = [(await foundEnd(first, one, reader)).key, (await foundEnd(second, other, reader)).key];
  const columns = [first.column, second.column];
  const isNamed = body[plan.identifier.name] !== undefined;
  const where = isNamed ? equal(plan.identifier.column) : both(equal(first.column), equal(second.column));
  const values = isNamed ? [draftedValue(draft, plan.identifier)] : keys;
  const [row] = await context.tx.rows(rowsBy(plan, where, columns), [...values, 1]);
  return row !== undefined && canonicalJson(row.columns) === canonicalJson(keys) && holds(draft, body, row, undefined);
}

function rowsBy(plan: EntityPlan | LinkPlan, where: Condition, columns: readonly string[]): Select {
  const order = [{ column: plan.table.primaryKey[0] ?? '', descending: false }];
  const output = { fields: instanceFields(plan, true), columns };
  return { kind: 'select', table: plan.table, output, where, order, limit: true, offset: false };
}

/** `version` is compared where it is given. */
function holds({ plan, values }: Draft, body: Values, row: Row, version: Value | undefined): boolean {
  const stored = parseStored(row.json);
  if (version !== undefined && canonicalJson(version) !== canonicalJson(stored[versionColumn] ?? null)) return false;
  return plan.attributes.every((each, index) => fits(each, values[index] ?? null, body, stored));
}

function fits(plan: AttributePlan, value: Value, body: Values, stored: Values): boolean {
  if (plan.attribute.expression !== undefined || body[plan.name] === undefined) return true;
  // Of a secret that came as a text nobody can tell whether it is the same.
  if (plan.attribute.secret && !isHash(plan, body[plan.name])) return true;
  return canonicalJson(value) === canonicalJson(stored[plan.name] ?? null);
}
