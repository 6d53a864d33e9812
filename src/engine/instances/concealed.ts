// What whoever makes an instance is told of it, where its entity says that they do not own it: of one that they may not read, where it stands and no more.

import { isUnowned } from '../../plan/rows/assignments.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Awaitable } from '../../store/store.ts';
import { objectOf, parseStored, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { Instance, Rights, WriteContext } from '../operation.ts';
import type { Located } from '../row.ts';
import { openGuard } from '../seams.ts';
import { isReadable } from './guard.ts';
import type { WrittenInstance } from './insert.ts';

/** Whether an instance may be made by somebody who may not read it. */
export function mayBeHidden(plan: Located['plan'], { guard }: Rights): boolean {
  return guard !== openGuard && isUnowned(plan);
}

/** As its maker is answered, with what was made below it. */
export function asTold(made: WrittenInstance, context: WriteContext): Awaitable<Instance> {
  return mayHoldHidden(made, context) ? toldApart(made, context) : made;
}

function mayHoldHidden({ plan, nested }: WrittenInstance, context: WriteContext): boolean {
  return mayBeHidden(plan, context) || nested.some(({ instances }) => instances.some((each) => mayHoldHidden(each, context)));
}

async function toldApart(made: WrittenInstance, context: WriteContext): Promise<Instance> {
  const { plan, json, located } = made;
  const nested: Instance['nested'][number][] = [];
  for (const each of made.nested) {
    const instances: Instance[] = [];
    for (const inner of each.instances) instances.push(await toldApart(inner, context));
    nested.push({ ...each, instances });
  }
  const isHidden = mayBeHidden(plan, context) && !(await isReadable(plan, located.key, context));
  return isHidden ? { ...made, nested, json: writeJson(placeIn(plan, parseStored(json))), isHidden } : { ...made, nested };
}

/** The identifier and the path. */
export function placeIn({ identifier }: Pick<Located['plan'], 'identifier'>, fields: { readonly [name: string]: Value }): Value {
  return objectOf([identifier.name, pathColumn].flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name] ?? null]] : [])));
}
