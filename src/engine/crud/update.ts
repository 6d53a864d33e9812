// The operation that changes one instance, the link by which it was reached, or where it stands. What was read may be sent back.

import { error, type Fault, invalid, PlatformError } from '../../errors.ts';
import type { LinkPlan } from '../../plan/plan.ts';
import { plainView, wholeSelection } from '../../plan/query/selection.ts';
import { linkMember } from '../../plan/rows/link.ts';
import { waitsForChecks } from '../../plan/rows/rows.ts';
import type { Row } from '../../store/store.ts';
import { goneFrom, linkLocated } from '../address/address.ts';
import { dependentsOf, lockBeforeChange, lockOwners } from '../computed/related-computed.ts';
import { decisionBasisFor, inTransaction } from '../context.ts';
import { asksResolver, isWrittenElsewhere } from '../external.ts';
import { allowedChanges } from '../instances/attribute-rights.ts';
import { isLarge } from '../instances/below.ts';
import { rowCondition, visibleRows } from '../instances/guard.ts';
import { locatedAfter } from '../instances/move.ts';
import { reach, readableWhole } from '../instances/readable.ts';
import { seenBy } from '../instances/seen.ts';
import { changedFaults, changeRow, checkSeenVersion, hasSecrets, readChanges, withHashes } from '../instances/update.ts';
import type { Context, Operation, Result, WriteContext } from '../operation.ts';
import type { Changes, Located } from '../row.ts';
import type { Prepare, Task } from '../seams.ts';
import { cacheShape } from '../shape-cache.ts';
import { isFault, movingTo, type NewParent, readParent } from './new-parent.ts';
import { instanceOf, linkedSelect } from './read.ts';
import { nestedFaults, type SentBody, sentBody } from './sent-back.ts';

type UpdateOperation = Extract<Operation, { kind: 'update' }>;

/** What the body of a request changes: the instance, the link by which it was reached, and nothing of what is nested in it. */
interface Prepared {
  readonly own: Changes;
  readonly link: Changes | undefined;
  /** As `@parent` names it; absent where that is not sent, or wrong. */
  readonly parent: NewParent | undefined;
  readonly nested: SentBody['nested'];
  /** What is wrong with any of it, whatever is stored. */
  readonly faults: readonly Fault[];
}

export const update: Prepare<UpdateOperation> = (operation, context) => {
  const { plan, under } = operation.at.in;
  const prepared = preparedOf(operation, context);
  const linked = prepared.link !== undefined && under?.step.kind === 'link' ? [under.step.link] : [];
  // A check of the application's own may wait for anything, and so may what a change sets off.
  const waits =
    [plan, ...linked].some((each) => waitsForChecks(each) || context.triggers.wait('update', each.type, context)) ||
    asksResolver([plan.type], context);
  const task = (ready: Prepared, isLong = false): Task => ({
    transaction: 'write',
    waits: waits || isLong,
    isElsewhere: linked.length === 0 && ready.parent === undefined && isWrittenElsewhere('update', plan, context),
    decides: decisionBasisFor('update', () => [plan, ...linked].map((each) => each.type), context),
    run: (tx) => change(operation, ready, inTransaction(context, tx)),
  });
  const hides = hasSecrets(prepared.own) || (prepared.link !== undefined && hasSecrets(prepared.link));
  if (!hides && prepared.parent === undefined) return task(prepared);
  return prepareLong(operation, prepared, hides, context).then(([ready, isLong]) => task(ready, isLong));
};

async function prepareLong({ at }: UpdateOperation, prepared: Prepared, hides: boolean, context: Context): Promise<[Prepared, boolean]> {
  return [hides ? await hashed(prepared, context) : prepared, prepared.parent !== undefined && (await isLarge(at, context))];
}

function preparedOf({ at, body }: UpdateOperation, context: Context): Prepared {
  const sent = sentBody(at.in, body);
  const own = readChanges(at.in.plan, sent.own, '', context);
  const way = at.in.under?.step;
  const link = sent.link === undefined || way?.kind !== 'link' ? undefined : readChanges(way.link, sent.link, `${linkMember}.`, context);
  const misplaced: Fault[] = [];
  const parent = sent.parent === undefined ? undefined : readParent(at.in.plan, sent.parent, misplaced);
  const others = [...(link?.faults ?? []), ...misplaced];
  const faults = others.length === 0 ? own.faults : [...own.faults, ...others];
  // Without anything that must be compared with what is stored, nothing is asked of the store.
  const compares = own.unchanged.length + (link?.unchanged.length ?? 0) + Object.keys(sent.nested).length > 0;
  if (faults.length > 0 && !compares) throw invalid(faults);
  return { own, link, parent, nested: sent.nested, faults };
}

