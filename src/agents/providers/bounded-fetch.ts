// The one way to a vendor's server: what it sends is bounded in size, a stream that does not begin or that stops is not waited for, and nobody is shown the
// key but the server that the settings name.

import type { Turns } from './turns.ts';

interface FetchLimits {
  /** Of one answer, as it is read. */
  readonly bytes: number;
  /** Milliseconds between two pieces of a stream. */
  readonly idle: number;
}

const usual: FetchLimits = { bytes: 16 * 1024 * 1024, idle: 15_000 };

export function boundedFetch(turns: Turns, { bytes, idle }: FetchLimits = usual): typeof fetch {
  return async (input, init) => {
    await turns.take();
    // A redirection would take the headers elsewhere, and the key with them.
    const response = await fetch(input, { ...init, redirect: 'error' });
    await turns.take();
    const { body, headers, status, statusText } = response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    // What is packed may become any size.
    const length = headers.has('content-encoding') ? Number.NaN : Number(headers.get('content-length') ?? Number.NaN);
    if (body === null || (!isStream && length <= bytes)) return response;
    return new Response(bounded(body, bytes, isStream ? idle : undefined), { headers, status, statusText });
  };
}

/**
 * A stream is given up that does not begin in time; afterwards it ends with the signal of whoever asked alone. Not for replies that come as a whole: of
 * those a server sends nothing before it has all of it.
 */
export async function firstInTime<T>(ask: (signal: AbortSignal) => PromiseLike<T>, asked: AbortSignal, first = 30_000): Promise<T> {
  const late = new AbortController();
  const signal = AbortSignal.any([asked, late.signal]);
  const timer = setTimeout(() => late.abort(new DOMException(`no answer began within ${first} ms`, 'TimeoutError')), first);
  try {
    return await ask(signal);
  } finally {
    clearTimeout(timer);
  }
}

function bounded(body: ReadableStream<Uint8Array>, most: number, idle: number | undefined): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let read = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await (idle === undefined ? reader.read() : inTime(reader.read(), idle));
        if (done) return controller.close();
        read += value.byteLength;
        if (read > most) throw new Error(`the answer has more than ${most} bytes`);
        controller.enqueue(value);
      } catch (thrown) {
        // The rest is not wanted; where the connection has failed, there is nothing left to be given up.
        reader.cancel(thrown).catch(() => {});
        throw thrown;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function inTime<T>(pending: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(`nothing came for ${milliseconds} ms`, 'TimeoutError')), milliseconds);
  });
  return Promise.race([pending, late]).finally(() => clearTimeout(timer));
}
