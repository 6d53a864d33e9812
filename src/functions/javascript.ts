// Calls a function of a JavaScript or TypeScript module: watched, with copies of the values, and what it gives or throws made plain.

import { PlatformError } from '../errors.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { Awaitable } from '../store/store.ts';
import type { Callable } from './interpreter.ts';
import { fromJavaScript, toJavaScript } from './javascript-values.ts';
import type { Watch } from './watch.ts';

export function callJavaScript(called: Callable, name: string, values: readonly Value[], watch: Watch): Awaitable<Value> {
  const what = (): string => `The function ${name}`;
  const given = values.map(toJavaScript);
  return watch(() => {
    try {
      const result = called(...given);
      return isThenable(result) ? later(result, watch, what) : fromJavaScript(result);
    } catch (thrown) {
      throw failureOf(thrown, what());
    }
  }, what);
}

/** What is given later is made plain under the same watch; what stands between is the function's own. */
async function later(result: Thenable, watch: Watch, what: () => string): Promise<Value> {
  try {
    const value = await new Promise<unknown>((resolve, reject) => {
      result.then(resolve, reject);
    });
    return watch(() => fromJavaScript(value), what);
  } catch (thrown) {
    throw watch(() => failureOf(thrown, what()), what);
  }
}

interface Thenable {
  then: Callable;
}

function isThenable(value: unknown): value is Thenable {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Longer messages are no messages. */
const longestMessage = 2000;

/** The refusal of the application in its own words, whatever it threw. */
function failureOf(thrown: unknown, what: string): unknown {
  if (thrown instanceof PlatformError) return thrown;
  const text = textOf(thrown);
  if (text === undefined) return new Error(`${what} failed.`, { cause: thrown });
  if (thrown instanceof Error && text.length <= longestMessage) return thrown;
  return new Error(text.slice(0, longestMessage), { cause: thrown });
}

/** Absent where something was thrown that has no text of the author's: what the system says names files and addresses. */
function textOf(thrown: unknown): string | undefined {
  if (thrown === undefined || thrown === null) return undefined;
  if (typeof thrown !== 'object') return String(thrown);
  if ('syscall' in thrown) return undefined;
  return 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : undefined;
}
