// The application's own functions, as the engine calls them: `@check`, computed defaults, calls in expressions.

import { error, PlatformError } from '../errors.ts';
import type { FunctionReference } from '../model/model.ts';
import type { Value } from '../model/types/attribute-type.ts';

export interface Functions {
  /** Calls a function of an imported module, or of the model's own code. What it throws is the application's own failure. */
  call(reference: FunctionReference, values: readonly Value[]): unknown;
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
