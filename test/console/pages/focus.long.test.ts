// Where the keyboard goes on in the console.

import { describe, expect, test } from 'vitest';
import { isMissing, useBrowser } from '../../support/browser.ts';
import { keepToasts, posts, visit } from '../visit.ts';

const model = 'module m\nentity Post { slug String @id, title String }\nentity Other { id Int @id }';
const holder = "document.activeElement.getAttribute('role') ?? document.activeElement.tagName";

describe.skipIf(isMissing)('the focus', () => {
  const open = useBrowser();

  test('is in no other row when that of an open cell is deleted, and what was typed is said to be lost', async () => {
    const { page, go, post, remove, complaints } = await visit(open, model);
    await post('/m/Post', posts(3));
    await keepToasts(page);
    await go('/data/m/Post');
    await page.locator('[data-index="1"] [data-column=title]').focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('typed');
    expect((await remove('/m/Post/post-0001')).status).toBe(200);
    await page.getByText('title of post-0001 was not saved: its row is no longer in the table.').waitFor();
    await expect.poll(() => page.evaluate(holder)).toBe('grid');
    await page.keyboard.type('on');
    await page.keyboard.press('Enter');
    expect(page.url()).not.toContain('record');
    expect(complaints).toEqual([]);
  });

  test('goes from the last item of a menu to what is next, and from the navigation of a narrow screen to the page', async () => {
    const { page, go, complaints } = await visit(open, model, {}, { viewport: { width: 320, height: 700 } });
    await go('/data/m/Post');
    await page.getByRole('button', { name: 'Settings' }).press('Enter');
    const items = page.getByRole('menuitemradio');
    await expect.poll(() => items.first().evaluate((item) => item.matches(':focus'))).toBe(true);
    await items.last().press('Tab');
    await expect.poll(() => items.count()).toBe(0);
    expect(await page.evaluate("document.querySelector('main').contains(document.activeElement)")).toBe(true);
    await page.getByRole('button', { name: 'Navigation' }).press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Model' }).press('Enter');
    await expect.poll(() => page.evaluate(holder)).toBe('MAIN');
    expect(complaints).toEqual([]);
  });
});
