// Ports that a test gives to a process which it starts.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that a system gives to whoever asks for any, also to each connection that leaves it: one of those may be taken a moment later. */
const [lowest, above] = [10_000, 32_768];

/** A port that nobody listens at by now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, above);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const listening = once(probe, 'listening').then(
    () => true,
    (thrown: unknown) => {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE') return false;
      throw thrown;
    },
  );
  probe.listen(port, '127.0.0.1');
  const isListening = await listening;
  await new Promise((resolve) => probe.close(resolve));
  return isListening;
}
