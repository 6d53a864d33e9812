// The schedules of the model as rows of timers: made, changed and removed with the model, so that each has one due time for all instances.

import { perform } from '../engine/execute.ts';
import type { Collection, WriteContext } from '../engine/operation.ts';
import { TimerRows, timersPlan } from './rows.ts';

/** Timers of the model go by the names of their events, which have a module; others have no `/` in their names. */
export async function putSchedules(writing: WriteContext): Promise<void> {
  const plan = timersPlan(writing.plan);
  const rows = new TimerRows(writing.plan);
  await writing.tx.alone('schedules of the model', plan.table.name);
  const stored = new Map((await rows.all(writing.tx)).map((row) => [String(row['name']), row]));
  const wanted = new Map([...writing.plan.model.events.values()].flatMap(({ name, schedule }) => (schedule ? [[name, schedule]] : [])));
  const at: Collection = { plan, under: undefined };
  for (const name of stored.keys()) if (name.includes('/') && !wanted.has(name)) await rows.remove(writing.tx, { name });
  for (const [name = '', schedule = ''] of wanted) {
    const row = stored.get(name);
    if (row === undefined) await perform({ kind: 'create', at, body: { name, schedule, trigger: name } }, writing);
    else if (row['schedule'] !== schedule)
      await perform({ kind: 'update', at: { in: at, id: name }, body: { schedule }, versions: undefined }, writing);
  }
}
