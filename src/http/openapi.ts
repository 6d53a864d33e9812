// A plan as an OpenAPI 3.1 document: every path of the current surface and the events of the earlier one, what they take and give.

import type { JsonSchema } from '../model/types/attribute-type.ts';
import { resultShapes } from '../plan/dataflow-result.ts';
import type { Plan } from '../plan/plan.ts';
import type { EarlierOptions } from './earlier.ts';
import { createComponents, type Section } from './openapi-components.ts';
import { earlierPath } from './openapi-earlier.ts';
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
  /** Where the events of the model are served on the earlier surface too: which of its answers stand in the envelope. */
  readonly earlier?: EarlierOptions['envelope'] | undefined;
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

export function openapiOf(plan: Plan, { name, version, metrics = true, current = true, earlier }: Described): OpenApiDocument {
  const components = createComponents();
  const making: Making = { components, schemas: createSchemas(plan.model, components), resultOf: resultShapes(plan) };
  const paths: Record<string, PathItem> = {};
  if (current) for (const place of placesOf(plan.names)) for (const [path, item] of pathsAt(place, making)) paths[path] = item;
  if (earlier !== undefined)
    for (const place of placesOf(plan.earlierNames)) if (place.kind === 'call') Object.assign(paths, earlierPath(place, making, earlier));
  Object.assign(paths, systemPathItems(components, metrics));
  return {
    openapi: '3.1.0',
    info: { title: name, version, description: descriptionOf(current, earlier !== undefined) },
    servers: [{ url: '/' }],
    security: [],
    tags: [
      ...modulesOf(plan, current, earlier !== undefined).map((module) => ({ name: module, description: `Module \`${module}\`.` })),
      systemTag,
    ],
    paths,
    components: components.all(),
  };
}

function modulesOf({ names, earlierNames }: Plan, current: boolean, earlier: boolean): readonly string[] {
  return [...new Set([...(current ? names.keys() : []), ...(earlier ? earlierNames.keys() : [])])];
}

function descriptionOf(current: boolean, earlier: boolean): string {
  if (!earlier) return description;
  return current ? `${description} ${earlierDescription}` : earlierDescription;
}

const description =
  'Bodies are flat JSON objects of attributes. `HEAD` works wherever `GET` does, `OPTIONS` everywhere. ' +
  'Paths below an instance go on in the same way, `/{relationship}/{type}/{identifier}`, at any depth; this document shows the first levels. ' +
  'A list is filtered by attributes: `?name=value`, or `?name[op]=value` with `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `like` (`%` and `_` are wildcards), ' +
  '`in` and `between` (values separated by commas), `null` (`true` or `false`). ' +
  'Failures are answered with `application/problem+json` (RFC 9457).';

const earlierDescription =
  'Of the paths under `/api`, those of events are described: bodies are keyed by the qualified names of types, instances carry their type, ' +
  'failures are an envelope.';
