// What other systems tell of their own accord: the `subscribe` handlers of resolvers, each kept running by one process at a time.

import type { Clock } from '../../clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EmitValue, Functions, HandlerContext } from '../../engine/eval/functions.ts';
import type { FunctionReference, Model, TypeName } from '../../model/model.ts';
import type { Table } from '../../plan/rows/table.ts';
import type { Store } from '../../store/store.ts';
import type { Resolver } from '../resolver.ts';
import { SubscriptionLease } from './lease.ts';
import { Subscription } from './subscription.ts';

export interface SubscriptionsParts {
  readonly model: Model;
  readonly table: Table;
  readonly store: Store;
  readonly clock: Clock;
  functions(): Functions;
  failed(thrown: unknown, resolver: TypeName): void;
  /** Of a resolver: told once of each field that its event does not declare. */
  unknown(resolver: TypeName, event: TypeName): (field: string) => void;
}

/** One for each resolver with a handler and an event for what it tells. */
export function subscriptionsOf(resolvers: readonly Resolver[], engine: Engine, parts: SubscriptionsParts): readonly Subscription[] {
  const { model, table, store, clock, functions } = parts;
  return resolvers.flatMap((resolver) => {
    const { methods, onSubscription } = model.resolvers.get(resolver.name) ?? {};
    const event = onSubscription === undefined ? undefined : model.events.get(onSubscription);
    if (methods?.subscribe === undefined || event === undefined || resolver.isFake === true) return [];
    const { name, config, log, isContextFirst } = resolver;
    const lease = new SubscriptionLease({ resolver: name, table, store, clock });
    const started = handlerOf(methods.subscribe, functions);
    const context = { user: null, requestId: null, type: event.name, config, log, isFirst: isContextFirst };
    return [
      new Subscription({
        name,
        lease,
        store,
        clock,
        begin: (emit, signal, cursor) => started(emit, { ...context, signal, cursor }),
        delivery: { engine, event, lease, unknown: parts.unknown(name, event.name) },
        failed: (thrown) => parts.failed(thrown, name),
      }),
    ];
  });
}

type Started = (emit: EmitValue, context: HandlerContext) => Promise<void>;

function handlerOf(reference: FunctionReference, functions: () => Functions): Started {
  return (emit, context) => functions().subscribe(reference, emit, context);
}
