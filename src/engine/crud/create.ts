// Creates: an entity on its own, a child under its parent, a link between two instances, and whole trees of them.

import { error } from '../../errors.ts';
import type { LinkPlan } from '../../plan/plan.ts';
import type { Awaitable, Row } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import { foundEnd } from '../address/link-ends.ts';
import { recomputeStale } from '../computed/related-computed.ts';
import { decisionBasisFor, inTransaction, mapAwaitable, mapInOrder } from '../context.ts';
import { finish, needsFinishing } from '../draft/checks.ts';
import { draftEach, draftEachLinked, draftedValue, draftLinked, draftOf } from '../draft/draft.ts';
import { asksResolver, isWrittenElsewhere } from '../external.ts';
import { asTold } from '../instances/concealed.ts';
import { rowCondition } from '../instances/guard.ts';
import {
  type Inserted,
  insertEntities,
  insertEntity,
  insertLink,
  isOneRow,
  isPlainRow,
  linkTarget,
  linkTargets,
  versionOf,
} from '../instances/insert.ts';
import { reach, reachExisting, readable } from '../instances/readable.ts';
import { complete } from '../instances/row-values.ts';
import type { Collection, Context, Instance, Operation, Result, WriteContext } from '../operation.ts';
import type { Draft, Parent } from '../row.ts';
import type { Prepare, Task } from '../seams.ts';

type Create = Extract<Operation, { kind: 'create' }>;

export const create: Prepare<Create> = ({ at, body }, context) => {
  rowCondition('create', at.plan, context);
  return Array.isArray(body) ? createSeveral(at, body, context) : createOne(at, body, context);
};

function createOne(at: Collection, body: Value, context: Context): Awaitable<Task> {
  refuseWithoutParent(at);
  const draft = draftAt(at, body, context);
  const waits = context.triggers.wait('create', at.plan.type, context) || asksResolver(typesIn(at, draft), context);
  const decides = decisionBasisFor('create', () => typesIn(at, draft), context);
  const task = (ready: Draft): Task => ({
    transaction: 'write',
    waits,
    decides,
    isElsewhere: at.under === undefined && draft.children.length === 0 && isWrittenElsewhere('create', at.plan, context),
    single: isOneRow(ready, context) && isFoundByAddress(at) && !(at.under !== undefined && context.store.isShared),
    isPlain: at.under === undefined && isPlainRow(ready, context),
    run: (tx) => createAs(at, ready, inTransaction(context, tx)),
  });
  return needsFinishing(draft) ? finish([draft], context).then(() => task(draft)) : task(draft);
}

/** All of an array in one transaction, or none of it: what does not fit is named by its position. */
function createSeveral(at: Collection, bodies: readonly Value[], context: Context): Awaitable<Task> {
  refuseWithoutParent(at);
  const drafts = at.under?.step.kind === 'link' ? draftEachLinked(at.under.step, bodies, context) : draftEach(at.plan, bodies, context);
  const task: Task = {
    transaction: 'write',
    waits: context.triggers.wait('create', at.plan.type, context) || asksResolver([at.plan.type], context),
    decides: decisionBasisFor('create', () => [...new Set(drafts.flatMap((each) => typesIn(at, each)))], context),
    run: (tx) => createEach(at, drafts, inTransaction(context, tx)),
  };
  return drafts.some(needsFinishing) ? finish(drafts, context).then(() => task) : task;
}

async function createEach(at: Collection, drafts: readonly Draft[], context: WriteContext): Promise<Result> {
  const { plan, under } = at;
  if (plan.kind === 'link') {
    const instances: Instance[] = [];
    for (const draft of drafts) instances.push(await linkInstance(plan, draft, context));
    return { kind: 'instances', instances };
  }
  const made =
    under?.step.kind === 'link'
      ? await linkTargets(drafts, await reachExisting(under.parent, context.tx, context), under.step.from, under.step.link, context)
      : await insertEntities(drafts, await parentAt(at, context), context);
  return mapAwaitable(
    mapInOrder(made, (each) => asTold(each.instance, context)),
    (instances) => ({ kind: 'instances', instances }),
  );
}

