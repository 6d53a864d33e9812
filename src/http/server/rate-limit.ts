// How many requests one address may make in a while: a fixed window per address, in a map of bounded size.

import type { RateLimit } from './limits.ts';

/** Seconds until the address may try again, 0 when it may go on. */
export type RateGate = (address: string, nowMs: number) => number;

export function rateGate({ max, window }: RateLimit, mostAddresses = 100_000): RateGate {
  const windows = new Map<string, { count: number; readonly end: number }>();
  return (address, nowMs) => {
    const current = windows.get(address);
    if (current !== undefined && nowMs < current.end) {
      current.count += 1;
      return current.count <= max ? 0 : (current.end - nowMs) / 1000;
    }
    // A new window goes to the end of the map, so that the first entry is always the one that ends first.
    windows.delete(address);
    if (windows.size >= mostAddresses) dropFirst(windows);
    windows.set(address, { count: 1, end: nowMs + window * 1000 });
    return max >= 1 ? 0 : window;
  };
}

function dropFirst(windows: Map<string, unknown>): void {
  for (const address of windows.keys()) {
    windows.delete(address);
    return;
  }
}
