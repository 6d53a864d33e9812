// The console in a real browser: the main jobs of its pages, by keyboard and by mouse. Skipped where no browser is installed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Options, serve } from '../support/app.ts';
import { expectAccessible, isMissing, useBrowser } from './browser.ts';

const source = (name: string): string => readFileSync(join(import.meta.dirname, `../../examples/${name}/src/${name}.al`), 'utf8');

describe.skipIf(isMissing)('the console', () => {
  const open = useBrowser();

  const visit = async (name: string, path: string, options: Options = {}, context: Parameters<typeof open>[1] = {}) => {
    const served = await serve(source(name), options);
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address, context);
    onTestFinished(() => page.context().close());
    return {
      ...served,
      page,
      complaints,
      go: (to: string) => page.goto(`${address}/console${to}`),
      address,
      start: () => page.goto(`${address}/console${path}`),
    };
  };

  const posts = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ slug: `post-${String(index).padStart(4, '0')}`, title: `Title ${index}` }));

  test('an instance is made, filtered, changed, deleted and made again', async () => {
    const { page, start, post, get, complaints } = await visit('blog', '');
    await post('/blog/Post', posts(2));
    await post('/blog/Post/post-0000/PostComment/Comment', { text: 'Nice.' });
    await start();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'blog/Post' }).click();
    const grid = page.getByRole('grid', { name: 'blog/Post' });
    await grid.getByRole('gridcell', { name: 'Title 1' }).waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'New Post' }).click();
    await page.getByLabel('slug').fill('hello');
    await page.getByRole('button', { name: 'Save' }).click();
    // The fault stands at its field, and what was typed is still there.
    await page.getByRole('alert').waitFor();
    const title = page.getByLabel('title');
    expect(await title.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator(`#${faultId(await title.getAttribute('aria-describedby'))}`).textContent()).toContain('required');
    await expectAccessible(page);
    await title.fill('<script>alert(1)</script>');
    await page.getByLabel('state').selectOption('published');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('complementary').getByLabel('title').waitFor();
    expect((await get('/blog/Post/hello')).body).toMatchObject({ title: '<script>alert(1)</script>', state: 'published' });
    await page.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Attribute').selectOption('state');
    await page.getByLabel('Value').selectOption('published');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => grid.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?state=published');
    await page.getByRole('button', { name: 'Remove state = published' }).click();
    await expect.poll(() => grid.getByRole('row').count()).toBe(4);

    // By the keyboard: a row opens with Enter, a change is saved from its field.
    await grid.getByRole('row').nth(2).focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary');
    await panel.getByLabel('title').fill('Changed');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await get('/blog/Post/post-0000')).body).toMatchObject({ title: 'Changed' });
    await expectAccessible(page);

    await panel.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 blog/Comment').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect((await get('/blog/Post/post-0000')).status).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await get('/blog/Post/post-0000/PostComment/Comment')).body).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});

/** The second of two identifiers is that of the fault. */
function faultId(ids: string | null): string {
  return (ids?.split(' ').at(-1) ?? '').replace(/[^\w-]/g, '\\$&');
}