async function hashed(prepared: Prepared, context: Context): Promise<Prepared> {
  const { own, link } = prepared;
  return { ...prepared, own: await withHashes(own, context), link: link && (await withHashes(link, context)) };
}

async function change(operation: UpdateOperation, prepared: Prepared, context: WriteContext): Promise<Result> {
  try {
    return await changeAt(operation, prepared, context);
  } catch (thrown) {
    // A faulty body is told first, even where there is nothing to compare the rest of it with.
    throw thrown instanceof PlatformError && prepared.faults.length > 0 && thrown.code !== 'attributes-invalid'
      ? invalid(prepared.faults)
      : thrown;
  }
}

async function changeAt(operation: UpdateOperation, prepared: Prepared, context: WriteContext): Promise<Result> {
  const { plan } = operation.at.in;
  rowCondition('read', plan, context);
  const located = await reach(operation.at, context.tx, context);
  const reader = readableWhole(context.tx, context);
  const moving = prepared.parent === undefined ? undefined : await movingTo(prepared.parent, located, context);
  const faults = isFault(moving) ? [...prepared.faults, moving] : prepared.faults;
  if (moving !== undefined) await lockOwners(plan, [located.key], 'all', context);
  if (dependentsOf(plan, context) !== undefined && faults.length === 0) await lockBeforeChange(located, prepared.own.changes, context);
  const row = await reader.one(moving === undefined ? plan.shapes.toChange : plan.shapes.toRemove, [located.key]);
  if (row === undefined) throw goneFrom(operation.at);
  await checkSeenVersion(row, located, operation.versions, context);
  const link = prepared.link === undefined ? undefined : await linkOf(located, context);
  // What somebody may not set is not compared with what is stored.
  const allowed = await allowedChanges(prepared.own, located, row, context);
  if (link !== undefined || Object.keys(prepared.nested).length > 0 || faults.length > 0)
    await refuseAll({ ...prepared, own: allowed, faults }, located, row, link, context);
  const own = moving === undefined || isFault(moving) ? allowed : { ...allowed, move: moving };
  const changed = await changeRow(own, located, row, context);
  if (link !== undefined && prepared.link !== undefined)
    await changeRow(prepared.link, linkLocated(link.plan, link.row), link.row, context);
  // Either may be computed from the other, so that both are read when both are written.
  const both = linkedSelect(locatedAfter(located, own.move), wholeSelection(plainView, located.link?.way.field), visibleRows(context));
  return instanceOf(plan, both === undefined ? changed : ((await context.tx.one(seenBy(both.select, context), both.values)) ?? changed));
}

interface LinkRow {
  readonly plan: LinkPlan;
  readonly row: Row;
}

/** The link by which an instance was reached, where it has attributes. */
async function linkOf({ key, link }: Located, { tx }: WriteContext): Promise<LinkRow | undefined> {
  if (link?.way.field === undefined) return undefined;
  const { link: plan, to } = link.way;
  const name = `between ${to.attribute}`;
  const cached = plan.cached.get(name);
  const select = cached?.kind === 'select' ? cached : cacheShape(plan, name, { ...plan.shapes.toChange, where: to.unlink.where });
  const row = await tx.one(select, [key, link.start]);
  if (row === undefined) throw error('instance-not-found');
  return { plan, row };
}

/** All that is wrong with a body, before anything of it is written. */
async function refuseAll(prepared: Prepared, located: Located, row: Row, link: LinkRow | undefined, context: WriteContext): Promise<void> {
  const { plan } = located;
  const sent = Object.keys(prepared.nested).length > 0;
  const nested = sent && plan.kind === 'entity' ? await nestedFaults(plan, located.key, prepared.nested, context) : [];
  const linked = link === undefined || prepared.link === undefined ? [] : changedFaults(prepared.link, link.plan, link.row);
  const faults = [...prepared.faults, ...changedFaults(prepared.own, plan, row), ...linked, ...nested];
  if (faults.length > 0) throw invalid(faults);
}
