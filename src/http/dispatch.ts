// The function to read first: a request in, its answer out. Errors become answers here and nowhere else.

import { anonymous, type Caller } from '../engine/caller.ts';
import { PlatformError } from '../errors.ts';
import type { Awaitable } from '../store/store.ts';
import type { Authenticate, Endpoint } from './endpoint.ts';
import type { HttpRequest, HttpResponse, Respond } from './exchange.ts';
import { negotiated } from './media/media.ts';
import type { Surface } from './rest/surface.ts';

export interface DispatchParts {
  /** In the order in which they are asked; the last one takes every request. */
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  readonly toError: Surface['toError'];
  /** What was thrown and is no fault of the caller goes to the log. */
  failed(thrown: unknown, request: HttpRequest): void;
}

export function createDispatch({ endpoints, authenticate, toError, failed }: DispatchParts): Respond {
  const refused = (thrown: unknown, request: HttpRequest, tries: number): Awaitable<HttpResponse> => {
    const bytes = thrown instanceof PlatformError ? thrown.origin.bytes : undefined;
    if (bytes !== undefined && tries < mostTries && request.memory !== undefined) return onceHeld(bytes, request, tries + 1);
    failed(thrown, request);
    return negotiated(withMetadata(toError(thrown, request), endpointOf(endpoints, request)), request);
  };
  /** Nothing of the request is held while it waits for room; then it is done again. */
  const onceHeld = async (bytes: number, request: HttpRequest, tries: number): Promise<HttpResponse> => {
    try {
      await request.memory?.wait(bytes, request.signal);
    } catch (thrown) {
      return refused(thrown, request, tries);
    }
    return respond(request, tries);
  };
  const respond = (request: HttpRequest, tries: number): Awaitable<HttpResponse> => {
    try {
      const answered = answer(request, endpointOf(endpoints, request), authenticate);
      if (!(answered instanceof Promise)) return negotiated(answered, request);
      return answered.then((response) => negotiated(response, request)).catch((thrown: unknown) => refused(thrown, request, tries));
    } catch (thrown) {
      return refused(thrown, request, tries);
    }
  };
  return (request) => respond(request, 0);
}

/** What grows while it is read may find no room several times. */
const mostTries = 4;

function endpointOf(endpoints: readonly Endpoint[], request: HttpRequest): Endpoint {
  for (const each of endpoints) if (each.matches(request)) return each;
  throw new Error('no endpoint takes the request');
}

function answer(request: HttpRequest, endpoint: Endpoint, authenticate: Authenticate): Awaitable<HttpResponse> {
  const caller: Awaitable<Caller> = endpoint.open === true ? anonymous : authenticate(request);
  return caller instanceof Promise ? caller.then((known) => endpoint.respond(request, known)) : endpoint.respond(request, caller);
}

/** Who has no token is told where to find out how to get one, where that is described. */
function withMetadata(response: HttpResponse, endpoint: Endpoint): HttpResponse {
  const challenge = response.headers['www-authenticate'];
  const metadata = response.status === 401 && challenge !== undefined ? endpoint.resourceMetadata?.() : undefined;
  if (metadata === undefined || challenge === undefined) return response;
  const named = `${challenge}${challenge.includes('=') ? ',' : ''} resource_metadata="${metadata}"`;
  return { ...response, headers: { ...response.headers, 'www-authenticate': named } };
}

/** While authentication is off, nobody is known. */
export const unidentified: Authenticate = () => anonymous;
