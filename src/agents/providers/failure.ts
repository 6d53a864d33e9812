// What a provider package throws, as one of the kinds that decide what is done next.

import { type AISDKError, APICallError } from '@ai-sdk/provider';
import { ModelFailure } from '../language-model.ts';

/** `key` is what the service shows to the vendor, who may repeat it in what goes into the log. */
export function failureOf(thrown: unknown, signal: AbortSignal, key: string): ModelFailure {
  const { kind, retryAfter } = kindOf(thrown, signal);
  return new ModelFailure(kind, retryAfter, described(thrown, key));
}

function kindOf(thrown: unknown, signal: AbortSignal): Pick<ModelFailure, 'kind' | 'retryAfter'> {
  const kind = (kind: ModelFailure['kind'], retryAfter?: number) => ({ kind, retryAfter });
  if (signal.aborted || isLate(thrown)) return kind('timeout');
  if (!APICallError.isInstance(thrown)) return kind(isSdkError(thrown) ? 'unreadable' : 'unavailable');
  const { statusCode } = thrown;
  if (statusCode === undefined) return kind('unavailable');
  if (statusCode < 300) return kind('unreadable');
  if (statusCode === 401 || statusCode === 403) return kind('auth');
  if (statusCode === 429) return kind('busy', secondsOf(thrown.responseHeaders));
  if (statusCode === 408 || statusCode === 409 || statusCode >= 500) return kind('unavailable', secondsOf(thrown.responseHeaders));
  return kind(statusCode === 413 || isTooLong(thrown.responseBody) ? 'too-long' : 'refused');
}

/**
 * What is said of it in the log: its name, its text and where it was thrown, with the key struck out. Errors of vendors carry the request and the answer
 * besides, with everything that users said in them: none of that is passed on.
 */
function described(thrown: unknown, key: string): unknown {
  if (!(thrown instanceof Error)) return undefined;
  const struck = (text: string): string => (key === '' ? text : text.replaceAll(key, '***'));
  const cause = described(thrown.cause, key);
  const told = new Error(struck(thrown.message), cause === undefined ? undefined : { cause });
  return Object.assign(told, { name: thrown.name, stack: struck(thrown.stack ?? '') });
}

/** A stream that stopped. */
function isLate(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === 'TimeoutError' || isLate(thrown.cause));
}

function isSdkError(thrown: unknown): thrown is AISDKError {
  return thrown instanceof Error && thrown.name.startsWith('AI_');
}

/** Vendors say it in words and codes of their own. */
function isTooLong(body: string | undefined): boolean {
  return /context_length_exceeded|maximum context length|prompt is too long|too many tokens/i.test(body ?? '');
}

/** Only seconds are believed: a date would need the clock of the other side. */
function secondsOf(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  const text = headers?.['retry-after'];
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
