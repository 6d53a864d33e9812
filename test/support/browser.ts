// A served application in a real browser, by the names that people and assistive technology know things under. Needs Chromium or Chrome.

import { type Browser, type BrowserContextOptions, chromium, type Download, type Page } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { launchOptions } from './browser-setup.ts';
import { installedBrowser } from './missing.ts';

const program = installedBrowser();

/** Why tests are left out, where they are; `missingParts` says how to get one. */
export const isMissing = program === undefined;

export interface Visit {
  readonly page: Page;
  /** What its console, its policy and its scripts complained about, and requests to anybody else. */
  readonly complaints: string[];
  /** What was answered with 4xx, as the console of the browser says it. */
  readonly refused: string[];
}

export interface VisitOptions extends BrowserContextOptions {
  /** Whom its page may ask besides. */
  readonly origins?: readonly string[];
}

/** Opens a page for the application at an address, which stays until the test ends. */
export type Open = (address: string, options?: VisitOptions) => Promise<Visit>;

/** The browser of the run for the tests of a file; each visit has a context of its own. */
export function useBrowser(): Open {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (program !== undefined) browser = await connect(program);
  });
  afterAll(() => browser?.close());
  return async (address, { origins = [], ...options } = {}) => {
    if (browser === undefined) throw new Error('no browser');
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: false, ...options });
    onTestFinished(() => context.close());
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    return { page, ...watch(page, [address, ...origins]) };
  };
}

/** Of the run, where its configuration has the setup; else one of its own. */
async function connect(executablePath: string): Promise<Browser> {
  const address = inject('browser');
  if (address === undefined) return chromium.launch({ ...launchOptions, executablePath });
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(await answer.text());
  return chromium.connect(await answer.text());
}

function watch(page: Page, known: readonly string[]): Pick<Visit, 'complaints' | 'refused'> {
  const complaints: string[] = [];
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
    (isRefusal ? refused : complaints).push(message.text());
  });
  page.on('pageerror', (thrown) => complaints.push(String(thrown)));
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !known.some((each) => url.startsWith(each))) complaints.push(`asked ${url}`);
  });
  return { complaints, refused };
}

/** What a page has let its reader save. */
export async function saved(download: Promise<Download>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of await (await download).createReadStream()) pieces.push(piece);
  return Buffer.concat(pieces);
}
