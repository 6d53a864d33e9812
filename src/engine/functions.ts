// The application's own functions, as the engine calls them: `@check`, computed defaults, calls in expressions.

import type { FunctionReference } from '../model/model.ts';
import type { Value } from '../model/types/attribute-type.ts';

export interface Functions {
  /** Calls a function of an imported module. What it throws is the application's own failure. */
  call(reference: FunctionReference, values: readonly Value[]): unknown;
}

/** For models that import nothing. */
export const noFunctions: Functions = {
  call(reference) {
    throw new Error(`${reference.function} of ${reference.file} is not loaded`);
  },
};
