// `npm run check`: format, lint and types of everything, and the tests of the rooms that differ from the last commit.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, root, runTool, say } from './steps.js';

/** Which tests speak of a room, besides those in the folder of its name. */
const alsoTestedBy = {
  model: ['test/language/'],
  plan: ['test/scenarios/'],
  store: ['test/contracts/', 'test/scenarios/', 'test/migrations/'],
  engine: ['test/scenarios/'],
  http: ['test/scenarios/'],
};

install();
build();
const failures = [
  runTool('@biomejs/biome/bin/biome', ['check', '.']),
  runTool('typescript/bin/tsc', ['--noEmit', '-p', '.']),
  runTool('typescript/bin/tsc', ['--noEmit', '-p', 'console']),
  runTests(testsOf(changedFiles())),
].filter((status) => status !== 0);
process.exitCode = failures.length === 0 ? 0 : 1;

function runTests(filters) {
  if (filters !== undefined && filters.length === 0) return 0;
  say(filters ? `Tests of what changed: ${filters.join(' ')}` : 'All tests');
  // On the embedded store alone where only some are asked for: the other one takes longer than a look before a commit should.
  return runTool('vitest/vitest.mjs', ['run', ...(filters === undefined ? [] : ['--project', 'sqlite', ...filters])]);
}

/** File filters for the test runner; `undefined` means all tests. */
function testsOf(files) {
  if (files === undefined) return undefined;
  const filters = new Set();
  for (const file of files) {
    const found = testsOfFile(file);
    if (found === undefined) return undefined;
    for (const each of found) filters.add(each);
  }
  return [...filters];
}

function testsOfFile(file) {
  const [top, room, ...rest] = file.split('/');
  if (/\.md$|^(LICENSE|\.gitignore)$/.test(file)) return [];
  if (top === 'test') return file.endsWith('.test.ts') ? [file] : rest.length > 0 ? [`test/${room}/`] : undefined;
  if (top === 'console') return ['test/console/'];
  if (top !== 'src' || rest.length === 0) return undefined;
  const folders = [`test/${room}/`, ...(alsoTestedBy[room] ?? [])].filter((folder) => existsSync(join(root, folder)));
  return ['test/architecture', ...folders];
}

function changedFiles() {
  const changed = git(['diff', '--name-only', 'HEAD']);
  const added = git(['ls-files', '--others', '--exclude-standard']);
  return changed === undefined || added === undefined ? undefined : [...changed, ...added];
}

function git(args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
}
