// Owners for instances that have none: the users whom one of their attributes names.

import { locatedRow } from '../engine/address/address.ts';
import { addOwner } from '../engine/instances/assignments.ts';
import type { Context, WriteContext } from '../engine/operation.ts';
import { writeAsSystem } from '../engine/system-work.ts';
import type { AccessPlan } from '../plan/access/right.ts';
import type { AttributePlan, EntityPlan, Plan } from '../plan/plan.ts';
import { both, type Condition, everything } from '../plan/query/condition.ts';
import { existsWith } from '../plan/query/exists.ts';
import type { Select } from '../plan/query/shape.ts';
import { targetColumn } from '../plan/rows/assignments.ts';
import type { Row } from '../store/store.ts';
import { parseStored } from '../values/json/json.ts';
import type { Value } from '../values/value.ts';

export interface AssignedOwners {
  readonly type: string;
  readonly assigned: number;
  /** Instances without a value. */
  readonly empty: number;
  /** What names no user, with how many instances name it so. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Instances that name none of the users, with those that are not listed. */
  readonly unknownCount: number;
}

export interface OwnersWanted {
  readonly plan: EntityPlan;
  readonly attribute: AttributePlan;
  /** Nothing is written. */
  readonly isTrial: boolean;
}

/** So many instances share a transaction. */
const together = 200;
/** So many values that name no user are remembered by themselves. */
const mostListed = 1000;

/** What has an owner of its own is left alone, so that it can be done again. */
export async function assignOwners(wanted: OwnersWanted, access: AccessPlan, context: Context): Promise<AssignedOwners> {
  const users = knownUsers(context.plan);
  const counts = { assigned: 0, empty: 0, unknown: new Map<string, number>(), unknownCount: 0 };
  let last: Value | undefined;
  for (;;) {
    const select = withoutOwner(wanted, access, last !== undefined);
    const from = last;
    const values = from === undefined ? [together] : [from, together];
    const found = await writeAsSystem(context, (writing) => assignPage(select, values, wanted, users, writing));
    for (const { value, isUser } of found.named) {
      if (isUser) counts.assigned += 1;
      else if (value === '') counts.empty += 1;
      else countUnknown(value, counts);
    }
    if (found.next === undefined) return { type: wanted.plan.type, ...counts };
    last = found.next;
  }
}

function countUnknown(value: string, counts: { unknown: Map<string, number>; unknownCount: number }): void {
  counts.unknownCount += 1;
  if (counts.unknown.has(value) || counts.unknown.size < mostListed) counts.unknown.set(value, (counts.unknown.get(value) ?? 0) + 1);
}

interface Page {
  readonly named: readonly { readonly value: string; readonly isUser: boolean }[];
  readonly next: Value | undefined;
}

type IsUser = (email: string, writing: WriteContext) => Promise<boolean>;

async function assignPage(
  select: Select,
  values: readonly Value[],
  { plan, attribute, isTrial }: OwnersWanted,
  users: IsUser,
  writing: WriteContext,
): Promise<Page> {
  const rows = await writing.tx.rows(select, values);
  const named = [];
  for (const row of rows) {
    const members = parseStored(row.json);
    const value = emailIn(members[attribute.name]);
    const isUser = value !== '' && (await users(value, writing));
    if (isUser && !isTrial) {
      const owner = { kind: 'user', email: value, id: '', roles: [], token: undefined } as const;
      await addOwner(locatedRow(plan, members[plan.identifier.name] ?? null, row), { ...writing, caller: owner });
    }
    named.push({ value, isUser });
  }
  return { named, next: rows.length < together ? undefined : keyIn(rows.at(-1)) };
}

function keyIn(row: Row | undefined): Value | undefined {
  return row?.columns[1];
}

/** One mailbox is one user. */
function emailIn(value: Value | undefined): string {
  return typeof value === 'string'
    ? value.trim().normalize('NFC').toLowerCase()
    : value === undefined || value === null
      ? ''
      : String(value);
}

function knownUsers({ entities }: Plan): IsUser {
  const users = entities.get('platform.auth/User');
  if (users === undefined) throw new Error('users are part of every model with access control');
  return async (email, { tx }) => (await tx.one(users.shapes.exists, [email])) !== undefined;
}

/** In the order of their keys, behind the last one. */
function withoutOwner({ plan, attribute }: OwnersWanted, { owners }: AccessPlan, isFurther: boolean): Select {
  const isOfType: Condition = { kind: 'compare', column: 'resource', operator: 'eq', value: { constants: [plan.type] } };
  const owned = plan.contained
    ? existsWith(owners.table, targetColumn, { column: plan.key }, everything)
    : existsWith(owners.table, 'resourceId', { column: plan.key, asText: true }, isOfType);
  const { byKey } = plan.shapes;
  const names = [plan.identifier.name, attribute.name];
  return {
    ...byKey,
    output: { ...byKey.output, fields: byKey.output.fields.filter(({ name }) => names.includes(name)) },
    where: both(isFurther ? { kind: 'compare', column: plan.key, operator: 'gt' } : everything, { kind: 'not', condition: owned }),
    order: [{ column: plan.key, descending: false }],
    limit: true,
  };
}
