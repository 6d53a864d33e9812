// A way to a server that can be closed and opened again, as a network or a server comes and goes.

import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Proxy {
  readonly port: number;
  /** Cuts every connection, and refuses new ones. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** Closed at first. */
export async function proxyTo(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    const beyond = dial(target, '127.0.0.1');
    keep(socket);
    keep(beyond);
    socket.pipe(beyond).pipe(socket);
  });
  const port = await listen(server, 0);
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  await close();
  onTestFinished(close);
  return { port, close, open: async () => void (await listen(server, port)) };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