function refuseWithoutParent({ plan, under }: Collection): void {
  if (plan.kind === 'entity' && under === undefined && !plan.rootable) throw error('parent-required');
}

/** Of everything that is made. */
function typesIn({ plan, under }: Collection, draft: Draft): readonly string[] {
  return [plan.type, ...(under?.step.kind === 'link' ? [under.step.link.type] : []), ...typesBelow(draft)];
}

function typesBelow({ children }: Draft): readonly string[] {
  return children.flatMap(({ step, drafts }) => [
    step.target.type,
    ...(step.kind === 'link' ? [step.link.type] : []),
    ...drafts.flatMap(typesBelow),
  ]);
}

/** Whether where it stands follows from its address alone. Where others may migrate, the key of a child is made in a transaction, which checks that it is still so. */
function isFoundByAddress({ plan, under }: Collection): boolean {
  if (under === undefined) return plan.kind === 'entity' && !plan.contained && plan.form === 'plain';
  return under.step.kind === 'contains' && under.step.contains.child.form === 'plain' && isFoundByAddress(under.parent.in);
}

function createAs(at: Collection, draft: Draft, context: WriteContext): Awaitable<Result> {
  if (at.plan.kind === 'link') return createLink(at.plan, draft, context);
  return mapAwaitable(createAt(at, draft, context), ({ located: { plan, id, path }, instance: made }) =>
    mapAwaitable(asTold(made, context), (instance) => ({ kind: 'instance', instance, created: { plan, id, path } })),
  );
}

function draftAt(at: Collection, body: Value, context: Context): Draft {
  if (at.under?.step.kind === 'link') return draftLinked(at.under.step, body, context);
  return draftOf(at.plan, body, context);
}

function createAt(at: Collection, draft: Draft, context: WriteContext): Awaitable<Inserted> {
  const { under } = at;
  if (under === undefined) return insertEntity(draft, undefined, context);
  if (under.step.kind !== 'link') return mapAwaitable(parentAt(at, context), (parent) => insertEntity(draft, parent, context));
  const { parent, step } = under;
  return reachExisting(parent, context.tx, context).then((located) => linkTarget(draft, located, step.from, step.link, context));
}

function parentAt({ under }: Collection, context: WriteContext): Awaitable<Parent | undefined> {
  if (under?.step.kind !== 'contains') return undefined;
  const { parent, step } = under;
  const { contains } = step;
  // What runs before the row is written must not see a child of nothing; without it the row's own key finds that the parent is missing.
  // Nothing in the store points at what is kept elsewhere, or from there.
  const isElsewhere = contains.parent.external !== undefined || contains.child.external !== undefined;
  const mustExist =
    isElsewhere || contains.child.composed === true || context.triggers.fires('before', 'create', contains.child.type, context);
  const found = mustExist ? reachExisting(parent, context.tx, context) : reach(parent, context.tx, context);
  return mapAwaitable(found, (located) => ({ located, contains, assumed: !mustExist }));
}

/** A link posted at its own path names both ends by their identifiers. */
async function createLink(plan: LinkPlan, draft: Draft, context: WriteContext): Promise<Result> {
  const instance = await linkInstance(plan, draft, context);
  return { kind: 'instance', instance, created: { plan, id: draftedValue(draft, plan.identifier), path: undefined } };
}

async function linkInstance(plan: LinkPlan, draft: Draft, context: WriteContext): Promise<Instance> {
  const row = await linkRow(plan, draft, context);
  return { plan, json: row.json, version: versionOf(row), nested: [] };
}

export async function linkRow(plan: LinkPlan, draft: Draft, context: WriteContext): Promise<Row> {
  const [first, second] = draft.ends ?? [null, null];
  await complete(draft, context);
  const reader = readable(context.tx, context);
  const [one, other] = [await foundEnd(plan.ends[0], first, reader), await foundEnd(plan.ends[1], second, reader)];
  const row = await insertLink(plan, { ...draft, ends: [one.shown, other.shown] }, [one.key, other.key], context);
  await recomputeStale(context);
  return row;
}
