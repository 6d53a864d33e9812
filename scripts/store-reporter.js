// Counts the tests of a run by the store they ran on, and names those that passed only when they were tried again and the files that took longest, for
// the last lines of `npm test`.

import { writeFileSync } from 'node:fs';

const mostNamed = 25;

export default class StoreReporter {
  onTestRunEnd(modules) {
    const file = process.env.PLATFORM_TEST_COUNTS;
    if (file === undefined) return;
    const counts = {};
    const unsteady = [];
    const slowest = [];
    for (const module of modules) {
      const { project } = module;
      const version = project.getProvidedContext().postgres?.version;
      const store = version === undefined ? 'SQLite' : `PostgreSQL ${version}`;
      counts[store] ??= { passed: 0, failed: 0, skipped: 0 };
      slowest.push({ seconds: Math.round(module.diagnostic().duration / 1000), name: `${module.relativeModuleId} on ${store}` });
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state in counts[store]) counts[store][state] += 1;
        if (test.diagnostic()?.flaky) unsteady.push(`${module.relativeModuleId} on ${store}: ${test.fullName}`);
      }
    }
    slowest.sort((a, b) => b.seconds - a.seconds);
    writeFileSync(file, JSON.stringify({ counts, unsteady, slowest: slowest.slice(0, mostNamed) }));
  }
}
