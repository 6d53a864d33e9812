// A part of a flow that ends because a resolver has suspended it, and what is shown of the names that it leaves.

import { localOf } from '../../../model/model.ts';
import type { Values } from '../../../values/value.ts';
import { outside } from '../../eval/operands.ts';
import type { Run } from '../state.ts';
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
export function suspendedPart(parts: Parts, run: Run): Extract<PartResult, { kind: 'suspended' }> | undefined {
  const { suspended, fresh } = parts;
  return suspended && { kind: 'suspended', at: suspended, entries: fresh, names: shownNames(run) };
}

/** The names that the model gives; those of types are told by what they name. */
export function shownNames({ names }: Run): Values {
  const shown = [...names].filter(([name]) => !name.includes('/') && name !== 'this');
  return Object.fromEntries(shown.map(([name, { value }]) => [localOf(name), outside(value)]));
}
