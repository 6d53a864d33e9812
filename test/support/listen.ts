// Small servers that tests put beside the service: each on a free port of this machine.

import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens until the test ends; its port. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const port = await listenUntilClosed(server, { host });
  onTestFinished(() => {
    disconnect(server);
    server.close();
  });
  return port;
}

/** As `listen`, and the caller closes it. */
export async function listenUntilClosed(server: Server, { host = '127.0.0.1', port = 0 } = {}): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Resolves when nobody can reach it any more. */
export async function closed(server: Server): Promise<void> {
  disconnect(server);
  await new Promise((resolve) => server.close(resolve));
}

/** Connections that are kept open would hold up the end of an HTTP server. */
function disconnect(server: Server): void {
  if (server instanceof HttpServer || server instanceof HttpsServer) server.closeAllConnections();
}
