// What another system tells → the event that a model makes of it, committed together with how far the subscription is.

import { system } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import { performTogether } from '../../engine/execute.ts';
import type { Operation, WriteContext } from '../../engine/operation.ts';
import { writeAsSystem } from '../../engine/system-work.ts';
import type { EventType } from '../../model/model.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { objectOf } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { SubscriptionLease } from './lease.ts';

export interface Delivery {
  readonly engine: Engine;
  readonly event: EventType;
  readonly lease: SubscriptionLease;
  /** Told of each field that the event does not declare. */
  unknown(field: string): void;
}

/** Resolves when it is committed. Without a cursor the subscription is as far as it was. */
export function deliver(data: Value, cursor: Value | undefined, { engine, event, lease, unknown }: Delivery): Promise<void> {
  const operation: Operation = { kind: 'invoke', target: event, body: bodyOf(data, event, unknown) };
  return engine.asSystem(async (context) => {
    const commit = (work?: (writing: WriteContext) => Promise<unknown>, waits = false): Promise<true> =>
      writeAsSystem<true>(
        context,
        async (writing) => {
          refuseLost(await lease.isHeld(writing.tx));
          await work?.(writing);
          await lease.moveTo(cursor, writing.tx);
          return true;
        },
        { decides: 'by queries', waits },
      );
    await performTogether<true>(operation, context, {
      async before({ transaction }) {
        if (transaction !== 'own') return undefined;
        // What opens transactions of its own, as an agent does, may be done twice where the process ends before the cursor is kept.
        await writeAsSystem(context, async ({ tx }) => refuseLost(await lease.isHeld(tx)));
        await engine.execute(operation, system);
        return cursor === undefined ? true : commit();
      },
      open: (work, { waits }) => commit(work, waits),
    });
  });
}

/** A process that has lost the subscription, and does not know it yet, tells nothing twice. */
function refuseLost(isHeld: boolean): void {
  if (!isHeld) throw new Error('another process has this subscription');
}

/** Fields of an object are the attributes that the event declares; anything else is its `data`. */
function bodyOf(data: Value, { attributes }: EventType, unknown: (field: string) => void): Value {
  const known = new Set(attributes.map((each) => each.name));
  const fields = isObject(data) ? Object.entries(data) : [];
  if (!fields.some(([name]) => known.has(name))) return objectOf([[known.has('Data') && !known.has('data') ? 'Data' : 'data', data]]);
  for (const [name] of fields) if (!known.has(name)) unknown(name);
  return objectOf(fields.filter(([name]) => known.has(name)));
}
