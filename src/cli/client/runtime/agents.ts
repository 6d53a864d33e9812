// Agents of a generated client. Part of the generated file.

import { answerTo, type Invoke, type Invoked, invocation, isWaiting } from './calls.ts';
import { type Connection, typed, unreachable } from './connection.ts';
import { PlatformError, problemError, WaitingError } from './errors.ts';
import { serverEvents } from './server-events.ts';
import type { AgentProgress, CreateOptions } from './types.ts';

/** An agent takes a message, and answers with what it has to say. */
export type Agent<Result> = Invoke<string, Result> & {
  /** The same, as it happens; the last is `RUN_FINISHED`. */
  stream(message: string, options?: CreateOptions): AsyncGenerator<AgentProgress<Result>, void>;
};

export function agent<Result>(connection: Connection, invoked: Invoked): Agent<Result> {
  const ask: Invoke<string, Result> = (message, options) =>
    answerTo({ ...invocation(connection, invoked, { message }, options), integers: invoked.integers }, connection);
  return Object.assign<Invoke<string, Result>, Pick<Agent<Result>, 'stream'>>(ask, {
    stream: (message, options) => progressOf(connection, invoked, message, options),
  });
}

async function* progressOf<Result>(
  connection: Connection,
  invoked: Invoked,
  message: string,
  options?: CreateOptions,
): AsyncGenerator<AgentProgress<Result>, void> {
  const call = invocation(connection, invoked, { message }, options);
  const answer = await connection.open({ ...call, headers: { ...call.headers, accept: 'text/event-stream' } });
  let last = '';
  try {
    for await (const { event: kind, data } of serverEvents(answer, undefined)) {
      last = kind;
      const told: unknown = connection.parse(data, { integers: { parts: { result: () => invoked.integers ?? {} } } });
      if (kind === 'RUN_ERROR') throw failureOfRun(told);
      if (kind === 'RUN_FINISHED' && isWaiting(told)) throw new WaitingError(told.runId, told.waitingFor);
      yield typed(told);
    }
  } catch (thrown) {
    throw thrown instanceof PlatformError || options?.signal?.aborted === true ? thrown : unreachable(thrown);
  }
  if (last !== 'RUN_FINISHED') throw unreachable(new Error('the stream broke off before the run had ended'));
}

function failureOfRun(told: unknown): PlatformError {
  const { problem } = typed<{ readonly problem: Parameters<typeof problemError>[0] & { readonly status?: number } }>(told);
  return problemError(problem, { status: typeof problem?.status === 'number' ? problem.status : 500, retryAfter: undefined });
}
