// The two effects that everyone is tempted to call directly: the time, and fresh identifiers.

import { randomFillSync } from 'node:crypto';

export interface Clock {
  now(): Date;
  /** UUID version 7, growing within a process, so that the order of identifiers is that of creation. */
  uuid(): string;
}

export function systemClock(): Clock {
  const now = () => new Date();
  return { now, uuid: uuidSource(() => Date.now()) };
}

/** What a clock on the server's wall shows, without a zone. */
export function localTime(now: Date): string {
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}

/** Of a moment as text, what a date or a time keeps. */
export function timeAs(kind: string, text: string): string {
  if (kind === 'date') return text.slice(0, 10);
  return kind === 'time' ? text.slice(11, 23) : text;
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const digits = '0123456789abcdef';
/** Random digits of one identifier, and how many of them are drawn at once, in bytes. */
const drawn = { digits: 20, bytes: 4000 } as const;

/** RFC 9562, method 1 of 6.2: a counter in the 12 bits after the time, so that two identifiers of one millisecond keep their order. */
export function uuidSource(milliseconds: () => number): () => string {
  const pool = Buffer.alloc(drawn.bytes);
  let random = '';
  let used = 0;
  let lastTime = -1;
  let start = '';
  let counter = 0;
  return () => {
    if (used + drawn.digits > random.length) {
      random = randomFillSync(pool).toString('hex');
      used = 0;
    }
    const at = used;
    used += drawn.digits;
    const time = milliseconds();
    if (time > lastTime) {
      start = startOf(time);
      lastTime = time;
      counter = Number.parseInt(random.slice(at, at + 3), 16) >> 2;
    } else {
      counter += 1;
      // More than the counter holds within one millisecond (or a clock that went back): borrow from the next one.
      if (counter > 0xfff) {
        [lastTime, counter] = [lastTime + 1, 0];
        start = startOf(lastTime);
      }
    }
    const variant = digits[8 | (Number.parseInt(random.charAt(at + 3), 16) & 3)];
    return `${start}${hex[counter >> 4]}${digits[counter & 15]}-${variant}${random.slice(at + 4, at + 7)}-${random.slice(at + 7, at + 19)}`;
  };
}

/** The time, and the version. */
function startOf(time: number): string {
  const clock = time.toString(16).padStart(12, '0');
  return `${clock.slice(0, 8)}-${clock.slice(8)}-7`;
}
