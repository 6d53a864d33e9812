// What whoever runs a workflow is told of its result: of instances that it has made for them and that they may not read, where they stand and no more; of
// all others, what they may see. Every result of a workflow passes here, whoever it ran as.

import { isObject } from '../../plan/rows/attribute.ts';
import type { Awaitable } from '../../store/store.ts';
import { JsonObject } from '../../values/json/json.ts';
import { entriesOf } from '../../values/key-order.ts';
import type { Value } from '../../values/value.ts';
import { mapAwaitable } from '../context.ts';
import { mayBeHidden, placeIn } from '../instances/concealed.ts';
import { isReadable } from '../instances/guard.ts';
import type { Located } from '../row.ts';
import { runningAs } from '../run-as.ts';
import { withoutHidden } from './hidden.ts';
import { instanceOrigin, originOf } from './run.ts';
import type { Completed, Fields, Run } from './state.ts';

/** An instance that was made, where whoever made it may be somebody who may not read it. */
export function noteMade({ plan, key }: Pick<Located, 'plan' | 'key'>, { reading, budget }: Run): void {
  if (!mayBeHidden(plan, reading)) return;
  budget.unread ??= new Map();
  const keys = budget.unread.get(plan) ?? new Set();
  budget.unread.set(plan, keys.add(key));
}

export function told(done: Completed, run: Run): Awaitable<Completed> {
  return mapAwaitable(withoutHidden(done, run, runningAs('caller', run.reading)), (seen) =>
    run.budget.unread === undefined ? seen : toldOf(seen, run),
  );
}

/** What stands in a run that its user reads. */
export function toldValue(value: Value, run: Run): Awaitable<Value> {
  return run.budget.unread === undefined ? value : shownValue(value, run);
}

async function toldOf(done: Completed, run: Run): Promise<Completed> {
  const { value, created } = done;
  const shown = await shownValue(value, run);
  return shown === value ? done : { value: shown, created };
}

/** The value itself where all of it may be told. */
async function shownValue(value: Value, run: Run): Promise<Value> {
  if (Array.isArray(value)) {
    const all: Value[] = [];
    for (const each of value) all.push(await shownValue(each, run));
    return all.every((each, index) => each === value[index]) ? value : all;
  }
  if (!isObject(value)) return value;
  const fields: Fields = new JsonObject();
  for (const [name, each] of entriesOf(value)) fields[name] = await shownValue(each, run);
  const isSame = entriesOf(value).every(([name, each]) => fields[name] === each);
  const hidden = await placeOfHidden(value, run);
  if (hidden === undefined && isSame) return value;
  const shown = hidden === undefined ? fields : Object.assign(hidden, belowIn(value, fields, run));
  const origin = originOf(value, run);
  if (origin !== undefined) run.budget.origins.set(shown, origin);
  return shown;
}

async function placeOfHidden(value: Value, run: Run): Promise<Fields | undefined> {
  const origin = instanceOrigin(value, run);
  if (origin === undefined || !isObject(value)) return undefined;
  const { plan, located } = origin;
  if (run.budget.unread?.get(plan)?.has(located.key) !== true) return undefined;
  return (await isReadable(plan, located.key, run.reading)) ? undefined : Object.assign(new JsonObject(), placeIn(plan, value));
}

/** What was made below it is told by itself. */
function belowIn(value: Value, shown: Fields, run: Run): Fields {
  const { nested = [] } = instanceOrigin(value, run) ?? {};
  const below: Fields = new JsonObject();
  for (const { name } of nested) below[name] = shown[name] ?? null;
  return below;
}
