// Before every test file: which of its tests are part of this run, what properties draw, and what processor time each test takes.

import fc from 'fast-check';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { cpuSeconds } from './support/cpu.ts';
import { isDrawn, notDrawn, seed } from './support/form.ts';

fc.configureGlobal({ seed });

const atStart = cpuSeconds();
let before = 0;
beforeEach(({ task, skip }) => {
  before = cpuSeconds();
  if (!isDrawn(task.file.name, task.fullTestName)) skip(notDrawn);
});
afterEach(({ task }) => {
  Object.assign(task.meta, { cpu: cpuSeconds() - before });
});
// biome-ignore lint/correctness/noEmptyPattern: the runner reads from it which fixtures the hook needs.
afterAll(({}, suite) => {
  Object.assign(suite.meta, { cpu: cpuSeconds() - atStart });
});
