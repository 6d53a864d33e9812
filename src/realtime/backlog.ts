// How much may wait for those who read: for each stream, and room for what one batch of changes brings at once, which comes faster than anybody reads.

import { error, type PlatformError } from '../errors.ts';
import type { Value } from '../values/value.ts';

/** Bytes that may wait for a caller who reads slowly. */
export const mostWaiting = 256 * 1024;

/** Bytes of one stream, of those of one client, and of all. */
const mostOfStream = 4 * 1024 * 1024;
const mostOfClient = 16 * 1024 * 1024;
const mostOfAll = 32 * 1024 * 1024;

export class BurstRoom {
  readonly #byClient = new Map<string, number>();
  #held = 0;

  /** For more of a stream that holds so much already; nothing is taken where there is no room. */
  take(client: string, bytes: number, held: number): boolean {
    const ofClient = (this.#byClient.get(client) ?? 0) + bytes;
    if (held + bytes > mostOfStream || ofClient > mostOfClient || this.#held + bytes > mostOfAll) return false;
    this.#byClient.set(client, ofClient);
    this.#held += bytes;
    return true;
  }

  give(client: string, bytes: number): void {
    const left = (this.#byClient.get(client) ?? 0) - bytes;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
    this.#held -= bytes;
  }
}

/** What waits for one stream's caller. */
export class WaitingEvents<Event extends { readonly data: string }> {
  readonly #room: BurstRoom;
  readonly #client: string;
  readonly #events: Event[] = [];
  #bytes = 0;
  /** Of these, bytes that came at once: as many more may wait. */
  #burst = 0;

  constructor(room: BurstRoom, client: string) {
    this.#room = room;
    this.#client = client;
  }

  get count(): number {
    return this.#events.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether there is room for one more; one that is larger by itself has it all the same. */
  hasRoomFor(event: Event, isBurst: boolean): boolean {
    const bytes = sizeOf(event);
    if (this.#events.length === 0 || this.#bytes - this.#burst + bytes <= mostWaiting) return true;
    if (!isBurst || !this.#room.take(this.#client, bytes, this.#burst)) return false;
    this.#burst += bytes;
    return true;
  }

  add(event: Event): void {
    this.#events.push(event);
    this.#bytes += sizeOf(event);
  }

  take(): Event | undefined {
    const event = this.#events.shift();
    if (event === undefined) return undefined;
    this.#bytes -= sizeOf(event);
    if (this.#burst > 0) this.#give(Math.min(sizeOf(event), this.#burst));
    return event;
  }

  clear(): void {
    this.#events.length = 0;
    this.#bytes = 0;
    this.#give(this.#burst);
  }

  #give(bytes: number): void {
    this.#burst -= bytes;
    this.#room.give(this.#client, bytes);
  }
}

/** What a change of rights, or of what a filter asks for, has made of a row. */
export interface VisibilityEvent {
  readonly event: 'gone' | 'create';
  readonly data: string;
  readonly key: string;
  readonly value: Value;
}

/** Nobody goes on in the middle of it: more than may wait is never told as a whole, and whoever watches begins anew. */
export class VisibilityEvents {
  readonly all: VisibilityEvent[] = [];
  #size = 0;

  add(event: VisibilityEvent): void {
    this.#size += sizeOf(event);
    if (this.#size > mostWaiting) throw error('cursor-expired', { detail: 'Too many instances came or went at once; begin anew.' });
    this.all.push(event);
  }
}

export function notRead(): PlatformError {
  return error('service-busy', { detail: 'The stream was not read as fast as instances changed; it may be resumed.' });
}

export function sizeOf({ data }: { readonly data: string }): number {
  return data.length + 100;
}
