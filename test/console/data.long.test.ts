// Data in the console: cells, many rows at once, what an instance contains, files, and what happens where the service does not answer.

import { describe, expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { password } from '../identity/accounts.ts';
import { serve } from '../support/app.ts';
import { isMissing, saved, useBrowser } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';
import { example, keepToasts, posts, signIn, visit } from './visit.ts';

describe.skipIf(isMissing)('data in the console', () => {
  const open = useBrowser();

  test('a cell is changed in its place, a fault keeps it open, and a conflict shows both sides', async () => {
    const { page, go, post, put, get, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(3));
    await go('/data/blog/Post');
    const grid = page.getByRole('grid', { name: 'blog/Post' });
    const row = grid.getByRole('row').nth(1);
    await row.getByRole('gridcell', { name: 'post-0000' }).waitFor();
    await row.focus();
    // By the keyboard: to the second cell, F2, Enter.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('F2');
    await page.getByLabel('title of post-0000').fill('Typed');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByLabel('title of post-0000').waitFor({ state: 'detached' });
    await grid.getByRole('gridcell', { name: 'Typed' }).waitFor();
    expect((await get('/blog/Post/post-0000')).body).toMatchObject({ title: 'Typed' });
    await page.keyboard.press('F2');
    await page.getByLabel('title of post-0000').fill('Not kept');
    await page.keyboard.press('Escape');
    await grid.getByRole('gridcell', { name: 'Typed' }).waitFor();

    // By the mouse; a fault stands at the cell, and what was typed stays.
    await grid.getByRole('row').nth(2).getByRole('gridcell', { name: 'draft' }).hover();
    const times = grid.getByRole('row').nth(2).locator('[data-column=created]');
    await times.getByRole('button', { name: 'Edit the cell' }).click();
    await page.getByLabel('created of post-0001').fill('tomorrow');
    await page.keyboard.press('Enter');
    await grid
      .getByRole('alert')
      .getByText(/date|time/i)
      .waitFor();
    expect(await page.getByLabel('created of post-0001').inputValue()).toBe('tomorrow');
    await page.keyboard.press('Escape');

    await grid.getByRole('row').nth(3).hover();
    await grid.getByRole('row').nth(3).locator('[data-column=title]').getByRole('button').click();
    await page.getByLabel('title of post-0002').fill('Mine');
    await put('/blog/Post/post-0002', { title: 'Theirs' });
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' });
    await dialog.getByRole('cell', { name: 'Theirs', exact: true }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByLabel('title of post-0002').waitFor({ state: 'detached' });
    await grid.getByRole('gridcell', { name: 'Mine' }).waitFor();
    expect((await get('/blog/Post/post-0002')).body).toMatchObject({ title: 'Mine' });
    expect(complaints).toEqual([]);
  });

  test('selected rows are changed and deleted together, and both can be undone', async () => {
    const { page, go, post, get, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(5));
    await post('/blog/Post/post-0001/PostComment/Comment', [{ text: 'one' }, { text: 'two' }]);
    await keepToasts(page);
    await go('/data/blog/Post');
    const grid = page.getByRole('grid', { name: 'blog/Post' });
    const states = async (): Promise<readonly unknown[]> =>
      Object((await get('/blog/Post')).body).map((each: { state: unknown }) => each.state);
    await grid.getByRole('checkbox', { name: 'Select row 2', exact: true }).check();
    await grid.getByRole('row').nth(3).focus();
    await page.keyboard.press(' ');
    await page.getByRole('region', { name: 'Selected rows' }).getByText('2 selected').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Edit selected' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Attribute').selectOption('state');
    await dialog.getByLabel('state', { exact: true }).selectOption('published');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Apply to 2' }).click();
    await expect.poll(states).toEqual(['draft', 'published', 'published', 'draft', 'draft']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(states).toEqual(['draft', 'draft', 'draft', 'draft', 'draft']);

    await grid.getByRole('checkbox', { name: 'Select row 2', exact: true }).check();
    await grid.getByRole('checkbox', { name: 'Select row 5', exact: true }).check();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    await dialog.getByText('2 blog/Comment').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(async () => (await states()).length).toBe(3);
    await page.getByText('2 Post deleted').locator('..').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await states()).length).toBe(5);
    expect((await get('/blog/Post/post-0001/PostComment/Comment')).body).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  test('what an instance contains is a tree beside its tabs, and a link that is made or removed can be taken back', async () => {
    const { page, go, post, get, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(1));
    await post('/blog/Tag', { name: 'news' });
    await post('/blog/Post/post-0000/PostComment/Comment', { text: 'Nice.', name: 'Ann' });
    await go('/data/blog/Post?@record=/blog/Post/post-0000&@tab=Tree');
    const tree = page.getByRole('tree');
    await tree.getByRole('treeitem', { name: 'PostComment' }).focus();
    await page.keyboard.press('ArrowDown');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: 'blog/Comment' }).waitFor();
    expect(await page.getByRole('complementary').getByLabel('text').inputValue()).toBe('Nice.');
    await page.goBack();

    const tags = async () => (await get('/blog/Post/post-0000/PostTag/Tag')).body;
    const panel = page.getByRole('complementary');
    await panel.getByRole('tab', { name: 'PostTag' }).click();
    await panel.getByRole('button', { name: 'Link', exact: true }).click();
    await panel.getByRole('combobox').fill('ne');
    await panel.getByRole('option', { name: 'news' }).click();
    await expect.poll(tags).toEqual([{ name: 'news' }]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(tags).toEqual([]);
    await post('/blog/Post/post-0000/PostTag/Tag', { name: 'news' });
    await page.reload();
    await panel.getByRole('button', { name: 'Unlink news' }).click();
    await expect.poll(tags).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(tags).toEqual([{ name: 'news' }]);
    expect(complaints).toEqual([]);
  });

  const types = `module m
record Place { city String, zip String @optional }
entity Item {
  id String @id, text String @optional, count Int @optional, price Decimal @optional, on Boolean @optional, at DateTime @optional,
  tags String[] @optional, any Any @optional, place Place @optional, twice Int @expr(count * 2) @optional
}`;
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\nx',
    '＝1+1',
    "'＠x",
    "'=1",
    "''=1",
    "'plain",
    '',
    'a,"b"\r\nc',
    '<script>alert(1)</script>',
    '\u202eabc',
  ];

  test('an export that is imported again gives the same values, and nothing in it is a formula', async () => {
    const from = await visit(open, types);
    const rows = [
      ...texts.map((text, index) => ({ id: `text-${index}`, text })),
      { id: '-5', count: -5, price: '-12345678901234567890.10', on: false, at: '2026-01-31T13:45:00.000Z' },
      { id: 'lists', tags: ['=a', 'b,c', ''], any: '5', place: { city: '=Rome', zip: null } },
      { id: 'null', any: { a: [1, null, '@x'] } },
    ];
    expect((await from.post('/m/Item', rows)).status).toBe(201);
    await from.go('/data/m/Item');
    await from.page.getByRole('grid').getByRole('row').nth(1).waitFor();
    await from.page.getByRole('button', { name: 'Export' }).click();
    const exported = saved(from.page.waitForEvent('download'));
    await from.page.getByRole('menuitem', { name: 'CSV' }).click();
    const file = await exported;
    for (const cell of file.toString().split(/[,\r\n]/)) expect(cell).not.toMatch(/^"?[=+@\t＝＋－＠]/);

    const to = await serve(types);
    const [address = ''] = await to.app.listen();
    const { page, complaints } = await open(address);
    await page.goto(`${address}/console/data/m/Item`);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('dialog').locator('input[type=file]').setInputFiles({ name: 'Item.csv', mimeType: 'text/csv', buffer: file });
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByRole('grid').getByRole('row').nth(1).waitFor();
    expect((await to.get('/m/Item')).text).toBe((await from.get('/m/Item')).text);
    expect([...complaints, ...from.complaints]).toEqual([]);
  });

  test('a save that fails keeps what was typed, whether the service is away, fails, or has ended the session', async () => {
    const { served, join } = await world(example('newsroom'));
    const ann = await join('ann', 'user');
    await ann.create('/newsroom/Post', { id: 1, title: 'Flood' });
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address);
    await page.goto(`${address}/console/data/newsroom/Post?@record=/newsroom/Post/1`);
    await signIn({ page }, ann.email);
    const panel = page.getByRole('complementary');
    const title = panel.getByLabel('title');
    const save = panel.getByRole('button', { name: 'Save' });
    await title.fill('Typed');
    await page.route('**/newsroom/Post/1', (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await save.click();
    await panel.getByRole('alert').getByText('cannot be reached').waitFor();
    await page.unroute('**/newsroom/Post/1');
    await page.route('**/newsroom/Post/1', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' })
        : route.continue(),
    );
    await save.click();
    await panel.getByRole('alert').getByText('answered 502').waitFor();
    await page.unroute('**/newsroom/Post/1');
    expect(await title.inputValue()).toBe('Typed');

    // A changed password ends all sessions.
    const changed = await served.post('/platform.auth/changePassword', { password, newPassword: `${password} 2` }, ann.headers);
    expect(changed.status).toBe(200);
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await expect
      .poll(async () => {
        if ((await dialog.count()) === 0) await save.click();
        return dialog.count();
      })
      .toBe(1);
    await expectAccessible(page);
    await dialog.getByLabel('Password').fill(`${password} 2`);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await title.inputValue()).toBe('Typed');
    await save.click();
    await expect.poll(async () => (await served.kept.rows('SELECT title FROM "newsroom/Post"'))[0]).toMatchObject({ title: 'Typed' });
    expect(complaints.filter((each) => !/ERR_FAILED|status of 502/.test(each))).toEqual([]);
  });

  test('signing out ends the session, also where the token has expired', async () => {
    const { served, join } = await world(example('newsroom'));
    await join('ann', 'user');
    const [address = ''] = await served.app.listen();
    const { page } = await open(address);
    await page.goto(`${address}/console`);
    await signIn({ page }, 'ann@example.com');
    const refreshToken = await page.evaluate("sessionStorage.getItem('platform.refresh')");
    await page.route('**/platform.auth/logout', (route) => route.fulfill({ status: 401, body: '' }), { times: 1 });
    const ended = page.waitForResponse((response) => response.url().endsWith('/platform.auth/logout') && response.status() === 200);
    await page.getByRole('banner').getByRole('button', { name: 'ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate("sessionStorage.getItem('platform.refresh')")).toBeNull();
    await ended;
    expect((await served.post('/platform.auth/refreshToken', { refreshToken })).status).toBe(401);
  });

  test('leaving with changes asks once, wherever one goes, and not where nothing is lost', async () => {
    const { page, go, post, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(3));
    await go('/data');
    await page.getByRole('link', { name: 'blog/Post' }).click();
    const grid = page.getByRole('grid', { name: 'blog/Post' });
    await grid.getByRole('gridcell', { name: 'Title 0' }).click();
    const panel = page.getByRole('complementary');
    await panel.getByLabel('title').fill('Changed');
    const asked: string[] = [];
    let stays = true;
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      return stays ? dialog.dismiss() : dialog.accept();
    });
    // The order of the table loses nothing.
    await grid.getByRole('columnheader', { name: 'slug' }).getByRole('button').click();
    expect(asked).toHaveLength(0);
    await grid.getByRole('gridcell', { name: 'Title 1' }).click();
    await page.goBack();
    await page.goBack();
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    expect(await panel.getByLabel('title').inputValue()).toBe('Changed');
    asked.length = 0;
    stays = false;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'test' }).waitFor();
    expect(asked).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('types are counted when they are in sight, and never those that a resolver keeps', async () => {
    const types = Array.from({ length: 80 }, (_, at) => `entity T${at} { id Int @id }\n`).join('');
    const core = `module m\nimport "far.js" @as far\nentity Far { id Int @id }\n${types}resolver kept [m/Far] { query far.query }\n`;
    const { page, go, complaints } = await visit(open, { 'core.al': core, 'far.js': 'export const query = () => [];\n' });
    const counted = new Set<string>();
    page.on('request', (request) => request.url().includes('@count=true') && counted.add(new URL(request.url()).pathname));
    await go('/data');
    await page.getByText('kept by a resolver').waitFor();
    await expect.poll(() => counted.has('/m/T0')).toBe(true);
    expect(counted.has('/m/T79')).toBe(false);
    await page.getByRole('listitem').filter({ hasText: 'm/T79' }).scrollIntoViewIfNeeded();
    await expect.poll(() => counted.has('/m/T79')).toBe(true);
    expect(counted.has('/m/Far')).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('hostile values are texts wherever they are shown', async () => {
    const { page, go, post, complaints } = await visit(open, example('blog'), { limits: { body: 4_000_000 } });
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      'x'.repeat(1_000_000),
      '\u202egnp.exe',
      '\\u0000',
      '\u0000',
    ];
    const statuses: number[] = [];
    for (const [index, title] of hostile.entries())
      statuses.push((await post('/blog/Post', { slug: `h${index}`, title, body: title })).status);
    // No store keeps a NUL in a text: it is refused.
    expect(statuses).toEqual([201, 201, 201, 201, 201, 422]);
    await post('/blog/Post/h0/PostComment/Comment', { text: hostile[1], name: hostile[0] });
    await go('/data/blog/Post');
    const grid = page.getByRole('grid', { name: 'blog/Post' });
    await grid.getByRole('gridcell', { name: '<script>alert(1)</script>' }).first().waitFor();
    for (const [path, tab] of [
      ['h0', ''],
      ['h0', 'PostComment'],
      ['h0', 'Tree'],
      ['h2', ''],
      ['h2', 'API'],
      ['h3', ''],
    ]) {
      await go(`/data/blog/Post?@record=/blog/Post/${path}${tab === '' ? '' : `&@tab=${tab}`}`);
      await page.getByRole('complementary').getByRole('tabpanel').waitFor();
      await page
        .getByRole('complementary')
        .getByRole('heading')
        .filter({ hasNotText: '…' })
        .or(page.getByRole('complementary'))
        .first()
        .waitFor();
    }
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
