// Ports that a test gives to a process which it starts.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports of the system: an outgoing connection may take one of those at any moment. */
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
