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

/** RFC 9562, method 1 of 6.2: a counter in the 12 bits after the time, so that two identifiers of one millisecond keep their order. */
export function uuidSource(milliseconds: () => number): () => string {
  const pool = new Uint8Array(2048);
  let used = pool.length;
  let lastTime = 0;
  let counter = 0;
  return () => {
    if (used + 8 > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const random = pool.subarray(used, used + 8);
    used += 8;
    const time = milliseconds();
    if (time > lastTime) {
      lastTime = time;
      counter = ((random[0] ?? 0) << 2) | ((random[1] ?? 0) >> 6);
    } else {
      counter += 1;
      // More than the counter holds within one millisecond (or a clock that went back): borrow from the next one.
      if (counter > 0xfff) [lastTime, counter] = [lastTime + 1, 0];
    }
    return layout(lastTime, counter, random);
  };
}

function layout(time: number, counter: number, random: Uint8Array): string {
  const clock = time.toString(16).padStart(12, '0');
  const byte = (index: number) => hex[random[index] ?? 0] ?? '00';
  const variant = hex[((random[0] ?? 0) & 0x3f) | 0x80] ?? '80';
  const tail = `${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`;
  return `${clock.slice(0, 8)}-${clock.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${byte(1)}-${tail}`;
}
