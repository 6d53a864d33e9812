// That tests in a browser are not skipped where nobody would notice.

import { expect, test } from 'vitest';
import { installedBrowser } from '../support/missing.ts';

test('a browser is installed where CI is set', () => {
  const isRight = process.env['CI'] === undefined || installedBrowser() !== undefined;
  expect(isRight, '`apt-get install chromium`, or name one by PLATFORM_TEST_BROWSER').toBe(true);
});
