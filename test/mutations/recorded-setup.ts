// Before every test file of a recorded run: says whose the regions are that are entered from now on.

import { beforeAll } from 'vitest';

declare global {
  var __beforeUnit: (() => void) | undefined;
  var __beginUnit: ((name: string) => void) | undefined;
}

globalThis.__beforeUnit?.();
// biome-ignore lint/correctness/noEmptyPattern: the runner reads from it which fixtures the hook needs.
beforeAll(({}, { file }) => {
  globalThis.__beginUnit?.(`${file.projectName} ${file.name}`);
});
