// Events of a generated client. Part of the generated file.

import { answerTo, type Invoke, type Invoked, invocation } from './calls.ts';
import type { Connection } from './connection.ts';

export function event<Input, Result>(connection: Connection, invoked: Invoked): Invoke<Input, Result> {
  const flat = connection.form.result(invoked.isSingle === true);
  return (input, options) => answerTo({ ...invocation(connection, invoked, input, options), integers: invoked.integers, flat }, connection);
}
