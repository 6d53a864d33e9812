// Before every test file: properties draw the same examples on every run, so that a failure is one of the change at hand.
// The long run draws new ones each time.

import fc from 'fast-check';

if (process.env['PLATFORM_TEST_LONG'] !== '1') fc.configureGlobal({ seed: Number(process.env['PLATFORM_TEST_SEED'] ?? 20_250_131) });
