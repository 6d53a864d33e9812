// A part of a flow that ends because a resolver has suspended it, and what is shown of the names that it leaves.

import { localOf } from '../../../model/model.ts';
import type { Value, Values } from '../../../values/value.ts';
import { outside } from '../../eval/operands.ts';
import type { Run } from '../state.ts';
import { toldValue } from '../told.ts';
import type { AskingFlow, PartResult } from './checkpoint.ts';
import type { Parts } from './parts.ts';

export const secretRefusal = 'A workflow whose event has a secret cannot be suspended: what it goes on from would be written down.';

const triggerRefusal = 'A trigger cannot be suspended: nobody asked for it who could go on with it.';

/** Why a flow cannot wait for data; nothing where it can. */
export function refusalOf({ isSecret, index }: AskingFlow): string | undefined {
  if (index !== undefined) return triggerRefusal;
  return isSecret === true ? secretRefusal : undefined;
}

/** Nothing where no resolver has suspended it. */
export async function suspendedPart(parts: Parts, run: Run): Promise<Extract<PartResult, { kind: 'suspended' }> | undefined> {
  const { suspended, fresh } = parts;
  return suspended && { kind: 'suspended', at: suspended, entries: fresh, names: await shownNames(run) };
}

/** The names that the model gives; those of types are told by what they name. */
export async function shownNames(run: Run): Promise<Values> {
  const shown: [string, Value][] = [];
  for (const [name, { value }] of run.names)
    if (!name.includes('/') && name !== 'this') shown.push([localOf(name), outside(await toldValue(value, run))]);
  return Object.fromEntries(shown);
}
