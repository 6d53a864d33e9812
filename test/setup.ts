// Before every test file: properties draw what the seed of the run says, and each test tells what processor time it took.

import fc from 'fast-check';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { cpuSeconds } from './support/cpu.ts';
import { seed } from './support/form.ts';

const atStart = cpuSeconds();
let before = 0;
beforeEach(() => {
  before = cpuSeconds();
});
afterEach(({ task }) => {
  Object.assign(task.meta, { cpu: cpuSeconds() - before });
});
// biome-ignore lint/correctness/noEmptyPattern: the runner reads from it which fixtures the hook needs.
afterAll(({}, suite) => {
  Object.assign(suite.meta, { cpu: cpuSeconds() - atStart });
});

fc.configureGlobal({ seed });
