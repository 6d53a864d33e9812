// Resolvers without code, by the type that the configuration names.

import { unreachable } from '../../errors.ts';
import type { ResolverKind } from '../../model/model.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import type { Value } from '../../values/value.ts';
import type { Resolver } from '../resolver.ts';
import { memoryHandlers } from './memory.ts';
import { restHandlers } from './rest.ts';
import { sqlResolver } from './sql.ts';

/** `planOf` knows the entities that it is for, when they are asked for; files are relative to `folder`. */
export function handlersOf(
  kind: ResolverKind,
  config: Value,
  planOf: (type: string) => EntityPlan,
  folder: string,
): Pick<Resolver, 'handlers' | 'close'> {
  switch (kind) {
    case 'memory':
      return { handlers: memoryHandlers(planOf) };
    case 'rest':
      return { handlers: restHandlers(config, planOf) };
    case 'sql':
      return sqlResolver(config, planOf, folder);
    default:
      return unreachable(kind);
  }
}
