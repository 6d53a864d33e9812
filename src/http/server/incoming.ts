// A request as it comes from the socket: read lazily where that saves work, and refused where it breaks a limit.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { error, type PlatformError } from '../../errors.ts';
import { countedFrom, type MemoryBudget, type Reservation } from '../../memory-budget.ts';
import type { HttpRequest } from '../exchange.ts';
import type { Activity } from './connections.ts';
import type { ServerLimits } from './limits.ts';
import { clientNetwork } from './network.ts';

/** What all requests of a server have in common. */
export interface ReceiveOptions {
  readonly trustProxy: boolean;
  readonly budget: MemoryBudget;
}

// A class for its getters on one shared shape: most requests never ask for their signal, memory or address.
export class Incoming implements HttpRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly id: string;
  readonly started: number;
  readonly activity: Activity;
  readonly #reception: ReceiveOptions;
  #signal: AbortSignal | undefined;
  #memory: Reservation | undefined;
  #isAnswered = false;
  body: Buffer | undefined;

  constructor(raw: IncomingMessage, response: ServerResponse, target: string, id: string, activity: Activity, reception: ReceiveOptions) {
    this.raw = raw;
    this.response = response;
    const origin = target.startsWith('/') ? 0 : afterAuthority(target);
    const mark = target.indexOf('?', origin);
    this.path = mark === -1 ? target.slice(origin) : target.slice(origin, mark);
    this.query = mark === -1 ? '' : target.slice(mark + 1);
    // HEAD is GET whose answer is not sent: nobody behind the server needs to know of it.
    this.method = raw.method === 'HEAD' ? 'GET' : (raw.method ?? '');
    this.id = id;
    this.started = performance.now();
    this.activity = activity;
    this.#reception = reception;
    this.body = undefined;
    this.#signal = undefined;
    this.#memory = undefined;
  }

  get headers(): IncomingMessage['headers'] {
    return this.raw.headers;
  }

  get remote(): string {
    const forwarded = this.#reception.trustProxy ? this.raw.headers['x-forwarded-for'] : undefined;
    const last = typeof forwarded === 'string' ? forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() : '';
    return last === '' ? this.activity.network : clientNetwork(last);
  }

  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal;
    const controller = new AbortController();
    const { response } = this;
    if (response.destroyed) controller.abort();
    else response.once('close', () => response.writableFinished || controller.abort());
    this.#signal = controller.signal;
    return controller.signal;
  }

  get memory(): Reservation {
    if (this.#memory !== undefined) return this.#memory;
    const memory = this.#reception.budget.open();
    // What is done after the answer holds nothing for it: nobody would give it back.
    if (this.#isAnswered) memory.release();
    this.#memory = memory;
    return memory;
  }

  get holdsMemory(): boolean {
    return this.#memory !== undefined && this.#memory.bytes > 0;
  }

  /** From now on it holds its answer alone, which is there: it is sent whether there is room for it or not. */
  holdAnswer(bytes: number): void {
    if (bytes > countedFrom) this.memory.grow(bytes);
    this.#memory?.shrink(bytes);
  }

  /** To be called when all of the answer was made: what is not sent yet is held until it is, or nobody is there to take it. */
  releaseWhenSent(): void {
    const memory = this.#memory;
    this.#isAnswered = true;
    if (memory === undefined) return;
    if (this.response.destroyed) memory.release();
    else this.response.once('close', () => memory.release());
  }
}

/** What makes a request unacceptable before anything of it is looked at: its size and its shape. */
export function refusal(request: Incoming, target: string, limits: ServerLimits): PlatformError | undefined {
  if (target.length > limits.url) return error('url-too-long');
  if (request.raw.httpVersionMajor !== 1) return error(request.raw.httpVersionMajor < 1 ? 'request-unreadable' : 'version-unsupported');
  if (request.raw.httpVersionMinor > 0 && request.raw.headers.host === undefined)
    return error('request-unreadable', { detail: 'A request says which host it is for.' });
  const coding = request.raw.headers['transfer-encoding'];
  // One that does not end in chunked is refused by the parser.
  if (coding !== undefined && /,\s*chunked$/i.test(coding)) return error('coding-unsupported');
  if (!request.path.startsWith('/') && !(request.path === '*' && request.method === 'OPTIONS')) return error('request-unreadable');
  return headersRefusal(request.raw.rawHeaders, limits);
}

export function requestIds(random: string): (given: string | string[] | undefined) => string {
  let count = 0;
  return (given) => {
    if (typeof given === 'string' && acceptableId.test(given)) return given;
    count += 1;
    return `${random}-${count.toString(36)}`;
  };
}

const acceptableId = /^[\w.:-]{1,64}$/;

/** `http://host/path` → where its path begins. */
function afterAuthority(target: string): number {
  const scheme = target.indexOf('://');
  const slash = scheme === -1 ? -1 : target.indexOf('/', scheme + 3);
  return Math.max(0, slash);
}

/** Names and values alternate in `raw`. A second one of these would let two readers see two different requests. */
function headersRefusal(raw: readonly string[], limits: ServerLimits): PlatformError | undefined {
  if (raw.length > limits.headerCount * 2) return error('headers-too-large');
  let bytes = 0;
  let single = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    bytes += name.length + (raw[at + 1] ?? '').length + 4;
    const bit = singleHeader(name);
    if ((single & bit) !== 0) return error('request-unreadable', { detail: 'A header that may stand once stands twice.' });
    single |= bit;
  }
  return bytes > limits.headers ? error('headers-too-large') : undefined;
}

function singleHeader(name: string): number {
  if (name.length === 4) return name.toLowerCase() === 'host' ? 1 : 0;
  if (name.length === 12) return name.toLowerCase() === 'content-type' ? 2 : 0;
  if (name.length === 13) return name.toLowerCase() === 'authorization' ? 4 : 0;
  if (name.length === 15) return name.toLowerCase() === 'idempotency-key' ? 8 : 0;
  if (name.length === 6) return name.toLowerCase() === 'origin' ? 16 : 0;
  return 0;
}
