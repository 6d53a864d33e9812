// What of a failed request is written into the log.

import { type ErrorCode, PlatformError } from '../errors.ts';
import type { HttpRequest } from './exchange.ts';
import { statusOf } from './problem.ts';
import type { Log } from './server/log.ts';

/** Of the model, or told by the store in a line of its own: not written down for every request. */
const toldOnce: ReadonlySet<ErrorCode> = new Set(['not-available', 'model-outdated']);

/** Faults of the caller are answered; what is our fault, the store's or the model's is also written down, with its cause and place. */
export function logFailure(thrown: unknown, request: HttpRequest, log: Log): void {
  if (thrown instanceof PlatformError && (thrown.code === 'dataflow-failed' || thrown.code === 'dataflow-limit')) {
    const { code, details, cause, message } = thrown;
    log.warn({ id: request.id, method: request.method, path: request.path, code, pattern: details.pattern, err: cause }, message);
    return;
  }
  if (thrown instanceof PlatformError && (statusOf[thrown.code] < 500 || toldOnce.has(thrown.code))) return;
  const code = thrown instanceof PlatformError ? thrown.code : 'internal';
  const cause = thrown instanceof PlatformError ? thrown.cause : thrown;
  const pattern = thrown instanceof PlatformError ? thrown.details.pattern : undefined;
  // Who is not waited for when the service stops has failed by nobody's fault.
  const level = code === 'service-stopping' ? 'warn' : 'error';
  log[level]({ id: request.id, method: request.method, path: request.path, code, pattern, err: cause }, 'request failed');
}
