// The seam of HTTP: one part of what is served, at paths of its own. And how a request is given its caller.

import type { Caller } from '../engine/caller.ts';
import type { Awaitable } from '../store/store.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';

export interface Endpoint {
  /** Whether these are its paths; asked of one endpoint after the other. */
  matches(request: HttpRequest): boolean;
  /** Whether it answers without asking who is there: then everybody is anonymous. */
  readonly open?: boolean;
  /** Where it is described who may call (RFC 9728): named in its 401. */
  resourceMetadata?(): string | undefined;
  /** What it throws becomes an answer in the form of the surface that the path belongs to. */
  respond(request: HttpRequest, caller: Caller): Awaitable<HttpResponse>;
}

/** What of a request tells who sends it; requests that are alike in it are the same caller's. */
export type Identifying = Pick<HttpRequest, 'method' | 'path' | 'remote' | 'headers'>;

/** Who asks; throws where what the request says of that is not true. */
export type Authenticate = (request: Identifying) => Awaitable<Caller>;
