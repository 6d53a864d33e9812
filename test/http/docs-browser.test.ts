// `/docs` in a real browser: its reader logs in and tries the API, and the page asks nobody else for anything. Needs Chromium or Chrome.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isMissing, useBrowser } from '../support/browser.ts';
import { sampled } from '../support/form.ts';
import { admin, appOf, blog } from './openapi-model.ts';

const open = useBrowser();

test.skipIf(isMissing).each(sampled(['current', 'earlier'] as const, 2))(
  'a reader logs in and tries an operation, on the %s surface (skipped where no browser is installed)',
  async (surface) => {
    const app = await appOf(blog(), {}, { surfaces: [surface], port: 0 }, ['auth']);
    const [address = ''] = await app.listen();
    const { page, complaints, refused } = await open(address);
    await page.goto(`${address}/docs`);
    await logIn(page, 'wrong');
    await page.locator('#login p').getByText('These credentials are not valid.', { exact: true }).waitFor();
    await logIn(page, admin.password);
    await page.locator('#login').waitFor({ state: 'detached' });
    // The page has it for wide and for narrow screens; the first one does it on both.
    const send = page
      .locator('button')
      .filter({ hasText: /^\s*Send Send get request/ })
      .first();
    const list = `${address}${surface === 'current' ? '' : '/api'}/blog/Post`;
    const [answer] = await Promise.all([page.waitForResponse(list), send.dispatchEvent('click')]);
    expect(answer.status()).toBe(200);
    // The wrong password, and nothing else: no script failed, nobody else was asked, and the policy of the page stopped nothing.
    expect(complaints).toEqual([]);
    expect(refused).toEqual([expect.stringContaining('401')]);
  },
);

async function logIn(page: Page, password: string): Promise<void> {
  const form = page.locator('#login');
  for (const [name, value] of Object.entries({ email: admin.email, password })) await form.locator(`[name=${name}]`).fill(value);
  await form.locator('button').click();
}
