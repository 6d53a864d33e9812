// What a provider package throws, as one of the kinds that decide what is done next.

import { type AISDKError, APICallError } from '@ai-sdk/provider';
import { ModelFailure } from '../language-model.ts';

export function failureOf(thrown: unknown, signal: AbortSignal): ModelFailure | Error {
  if (signal.aborted) return new ModelFailure('timeout', undefined, thrown);
  if (!APICallError.isInstance(thrown)) return new ModelFailure(isSdkError(thrown) ? 'unreadable' : 'unavailable', undefined, thrown);
  const { statusCode } = thrown;
  if (statusCode === undefined) return new ModelFailure('unavailable', undefined, thrown);
  if (statusCode < 300) return new ModelFailure('unreadable', undefined, thrown);
  if (statusCode === 401 || statusCode === 403) return new ModelFailure('auth', undefined, thrown);
  if (statusCode === 429) return new ModelFailure('busy', secondsOf(thrown.responseHeaders), thrown);
  if (statusCode === 408 || statusCode === 409 || statusCode >= 500)
    return new ModelFailure('unavailable', secondsOf(thrown.responseHeaders), thrown);
  return new ModelFailure(statusCode === 413 || isTooLong(thrown.responseBody) ? 'too-long' : 'refused', undefined, thrown);
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
