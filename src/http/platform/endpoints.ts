// The pages of the service and what the console asks besides the API, put together from what is on in the service.

import type { Engine } from '../../engine/engine.ts';
import type { Plan } from '../../plan/plan.ts';
import { consoleEndpoint, graphqlPageEndpoint } from '../console/console.ts';
import type { Endpoint } from '../endpoint.ts';
import { type OperatorAnswer, platformEndpoint } from './platform.ts';

export interface OperationParts {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly name: string;
  readonly version: string;
  readonly settings: {
    readonly service: { readonly surfaces: readonly ('current' | 'earlier')[]; readonly expose: { readonly console: boolean } };
    /** Absent where authentication is off. */
    readonly auth: { readonly providers: readonly { readonly name: string }[] } | undefined;
    /** Absent where the audit trail is off. */
    readonly audit: object | undefined;
    readonly graphql: boolean;
    readonly mcp: boolean;
  };
  readonly operators: ReadonlyMap<string, OperatorAnswer>;
}

export function operationEndpoints({ plan, engine, name, version, settings, operators }: OperationParts): readonly Endpoint[] {
  const { service, auth, graphql, mcp } = settings;
  // The console speaks one of them, the current one where it can.
  const surface = service.surfaces.includes('current') ? 'current' : 'earlier';
  const features = {
    authentication: auth !== undefined,
    accessControl: plan.access !== undefined,
    audit: settings.audit !== undefined,
    agents: plan.model.agents.size > 0,
    graphql,
    mcp,
  };
  const providers = auth?.providers.map((each) => each.name) ?? [];
  const page = { name, surface, authentication: features.authentication, providers } as const;
  return [
    ...(service.expose.console ? [consoleEndpoint(page)] : []),
    ...(graphql ? [graphqlPageEndpoint(page)] : []),
    platformEndpoint({ plan, engine, application: { name, version }, surface, features, operators }),
  ];
}
