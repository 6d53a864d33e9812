// A clock for tests: it stands still until somebody sets it, and gives the same identifiers in every run.

import { type Clock, uuidSource } from '../../src/clock.ts';

export interface TestClock extends Clock {
  /** Milliseconds. */
  advance(by: number): void;
}

export function testClock(start = '2026-01-02T03:04:05.678Z'): TestClock {
  let time = Date.parse(start);
  return {
    now: () => new Date(time),
    uuid: uuidSource(() => time),
    advance(by) {
      time += by;
    },
  };
}
