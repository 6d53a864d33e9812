// The answer to a message whose agent waits for somebody to approve of what it is about to do: the same on both surfaces.

import type { Result } from '../../engine/operation.ts';
import { writeJson } from '../../values/json/json.ts';
import type { HttpResponse } from '../exchange.ts';
import { runHeader } from '../problem.ts';

export function waitingResponse({ run, tool, arguments: given }: Extract<Result, { kind: 'waiting' }>): HttpResponse {
  const body = writeJson({ runId: run, status: 'waiting', waitingFor: { tool, arguments: given } });
  return { status: 202, headers: { 'content-type': 'application/json', [runHeader]: run }, body };
}
