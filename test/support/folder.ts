// Folders for tests: in memory where the system has such a place, so that a test does not wait for a disk.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const memory = '/dev/shm';

export function temporaryFolder(): string {
  return mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'platform-test-'));
}

/** A folder that goes when the test ends, after everything that was opened in it. */
export function folderForTest(): string {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
