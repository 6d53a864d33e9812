// The path at which a signed-in user makes an API key: a create of its entity, answered as each surface answers creates, with the key in it.

import type { Engine } from '../../engine/engine.ts';
import { error } from '../../errors.ts';
import type { EventType } from '../../model/model.ts';
import type { Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { writeJson } from '../../values/json/json.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Value } from '../../values/value.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { readBody } from '../media/media.ts';
import { kindTag, typeTag } from '../rest/earlier/keyed.ts';

export interface ApiKeyEndpointParts {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly surfaces: readonly Surface[];
  readonly limits: JsonLimits;
}

type Surface = 'current' | 'earlier';

const paths: Readonly<Record<Surface, string>> = { current: '/platform.auth/ApiKey', earlier: '/api/Platform.Kernel.Identity/ApiKey' };
const events: Readonly<Record<Surface, string>> = {
  current: 'platform.auth/createApiKey',
  earlier: 'Platform.Kernel.Identity/CreateApiKey',
};
const earlierType = 'Platform.Kernel.Identity/ApiKey';

/** Keys are listed and revoked like instances of any entity. */
export function apiKeyEndpoint({ plan, engine, surfaces, limits }: ApiKeyEndpointParts): Endpoint {
  const surfaceAt = ({ method, path }: HttpRequest): Surface | undefined =>
    method === 'POST' ? surfaces.find((each) => path === paths[each] || path === `${paths[each]}/`) : undefined;
  return {
    matches: (request) => surfaceAt(request) !== undefined,
    async respond(request, caller) {
      const surface = surfaceAt(request) ?? 'current';
      const body = attributesOf(readBody(request, limits), surface);
      const result = await engine.execute({ kind: 'invoke', target: eventOf(surface), body }, caller, request);
      return created(result.kind === 'value' ? result.value : null, surface);
    },
  };

  function eventOf(surface: Surface): EventType {
    const found = plan.model.events.get(events[surface]);
    if (found === undefined) throw new Error(`${events[surface]} is part of every model with users`);
    return found;
  }
}

function attributesOf(body: Value | undefined, surface: Surface): Value {
  const given = surface === 'current' ? body : isObject(body) ? body[earlierType] : undefined;
  if (isObject(given)) return given;
  throw error('body-invalid', surface === 'current' ? {} : { detail: `The body must be an object keyed ${earlierType}.` });
}

function created(value: Value, surface: Surface): HttpResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  if (!isObject(value)) throw new Error('an API key is an object');
  if (surface === 'current') {
    return { status: 201, headers: { ...headers, location: `${paths.current}/${String(value['id'])}` }, body: writeJson(value) };
  }
  const tagged = { [kindTag]: 'entity', [typeTag]: earlierType, ...value };
  return { status: 200, headers, body: writeJson([{ status: 'ok', result: [tagged] }]) };
}
