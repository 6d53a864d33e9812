// `dateFns/...` inside of Clojure code: the same calendar arithmetic that quoted calls of it get from the service.

import type { Clock } from '../../clock.ts';
import { callDate, dateFunctionNames } from '../../engine/eval/date-functions.ts';
import { plainNumber } from '../../values/arithmetic.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import type { Value } from '../../values/value.ts';
import type { HostNamespace } from './host.ts';
import type { Core } from './interpreter.ts';
import { fromClojure } from './values.ts';

export function dateNamespace(clock: Clock, core: Core): HostNamespace {
  const plain = (value: Value): Value => (value instanceof ExactNumber || value instanceof Double ? plainNumber(value) : value);
  return {
    names: ['dateFns'],
    functions: dateFunctionNames.map((name) => [
      name.slice('dateFns.'.length),
      (...values) =>
        callDate(
          name,
          values.map((each) => plain(fromClojure(each, core))),
          clock.now(),
        ),
    ]),
  };
}
