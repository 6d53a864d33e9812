// Resolvers without code, by the type that the configuration names.

import type { ResolverKind } from '../../model/model.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import type { Value } from '../../values/value.ts';
import type { Resolver } from '../resolver.ts';
import { memoryHandlers } from './memory.ts';
import { restHandlers } from './rest.ts';

/** `planOf` knows the entities that it is for, when they are asked for. */
export function handlersOf(kind: ResolverKind, config: Value, planOf: (type: string) => EntityPlan): Resolver['handlers'] {
  return kind === 'memory' ? memoryHandlers(planOf) : restHandlers(config, planOf);
}
