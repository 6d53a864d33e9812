// The seam between HTTP and the engine: a presentation of one model. No rule of the domain stands here or behind it.

import type { Operation, Result } from '../../engine/operation.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';

export interface Surface {
  /** What the request asks for; throws a PlatformError when it asks for nothing that there is. */
  toOperation(request: HttpRequest): Asked;
  toResponse(result: Result, request: HttpRequest, asked: Asked): HttpResponse;
  toError(thrown: unknown, request: HttpRequest): HttpResponse;
}

export type Asked =
  /** `generated` on the events that every entity has (`Create_E`, ...): what was made is answered under its name, what changed in a list. */
  | { readonly kind: 'operation'; readonly operation: Operation; readonly generated?: 'made' | 'changed' }
  /** Answered without the engine: OPTIONS. */
  | { readonly kind: 'answer'; readonly response: HttpResponse };
