// `emit`, by which the `subscribe` handler of a resolver tells the service something, whatever its language.

import type { EmitValue } from '../engine/eval/functions.ts';
import type { Value } from '../values/value.ts';
import type { Callable } from './clojure/interpreter.ts';

/** `emit(data, cursor?)` as functions of the application call it; `read` makes data of what they give. */
export function telling(emit: EmitValue, read: (given: unknown) => Value): Callable {
  return (data, cursor) => {
    const done = (async () => emit(read(data), cursor === undefined || cursor === null ? undefined : read(cursor)))();
    // The service logs it: whoever does not wait for it does not end the process.
    done.catch(() => {});
    return done;
  };
}
