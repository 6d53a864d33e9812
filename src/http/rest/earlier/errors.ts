// Errors in the form of the earlier surface: an envelope whose status is not `ok`.

import { errorCodes, PlatformError } from '../../../errors.ts';
import type { HttpRequest, HttpResponse } from '../../exchange.ts';
import { toProblem } from '../../problem.ts';

export function toEarlierError(thrown: unknown, request: HttpRequest): HttpResponse {
  // Status and headers are the same on both surfaces.
  const { status, headers } = toProblem(thrown, request);
  const code = thrown instanceof PlatformError ? thrown.code : 'internal';
  const { detail, errors, errorCount, pattern, result = 'null' } = thrown instanceof PlatformError ? thrown.details : {};
  const message = code === 'internal' ? errorCodes.internal : (detail ?? errorCodes[code]);
  const kind = status === 404 ? 'not-found' : 'error';
  // What the model says is written already, and exact.
  const body = `[{"status":"${kind}","result":${result},${JSON.stringify({ message, code, errors, errorCount, pattern }).slice(1)}]`;
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
}
