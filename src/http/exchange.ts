// A request and its answer as plain data, free of any framework: what dispatch takes and gives, with or without a socket.

import type { Reservation } from '../memory-budget.ts';

export interface HttpRequest {
  readonly method: string;
  /** As sent: not decoded, without the query. */
  readonly path: string;
  /** As sent, without the `?`; empty when there is none. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Absent when empty. */
  readonly body: Buffer | undefined;
  readonly id: string;
  /** The caller's address; of an IPv6 one, the network. */
  readonly remote: string;
  /** Aborted when the caller goes away before the answer is complete. */
  readonly signal?: AbortSignal;
  /** What it holds in memory, until its answer has been sent; opened when it is first asked for. */
  readonly memory?: Reservation;
}

/** Pieces of a body. */
export interface Pieces<T> {
  [Symbol.asyncIterator](): PieceIterator<T>;
}

export interface PieceIterator<T> extends AsyncIterator<T> {
  /**
   * Gives each piece to `take` when it comes, without being asked for it, until that says that there is no room for more, or nothing comes any more:
   * then it resolves, and the next piece is asked for again. Nothing where a piece is there already.
   */
  flow?(take: (piece: T) => boolean): Promise<void> | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** An iterable is streamed; when it fails in the middle, the connection is cut. */
  readonly body: string | Buffer | Pieces<string> | undefined;
  /** In place of a body: what is streamed as it is, and is no text. */
  readonly bytes?: Pieces<Buffer>;
}

export type Respond = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
