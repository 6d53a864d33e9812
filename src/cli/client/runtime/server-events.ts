// Server-sent events of a generated client. Part of the generated file.

export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Most that one event may have; what is longer is no event of the service. */
const longestEvent = 64 * 1024 * 1024;

/** The events of an answer, until it ends; `idle` seconds without a byte end it with an error. */
export async function* serverEvents(answer: Response, idle: number | undefined): AsyncGenerator<ServerEvent, void> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), idle);
      if (done) return;
      const blocks = `${rest}${decoder.decode(value, { stream: true })}`.replaceAll('\r', '').split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > longestEvent) throw new RangeError('an event of the stream is too long');
      for (const block of blocks) {
        const event = eventIn(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // Whoever stops reading closes the stream.
    await reader.cancel().catch(() => {});
  }
}

function eventIn(block: string): ServerEvent | undefined {
  const fields = block.split('\n').map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
  });
  const all = (name: string): readonly string[] => fields.filter(([each]) => each === name).map(([, value]) => value);
  const data = all('data');
  return data.length === 0 ? undefined : { event: all('event').at(-1) ?? 'message', id: all('id').at(-1), data: data.join('\n') };
}

async function inTime<T>(work: Promise<T>, seconds: number | undefined): Promise<T> {
  if (seconds === undefined) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the stream was silent for ${seconds} seconds`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
