// The function to read first: a request in, its answer out. Errors become answers here and nowhere else.

import type { Engine } from '../engine/engine.ts';
import type { Caller } from '../engine/operation.ts';
import type { HttpRequest, HttpResponse, Respond } from './exchange.ts';
import { negotiated } from './media.ts';
import { onceOf } from './once.ts';
import type { Surface } from './surface.ts';
import type { SystemPaths } from './system.ts';

export interface Parts {
  readonly surface: Surface;
  readonly engine: Engine;
  readonly system: SystemPaths;
  /** What was thrown and is no fault of the caller goes to the log. */
  failed(thrown: unknown, request: HttpRequest): void;
}

export function createDispatch(parts: Parts): Respond {
  const { surface, engine, system } = parts;
  const caller: Caller = { user: undefined };
  const failed = (thrown: unknown, request: HttpRequest): HttpResponse => {
    parts.failed(thrown, request);
    return surface.toError(thrown, request);
  };
  const answer: Respond = (request) => {
    try {
      const own = system.respond(request);
      if (own !== undefined) return own;
      const asked = surface.toOperation(request);
      if (asked.kind === 'answer') return asked.response;
      const result = engine.execute(asked.operation, caller, onceOf(request, asked, surface, caller));
      if (!(result instanceof Promise)) return surface.toResponse(result, request, asked);
      return result.then((done) => surface.toResponse(done, request, asked)).catch((thrown: unknown) => failed(thrown, request));
    } catch (thrown) {
      return failed(thrown, request);
    }
  };
  return (request) => {
    const response = answer(request);
    return response instanceof Promise ? response.then((done) => negotiated(done, request)) : negotiated(response, request);
  };
}
