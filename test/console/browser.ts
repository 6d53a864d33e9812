// A served application in a real browser, by the names that people and assistive technology know things under. Needs Chromium or Chrome.

import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { installedBrowser } from '../support/browser.ts';

const program = installedBrowser();

/** Why tests are left out, where they are. */
export const isMissing = program === undefined;
if (isMissing)
  process.stderr.write('The console is not tested: neither Chromium nor Chrome is installed (or named by PLATFORM_TEST_BROWSER).\n');

export interface Visit {
  readonly page: Page;
  /** What its console, its policy and its scripts complained about, and requests to anybody else. */
  readonly complaints: string[];
}

/** One browser for the tests of a file; each visit has a context of its own. */
export function useBrowser(): (address: string, options?: Parameters<Browser['newContext']>[0]) => Promise<Visit> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (program !== undefined)
      browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  });
  afterAll(() => browser?.close());
  return async (address, options = {}) => {
    if (browser === undefined) throw new Error('no browser');
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: false, ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !/the server responded with a status of 4\d\d/.test(message.text()))
        complaints.push(message.text());
    });
    page.on('pageerror', (thrown) => complaints.push(String(thrown)));
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address)) complaints.push(`asked ${request.url()}`);
    });
    return { page, complaints };
  };
}

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** WCAG 2.2 AA as far as a program can tell, or some of its rules. */
export async function expectAccessible(page: Page, runOnly: readonly string[] = standards): Promise<void> {
  // By the protocol of the browser: the policy of the page lets no other script in.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (rules) => {
    const { axe: checks, document } = Object(globalThis);
    const found = await checks.run(document, { runOnly: rules });
    return found.violations.map((each: { id: string; nodes: { html: string; failureSummary: string }[] }) => [
      each.id,
      ...each.nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)}: ${failureSummary}`),
    ]);
  }, runOnly);
  expect(violations).toEqual([]);
}
