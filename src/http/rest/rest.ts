// The REST surfaces as an endpoint: a request becomes an operation, the engine does it, the result becomes the answer.

import type { Caller } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Traced } from '../../engine/operation.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { requestInfo } from '../request-info.ts';
import { type ChangeParts, changesAt, wantsChanges } from './changes.ts';
import { eventsOf, wantsEvents } from './events.ts';
import { onceAt } from './idempotent-post.ts';
import type { Surface } from './surface.ts';

export interface RestParts {
  readonly surface: Surface;
  readonly engine: Engine;
  /** Whether an answer may be of what is stored where another system does not answer. */
  readonly mayBeStale: boolean;
  /** Whether a request may ask for the times of the steps behind it. */
  traces(request: HttpRequest, caller: Caller): boolean;
  /** What went wrong behind an answer that had begun. */
  failed(thrown: unknown, request: HttpRequest): void;
  /** Streams of changes. */
  readonly changes: Omit<ChangeParts, 'surface'>;
}

/** Every path that nobody else has: the surface knows which of them mean something. */
export function restEndpoint({ surface, engine, mayBeStale, traces, failed, changes }: RestParts): Endpoint {
  const answer = (request: HttpRequest, caller: Caller): Awaitable<HttpResponse> => {
    const asked = surface.toOperation(request);
    if (asked.kind === 'answer') return asked.response;
    if (wantsEvents(request, asked)) return eventsOf(request, asked, caller, { surface, engine, failed });
    const trace: Traced[] | undefined = request.headers['platform-trace'] === '1' && traces(request, caller) ? [] : undefined;
    const signs = mayBeStale ? new Set<'stale'>() : undefined;
    const about = signs === undefined ? request : { ...requestInfo(request, undefined, undefined), signs };
    const result = engine.execute(asked.operation, caller, about, onceAt(request, asked, surface, caller), trace);
    if (!(result instanceof Promise)) return surface.toResponse(result, request, asked);
    const answered = result.then((done) => marked(surface.toResponse(done, request, asked), signs));
    return trace === undefined ? answered : answered.then((response) => withTimes(response, trace));
  };
  return {
    matches: () => true,
    respond(request, caller) {
      if (!wantsChanges(request)) return answer(request, caller);
      return changesAt(request, caller, { ...changes, surface }).then((streamed) => streamed ?? answer(request, caller));
    },
  };
}

function marked(response: HttpResponse, signs: ReadonlySet<'stale'> | undefined): HttpResponse {
  return signs?.has('stale') === true ? { ...response, headers: { ...response.headers, 'platform-stale': 'true' } } : response;
}

/** `Server-Timing: find-12;dur=3;start=1`: what kind of step stands on which line, its milliseconds, and when it began after the first of them. */
function withTimes(response: HttpResponse, trace: readonly Traced[]): HttpResponse {
  const first = Math.min(...trace.slice(0, mostTimes).map((each) => each.start));
  const times = trace.slice(0, mostTimes).map(({ step, start, milliseconds }) => `${step};dur=${milliseconds};start=${start - first}`);
  return times.length === 0 ? response : { ...response, headers: { ...response.headers, 'server-timing': times.join(', ') } };
}

/** A header has its limits. */
const mostTimes = 100;
