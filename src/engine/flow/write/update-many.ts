// Changes several instances by one statement: what must be unique is judged when all of them are changed, whatever their order.

import { isError } from '../../../errors.ts';
import type { Action } from '../../../plan/flow/flow.ts';
import type { RowPlan } from '../../../plan/plan.ts';
import type { Awaitable } from '../../../store/store.ts';
import type { Value } from '../../../values/value.ts';
import { setColumns } from '../../rows/rows.ts';
import { instanceOrigin, writingOf } from '../run.ts';
import type { Run } from '../state.ts';
import { locatedOf } from './write.ts';

type Changing = Pick<Extract<Action, { kind: 'change' | 'change-alias' }>, 'sets' | 'from'>;

/** `change` changes all of them, and can be done twice: what a failed attempt did is undone. */
export function changedTogether<T>(instances: readonly Value[], action: Changing, run: Run, change: () => Awaitable<T>): Awaitable<T> {
  const plan = instances.length < 2 ? undefined : instanceOrigin(instances[0], run)?.plan;
  const columns = plan === undefined ? [] : uniqueColumns(plan, action);
  return plan === undefined || columns.length === 0 ? change() : attempted(instances, plan, columns, run, change);
}

/** Those that the statement gives other values, alone or together with others. */
function uniqueColumns(plan: RowPlan, { sets, from }: Changing): readonly string[] {
  if (from !== undefined) return [];
  const changed = [...plan.computed, ...sets.flatMap(({ name }) => plan.attribute.get(name) ?? [])].map((each) => each.column);
  return [...new Set(changed.filter((column) => plan.table.uniques.some((each) => each.includes(column))))];
}

async function attempted<T>(
  instances: readonly Value[],
  plan: RowPlan,
  columns: readonly string[],
  run: Run,
  change: () => Awaitable<T>,
): Promise<T> {
  const { tx, later } = writingOf(run);
  const before = later.length;
  try {
    return await tx.attempt(change);
  } catch (thrown) {
    // Numbers that were counted up are counted anew; what may be taken by others is seen when those of these rows are out of the way.
    if (!isError(thrown, 'duplicate') || (thrown.again && thrown.origin.unseen !== true)) throw thrown;
    later.splice(before);
    await release(instances, plan, columns, thrown, run);
  }
  return change();
}

/** Takes the old values of all away first, so that none is in the way of another's new one. What then clashes clashes with the rest. */
async function release(instances: readonly Value[], plan: RowPlan, columns: readonly string[], thrown: unknown, run: Run): Promise<void> {
  const nothing = Object.fromEntries(columns.map((column) => [column, null]));
  for (const each of instances) {
    const { key } = await locatedOf(each, run);
    try {
      await setColumns(plan, key, nothing, writingOf(run));
    } catch (failure) {
      // Where others refer to the value, it has to stay until there is a new one.
      throw isError(failure, 'instance-referenced') ? thrown : failure;
    }
  }
}
