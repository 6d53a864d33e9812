// `npm test`: installs and builds what is missing, then runs every check and every test. `--long` runs the long form, on this runtime and on Node 24;
// `--node=24` on that alone. Other arguments go to the test runner (a file name, `-t <title>`). The last line is `N passed, N failed`.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { node24 } from './node24.js';
import { build, install, runTool, say } from './steps.js';

const isLong = process.argv.includes('--long');
const is24Alone = process.argv.includes('--node=24');
const runnerArguments = process.argv.slice(2).filter((each) => each !== '--long' && each !== '--node=24');
const isWhole = runnerArguments.length === 0 && !isLong;
const isCi = Boolean(process.env.CI);

/**
 * Minutes of processor time that the whole short form may take: who adds to it takes something away, or gives it to the long form. Where processors are
 * shared with others, the same work counts as up to twice as much, and `PLATFORM_TEST_MINUTES` says how much it may be there.
 */
const mostMinutes = Number(process.env.PLATFORM_TEST_MINUTES ?? 20);
const mostFiles = 10;

install();
build();

const checks = [
  ['format and lint', 'biome', () => runTool('@biomejs/biome/bin/biome', ['check', '.'])],
  // Each checker more finds out for itself what all of them need, which takes longer than it saves.
  ['types', 'tsc', () => runTool('typescript/bin/tsc', ['--noEmit', '-p', '.', '--checkers', '1'])],
  ['types of the console', 'tsc', () => runTool('typescript/bin/tsc', ['--noEmit', '-p', 'console'])],
  ['dead code', 'knip', () => runTool('knip/bin/knip.js', ['--no-progress'])],
];
const failedChecks = checks.filter(([title, tool, run]) => {
  say(`\n— ${title} (${tool})`);
  return run() !== 0;
});

const runs = runtimes().map((program) => {
  say(`\n— tests (vitest, Node ${versionOf(program)})`);
  return runTests(program);
});
const counts = runs.flatMap(({ summary }) => Object.values(summary.stores));
const sum = (name) => counts.reduce((total, each) => total + each[name], 0);
const faults = failedChecks.map(([title, tool]) => `${title} (${tool})`);

for (const { summary, runtime, minutes } of runs) {
  say('');
  for (const { cpu, name } of summary.files.slice(0, mostFiles)) say(`${seconds(cpu)} of processor time: ${name}`);
  for (const { cpu, name } of summary.tests) say(`one test took ${seconds(cpu)}: ${name}`);
  for (const [store, each] of Object.entries(summary.stores)) {
    const left = each.notDrawn > 0 ? `; ${each.notDrawn} not drawn by the seed (npm run test:long runs them all)` : '';
    say(`on ${store}, Node ${runtime}: ${each.passed} passed, ${each.failed} failed, ${each.skipped} skipped${left}`);
  }
  say(`${minutes.toFixed(1)} minutes, seed ${summary.seed} (PLATFORM_TEST_SEED)`);
  for (const each of summary.failures) say(`FAILED, to repeat: ${each}`);
}
for (const { part, tests, how } of runs[0].summary.missing) {
  say(`LEFT OUT for want of ${part}: ${tests}. To get it: ${how}.`);
  if (isCi) faults.push(`${part} is missing, and CI is set`);
}
const minutes = minutesOfChildren();
if (minutes !== undefined) {
  say(`${minutes.toFixed(1)} minutes of processor time${isWhole ? `, of at most ${mostMinutes}` : ''}`);
  if (isWhole && minutes > mostMinutes) faults.push(`it took more than ${mostMinutes} minutes of processor time`);
}
if (runs.some(({ status }) => status !== 0) && sum('failed') === 0) faults.push('the test runner');
for (const each of faults) say(`FAILED: ${each}`);

// A check counts as one test, so that "0 failed" is said only when all is well.
const passed = sum('passed') + checks.length - failedChecks.length;
const failed = sum('failed') + faults.length;
const skipped = sum('skipped') + sum('notDrawn');
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
process.exitCode = failed === 0 ? 0 : 1;

function runtimes() {
  if (is24Alone) return [node24()];
  return isLong && !process.version.startsWith('v24.') ? [process.execPath, node24()] : [process.execPath];
}

function versionOf(program) {
  return spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
}

function runTests(program) {
  const started = Date.now();
  const runtime = versionOf(program);
  const minutes = () => (Date.now() - started) / 60_000;
  const folder = mkdtempSync(join(tmpdir(), 'platform-test-'));
  const file = join(folder, 'summary.json');
  // The commands that tests start by name are those of the same runtime.
  const path = `${dirname(program)}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH: path, PLATFORM_TEST_SUMMARY: file, ...(isLong ? { PLATFORM_TEST_LONG: '1' } : {}) };
  const reporters = ['--reporter=default', '--reporter=./test/support/reporter.ts'];
  try {
    const ended = runTool('vitest/vitest.mjs', ['run', ...reporters, ...runnerArguments], { env, program });
    return { status: ended, summary: JSON.parse(readFileSync(file, 'utf8')), runtime, minutes: minutes() };
  } catch (error) {
    say(`The test runner left no summary: ${error.message}`);
    const summary = { stores: {}, seed: '', files: [], tests: [], failures: [], missing: [] };
    return { status: 1, summary, runtime, minutes: minutes() };
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
