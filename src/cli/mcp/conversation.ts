// Messages of the protocol, one on each line, and their answers: what comes is sent on, what comes back is said, a call that is cancelled is ended.

/** Sends one message; the answer is one message as JSON, or several as server-sent events. */
export type Send = (text: string, signal: AbortSignal) => Promise<{ readonly status: number; readonly body: AsyncIterable<string> }>;

type Id = string | number;

interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: { readonly requestId?: Id };
}

/** Characters of one message. */
const longestMessage = 16 * 1024 * 1024;
const [unreadable, invalid, internal] = [-32_700, -32_600, -32_603];

/** Milliseconds that calls still have when nothing more is asked. */
const grace = 10_000;

/** Until there are no more lines, and what was asked is answered, or has taken too long. */
export async function converse(lines: AsyncIterable<string>, say: (line: string) => void, send: Send): Promise<void> {
  const running = new Map<Id, AbortController>();
  const open = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const message = messageIn(line);
    if (message === undefined) {
      say(failure(null, line.length > longestMessage ? invalid : unreadable, 'This is no message of the protocol.'));
      continue;
    }
    const { id, method, params } = message;
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) {
      running.get(params.requestId)?.abort();
      continue;
    }
    const control = new AbortController();
    if (id !== undefined) running.set(id, control);
    const work = answer(line, id, control.signal, say, send).finally(() => {
      if (id !== undefined && running.get(id) === control) running.delete(id);
      open.delete(work);
    });
    open.add(work);
  }
  const late = setTimeout(() => {
    for (const each of running.values()) each.abort();
  }, grace);
  await Promise.all(open);
  clearTimeout(late);
}

function messageIn(line: string): Message | undefined {
  if (line.length > longestMessage) return undefined;
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** What was cancelled is not answered any more. */
async function answer(line: string, id: Id | undefined, signal: AbortSignal, say: (line: string) => void, send: Send): Promise<void> {
  try {
    const { status, body } = await send(line, signal);
    let text = '';
    for await (const piece of body) {
      text += piece;
      if (status < 300) text = told(text, (each) => !signal.aborted && say(each));
    }
    if (signal.aborted || id === undefined) return;
    if (status >= 300) say(failure(id, internal, problemText(text, status)));
    else if (text.trim() !== '') say(text.trim());
  } catch (thrown) {
    if (!signal.aborted && id !== undefined) say(failure(id, internal, thrown instanceof Error ? thrown.message : String(thrown)));
  }
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
