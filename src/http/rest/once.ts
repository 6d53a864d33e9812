// `Idempotency-Key`: what makes two POSTs the same, and how an answer is written down and given again.

import { createHash } from 'node:crypto';
import { type Caller, userOf } from '../../engine/caller.ts';
import type { Once } from '../../engine/idempotency.ts';
import { error } from '../../errors.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { segmentsOf } from './path.ts';
import type { Asked, Surface } from './surface.ts';

const longestKey = 255;

export function onceOf(request: HttpRequest, asked: Asked, surface: Surface, caller: Caller): Once | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return undefined;
  if (typeof key !== 'string' || key === '' || key.length > longestKey) {
    throw error('request-unreadable', { detail: `An Idempotency-Key has 1 to ${longestKey} characters.` });
  }
  const scope = digestOf(JSON.stringify([userOf(caller) ?? null, request.method, segmentsOf(request.path), key]));
  return { scope, digest: digestOf(request.body ?? ''), render: (result) => JSON.stringify(surface.toResponse(result, request, asked)) };
}

export function replayed(answer: string): HttpResponse {
  return JSON.parse(answer);
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}
