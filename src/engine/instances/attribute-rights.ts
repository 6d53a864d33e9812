// Which attributes a caller may set and change: asked of the row itself, before it is written, and of what it becomes.

import { attributeDenied } from '../../errors.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import { parseStored } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { mapAwaitable } from '../context.ts';
import type { Rights, Transaction, WriteContext } from '../operation.ts';
import type { Changes, Draft, Located } from '../row.ts';
import { isOfProposed } from './guard.ts';
import { sameValue } from './same-value.ts';
import { allowedWith, attributeRules } from './seen.ts';

/**
 * The changes, without what is sent as it is of attributes that the caller may read and not change. Of one that they may not read nothing is told: it is
 * refused, whatever was sent. `row` is as it is stored.
 */
export function allowedChanges(prepared: Changes, { plan, key }: Located, row: Row, context: WriteContext): Awaitable<Changes> {
  const rules = attributeRules(plan, context);
  if (rules === undefined) return prepared;
  const sent = [...[...prepared.changes.keys()].map(({ name }) => name), ...prepared.unchanged.map(({ name }) => name)];
  const ruled = sent.filter((name) => rules.has(name));
  if (ruled.length === 0) return prepared;
  const asked = ruled.flatMap((name) => [{ operation: 'read', name } as const, { operation: 'update', name } as const]);
  return mapAwaitable(allowedWith(plan, key, asked, context), (may) => withoutUnchanged(prepared, new Set(ruled), may, plan, row));
}

function withoutUnchanged(
  prepared: Changes,
  ruled: ReadonlySet<string>,
  may: ReadonlySet<string>,
  plan: EntityPlan | LinkPlan,
  row: Row,
): Changes {
  const stored = parseStored(row.json);
  const changes = new Map<AttributePlan, Value>();
  for (const [attribute, value] of prepared.changes) {
    const { name } = attribute;
    if (!ruled.has(name) || may.has(`update ${name}`)) changes.set(attribute, value);
    else if (!may.has(`read ${name}`) || !sameValue(plan, name, value, stored[name] ?? null))
      throw attributeDenied('update', plan.type, name);
  }
  // Whether it is what is stored must not be told either.
  for (const { name } of prepared.unchanged)
    if (ruled.has(name) && !may.has(`read ${name}`)) throw attributeDenied('update', plan.type, name);
  return { ...prepared, changes };
}

/** What allowed a change must hold for the row that came of it too. */
export function checkChanged(prepared: Changes, plan: EntityPlan | LinkPlan, key: Value, context: WriteContext): Awaitable<void> {
  const rules = attributeRules(plan, context);
  const ruled = rules === undefined ? [] : [...prepared.changes.keys()].flatMap(({ name }) => (rules.has(name) ? [name] : []));
  if (ruled.length === 0) return;
  const asked = ruled.map((name) => ({ operation: 'update', name }) as const);
  return mapAwaitable(allowedWith(plan, key, asked, context), (may) => {
    for (const name of ruled) if (!may.has(`update ${name}`)) throw attributeDenied('update', plan.type, name);
  });
}

/** Refuses values that the caller may not set, before anything is written. `valueIn` gives what is to stand in a column. */
export async function checkGiven(draft: Draft, valueIn: (column: string) => Value, context: Rights & Transaction): Promise<void> {
  const { plan, given = [], prefix } = draft;
  const rules = attributeRules(plan, context);
  for (const { name } of given) {
    const rule = rules?.get(name);
    if (rule === undefined) continue;
    if (!(await isOfProposed(plan, rule.create.condition, valueIn, context)))
      throw attributeDenied('create', plan.type, `${prefix}${name}`);
  }
}

/** The same, where what a rule asks for is only known when the row is written. */
export async function checkGivenComputed({ plan, given = [], prefix }: Draft, key: Value, context: Rights & Transaction): Promise<void> {
  const rules = given.length === 0 ? undefined : attributeRules(plan, context);
  if (rules === undefined || (plan.late.length === 0 && !given.some(({ name }) => rules.get(name)?.create.asksOthers === true))) return;
  const may = await allowedWith(
    plan,
    key,
    given.map(({ name }) => ({ operation: 'create', name }) as const),
    context,
  );
  for (const { name } of given) if (!may.has(`create ${name}`)) throw attributeDenied('create', plan.type, `${prefix}${name}`);
}
