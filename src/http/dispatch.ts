// The function to read first: a request in, its answer out. Errors become answers here and nowhere else.

import type { Engine } from '../engine/engine.ts';
import type { Caller, Traced } from '../engine/operation.ts';
import type { HttpRequest, HttpResponse, Respond } from './exchange.ts';
import { negotiated } from './media.ts';
import { onceOf } from './once.ts';
import type { Surface } from './surface.ts';
import type { SystemPaths } from './system.ts';

export interface Parts {
  readonly surface: Surface;
  readonly engine: Engine;
  readonly system: SystemPaths;
  /** Whether requests may ask for the times of the steps behind them. */
  readonly traces: boolean;
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
      const trace: Traced[] | undefined = parts.traces && request.headers['platform-trace'] === '1' ? [] : undefined;
      const result = engine.execute(asked.operation, caller, onceOf(request, asked, surface, caller), trace);
      if (!(result instanceof Promise)) return surface.toResponse(result, request, asked);
      const answered = result.then((done) => surface.toResponse(done, request, asked)).catch((thrown: unknown) => failed(thrown, request));
      return trace === undefined ? answered : answered.then((response) => withTimes(response, trace));
    } catch (thrown) {
      return failed(thrown, request);
    }
  };
  return (request) => {
    const response = answer(request);
    return response instanceof Promise ? response.then((done) => negotiated(done, request)) : negotiated(response, request);
  };
}

/** `Server-Timing: find-12;dur=3`: what kind of step stands on which line, and its milliseconds. */
function withTimes(response: HttpResponse, trace: readonly Traced[]): HttpResponse {
  const times = trace.slice(0, mostTimes).map(({ step, milliseconds }) => `${step};dur=${milliseconds}`);
  return times.length === 0 ? response : { ...response, headers: { ...response.headers, 'server-timing': times.join(', ') } };
}

/** A header has its limits. */
const mostTimes = 100;
