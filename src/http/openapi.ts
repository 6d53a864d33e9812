// A plan as an OpenAPI 3.1 document: every path of the current surface, what it takes and what it gives.

import type { JsonSchema } from '../model/types/attribute-type.ts';
import type { Plan } from '../plan/plan.ts';
import { createComponents, type Section } from './openapi-components.ts';
import { type Making, type PathItem, pathsAt } from './openapi-operations.ts';
import { placesOf } from './openapi-places.ts';
import { createSchemas } from './openapi-schemas.ts';
import { systemPathItems, systemTag } from './openapi-system.ts';

export interface Described {
  readonly name: string;
  readonly version: string;
  /** Whether `/metrics` is served; it is unless said otherwise. */
  readonly metrics?: boolean;
  /** Whether the model is served on the current surface, which the document describes; it is unless said otherwise. */
  readonly current?: boolean;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly [];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<Section, Readonly<Record<string, JsonSchema>>>>;
}

export function openapiOf(plan: Plan, { name, version, metrics = true, current = true }: Described): OpenApiDocument {
  const components = createComponents();
  const making: Making = { components, schemas: createSchemas(plan.model, components) };
  const paths: Record<string, PathItem> = {};
  for (const place of current ? placesOf(plan) : []) {
    for (const [path, item] of pathsAt(place, making)) paths[path] = item;
  }
  Object.assign(paths, systemPathItems(components, metrics));
  return {
    openapi: '3.1.0',
    info: { title: name, version, description },
    servers: [{ url: '/' }],
    security: [],
    tags: [...(current ? plan.model.modules : []).map((module) => ({ name: module, description: `Module \`${module}\`.` })), systemTag],
    paths,
    components: components.all(),
  };
}

const description =
  'Bodies are flat JSON objects of attributes. `HEAD` works wherever `GET` does, `OPTIONS` everywhere. ' +
  'Paths below an instance go on in the same way, `/{relationship}/{type}/{identifier}`, at any depth; this document shows the first levels. ' +
  'A list is filtered by attributes: `?name=value`, or `?name[op]=value` with `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `like` (`%` and `_` are wildcards), ' +
  '`in` and `between` (values separated by commas), `null` (`true` or `false`). ' +
  'Failures are answered with `application/problem+json` (RFC 9457).';
