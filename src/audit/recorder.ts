// Writes what became of recorded rows into the audit trail, in the transaction in which it became so; and what was denied, in one of its own.

import { mapAwaitable } from '../engine/context.ts';
import type { Context } from '../engine/operation.ts';
import type { Recorder, RowChange } from '../engine/seams.ts';
import type { Plan } from '../plan/plan.ts';
import type { Awaitable, Writer } from '../store/store.ts';
import { type AuditedType, auditedTypes } from './audited.ts';
import { deniedAction, hiddenAction } from './denied.ts';
import { type Action, type Outcome, signEntries } from './entry.ts';
import type { Signer } from './hash-chain.ts';
import { trailOf } from './trail.ts';

export interface RecorderParts {
  readonly plan: Plan;
  readonly signer: Signer;
  /** There are entries to seal. */
  written(): void;
}

export function auditRecorder({ plan, signer, written }: RecorderParts): Recorder {
  const trail = trailOf(plan);
  const audited = auditedTypes(plan);
  const sealing = { what: 'sealing the audit trail', run: async () => written() };
  const write = (actions: readonly Action[], outcome: Outcome, context: Context, tx: Writer): Awaitable<void> => {
    const entries = signEntries(actions, outcome, context, signer);
    return mapAwaitable(trail.addEntries(tx, entries), () => trail.addUnsealed(tx, entries));
  };
  return {
    isIdle: audited.size === 0,
    records: ({ table }) => audited.has(table.name),
    changed(changes, context) {
      const actions = changes.flatMap((each) => actionOf(each, audited) ?? []);
      if (actions.length === 0) return;
      context.later.push(sealing);
      return write(actions, 'done', context, context.tx);
    },
    async denied(operation, context, denial) {
      const action = await deniedAction(operation, denial, audited, context);
      if (action === undefined) return;
      await context.store.write((tx) => write([action], 'denied', context, tx), { origin: context.request });
      written();
    },
    async hidden(operation, context) {
      const action = await hiddenAction(operation, audited, context);
      if (action === undefined) return;
      await context.store.write((tx) => write([action], 'denied', context, tx), { origin: context.request });
      written();
    },
    failed: () => {},
  };
}

function actionOf({ plan, before, after, isBySystem = false }: RowChange, audited: ReadonlyMap<string, AuditedType>): Action | undefined {
  const action = audited.get(plan.table.name)?.action(before, after);
  return action && { ...action, isBySystem };
}
