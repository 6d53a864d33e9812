// Creates: an entity on its own, a child under its parent, a link between two instances, and whole trees of them.

import { error, invalid, isError } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import { fault } from '../plan/attribute.ts';
import { equal } from '../plan/condition.ts';
import type { LinkEnd, LinkPlan } from '../plan/plan.ts';
import type { Select } from '../plan/shape.ts';
import { pathColumn } from '../plan/tables.ts';
import type { Row } from '../store/store.ts';
import { finish, needsFinishing } from './checks.ts';
import { type Draft, draftedValue, draftLinked, draftOf } from './draft.ts';
import { complete, type Inserted, insertEntity, insertLink, linkTarget, versionOf } from './insert.ts';
import { locate, locateExisting, locateFlat } from './locate.ts';
import type { Collection, Context, Operation, Result, Writing } from './operation.ts';
import type { Handler, Task } from './seams.ts';
import { within } from './within.ts';

type Create = Extract<Operation, { kind: 'create' }>;

export const create: Handler<Create> = ({ at, body }, context) => {
  const draft = draftAt(at, body, context);
  const waits = context.triggers.wait('create', at.plan.type, context);
  const task = (ready: Draft): Task => ({ transaction: 'write', waits, run: (tx) => createAs(at, ready, within(context, tx)) });
  return needsFinishing(draft) ? finish(draft, context).then(task) : task(draft);
};

async function createAs(at: Collection, draft: Draft, context: Writing): Promise<Result> {
  if (at.plan.kind === 'link') return createLink(at.plan, draft, context);
  const inserted = await createAt(at, draft, context);
  const { plan, id, path } = inserted.located;
  return { kind: 'instance', instance: inserted.instance, created: { plan, id, path } };
}

function draftAt(at: Collection, body: Value, context: Context): Draft {
  if (at.plan.kind === 'entity' && at.under === undefined && !at.plan.rootable) throw error('parent-required');
  if (at.plan.kind === 'entity' && at.under?.step.kind === 'link') return draftLinked(at.plan, body, context);
  return draftOf(at.plan, body, context);
}

async function createAt(at: Collection, draft: Draft, context: Writing): Promise<Inserted> {
  if (at.under === undefined) return insertEntity(draft, undefined, context);
  const { parent, step } = at.under;
  if (step.kind === 'link') return linkTarget(draft, await locateExisting(parent, context.tx), step.from, step.link, context);
  const { contains } = step;
  // What runs before the row is written must not see a child of nothing; without it the row's own key finds that the parent is missing.
  const mustExist = context.triggers.fires('before', 'create', contains.child.type, context);
  const located = mustExist ? await locateExisting(parent, context.tx) : await locate(parent, context.tx);
  return insertEntity(draft, { located, contains, assumed: !mustExist }, context);
}

/** A link posted at its own path names both ends by their identifiers. */
async function createLink(plan: LinkPlan, draft: Draft, context: Writing): Promise<Result> {
  const row = await linkRow(plan, draft, context);
  const instance = { plan, json: row.json, version: versionOf(row), nested: [] };
  return { kind: 'instance', instance, created: { plan, id: draftedValue(draft, plan.identifier), path: undefined } };
}

export async function linkRow(plan: LinkPlan, draft: Draft, context: Writing): Promise<Row> {
  const [first, second] = draft.ends ?? [null, null];
  await complete(draft, context);
  const keys = [await endKey(plan.ends[0], first, context), await endKey(plan.ends[1], second, context)] as const;
  return insertLink(plan, draft.values, keys, context);
}

async function endKey(end: LinkEnd, value: Value, context: Writing): Promise<Value> {
  const missing = () => invalid([fault(end.attribute, 'reference', `must be an existing ${end.entity.type}`)]);
  const { entity } = end;
  if (!entity.contained) {
    if ((await context.tx.one(entity.shapes.exists, [value])) === undefined) throw missing();
    return value;
  }
  if (typeof value === 'string' && value.startsWith('path://')) {
    const row = await context.tx.one(byPath(end), [value]);
    if (row === undefined) throw missing();
    return row.columns[1] ?? null;
  }
  try {
    return (await locateFlat(entity, value, context.tx)).key;
  } catch (thrown) {
    // An end that does not exist is a fault of the body, not of the address.
    throw isError(thrown, 'instance-not-found') ? missing() : thrown;
  }
}

function byPath({ entity }: LinkEnd): Select {
  return { ...entity.shapes.byKey, where: equal(pathColumn) };
}
