// Calls a function of a JavaScript or TypeScript module: watched, with copies of the values, and what it gives or throws made plain.

import type { CallContext } from '../../engine/eval/functions.ts';
import { PlatformError } from '../../errors.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { CallLimit } from '../call-limit.ts';
import type { Callable } from '../clojure/interpreter.ts';
import { bugOf, type Failed, isBug, refusedBy } from '../failure.ts';
import { fromJavaScript, toJavaScript } from './values.ts';

export interface Calling {
  readonly watch: CallLimit;
  readonly failed: Failed;
}

/** For whom it is called is its `this`: its arguments are those that the model gives it. */
export function callJavaScript(
  called: Callable,
  name: string,
  values: readonly Value[],
  { watch, failed }: Calling,
  context: CallContext | undefined,
): Awaitable<Value> {
  const what = (): string => `The function ${name}`;
  const given = values.map(toJavaScript);
  return watch.one(() => {
    try {
      const result: unknown = Reflect.apply(called, context, given);
      return isThenable(result) ? later(result, { watch, failed }, what) : fromJavaScript(result);
    } catch (thrown) {
      throw failureOf(thrown, what(), failed);
    }
  }, what);
}

/** What is given later is made plain under the same watch; what stands between is the function's own. */
async function later(result: PromiseLike<unknown>, { watch, failed }: Calling, what: () => string): Promise<Value> {
  try {
    const value = await new Promise<unknown>((resolve, reject) => {
      result.then(resolve, reject);
    });
    return watch.one(() => fromJavaScript(value), what);
  } catch (thrown) {
    throw watch.one(() => failureOf(thrown, what(), failed), what);
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** The refusal of the application in its own words, whatever it threw; or its bug. What is thrown may be anything, and so may what that does. */
function failureOf(thrown: unknown, what: string, failed: Failed): PlatformError {
  try {
    if (thrown instanceof PlatformError) return thrown;
    return isBug(thrown) ? bugOf(what, thrown, failed) : refusedBy(what, textOf(thrown), thrown);
  } catch (second) {
    return bugOf(what, second, failed);
  }
}

/** Absent where something was thrown that has no text of the author's: what the system says names files and addresses. */
function textOf(thrown: unknown): string | undefined {
  if (thrown === undefined || thrown === null) return undefined;
  if (typeof thrown !== 'object') return String(thrown);
  if ('syscall' in thrown) return undefined;
  return 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : undefined;
}
