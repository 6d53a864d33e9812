// One keep-alive connection of the load generator: a request, its whole answer, the next request. Raw, to cost little beside the server.

import { createConnection, type Socket } from 'node:net';

export class Connection {
  readonly #socket: Socket;
  #answered: ((status: number) => void) | undefined;
  #failed: ((failure: Error) => void) | undefined;
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  /** Bytes of the body that are still to come; -1 while the head is awaited, -2 when chunks say where it ends. */
  #left = -1;
  #tail = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    socket.on('error', (failure) => this.#failed?.(failure));
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** Calls back with the status when the whole answer has come. */
  send(request: Buffer, answered: (status: number) => void, failed: (failure: Error) => void): void {
    this.#answered = answered;
    this.#failed = failed;
    this.#socket.write(request);
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#left === awaitsHead) this.#readHead(this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]));
    else this.#readBody(chunk);
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf('\r\n\r\n');
    this.#head = bytes;
    if (end === -1) return;
    const head = bytes.toString('latin1', 0, end);
    this.#head = empty;
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#left = length === undefined ? inChunks : Number(length);
    this.#tail = '';
    this.#readBody(bytes.subarray(end + 4));
  }

  #readBody(bytes: Buffer): void {
    if (this.#left === inChunks) {
      // JSON holds no line breaks, so that only the end of a chunked answer looks like this.
      this.#tail = `${this.#tail}${bytes.toString('latin1', Math.max(0, bytes.length - lastChunk.length))}`.slice(-lastChunk.length);
      if (this.#tail === lastChunk) this.#finish();
      return;
    }
    this.#left -= bytes.length;
    if (this.#left === 0) this.#finish();
  }

  #finish(): void {
    this.#left = awaitsHead;
    this.#answered?.(this.#status);
  }
}

const awaitsHead = -1;
const inChunks = -2;
const lastChunk = '0\r\n\r\n';
const empty = Buffer.alloc(0);
