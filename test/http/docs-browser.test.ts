// `/docs` in a real browser: its reader logs in and tries the API, and the page asks nobody else for anything. Needs Chromium or Chrome.

import { expect, onTestFinished, test } from 'vitest';
import { installedBrowser, openPage, type Page } from '../support/browser.ts';
import { admin, appOf, blog } from './openapi-model.ts';

const browser = installedBrowser();

test.skipIf(browser === undefined).each(['current', 'earlier'] as const)(
  'a reader logs in and tries an operation, on the %s surface (skipped where no browser is installed)',
  async (surface) => {
    const app = await appOf(blog(), {}, { surfaces: [surface], port: 0 }, ['auth']);
    const [address = ''] = await app.listen();
    const page = await openPage(browser ?? '');
    onTestFinished(() => page.close());
    await page.goTo(`${address}/docs`);
    await logIn(page, 'wrong');
    await page.until(`document.querySelector('#login p').textContent === 'These credentials are not valid.'`);
    await logIn(page, admin.password);
    const send = `[...document.querySelectorAll('button')].find((each) => each.textContent.trim().startsWith('Send Send get request'))`;
    await page.until(`!document.querySelector('#login') && ${send} !== undefined`);
    await page.evaluate(`${send}.click()`);
    const list = `200 ${address}${surface === 'current' ? '' : '/api'}/blog/Post`;
    await expect.poll(() => page.answered, { timeout: 20_000 }).toContain(list);
    expect(page.answered.filter((each) => !each.includes(address))).toEqual([]);
    // The wrong password, and nothing else: no script failed, and the policy of the page stopped nothing.
    expect(page.complaints).toEqual([expect.stringContaining('401')]);
  },
  60_000,
);

async function logIn(page: Page, password: string): Promise<void> {
  await page.until(`document.querySelector('#login button')?.disabled === false`);
  for (const [name, value] of Object.entries({ email: admin.email, password })) {
    await page.evaluate(`document.querySelector('#login [name=${name}]').select()`);
    await page.type(value);
  }
  await page.evaluate(`document.querySelector('#login button').click()`);
}
