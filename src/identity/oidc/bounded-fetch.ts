// Requests to the services that know the users: to addresses of the configuration and of what those publish, never further, for a limited time and size.

/** Bytes of an answer: what these services publish is a few thousand. */
const mostBytes = 512 * 1024;
/** Milliseconds, headers and body together. */
export const patience = 5000;

/** As `fetch`, without following redirects. */
export async function boundedFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const own = AbortSignal.timeout(patience);
  const signal = options.signal == null ? own : AbortSignal.any([options.signal, own]);
  const answer = await fetch(url, { ...options, signal, redirect: 'manual' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new Error(`the answer of ${new URL(url).host} has more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = answer;
  const hasNone = status === 204 || status === 205 || status === 304;
  return new Response(hasNone ? null : Buffer.concat(chunks), { status, statusText, headers });
}
