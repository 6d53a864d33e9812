// The application's own functions, as the engine calls them: `@check`, computed defaults, calls in expressions.

import { error, PlatformError } from '../errors.ts';
import type { FunctionReference } from '../model/model.ts';
import type { Value } from '../model/types/attribute-type.ts';
import type { Awaitable } from '../store/store.ts';

export interface Functions {
  /**
   * Calls a function of an imported module, or of the model's own code. What it throws is the application's own failure; where it
   * does not come back it is ended with `dataflow-limit`. It cannot change the values, and what it gives is data.
   */
  call(reference: FunctionReference, values: readonly Value[]): Awaitable<Value>;
}

/** For models that import nothing. */
export const noFunctions: Functions = {
  call(reference) {
    throw new Error(`${reference.function} of ${reference.file} is not loaded`);
  },
};

/** What the application's own function throws is its refusal, told with its text (decisions 9.2). */
export function ofFunction(thrown: unknown): unknown {
  if (thrown instanceof PlatformError) return thrown;
  return error('dataflow-failed', { detail: thrown instanceof Error ? thrown.message : String(thrown) }, thrown);
}

/** What comes later is not waited for here. */
export function atOnce(result: Awaitable<Value>, refusal: string): Value {
  if (!(result instanceof Promise)) return result;
  // Nobody waits for it, so nobody would hear of its failure either.
  result.catch(() => {});
  throw new Error(refusal);
}

/** What is waited for has so many milliseconds left. */
export async function inTime(pending: Awaitable<Value>, left: number, late: () => PlatformError): Promise<Value> {
  if (!(pending instanceof Promise)) return pending;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, left));
  });
  try {
    return await Promise.race([pending, end]);
  } finally {
    clearTimeout(timer);
  }
}
