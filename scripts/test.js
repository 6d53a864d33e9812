// `npm test`: installs and builds what is missing, then runs every check and every test. `--long` runs the long form.
// Other arguments go to the test runner (a file name, `-t <title>`). The last line is `N passed, N failed`.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, runTool, say } from './steps.js';

const isLong = process.argv.includes('--long');
const runnerArguments = process.argv.slice(2).filter((each) => each !== '--long');
const isWhole = runnerArguments.length === 0 && !isLong;
const isCi = Boolean(process.env.CI);

/** Minutes of processor time that the whole short form may take: who adds to it takes something away, or gives it to the long form. */
const mostMinutes = 20;

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
const { status, summary } = runTests();
const counts = Object.values(summary.stores);
const sum = (name) => counts.reduce((total, each) => total + each[name], 0);
const faults = failedChecks.map(([title, tool]) => `${title} (${tool})`);

say('');
for (const { cpu, name } of summary.files) say(`${seconds(cpu)} of processor time: ${name}`);
for (const { cpu, name } of summary.tests) say(`one test took ${seconds(cpu)}: ${name}`);
for (const [store, each] of Object.entries(summary.stores)) {
  const left = each.notDrawn > 0 ? `; ${each.notDrawn} not drawn by the seed (npm run test:long runs them all)` : '';
  say(`on ${store}: ${each.passed} passed, ${each.failed} failed, ${each.skipped} skipped${left}`);
}
say(`seed ${summary.seed} (PLATFORM_TEST_SEED)`);
for (const { part, tests, how } of summary.missing) {
  say(`LEFT OUT for want of ${part}: ${tests}. To get it: ${how}.`);
  if (isCi) faults.push(`${part} is missing, and CI is set`);
}
const minutes = minutesOfChildren();
if (minutes !== undefined) {
  say(`${minutes.toFixed(1)} minutes of processor time${isWhole ? `, of at most ${mostMinutes}` : ''}`);
  if (isWhole && minutes > mostMinutes) faults.push(`it took more than ${mostMinutes} minutes of processor time`);
}
if (status !== 0 && sum('failed') === 0) faults.push('the test runner');
for (const each of summary.failures) say(`FAILED, to repeat: ${each}`);
for (const each of faults) say(`FAILED: ${each}`);

// A check counts as one test, so that "0 failed" is said only when all is well.
const passed = sum('passed') + checks.length - failedChecks.length;
const failed = sum('failed') + faults.length;
const skipped = sum('skipped') + sum('notDrawn');
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = failed === 0 ? 0 : 1;

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'platform-test-'));
  const file = join(folder, 'summary.json');
  const env = { ...process.env, PLATFORM_TEST_SUMMARY: file, ...(isLong ? { PLATFORM_TEST_LONG: '1' } : {}) };
  const reporters = ['--reporter=default', '--reporter=./test/support/reporter.ts'];
  try {
    const ended = runTool('vitest/vitest.mjs', ['run', ...reporters, ...runnerArguments], { env });
    return { status: ended, summary: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    say(`The test runner left no summary: ${error.message}`);
    return { status: 1, summary: { stores: {}, seed: '', files: [], tests: [], failures: [], missing: [] } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the checks, the tests and all their processes took; only Linux says it. */
function minutesOfChildren() {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100 / 60;
}

function seconds(cpu) {
  return `${cpu.toFixed(1)} s`;
}
