// The list of what `npm run test:mutations` breaks follows the source.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

const root = join(import.meta.dirname, '../../../..');

test('each piece of source that is broken to see whether a test notices stands in its file once', () => {
  const lost = mutants.filter(({ file, piece }) => readFileSync(join(root, file), 'utf8').split(piece).length !== 2);
  expect(lost.map(({ file, piece }) => `${file}: ${piece}`)).toEqual([]);
});
