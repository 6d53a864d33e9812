// A POST with an `Idempotency-Key`: its answer as it is written down, and given again.

import type { Caller } from '../../engine/caller.ts';
import type { Once } from '../../engine/operation.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { onceOf } from '../idempotency-key.ts';
import { segmentsOf } from './path.ts';
import type { Asked, Surface } from './surface.ts';

export function onceAt(request: HttpRequest, asked: Asked, surface: Surface, caller: Caller): Once | undefined {
  if (request.headers['idempotency-key'] === undefined) return undefined;
  return onceOf(request, caller, segmentsOf(request.path), (result) => JSON.stringify(surface.toResponse(result, request, asked)));
}

export function replayed(answer: string): HttpResponse {
  return JSON.parse(answer);
}
