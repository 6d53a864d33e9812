// The files that ARCHITECTURE.md names are there.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every file that the drawing names exists', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8');
  const named = [...page.matchAll(/`(src\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
