// The answers of agents, the same on both surfaces: their reply, or that they wait for somebody to approve of what they are about to do.

import type { Result } from '../../engine/operation.ts';
import { writeJson } from '../../values/json/json.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { preferred } from '../media/media.ts';
import { runHeader } from '../problem.ts';

export function waitingResponse({ kind: status, run, ...waitingFor }: Extract<Result, { kind: 'waiting' }>): HttpResponse {
  const body = writeJson({ runId: run, status, waitingFor });
  return { status: 202, headers: { 'content-type': 'application/json', [runHeader]: run }, body };
}

/** What an agent gave: JSON, or the bare text for whoever asks for `text/plain`. */
export function replyResponse({ value, run }: Extract<Result, { kind: 'reply' }>, { headers: { accept } }: HttpRequest): HttpResponse {
  const wantsText =
    typeof accept === 'string' && preferred(accept, ['text/plain', 'application/json', 'application/transit+json']) === 'text/plain';
  if (wantsText && typeof value === 'string')
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8', [runHeader]: run }, body: value };
  return { status: 200, headers: { 'content-type': 'application/json', [runHeader]: run }, body: writeJson(value) };
}
