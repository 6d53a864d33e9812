// The pages Audit and Operation of the console in a real browser. Skipped where no browser is installed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { instances, world } from '../access/people.ts';
import { password } from '../identity/accounts.ts';
import { serve } from '../support/app.ts';
import { isMissing, saved, useBrowser } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';

const newsroom = readFileSync(join(import.meta.dirname, '../../examples/newsroom/src/newsroom.al'), 'utf8');

const hostile = '<img src=x onerror=alert(1)>\u202eevil';

describe.skipIf(isMissing)('the console', () => {
  const open = useBrowser();

  const signIn = async (page: Page, email: string): Promise<void> => {
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.getByLabel('Email').fill(email);
    await form.getByLabel('Password').fill(password);
    await form.getByRole('button', { name: 'Sign in' }).click();
  };

  test('the audit trail is read as a timeline, filtered by the address, and verified', async () => {
    const { served, join: joined, admin } = await world(newsroom, 'current', { audit: {} });
    const ann = await joined('ann');
    await ann.create('/newsroom/Post', { id: 1, title: 'One', body: hostile });
    await ann.change('/newsroom/Post/1', { title: 'Two' });
    const bob = await joined('bob');
    await bob.remove('/newsroom/Post/1');
    for (let id = 100; id < 160; id += 1) await admin.create('/newsroom/Post', { id, title: `Title ${id}` });
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address);
    await page.goto(`${address}/console/audit`);
    await signIn(page, admin.email);
    const entries = page.getByRole('list', { name: 'Entries' });
    await entries.getByText('newsroom/Post 159').waitFor();
    expect(await entries.locator('> li').count()).toBe(50);
    await page.getByRole('button', { name: 'Older entries' }).click();
    await entries.getByText('newsroom/Post 100').waitFor();
    await expect.poll(() => entries.locator('> li').count()).toBe(63);

    // By the keyboard, into the address, and back.
    const filter = page.getByRole('form', { name: 'Filter' });
    await filter.getByLabel('Instance').fill('1');
    await filter.getByLabel('User').fill('ann@example.com');
    await page.keyboard.press('Enter');
    await expect.poll(() => entries.locator('> li').count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?user=ann@example.com&instance=1');
    const update = entries.locator('> li').first();
    expect(await update.locator('del').allTextContents()).toEqual(['One']);
    expect(await update.locator('ins').allTextContents()).toEqual(['Two']);
    await entries.getByText('<img src=x onerror=alert(1)>\\u202eevil').waitFor();
    await expectAccessible(page);
    await filter.getByLabel('From').fill('yesterday');
    await filter.getByRole('button', { name: 'Apply' }).click();
    await filter.getByRole('alert').waitFor();
    // One day, from its beginning to its end.
    const [first] = instances(await admin.read('/platform.audit/Entry?instance=1&@limit=1'));
    const day = String(await page.evaluate((time) => new Date(time).toLocaleDateString('sv'), String(first?.['time'])));
    await filter.getByLabel('From').fill(day);
    await filter.getByLabel('Until').fill(day);
    await filter.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.has('until')).toBe(true);
    await expect.poll(() => entries.locator('> li').count()).toBe(2);
    await page.goBack();
    await expect.poll(() => new URL(page.url()).searchParams.has('until')).toBe(false);
    await filter.getByLabel('From').fill('2999-01-01');
    await filter.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No entry is like that.').waitFor();
    await expectAccessible(page);
    await page.goBack();
    await expect.poll(() => entries.locator('> li').count()).toBe(2);
    await filter.getByRole('button', { name: 'Clear' }).click();
    await entries.getByText('denied: delete').waitFor();
    expect(new URL(page.url()).search).toBe('');

    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText(/all as written, none missing/).waitFor();
    await expectAccessible(page);
    await entries.getByRole('link', { name: 'newsroom/Post 159' }).click();
    await page.getByRole('complementary').getByLabel('title').waitFor();
    expect(complaints).toEqual([]);
  });

  test('who is no admin is offered neither page', async () => {
    const { served, join: joined } = await world(newsroom, 'current', { audit: {} });
    const ann = await joined('ann');
    const [address = ''] = await served.app.listen();
    const { page } = await open(address);
    await page.goto(`${address}/console/operation`);
    await signIn(page, ann.email);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();
    expect(links).not.toContain('Operation');
    expect(links).not.toContain('Audit');
  });

  test('the operation of the service is shown, and a backup is downloaded', async () => {
    const source = `module shop
entity Item { id Int @id, name String @optional }
@schedule("every 5 minutes") event tidyUp { }
workflow tidyUp { {Item {id? 1}} }
`;
    const { app, post, reload } = await serve(source, { newest: () => source.replace('name String @optional', 'label String @optional') });
    await post('/shop/Item', { id: 1, name: 'x' });
    await reload(`${source}entity Other { id Int @id }\n`);
    const [address = ''] = await app.listen();
    const { page, complaints } = await open(address, { viewport: { width: 320, height: 700 }, colorScheme: 'dark' });
    await page.goto(`${address}/console/operation`);
    for (const name of ['Requests', 'Store', 'Migrations', 'Timers', 'Resolvers'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByRole('img', { name: /^Requests per second: now/ }).waitFor();
    await page.getByRole('row', { name: /^GET / }).waitFor();
    await page.getByText('fits the model').waitFor();
    await page.getByRole('rowheader', { name: 'shop/tidyUp' }).waitFor();
    await page
      .getByText(/platform migrate apply/)
      .first()
      .waitFor();
    await page.getByText('The model has none').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    if (process.env['PLATFORM_TEST_STORE'] !== 'postgres') {
      const backup = saved(page.waitForEvent('download'));
      await page.getByRole('button', { name: 'Download backup' }).click();
      expect((await backup).subarray(0, 15).toString()).toBe('SQLite format 3');
      await page.getByText(/has the data of that moment/).waitFor();
    }
    expect(complaints).toEqual([]);
  });
});
