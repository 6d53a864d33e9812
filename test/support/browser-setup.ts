// Before the first test: an address at which tests ask for the browser. It is started when the first does, one for the whole run, and gone after the last.

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { BrowserServer, LaunchOptions } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { installedBrowser } from './missing.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with where the browser listens. */
    readonly browser: string | undefined;
  }
}

export const launchOptions: LaunchOptions = { args: ['--no-sandbox', '--disable-dev-shm-usage'] };

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const program = installedBrowser();
  if (program === undefined) return undefined;
  const state: { browser?: Promise<BrowserServer> } = {};
  const server = createServer((_, response) => {
    state.browser ??= launch(program);
    state.browser.then(
      (browser) => response.end(browser.wsEndpoint()),
      (thrown) => response.writeHead(500).end(String(thrown)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('browser', `http://127.0.0.1:${Object(server.address()).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await state.browser?.then(close, () => undefined);
  };
}

/** What drives it is loaded no earlier. */
async function launch(program: string): Promise<BrowserServer> {
  const { chromium } = await import('playwright-core');
  return chromium.launchServer({ ...launchOptions, executablePath: program });
}

async function close(browser: BrowserServer): Promise<void> {
  const seconds = process.platform === 'linux' ? secondsOf(browser.process().pid ?? 0) : 0;
  await browser.close();
  if (seconds > 0) process.stdout.write(`The browser took ${Math.round(seconds)} s of processor time.\n`);
}

/** The processor time of a process, of those that it has started, and of those that they have waited for. */
function secondsOf(pid: number): number {
  const folder = `/proc/${pid}`;
  if (!existsSync(folder)) return 0;
  const stat = readFileSync(join(folder, 'stat'), 'utf8');
  // Behind the name of the program, which may hold spaces.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  const children = readdirSync(join(folder, 'task')).flatMap((thread) =>
    readFileSync(join(folder, 'task', thread, 'children'), 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return children.reduce((sum, child) => sum + secondsOf(child), ticks.reduce((sum, each) => sum + Number(each), 0) / 100);
}
