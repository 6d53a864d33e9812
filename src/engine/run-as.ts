// With whose rights logic of the model runs: those of the system, or of whoever has set it off, who stays the one that it is done for.

import type { RunAs } from '../model/model.ts';
import { isSystem } from './caller.ts';
import type { Rights, Service } from './operation.ts';
import { openGuard } from './seams.ts';

/** As it was, where nothing is said. */
export function runningAs<C extends Rights & Pick<Service, 'callerGuard'>>(as: RunAs | undefined, context: C): C {
  const { caller, callerGuard } = context;
  if (as === 'system' && caller.kind !== 'logic' && caller.kind !== 'system')
    return { ...context, caller: { kind: 'logic', asker: caller }, guard: openGuard };
  if (as === 'caller' && caller.kind === 'logic')
    return { ...context, caller: caller.asker, guard: isSystem(caller.asker) ? openGuard : callerGuard };
  return context;
}
