// The page of examples/blog with the generated client in a real browser: it lists posts, shows each change as it happens, and goes on after a break. Needs Chromium or Chrome.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, root } from '../cli/harness.ts';
import { serve } from '../support/app.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { folderForTest } from '../support/folder.ts';
import { addressOf, fileServer } from './harness.ts';

const open = useBrowser();

test.skipIf(isMissing)(
  'the page of the blog lists posts and shows what becomes of them (skipped where no browser is installed)',
  async () => {
    const folder = folderForTest();
    cpSync(join(root, 'examples/blog/posts.html'), join(folder, 'posts.html'));
    expect(await command(root, 'client', 'examples/blog', '--out', join(folder, 'api.js'))).toEqual({ code: 0, out: '', err: '' });
    const files = await fileServer(folder);
    const served = await serve({ 'blog.al': readFileSync(join(root, 'examples/blog/src/blog.al'), 'utf8') }, { origins: [files] });
    const address = await addressOf(served);
    await served.post('/blog/Post', { slug: 'first', title: 'First', PostTag: [{ name: 'news' }] });
    const { page, complaints, refused } = await open(files, { origins: [address] });
    await page.goto(`${files}/posts.html?api=${address}`);
    const items = () => page.locator('li').allTextContents();
    await page.getByRole('status').getByText('up to date').waitFor();
    await expect.poll(items).toEqual(['First #news']);
    await served.put('/blog/Post/first', { title: 'The first' });
    await expect.poll(items).toEqual(['The first #news']);
    const title = page.locator('input').first();
    const button = page.locator('button').first();
    await title.focus();
    await page.keyboard.insertText('Second one');
    await button.click();
    await expect.poll(items).toEqual(['Second one', 'The first #news']);
    await title.focus();
    await page.keyboard.insertText('Second one');
    await button.click();
    await page.getByRole('status').getByText('already').waitFor();
    await served.remove('/blog/Post/first');
    await expect.poll(items).toEqual(['Second one']);
    // Nobody else was asked for anything.
    expect(complaints).toEqual([]);
    expect(refused).toEqual([expect.stringContaining('409')]);
  },
);
