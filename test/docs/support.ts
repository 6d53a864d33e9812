// A terminal and a log for tests that start the service in their own process.

import picocolors from 'picocolors';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { Log } from '../../src/http/server/log.ts';

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, isLevelEnabled: () => false };

export function testTerminal(folder: string): Terminal {
  return { out: () => {}, err: () => {}, isTerminal: false, colours: picocolors.createColors(false), folder, environment: {} };
}
