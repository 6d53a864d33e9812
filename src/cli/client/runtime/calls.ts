// Calls of events and agents in a generated client. Part of the generated file.

import { type Call, type Connection, typed } from './connection.ts';
import { WaitingError } from './errors.ts';
import type { Integers } from './integers.ts';
import type { CreateOptions } from './types.ts';

export type Invoke<Input, Result> = (input: Input, options?: CreateOptions) => Promise<Result>;

export interface Invoked {
  /** As the model names it. */
  readonly name: string;
  readonly path: string;
  readonly integers?: Integers | undefined;
  /** Whether what it gives cannot be a list. */
  readonly isSingle?: boolean;
}

export async function answerTo<Result>(call: Call, connection: Connection): Promise<Result> {
  const { value, status } = await connection.send(call);
  if (status === 202 && isWaiting(value)) throw new WaitingError(value.runId, value.waitingFor);
  return typed(value);
}

/** It is sent again only with a key, by which it is done once. */
export function invocation(
  { form }: Connection,
  { name, path }: Invoked,
  input: unknown,
  { signal, idempotencyKey }: CreateOptions = {},
): Call {
  const headers: Readonly<Record<string, string>> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  return { method: 'POST', path, body: form.call(name, input), signal, headers, isSafe: idempotencyKey !== undefined };
}

export function isWaiting(value: unknown): value is { readonly runId: string; readonly waitingFor: WaitingError['waitingFor'] } {
  return typeof value === 'object' && value !== null && 'runId' in value && 'waitingFor' in value;
}
