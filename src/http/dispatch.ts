// The function to read first: a request in, its answer out. Errors become answers here and nowhere else.

import { anonymous, type Caller } from '../engine/caller.ts';
import type { Awaitable } from '../store/store.ts';
import type { Authenticate, Endpoint } from './endpoint.ts';
import type { HttpRequest, HttpResponse, Respond } from './exchange.ts';
import { negotiated } from './media.ts';
import type { Surface } from './surface.ts';

export interface Parts {
  /** In the order in which they are asked; the last one takes every request. */
  readonly endpoints: readonly Endpoint[];
  readonly authenticate: Authenticate;
  readonly toError: Surface['toError'];
  /** What was thrown and is no fault of the caller goes to the log. */
  failed(thrown: unknown, request: HttpRequest): void;
}

export function createDispatch({ endpoints, authenticate, toError, failed }: Parts): Respond {
  const refused = (thrown: unknown, request: HttpRequest): HttpResponse => {
    failed(thrown, request);
    return negotiated(toError(thrown, request), request);
  };
  return (request) => {
    try {
      const answered = answer(request, endpointOf(endpoints, request), authenticate);
      if (!(answered instanceof Promise)) return negotiated(answered, request);
      return answered.then((response) => negotiated(response, request)).catch((thrown: unknown) => refused(thrown, request));
    } catch (thrown) {
      return refused(thrown, request);
    }
  };
}

function endpointOf(endpoints: readonly Endpoint[], request: HttpRequest): Endpoint {
  for (const each of endpoints) if (each.matches(request)) return each;
  throw new Error('no endpoint takes the request');
}

function answer(request: HttpRequest, endpoint: Endpoint, authenticate: Authenticate): Awaitable<HttpResponse> {
  const caller: Awaitable<Caller> = endpoint.open === true ? anonymous : authenticate(request);
  return caller instanceof Promise ? caller.then((known) => endpoint.respond(request, known)) : endpoint.respond(request, caller);
}

/** While authentication is off, nobody is known. */
export const unidentified: Authenticate = () => anonymous;
