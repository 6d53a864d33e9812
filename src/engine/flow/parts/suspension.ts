// A resolver that suspends the workflow it is called in: in which statements it may, and what is known of the one that was suspended.

import { error, type PlatformError } from '../../../errors.ts';
import type { Action } from '../../../plan/flow/flow.ts';
import type { Context } from '../../operation.ts';
import type { Run } from '../state.ts';
import type { SuspendedStep } from './checkpoint.ts';

/** Thrown where a handler has ended that asked to suspend: no failure, and caught by the statement that called it. */
export class Suspended extends Error {
  constructor(type: string) {
    super(`${type} is suspended`);
  }
}

/** Asked by `context.suspend()`: the identifier of the run that waits then. */
export function suspendIn({ running, suspendable }: Context): string {
  const parts = running?.parts ?? suspendable;
  if (parts === undefined)
    throw refusedSuspension('A resolver can suspend an event, or a step of its workflow, that is not part of anything else.');
  return parts.suspend();
}

export function refusedSuspension(detail: string): PlatformError {
  return error('suspension-refused', { detail });
}

/** What a statement is to be suspended at; a text says why it cannot be. */
export function suspensionAt(action: Action | undefined, run: Run): SuspendedStep | string {
  switch (action?.kind) {
    case 'handle':
      return { type: action.event, names: [] };
    case 'create':
      return refusalOfCreate(action, run) ?? { type: action.plan.type, names: [action.plan.type] };
    default:
      return 'Only a step that makes an event or creates an instance can be suspended.';
  }
}

/** What comes after the call of the handler would be left out. */
function refusalOfCreate({ plan, nested, links, upsert }: Extract<Action, { kind: 'create' }>, { reading }: Run): string | undefined {
  if (plan.external === undefined) return `${plan.type} is stored, and no resolver can suspend what creates it.`;
  if (nested.length + links.length > 0 || upsert)
    return `What creates ${plan.type} together with others, or changes it, cannot be suspended.`;
  const { triggers, recording } = reading;
  if (triggers.fires('before', 'create', plan.type, reading) || triggers.fires('after', 'create', plan.type, reading))
    return `${plan.type} has triggers, which would not run: what creates it cannot be suspended.`;
  if (recording?.recorder.records(plan) === true) return `${plan.type} is audited: what creates it cannot be suspended.`;
  return undefined;
}
