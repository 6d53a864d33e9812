// Tests wait for what they wait for. What sleeps for a number of milliseconds is found here, but for what a test itself does in time.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const sleeps =
  /new Promise\b.*\bset(Timeout|Interval)\(|import \{[^}]*\bset(Timeout|Interval)\b[^}]*\} from 'node:timers\/promises'|\bsleep\(/;

/** Files that may, and why. */
const reasons: Readonly<Record<string, string>> = {
  'support/time.ts': 'what others wait with',
  'mutations/copy.ts': 'a time limit of runs of tests',
  ...Object.fromEntries(
    [
      'agents/processes/kill.test.ts',
      'dataflow/events.test.ts',
      'dataflow/handlers.test.ts',
      'instances/leases.test.ts',
      'resolvers/compose.test.ts',
      'resolvers/feed.ts',
      'resolvers/random.test.ts',
      'scenarios/attributes.test.ts',
    ].map((file) => [file, 'functions of the application that take their time']),
  ),
};

test('no test sleeps for a number of milliseconds', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((each) => each.replaceAll('\\', '/'));
  const found = files.filter((each) => each.endsWith('.ts') && sleeps.test(readFileSync(join(folder, each), 'utf8')));
  expect(found.sort()).toEqual(Object.keys(reasons).sort());
});
