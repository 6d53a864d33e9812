// How the tests run: separate processes, generous time-outs (a busy machine is not a failure), on both stores. What of them is left to the long form says
// test/support/form.ts.

import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { isLong } from './test/support/form.ts';
import { threadBundles } from './test/support/thread-bundles.ts';

/** What random operations are drawn from: `PLATFORM_TEST_SEED`, else the commit, so that each commit tries others. */
const seed = process.env['PLATFORM_TEST_SEED'] ?? String(seedOfCommit());

function seedOfCommit(): number {
  try {
    return Number.parseInt(execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).slice(0, 7), 16);
  } catch {
    return 1; // A folder without its history.
  }
}

const left = [...configDefaults.exclude, ...(isLong ? [] : ['test/**/*.long.test.ts'])];

/** Those that are about PostgreSQL alone. */
const onServer = ['test/postgres/**/*.test.ts', 'test/instances/**/*.test.ts'];

export default defineConfig({
  plugins: [threadBundles()],
  test: {
    setupFiles: ['test/setup.ts'],
    env: { PLATFORM_TEST_SEED: seed },
    pool: 'forks',
    // Files of one worker share their modules, which have no state (test/architecture.test.ts): loading them anew for each took a third of the time.
    isolate: false,
    // Twice as many as processors: they wait for disks, databases and pages; not so many that the connections of one database server run out.
    maxWorkers: Math.min(12, 2 * availableParallelism()),
    // The counts of the long form are up to a hundred times as large; what hangs is ended there too.
    testTimeout: isLong ? 1_800_000 : 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts'],
          exclude: [...left, ...onServer],
          globalSetup: ['test/support/browser-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [
            ...onServer,
            'test/scenarios/**/*.test.ts',
            'test/dataflow/**/*.test.ts',
            'test/access/**/*.test.ts',
            'test/agents/**/*.test.ts',
            'test/audit/**/*.test.ts',
            'test/graphql/**/*.test.ts',
            'test/realtime/**/*.test.ts',
            'test/mcp/**/*.test.ts',
            'test/identity/**/*.test.ts',
            'test/migrations/**/*.test.ts',
            'test/resolvers/**/*.test.ts',
            'test/timers/**/*.test.ts',
            'test/applications/**/*.test.ts',
            'test/bounds/**/*.test.ts',
          ],
          // The one counts the statements that are asked of a store, the other runs the command on a project; both open the embedded one for it.
          exclude: [...left, 'test/dataflow/statements.test.ts', 'test/migrations/{command,lock}.test.ts', 'test/timers/schedule.test.ts'],
          env: { PLATFORM_TEST_STORE: 'postgres' },
          globalSetup: ['test/support/postgres-setup.ts'],
        },
      },
    ],
  },
});
