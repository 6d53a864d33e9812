// The operation that deletes one instance, or the link that leads to it. What goes with it is a matter of `cascade.ts`.

import { error } from '../../errors.ts';
import { typesGone } from '../../plan/rows/cascade.ts';
import { goneFrom, linkLocated } from '../address/address.ts';
import { dependentsOf, lockOwners } from '../computed/related-computed.ts';
import { decisionBasisFor, inTransaction } from '../context.ts';
import { asksResolver, isWrittenElsewhere } from '../external.ts';
import { isLarge } from '../instances/below.ts';
import { isHeeded, removeInstance } from '../instances/cascade.ts';
import { rowCondition } from '../instances/guard.ts';
import { reach, readable, readableWhole } from '../instances/readable.ts';
import { seenRow } from '../instances/seen.ts';
import { checkSeenVersion } from '../instances/update.ts';
import type { Context, Operation, Result, WriteContext } from '../operation.ts';
import type { Located } from '../row.ts';
import { removeRows } from '../rows/rows.ts';
import { openGuard, type Prepare } from '../seams.ts';
import { instanceOf } from './read.ts';

type DeleteOperation = Extract<Operation, { kind: 'delete' }>;

export const remove: Prepare<DeleteOperation> = async ({ at, versions }, context) => ({
  transaction: 'write',
  waits:
    setsOffWaiting(at, context) ||
    asksResolver([at.in.plan.type], context) ||
    (at.in.under?.step.kind !== 'link' && (await isLarge(at, context))),
  isElsewhere: at.in.under === undefined && isWrittenElsewhere('delete', at.in.plan, context),
  decides: decisionBasisFor('delete', () => typesIn(at, context), context),
  async run(tx): Promise<Result> {
    const { plan, under } = at.in;
    rowCondition('read', plan, context);
    const located = await reach(at, tx, context);
    const writing = inTransaction(context, tx);
    if (under?.step.kind !== 'link' && dependentsOf(plan, context) !== undefined) await lockOwners(plan, [located.key], 'all', writing);
    const reader = readableWhole(tx, context);
    const row = await reader.one(under?.step.kind === 'link' ? plan.shapes.byKey : plan.shapes.toRemove, [located.key]);
    if (row === undefined) throw goneFrom(at);
    const seen = await seenRow(plan, located.key, row, writing);
    await checkSeenVersion(row, located, versions, writing);
    if (under?.step.kind === 'link') await unlink(at, located, writing);
    else await removeInstance(located, row, writing);
    return instanceOf(plan, seen);
  },
});

function setsOffWaiting(at: DeleteOperation['at'], context: Context): boolean {
  return typesIn(at, context).some((type) => context.triggers.wait('delete', type, context));
}

/** Of the rows that go. */
function typesIn({ in: { plan, under } }: DeleteOperation['at'], context: Context): readonly string[] {
  return under?.step.kind === 'link' ? [under.step.link.type] : typesGone(plan, context.plan);
}

/** On the nested path of a link the link goes and the instance stays. */
async function unlink(at: DeleteOperation['at'], located: Located, context: WriteContext): Promise<void> {
  const { under } = at.in;
  if (under?.step.kind !== 'link') return;
  const { link, to } = under.step;
  const ends = [located.key, (await reach(under.parent, context.tx, context)).key];
  const isTold = isHeeded(link, context) || dependentsOf(link, context) !== undefined || context.guard !== openGuard;
  const row = isTold ? await readable(context.tx, context).one({ ...link.shapes.byKey, where: to.unlink.where }, ends) : undefined;
  if (row === undefined && context.guard !== openGuard) throw error('instance-not-found');
  if (row === undefined) await removeRows(to.unlink, ends, context);
  else await removeInstance(linkLocated(link, row), row, context);
}
