// Events of a generated client. Part of the generated file.

import type { Connection } from './connection.ts';
import type { Integers } from './integers.ts';
import type { CreateOptions } from './types.ts';

export type Invoke<Input, Result> = (input: Input, options?: CreateOptions) => Promise<Result>;

export function event<Input, Result>(connection: Connection, path: string, integers: Integers | undefined): Invoke<Input, Result> {
  return (body, { signal, idempotencyKey } = {}) => {
    const headers: Readonly<Record<string, string>> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return connection.read({ method: 'POST', path, body, signal, headers, integers, isSafe: idempotencyKey !== undefined });
  };
}
