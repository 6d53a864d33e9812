// Paths inside a flow: the instance that one of them names.

import type { EntityPlan } from '../../plan/plan.ts';
import { followPath } from '../address/path.ts';
import { readable } from '../instances/readable.ts';
import type { Located } from '../row.ts';
import type { Run } from './state.ts';

export async function locatePath(plan: EntityPlan, path: string, run: Run): Promise<Located | undefined> {
  const reader = readable(run.reading.tx, run.reading);
  const end = await followPath(plan, path, reader);
  if (end.kind === 'wrong') return undefined;
  return (await reader.one(plan.shapes.exists, [end.located.key])) === undefined ? undefined : end.located;
}
