// A path as it stands in `__path__` → where that instance stands: the same steps as a nested address, read from a text.

import { error } from '../../errors.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import { isDetached } from '../../plan/rows/keys.ts';
import { stepsOf } from '../../plan/rows/path.ts';
import type { Reader } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { Located, Parent } from '../row.ts';
import { childOf, freeOf, rootOf } from './address.ts';

export type PathEnd =
  | { readonly kind: 'found'; readonly located: Located; readonly parent: Parent | undefined }
  | { readonly kind: 'wrong'; readonly message: string };

/** Whether anything stands there is seen when it is read. */
export async function followPath(plan: EntityPlan, path: string, reader: Reader): Promise<PathEnd> {
  const steps = stepsOf(plan, path);
  if (steps.kind === 'wrong') return steps;
  let located = await rootAt(steps.root.entity, steps.root.id, reader);
  let parent: Parent | undefined;
  for (const { contains, id } of steps.below) {
    parent = { located, contains };
    located = childOf(located, contains, id);
  }
  return { kind: 'found', located, parent };
}

async function rootAt(plan: EntityPlan, id: Value, reader: Reader): Promise<Located> {
  if (!plan.contained) return rootOf(plan, id);
  const root = freeOf(plan, id);
  if ((await reader.one(plan.shapes.exists, [root.key])) !== undefined) return root;
  // Older versions drew the keys of children that outlived their parents.
  const rows = await reader.rows(plan.shapes.byIdentifier, [id, mostFreed]);
  const [freed, second] = rows.map((row) => row.columns[1] ?? null).filter(isDetached);
  if (second !== undefined) throw error('identifier-ambiguous');
  return freed === undefined ? root : { ...root, key: freed };
}

const mostFreed = 1000;
