// Messages of the protocol, one on each line, and their answers: what comes is sent on, what comes back is said, a call that is cancelled is ended.

/** Sends one message; the answer is one message as JSON, or several as server-sent events. */
export type Send = (text: string, signal: AbortSignal) => Promise<{ readonly status: number; readonly body: AsyncIterable<string> }>;

type Id = string | number;

/** Characters of one message. */
const longestMessage = 16 * 1024 * 1024;
const [unreadable, invalid, internal] = [-32_700, -32_600, -32_603];

/** Milliseconds that calls still have when nothing more is asked. */
const grace = 10_000;

/** Until there are no more lines, and what was asked is answered, or has taken too long. */
export async function converse(lines: AsyncIterable<string>, say: (line: string) => void, send: Send): Promise<void> {
  const running = new Map<Id, AbortController>();
  const open = new Map<Promise<void>, AbortController>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const message = line.length > longestMessage ? undefined : parsed(line);
    if (message === undefined) {
      say(failure(null, line.length > longestMessage ? invalid : unreadable, 'This is no message of the protocol.'));
      continue;
    }
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) {
      running.get(cancelled)?.abort();
      continue;
    }
    const control = new AbortController();
    const ids = idsIn(message);
    // Messages that came together are one request, which is not ended for one of them.
    const id = Array.isArray(message) ? undefined : ids[0];
    if (id !== undefined) running.set(id, control);
    const work = answer(line, ids, control.signal, say, send).finally(() => {
      if (id !== undefined && running.get(id) === control) running.delete(id);
      open.delete(work);
    });
    open.set(work, control);
  }
  const late = setTimeout(() => {
    for (const each of open.values()) each.abort();
  }, grace);
  await Promise.all(open.keys());
  clearTimeout(late);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function cancelledBy(message: unknown): Id | undefined {
  const { method, params } = membersOf(message);
  const { requestId } = membersOf(params);
  return method === 'notifications/cancelled' && isId(requestId) ? requestId : undefined;
}

/** Of all but answers. */
function idsIn(message: unknown): readonly Id[] {
  const messages: readonly unknown[] = Array.isArray(message) ? message : [message];
  return messages
    .map(membersOf)
    .filter((each) => !('result' in each || 'error' in each))
    .map(({ id }) => id)
    .filter(isId);
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

/** What was cancelled is not answered any more. */
async function answer(line: string, ids: readonly Id[], signal: AbortSignal, say: (line: string) => void, send: Send): Promise<void> {
  const fail = (message: string): void => {
    for (const id of ids) say(failure(id, internal, message));
  };
  try {
    const { status, body } = await send(line, signal);
    let text = '';
    for await (const piece of body) {
      text += piece;
      if (status < 300) text = told(text, (each) => !signal.aborted && say(each));
    }
    if (signal.aborted) return;
    if (status >= 300 && !isProtocolError(text)) fail(problemText(text, status));
    else if (text.trim() !== '') say(text.trim());
  } catch (thrown) {
    if (!signal.aborted) fail(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function isProtocolError(text: string): boolean {
  const { jsonrpc, error } = membersOf(parsed(text));
  return jsonrpc === '2.0' && error !== undefined;
}

/** Says the messages of the events that are complete; gives what is left. JSON is no event, and is left whole. */
function told(text: string, say: (line: string) => void): string {
  if (/^\s*[{[]/.test(text)) return text;
  const blocks = text.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  for (const block of blocks) {
    const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, each]) => each).join('');
    if (data !== '') say(data);
  }
  return rest;
}

function problemText(text: string, status: number): string {
  try {
    const problem: { detail?: string; message?: string } = [JSON.parse(text)].flat()[0];
    return problem.detail ?? problem.message ?? `The service answered ${status}.`;
  } catch {
    return `The service answered ${status}.`;
  }
}

function failure(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
