// `Idempotency-Key`: what makes two POSTs the same.

import { createHash } from 'node:crypto';
import { type Caller, userOf } from '../engine/caller.ts';
import type { Once } from '../engine/operation.ts';
import { error } from '../errors.ts';
import type { HttpRequest } from './exchange.ts';

const longestKey = 255;

/** Nothing where the request names none. `place` is what its path means, `render` writes the answer down. */
export function onceOf(request: HttpRequest, caller: Caller, place: readonly string[], render: Once['render']): Once | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return undefined;
  if (typeof key !== 'string' || key === '' || key.length > longestKey) {
    throw error('request-unreadable', { detail: `An Idempotency-Key has 1 to ${longestKey} characters.` });
  }
  const scope = digestOf(JSON.stringify([userOf(caller) ?? null, request.method, place, key]));
  return { scope, digest: digestOf(request.body ?? ''), render };
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}
