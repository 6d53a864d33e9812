// How the tests run for the mutation tool: the files in the order that is told, and each that ends is written down.

import { appendFileSync } from 'node:fs';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';
import base from '../../vitest.config.ts';
import type { Ended } from './copy.ts';

const { env } = process;
const order = (env['PLATFORM_MUTATIONS_ORDER'] ?? '').split(' ');
const place = (file: string) => order.findIndex((each) => file.endsWith(each));
const limit = Number(env['PLATFORM_MUTATIONS_LIMIT'] ?? 300_000);

class AsTold extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.sort((a, b) => place(a.moduleId) - place(b.moduleId));
  }
}

class WrittenDown implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const failed = [...module.children.allTests('failed')][0]?.fullName;
    const ended: Ended = {
      project: module.project.name,
      file: module.relativeModuleId,
      seconds: module.diagnostic().duration / 1000,
      state: module.state(),
      ...(failed === undefined ? {} : { failed }),
    };
    appendFileSync(env['PLATFORM_MUTATIONS_ENDED'] ?? '', `${JSON.stringify(ended)}\n`);
  }
}

const { setupFiles = [], ...test } = base.test ?? {};
const isRecorded = env['PLATFORM_MUTATIONS_RECORD'] !== undefined;

export default {
  ...base,
  test: {
    ...test,
    setupFiles: [...(isRecorded ? ['test/mutations/recorded-setup.ts'] : []), ...[setupFiles].flat()],
    testTimeout: limit,
    hookTimeout: limit,
    sequence: { sequencer: AsTold },
    reporters: [new WrittenDown()],
  },
};
