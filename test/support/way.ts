// A way to a database server that can be closed, led elsewhere, cut, reset, made silent and made slow, as networks are.

import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { pause } from './time.ts';

export interface Way {
  readonly port: number;
  /** New connections go there; those that are open stay as they are. */
  lead(target: number): void;
  /** Ends every open connection. */
  cut(): void;
  /** The same, as a machine does that has forgotten about them. */
  reset(): void;
  /** Nothing gets through any more, and nobody is told; what is held back comes when it speaks again. */
  silence(isSilent: boolean): void;
  /** So many bytes at a time, each so many milliseconds later; 0 for all at once. */
  slow(bytes: number, delay: number): void;
  /** Ends every open connection, and refuses new ones until it is opened again. */
  close(): Promise<void>;
  open(): Promise<void>;
}

interface State {
  target: number;
  isSilent: boolean;
  bytes: number;
  delay: number;
}

export async function wayTo(target: number): Promise<Way> {
  const state: State = { target, isSilent: false, bytes: 0, delay: 0 };
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
  };
  const server = createServer((socket) => {
    const beyond = dial(state.target, '127.0.0.1');
    for (const each of [socket, beyond]) keep(each);
    carry(socket, beyond, state);
    carry(beyond, socket, state);
  });
  const port = await listen(server, 0);
  return {
    port,
    lead(next) {
      state.target = next;
    },
    cut() {
      for (const each of open) each.destroy();
    },
    reset() {
      for (const each of open) each.resetAndDestroy();
    },
    silence(isSilent) {
      state.isSilent = isSilent;
      if (!isSilent) for (const each of open) each.resume();
    },
    slow(bytes, delay) {
      Object.assign(state, { bytes, delay });
    },
    async close() {
      for (const each of open) each.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
    open: async () => void (await listen(server, port)),
  };
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

/** One direction: pieces follow each other, however long each takes. */
function carry(from: Socket, to: Socket, state: State): void {
  const queue = { last: Promise.resolve() };
  from.on('data', (piece: Buffer) => {
    if (state.isSilent) {
      from.pause();
      from.unshift(piece);
      return;
    }
    queue.last = queue.last.then(() => send(piece, to, state));
  });
  from.on('close', () => to.destroy());
}

async function send(piece: Buffer, to: Socket, { bytes, delay }: State): Promise<void> {
  const size = bytes === 0 ? piece.length : bytes;
  if (delay > 0) await pause(delay);
  for (let at = 0; at < piece.length; at += size) {
    if (to.destroyed) return;
    to.write(piece.subarray(at, at + size));
    if (bytes > 0) await new Promise(setImmediate);
  }
}
