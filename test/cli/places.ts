// The folders and the processes of a file of tests: made as they are needed, gone when its tests end.

import { afterAll, afterEach } from 'vitest';
import { type Running, type Workspace, workspace } from './harness.ts';

export interface Places {
  open(files?: Readonly<Record<string, string>>): Workspace;
  /** Ended after the test that started it. */
  started(service: Running): Running;
}

/** To be called once, outside of all tests. */
export function places(): Places {
  const opened: Workspace[] = [];
  const running: Running[] = [];
  afterEach(async () => {
    for (const each of running.splice(0)) {
      each.child.kill('SIGKILL');
      await each.exit;
    }
  });
  afterAll(() => {
    for (const each of opened) each.remove();
  });
  return {
    open(files = {}) {
      const made = workspace(files);
      opened.push(made);
      return made;
    },
    started(service) {
      running.push(service);
      return service;
    },
  };
}
