// `npm test`: installs and builds what is missing, then runs every check and every test. `--long` runs the heavy batteries.
// Other arguments go to the test runner (a file name, `-t <title>`). The last line is `N passed, N failed`.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, runTool, say } from './steps.js';

const isLong = process.argv.includes('--long');
const runnerArguments = process.argv.slice(2).filter((each) => each !== '--long');

install();
build();

const checks = [
  ['format and lint', 'biome', () => runTool('@biomejs/biome/bin/biome', ['check', '.'])],
  ['types', 'tsc', () => runTool('typescript/bin/tsc', ['--noEmit', '-p', '.'])],
  ['types of the console', 'tsc', () => runTool('typescript/bin/tsc', ['--noEmit', '-p', 'console'])],
  ['dead code', 'knip', () => runTool('knip/bin/knip.js', ['--no-progress'])],
];
const failedChecks = checks.filter(([title, tool, run]) => {
  say(`\n— ${title} (${tool})`);
  return run() !== 0;
});

say('\n— tests (vitest)');
const tests = runTests();
for (const [title, tool] of failedChecks) say(`FAILED: ${title} (${tool})`);

for (const { seconds, name } of tests.slowest) say(`${seconds} s: ${name}`);
for (const title of tests.unsteady) say(`PASSED ONLY WHEN TRIED AGAIN: ${title}`);
for (const [store, each] of Object.entries(tests.stores)) say(`on ${store}: ${each.passed} passed, ${each.failed} failed`);

// A check counts as one test, so that "0 failed" is said only when all is well.
const passed = tests.passed + checks.length - failedChecks.length;
const failed = tests.failed + failedChecks.length;
process.stdout.write(`\n${passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ''}\n`);
process.exitCode = failed === 0 ? 0 : 1;

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'platform-test-'));
  const report = join(folder, 'report.json');
  const counts = join(folder, 'counts.json');
  const env = { ...process.env, PLATFORM_TEST_COUNTS: counts, ...(isLong ? { PLATFORM_TEST_LONG: '1' } : {}) };
  const reporters = ['--reporter=default', '--reporter=./scripts/store-reporter.js', '--reporter=json', `--outputFile.json=${report}`];
  try {
    // What a loaded machine does to one test in ten thousand is told, and is no reason to run all of them again; a fault fails twice.
    const status = runTool('vitest/vitest.mjs', ['run', '--retry=1', ...reporters, ...runnerArguments], { env });
    const { counts: stores, unsteady, slowest } = JSON.parse(readFileSync(counts, 'utf8'));
    return { ...count(JSON.parse(readFileSync(report, 'utf8')), status), stores, unsteady, slowest };
  } catch (error) {
    say(`The test runner left no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0, stores: {}, unsteady: [], slowest: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function count(report, status) {
  // A file that cannot even be imported has no tests to count.
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const failed = report.numFailedTests + broken;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
