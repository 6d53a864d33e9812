// What tests need of this machine that it may not have, and how to get it. Without vitest, so that scripts say it too.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface MissingPart {
  readonly part: string;
  /** What is skipped without it. */
  readonly tests: string;
  readonly how: string;
}

interface Part extends MissingPart {
  readonly isThere: () => boolean;
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

/** The program `PLATFORM_TEST_BROWSER`, else one that is installed; absent where there is none. */
export function installedBrowser(): string | undefined {
  return process.env['PLATFORM_TEST_BROWSER'] ?? installedProgram(browsers);
}

function installedProgram(names: readonly string[], also: readonly string[] = []): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...also];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const parts: readonly Part[] = [
  {
    part: 'a browser, Chromium or Chrome',
    tests: 'test/console, test/client/page.test.ts, test/client/tour.test.ts, test/http/docs-browser.test.ts',
    how: '`apt-get install chromium`, or name one by PLATFORM_TEST_BROWSER',
    isThere: () => installedBrowser() !== undefined,
  },
  {
    part: 'pgbouncer',
    tests: 'test/postgres/pooler.test.ts',
    how: '`apt-get install pgbouncer`',
    isThere: () => installedProgram(['pgbouncer'], ['/usr/sbin', '/usr/local/sbin']) !== undefined,
  },
  {
    part: 'openssl',
    tests: 'TLS in test/http/server.test.ts, test/resolvers/outgoing.test.ts and test/postgres/encryption.test.ts',
    how: '`apt-get install openssl`',
    isThere: () => installedProgram(['openssl', 'openssl.exe']) !== undefined,
  },
  {
    part: 'a file system of its own',
    tests: 'test/postgres/full.test.ts',
    how: 'run as root on Linux; in a container with `--cap-add SYS_ADMIN`',
    isThere: mayMount,
  },
];

export function missingParts(): readonly MissingPart[] {
  return parts.filter(({ isThere }) => !isThere()).map(({ part, tests, how }) => ({ part, tests, how }));
}

/** Only who tries knows. */
function mayMount(): boolean {
  if (process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'platform-mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  if (isMounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
}
