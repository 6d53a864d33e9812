// Resolvers without code, by the type that the configuration names.

import { unreachable } from '../../errors.ts';
import type { ResolverKind } from '../../model/model.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import type { Value } from '../../values/value.ts';
import type { McpServer } from '../mcp/client.ts';
import { mcpResolver } from '../mcp/mcp.ts';
import { openapiResolver } from '../openapi/openapi.ts';
import type { OpenapiModule } from '../openapi/operations.ts';
import type { Resolver } from '../resolver.ts';
import { memoryHandlers } from './memory.ts';
import { restResolver } from './rest.ts';
import { sqlResolver } from './sql.ts';

interface KindConfig {
  readonly config: Value;
  readonly types: readonly string[];
  /** Of a document. */
  readonly openapi: OpenapiModule | undefined;
  /** Of a server of the Model Context Protocol. */
  readonly mcp: McpServer | undefined;
}

/** `planOf` knows the entities that it is for, when they are asked for; files are relative to `folder`. */
export function handlersOf(
  kind: ResolverKind,
  { config, types, openapi, mcp }: KindConfig,
  planOf: (type: string) => EntityPlan,
  folder: string,
): Pick<Resolver, 'handlers' | 'close' | 'check' | 'reads'> {
  switch (kind) {
    case 'memory':
      return { handlers: memoryHandlers(planOf) };
    case 'rest':
      return restResolver(config, planOf);
    case 'sql':
      return sqlResolver(config, planOf, folder);
    case 'openapi':
      return openapiResolver(openapi, types);
    case 'mcp':
      return mcpResolver(mcp);
    default:
      return unreachable(kind);
  }
}
