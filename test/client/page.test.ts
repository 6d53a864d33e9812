// The page of examples/blog with the generated client in a real browser: it lists posts, shows each change as it happens, and goes on after a break. Needs Chromium or Chrome.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command, root } from '../cli/harness.ts';
import { serve } from '../support/app.ts';
import { installedBrowser, openPage } from '../support/browser.ts';
import { folderForTest } from '../support/folder.ts';
import { addressOf, fileServer } from './harness.ts';

const browser = installedBrowser();
if (browser === undefined) process.stdout.write('the page of examples/blog was not tried: no browser is installed\n');

test.skipIf(browser === undefined)(
  'the page of the blog lists posts and shows what becomes of them (skipped where no browser is installed)',
  async () => {
    const folder = folderForTest();
    cpSync(join(root, 'examples/blog/posts.html'), join(folder, 'posts.html'));
    expect(await command(root, 'client', 'examples/blog', '--out', join(folder, 'api.js'))).toEqual({ code: 0, out: '', err: '' });
    const files = await fileServer(folder);
    const served = await serve({ 'blog.al': readFileSync(join(root, 'examples/blog/src/blog.al'), 'utf8') }, { origins: [files] });
    const address = await addressOf(served);
    await served.post('/blog/Post', { slug: 'first', title: 'First', PostTag: [{ name: 'news' }] });
    const page = await openPage(browser ?? '');
    onTestFinished(() => page.close());
    await page.goTo(`${files}/posts.html?api=${address}`);
    const items = `[...document.querySelectorAll('li')].map((each) => each.textContent).join()`;
    await page.until(`document.querySelector('[role=status]').textContent === 'up to date' && ${items} === 'First #news'`);
    await served.put('/blog/Post/first', { title: 'The first' });
    await page.until(`${items} === 'The first #news'`);
    await page.evaluate(`document.querySelector('input').focus()`);
    await page.type('Second one');
    await page.evaluate(`document.querySelector('button').click()`);
    await page.until(`${items} === 'Second one,The first #news'`);
    await page.evaluate(`document.querySelector('input').focus()`);
    await page.type('Second one');
    await page.evaluate(`document.querySelector('button').click()`);
    await page.until(`document.querySelector('[role=status]').textContent.includes('already')`);
    await served.remove('/blog/Post/first');
    await page.until(`${items} === 'Second one'`);
    expect(page.answered.filter((each) => !each.includes(address) && !each.includes(files))).toEqual([]);
    expect(page.complaints).toEqual([expect.stringContaining('409')]);
  },
  60_000,
);
