// The console in a real browser: the main jobs of its pages, by keyboard and by mouse. Skipped where no browser is installed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { password } from '../identity/accounts.ts';
import { type Options, serve } from '../support/app.ts';
import { isMissing, useBrowser, type VisitOptions } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';

const source = (name: string): string => readFileSync(join(import.meta.dirname, `../../examples/${name}/src/${name}.al`), 'utf8');

describe.skipIf(isMissing)('the console', () => {
  const open = useBrowser();

  const visit = async (name: string, path: string, options: Options = {}, context: VisitOptions = {}) => {
    const served = await serve(source(name), options);
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address, context);
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

  test('a reader signs in, and sees what they may', async () => {
    const { served, join: joined } = await world(source('newsroom'));
    await joined('ann', 'user');
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address, { colorScheme: 'dark' });
    // Whoever was not sent to another service was sent back by none: these are filters, and nobody's words are shown as ours.
    await page.goto(`${address}/console/data/newsroom/Post?error=Call+us&code=A1`);
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.waitFor();
    expect(await form.getByRole('alert').count()).toBe(0);
    expect(new URL(page.url()).search).toBe('?error=Call+us&code=A1');
    await page.goto(`${address}/console/data/newsroom/Post`);
    await form.getByLabel('Email').fill('ann@example.com');
    await form.getByLabel('Password').fill('wrong');
    await form.getByRole('button', { name: 'Sign in' }).click();
    await form.getByRole('alert').waitFor();
    await expectAccessible(page);
    await form.getByLabel('Password').fill(password);
    await form.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('grid', { name: 'newsroom/Post' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'newsroom/Post' }).waitFor();
    // What the service keeps is for admins.
    expect(await page.getByRole('link', { name: 'platform.auth/User' }).count()).toBe(0);
    // The storage of the tab is enough to go on after the page was loaded anew.
    await page.reload();
    await page.getByRole('link', { name: 'newsroom/Post' }).waitFor();
    await page.getByRole('banner').getByRole('button', { name: 'ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a conflict shows both sides, links are made and taken away, on a narrow screen too', async () => {
    const narrow = { viewport: { width: 320, height: 700 } };
    const { page, go, post, put, get, complaints } = await visit('blog', '', {}, narrow);
    await post('/blog/Post', posts(1));
    await post('/blog/Tag', { name: 'news' });
    await go('/data/blog/Post?@record=/blog/Post/post-0000');
    const panel = page.getByRole('complementary');
    await panel.getByLabel('title').fill('Mine');
    await put('/blog/Post/post-0000', { title: 'Theirs', body: 'Also theirs' });
    await panel.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' });
    await dialog.getByRole('cell', { name: 'Theirs', exact: true }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Post saved').waitFor();
    await expect.poll(async () => (await get('/blog/Post/post-0000')).body).toMatchObject({ title: 'Mine', body: 'Also theirs' });

    await panel.getByRole('tab', { name: 'PostTag' }).click();
    await panel.getByRole('button', { name: 'Link', exact: true }).click();
    await panel.getByRole('combobox').fill('ne');
    await panel.getByRole('option', { name: 'news' }).click();
    await panel.getByRole('link', { name: 'news' }).waitFor();
    expect((await get('/blog/Post/post-0000/PostTag/Tag')).body).toEqual([{ name: 'news' }]);
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Unlink news' }).click();
    await expect.poll(async () => (await get('/blog/Post/post-0000/PostTag/Tag')).body).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(complaints).toEqual([]);
  });

  test('the table reads on while it is scrolled, sorts by its headers, and shows what others change', async () => {
    const { page, go, post, put, complaints } = await visit('blog', '');
    await post('/blog/Post', posts(350));
    await go('/data/blog/Post');
    const grid = page.getByRole('grid', { name: 'blog/Post' });
    await grid.getByRole('gridcell', { name: 'post-0000' }).waitFor();
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('351');
    expect(await grid.getByRole('row').count()).toBeLessThan(80);
    await grid.getByRole('row').nth(1).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return grid.getByRole('gridcell', { name: 'post-0349' }).count();
      })
      .toBe(1);
    await grid.getByRole('columnheader', { name: 'slug' }).getByRole('button').click();
    await grid.getByRole('columnheader', { name: 'slug' }).getByRole('button').click();
    await grid.getByRole('gridcell', { name: 'post-0349' }).waitFor();
    expect(page.url()).toContain('?@sort=-slug');
    await page.getByText('live', { exact: true }).waitFor();
    await put('/blog/Post/post-0349', { title: 'Changed elsewhere' });
    await grid.getByRole('gridcell', { name: 'Changed elsewhere' }).waitFor();
    await page.keyboard.press('Control+k');
    const commands = page.getByRole('dialog', { name: 'Commands' });
    await commands.getByRole('combobox').fill('author');
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: 'blog/Author' }).waitFor();
    await page.goBack();
    await grid.waitFor();
    expect(complaints).toEqual([]);
  });

  test('the texts of a type are searched from its table, and what is searched is in the address', async () => {
    const { page, go, post, complaints } = await visit('blog', '');
    await post('/blog/Post', [
      { slug: 'a', title: 'The flood of the year' },
      { slug: 'b', title: 'A quiet week' },
    ]);
    const streams: string[] = [];
    page.on('request', (request) => request.headers()['accept'] === 'text/event-stream' && streams.push(request.url()));
    await go('/data/blog/Post');
    const grid = page.getByRole('grid', { name: 'blog/Post' });
    await grid.getByRole('gridcell', { name: 'A quiet week' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    expect(streams).toHaveLength(1);
    await page.getByRole('searchbox', { name: 'Find in Post' }).fill('flood');
    await page.keyboard.press('Enter');
    await grid.getByRole('gridcell', { name: 'A quiet week' }).waitFor({ state: 'detached' });
    await grid.getByRole('gridcell', { name: 'The flood of the year' }).waitFor();
    expect(new URL(page.url()).searchParams.get('@search')).toBe('flood');
    // Streams tell nothing of what is searched for: none is asked for, and the footer says so.
    await page.getByText('not live while searching').waitFor();
    expect(streams.filter((each) => each.includes('search'))).toEqual([]);
    await page.getByRole('button', { name: 'Remove search: flood' }).click();
    await grid.getByRole('gridcell', { name: 'A quiet week' }).waitFor();
    // From one table to the next.
    await page.getByRole('navigation', { name: 'Types' }).getByRole('link', { name: 'Tag' }).click();
    await page.getByRole('grid', { name: 'blog/Tag' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

/** The second of two identifiers is that of the fault. */
function faultId(ids: string | null): string {
  return (ids?.split(' ').at(-1) ?? '').replace(/[^\w-]/g, '\\$&');
}
