// Errors → answers of the current surface: the status of every code, and the RFC 9457 body.

import { type ErrorCode, errorCodes, PlatformError } from '../errors.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';

/** A new code does not compile without a status. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  'request-unreadable': 400,
  'body-unreadable': 400,
  'body-invalid': 400,
  'code-invalid': 400,
  unauthenticated: 401,
  'credentials-invalid': 401,
  'access-denied': 403,
  'attribute-denied': 403,
  'path-unknown': 404,
  'instance-not-found': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  duplicate: 409,
  'instance-referenced': 409,
  'identifier-ambiguous': 409,
  'request-in-progress': 409,
  'run-state': 409,
  'cursor-expired': 410,
  'version-mismatch': 412,
  'body-too-large': 413,
  'url-too-long': 414,
  'media-type-unsupported': 415,
  'attributes-invalid': 422,
  'query-invalid': 422,
  'parent-required': 422,
  'key-reused': 422,
  'tree-too-large': 422,
  'include-too-large': 422,
  'limit-exceeded': 422,
  'dataflow-failed': 422,
  'dataflow-limit': 422,
  'resolver-refused': 422,
  'suspension-refused': 422,
  'agent-message-invalid': 422,
  'agent-turn-limit': 422,
  'flow-step-limit': 422,
  'flow-step-input': 422,
  'llm-input-too-long': 422,
  'llm-budget': 429,
  'too-many-requests': 429,
  'headers-too-large': 431,
  'function-failed': 500,
  internal: 500,
  'not-available': 501,
  'coding-unsupported': 501,
  'resolver-failed': 502,
  'resolver-answer-invalid': 502,
  'resolver-answer-too-large': 502,
  'llm-auth-rejected': 502,
  'llm-unavailable': 502,
  'llm-empty': 502,
  'llm-invalid': 502,
  'llm-not-configured': 503,
  'llm-busy': 503,
  'llm-suspended': 503,
  'store-failed': 503,
  'store-busy': 503,
  'model-outdated': 503,
  'service-busy': 503,
  'identity-unavailable': 503,
  'service-stopping': 503,
  'resolver-unavailable': 503,
  'resolver-timeout': 504,
  'llm-timeout': 504,
  'version-unsupported': 505,
  'store-full': 507,
};

/** Names the run behind an answer. */
export const runHeader = 'platform-run-id';

/** Names the run in which it came about, where there was one. */
export function withRun(response: HttpResponse, run: string | undefined): HttpResponse {
  return run === undefined ? response : { ...response, headers: { ...response.headers, [runHeader]: run } };
}

/** Only the public part of a PlatformError goes out; anything else is a bug of ours, and says nothing. */
export function toProblem(thrown: unknown, request: Pick<HttpRequest, 'path'>): HttpResponse {
  const { code, details } = thrown instanceof PlatformError ? thrown : bug;
  const { allow, challenge, retryAfter, errors, errorCount, attribute, result, response, explanation, runId, step } = details;
  const status = response?.status ?? statusOf[code];
  const title = errorCodes[code];
  const detail = code === 'internal' ? title : (details.detail ?? title);
  const headers: Record<string, string> = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
  if (allow !== undefined) headers['allow'] = allow.join(', ');
  if (status === 401) headers['www-authenticate'] = challenge === undefined ? 'Bearer' : `Bearer error="${challenge}"`;
  if (retryAfter !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfter)));
  if (runId !== undefined) headers[runHeader] = runId;
  const instance = request.path || undefined;
  const about = { errors, errorCount, attribute, pattern: patternOf(code, details), explanation, runId, step };
  const body = { type: `urn:platform:error:${code}`, title, status, detail, instance, code, ...about };
  const text = JSON.stringify(body);
  // Written already, and exact.
  return { status, headers, body: result === undefined ? text : `${text.slice(0, -1)},"result":${result}}` };
}

/** Which step failed. Whoever is denied something is not told why, unless they are told how it could have been allowed. */
export function patternOf(code: ErrorCode, { pattern, explanation }: PlatformError['details']): string | undefined {
  return (code === 'access-denied' || code === 'attribute-denied') && explanation === undefined ? undefined : pattern;
}

const bug: Pick<PlatformError, 'code' | 'details'> = { code: 'internal', details: {} };
