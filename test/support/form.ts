// The two forms of a run, in one place: what the short one (`npm test`) leaves to the long one (`npm run test:long`), and what the seed of a run draws.

import { storeOfRun } from './store.ts';

/** Large counts, every test on both stores, and the files `*.long.test.ts`. */
export const isLong = process.env['PLATFORM_TEST_LONG'] === '1';

/** Set by vitest.config.ts: it changes with the commit, and is printed at the end of a run. */
export const seed = Number(process.env['PLATFORM_TEST_SEED'] ?? 1);

interface Counts {
  readonly long: number;
  readonly short: number;
  readonly postgres?: number;
}

/** How often a test does what is a matter of counts. PostgreSQL, where everything takes twice as long, is asked as much as shows that it says the same. */
export function counted({ long, short, postgres = short }: Counts): number {
  if (isLong) return long;
  return storeOfRun() === 'postgres' ? postgres : short;
}

/** All in the long form, else every so many-th, beginning where the seed says. */
export function sampled<T>(all: readonly T[], nth: number, begin = seed): readonly T[] {
  return isLong ? all : everyNth(all, nth, begin);
}

/** Some of them: every so many-th, beginning where it is said. */
export function everyNth<T>(all: readonly T[], nth: number, begin = 0): readonly T[] {
  return all.filter((_, at) => (at + begin) % nth === 0);
}
