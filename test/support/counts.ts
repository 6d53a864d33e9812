// How often a test does what is a matter of counts. A long run does all of it; else most is asked of the embedded store, and of PostgreSQL, where
// everything takes twice as long, as much as shows that it says the same.

import { storeOfRun } from './store.ts';

export const isLong = process.env['PLATFORM_TEST_LONG'] !== undefined;

export function counted({
  long,
  short,
  postgres = short,
}: {
  readonly long: number;
  readonly short: number;
  readonly postgres?: number;
}): number {
  if (isLong) return long;
  return storeOfRun() === 'postgres' ? postgres : short;
}

/** Some of them: every so many-th, beginning where it is said. */
export function everyNth<T>(all: readonly T[], nth: number, begin = 0): readonly T[] {
  return all.filter((_, at) => (at + begin) % nth === 0);
}
