// Nothing that was typed into the console is lost unsaid, and nothing is changed or deleted that was not in sight.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isMissing, useBrowser } from '../support/browser.ts';
import { example, keepToasts, posts, visit } from './visit.ts';

/** Holds the writes of a path until it is let go. */
async function held(page: Page, path: string): Promise<() => void> {
  let letGo = (): void => undefined;
  const isLet = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(path, async (route) => {
    if (route.request().method() === 'PUT') await isLet;
    await route.continue();
  });
  return () => letGo();
}

function openCell(page: Page, row: number, column: string) {
  const cells = page.getByRole('grid').getByRole('row').nth(row);
  return cells.hover().then(() => cells.locator(`[data-column=${column}]`).getByRole('button', { name: 'Edit the cell' }).click());
}

describe.skipIf(isMissing)('edits in the console', () => {
  const open = useBrowser();

  test('a cell that is left for another is saved, or said to be unsaved, and the other stays open', async () => {
    const { page, go, post, get, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(3));
    await go('/data/blog/Post');
    const letGo = await held(page, '**/blog/Post/post-0000');
    await openCell(page, 1, 'title');
    await page.getByLabel('title of post-0000').fill('First');
    await openCell(page, 2, 'title');
    const second = page.getByLabel('title of post-0001');
    await second.fill('Second');
    letGo();
    await page.getByText('title saved').waitFor();
    await page.getByRole('gridcell', { name: 'First' }).waitFor();
    expect(await second.inputValue()).toBe('Second');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await get('/blog/Post/post-0001')).body).toMatchObject({ title: 'Second' });

    const letFail = await held(page, '**/blog/Post/post-0002');
    await openCell(page, 3, 'created');
    await page.getByLabel('created of post-0002').fill('tomorrow');
    await openCell(page, 1, 'title');
    letFail();
    await page.getByText('created of post-0002 was not saved').locator('..').getByRole('button', { name: 'Edit again' }).click();
    const again = page.getByLabel('created of post-0002');
    expect(await again.inputValue()).toBe('tomorrow');
    // A fault that is shown, and left.
    await again.press('Enter');
    await page
      .getByRole('grid')
      .getByRole('alert')
      .getByText(/date|time/i)
      .waitFor();
    await openCell(page, 1, 'title');
    await expect.poll(() => page.getByText('created of post-0002 was not saved').count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test('the dialog of a conflict in a cell is answered by the keyboard', async () => {
    const { page, go, post, put, get, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(1));
    await go('/data/blog/Post');
    await openCell(page, 1, 'title');
    await page.getByLabel('title of post-0000').fill('Mine');
    await put('/blog/Post/post-0000', { title: 'Theirs' });
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' });
    await dialog.waitFor();
    // Escape goes back to what was typed.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('title of post-0000').inputValue()).toBe('Mine');
    await page.getByLabel('title of post-0000').press('Enter');
    await dialog.getByRole('button', { name: 'Keep mine' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('title of post-0000').waitFor({ state: 'detached' });
    await page.getByRole('gridcell', { name: 'Mine' }).waitFor();
    expect((await get('/blog/Post/post-0000')).body).toMatchObject({ title: 'Mine' });
    expect(complaints).toEqual([]);
  });

  test('the rows in sight are selected and no others, and a cell keeps its text while it is out of sight', async () => {
    const { page, go, post, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(200));
    await go('/data/blog/Post');
    const grid = page.getByRole('grid');
    await openCell(page, 1, 'title');
    await page.getByLabel('title of post-0000').fill('Typed');
    const scroll = (top: number) => grid.evaluate((each, to) => Object(each).scrollTo({ top: to }), top);
    await scroll(5000);
    await page.getByLabel('title of post-0000').waitFor({ state: 'detached' });
    await scroll(0);
    await expect.poll(() => page.getByLabel('title of post-0000').inputValue()).toBe('Typed');
    await scroll(5000);
    await page.getByLabel('title of post-0000').waitFor({ state: 'detached' });
    await grid.locator('[data-index="145"]').hover();
    await grid.locator('[data-index="145"] [data-column=title]').getByRole('button').click();
    await page.getByText('title of post-0000 was not saved').waitFor();
    await page.keyboard.press('Escape');

    await scroll(3600);
    await grid.getByRole('checkbox', { name: 'Select row 101', exact: true }).waitFor();
    await grid.getByRole('checkbox', { name: 'Select the rows in sight' }).check();
    const seen = await grid.evaluate((each) => Math.round((Object(each).clientHeight - 36) / 36));
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('status').waitFor();
    const ticked = await grid.locator('[data-index] input:checked').evaluateAll((all) => all.map((each) => Object(each).ariaLabel));
    expect(ticked[0]).toBe('Select row 101');
    // The bar of what is selected takes a row's room after the choice.
    expect(Math.abs(ticked.length - seen)).toBeLessThan(4);

    // Nothing typed is nothing to do: to take values away is chosen.
    await page.getByRole('button', { name: 'Edit selected' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Attribute').selectOption('body');
    const apply = dialog.getByRole('button', { name: /Apply/ });
    expect(await apply.isDisabled()).toBe(true);
    await dialog.getByLabel('Clear the value').check();
    expect(await apply.isDisabled()).toBe(false);
    expect(complaints).toEqual([]);
  });

  test('what is typed while a form is being saved stays, and a long text keeps the focus', async () => {
    const { page, go, post, get, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(1));
    await go('/data/blog/Post?@record=/blog/Post/post-0000');
    const panel = page.getByRole('complementary');
    const title = panel.getByLabel('title');
    await title.fill('');
    await title.pressSequentially('x'.repeat(70));
    expect(await title.inputValue()).toBe('x'.repeat(70));
    const letGo = await held(page, '**/blog/Post/post-0000');
    await panel.getByRole('button', { name: 'Save' }).click();
    await title.fill('Later');
    letGo();
    await page.getByText('Post saved').waitFor();
    expect((await get('/blog/Post/post-0000')).body).toMatchObject({ title: 'x'.repeat(70) });
    expect(await title.inputValue()).toBe('Later');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await get('/blog/Post/post-0000')).body).toMatchObject({ title: 'Later' });
    expect(complaints).toEqual([]);
  });

  test('a form that is sent again while the first is still running makes one instance', async () => {
    const { page, go, complaints } = await visit(open, example('blog'));
    await go('/data/blog/Post?@new=1');
    const keys: (string | undefined)[] = [];
    const answers = [
      { status: 409, code: 'request-in-progress' },
      { status: 429, code: 'rate-limited' },
      { status: 422, code: 'invalid' },
    ];
    await page.route('**/blog/Post', (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const answer = answers[keys.length] ?? { status: 422, code: 'invalid' };
      keys.push(route.request().headers()['idempotency-key']);
      return route.fulfill({
        status: answer.status,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...answer, detail: `Answer ${keys.length}` }),
      });
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('slug').fill('one');
    for (const count of [1, 2, 3, 4]) {
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText(`Answer ${count}`).waitFor();
    }
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[2]);
    expect(complaints).toEqual([]);
  });

  test('a time without a zone stays without one when another is picked', async () => {
    const model = 'module m\nentity Item { id String @id, at DateTime @optional }';
    const { page, go, post, complaints } = await visit(open, model, {}, { timezoneId: 'Europe/Paris' });
    await post('/m/Item', [
      { id: 'wall', at: '2026-01-31T09:30:00' },
      { id: 'zone', at: '2026-01-31T09:30:00Z' },
    ]);
    const panel = page.getByRole('complementary');
    await go('/data/m/Item?@record=/m/Item/wall');
    expect(await panel.getByLabel('Pick at').inputValue()).toMatch(/^2026-01-31T09:30/);
    await panel.getByLabel('Pick at').fill('2026-01-31T10:00');
    expect(await panel.getByLabel('at', { exact: true }).inputValue()).toBe('2026-01-31T10:00:00');
    page.on('dialog', (dialog) => dialog.accept());
    await go('/data/m/Item?@record=/m/Item/zone');
    await panel.getByLabel('Pick at').fill('2026-01-31T11:00');
    expect(await panel.getByLabel('at', { exact: true }).inputValue()).toBe('2026-01-31T10:00:00.000Z');
    expect(complaints).toEqual([]);
  });

  test('what contains a secret is deleted without an undo, and a list that may not be followed yet is followed later', async () => {
    const model = `module m
entity Box { id String @id }
entity Key { id String @id, code Password @optional }
relationship BoxKey contains(Box, Key)`;
    const { page, go, post, complaints } = await visit(open, model);
    await post('/m/Box', { id: 'one' });
    expect((await post('/m/Box/one/BoxKey/Key', { id: 'a', code: 'Open-sesame-1' })).status).toBe(201);
    let refused = 0;
    await page.route(/\/m\/Box/, (route) => {
      if (route.request().headers()['accept'] !== 'text/event-stream' || refused > 0) return route.continue();
      refused += 1;
      return route.fulfill({ status: 429, body: '' });
    });
    await go('/data/m/Box?@record=/m/Box/one');
    await page.getByText('live', { exact: true }).waitFor();
    expect(refused).toBe(1);
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 m/Key').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Box deleted').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('what goes along with what is deleted is said, and its links come back with it', async () => {
    const model = `module m
entity Box { id String @id }
entity Part { no Int @id }
entity Tag { name String @id }
entity Order { id Int @id, box String @ref(Box.id) @cascade(true) }
relationship BoxPart contains(Box, Part)
relationship BoxTag between(Box, Tag) { rank Int @optional }
relationship PartTag between(Part, Tag)`;
    const { page, go, post, get, complaints } = await visit(open, model);
    await post('/m/Tag', [{ name: 'red' }, { name: 'blue' }]);
    await post('/m/Box', [{ id: 'one', BoxPart: [{ no: 1 }, { no: 2 }] }, { id: 'two' }]);
    expect((await post('/m/Box/one/BoxTag/Tag', { name: 'red', '@link': { rank: 7 } })).status).toBe(201);
    expect((await post('/m/Box/one/BoxPart/Part/2/PartTag/Tag', { name: 'blue' })).status).toBe(201);
    await post('/m/Order', { id: 1, box: 'two' });
    await keepToasts(page);
    const linked = async () => [(await get('/m/Box/one/BoxTag/Tag')).body, (await get('/m/Box/one/BoxPart/Part/2/PartTag/Tag')).body];
    const before = await linked();
    await go('/data/m/Box?@record=/m/Box/one');
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    for (const text of ['2 m/Part', '1 links by m/BoxTag', '1 links by m/PartTag']) await dialog.getByText(text).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Box is there again').waitFor();
    expect(await linked()).toEqual(before);

    await go('/data/m/Box?@record=/m/Box/two');
    await panel.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('1 m/Order that refer to it').waitFor();
    await dialog.getByText('It cannot be undone: what refers to it would not come back.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('those that are linked with each other come back with their links, and a link that cannot be made again is said', async () => {
    const model = `module m
entity Person { name String @id }
entity Desk { no Int @id }
relationship Knows between(Person @as from, Person @as to)
relationship Sits between(Person, Desk) @one_one`;
    const { page, go, post, get, complaints } = await visit(open, model);
    await post(
      '/m/Person',
      ['ann', 'ben', 'cy'].map((name) => ({ name })),
    );
    await post('/m/Desk', { no: 1 });
    for (const [from, to] of [
      ['ann', 'ben'],
      ['ben', 'ann'],
      ['ann', 'ann'],
      ['cy', 'ann'],
    ])
      expect((await post('/m/Knows', { from, to })).status).toBe(201);
    expect((await post('/m/Sits', { Person: 'ben', Desk: 1 })).status).toBe(201);
    const known = async (): Promise<unknown> => {
      const { body } = await get('/m/Knows');
      return Object(body)
        .map((each: { from: string; to: string }) => `${each.from} ${each.to}`)
        .sort();
    };
    const before = await known();
    await keepToasts(page);
    await go('/data/m/Person');
    for (const row of [1, 2]) await page.getByRole('checkbox', { name: `Select row ${row}`, exact: true }).check();
    await page.getByRole('button', { name: 'Delete selected' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4 links by m/Knows').waitFor();
    await dialog.getByText('1 links by m/Sits').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    const undo = page.getByText('2 Person deleted').locator('..').getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    // Taken meanwhile.
    expect((await post('/m/Sits', { Person: 'cy', Desk: 1 })).status).toBe(201);
    await undo.click();
    await page.getByText('2 are there again').waitFor();
    await page.getByText('1 of the links could not be made again').waitFor();
    expect(await known()).toEqual(before);
    expect(complaints).toEqual([]);
  });

  test('no undo is offered where something would not come back, and nothing is called all that is not', async () => {
    const model = `module m
entity Kind { id Any @id, code String @unique @optional }
entity Use { id Int @id, kind Any @ref(Kind.id) @cascade(true) @optional, code String @ref(Kind.code) @cascade(true) @optional }
entity Box { id String @id }
entity Part { no Int @id }
entity Tag { name String @id }
relationship BoxPart contains(Box, Part)
relationship PartTag between(Part, Tag)
entity Room { id String @id }
entity Chair { no Int @id }
relationship RoomChair contains(Room, Chair) @cascade(false)`;
    const { page, go, post, complaints } = await visit(open, model);
    await post('/m/Kind', [{ id: 1 }, { id: '1' }]);
    for (const [id, kind] of [
      [1, 1],
      [2, 1],
      [3, '1'],
    ])
      expect((await post('/m/Use', { id, kind })).status).toBe(201);
    await post('/m/Box', { id: 'big', BoxPart: Array.from({ length: 201 }, (_, no) => ({ no })) });
    expect((await post('/m/Room', { id: 'hall', RoomChair: [{ no: 1 }] })).status).toBe(201);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search));
    const dialog = page.getByRole('dialog');
    const look = async (path: string): Promise<void> => {
      await go(`/data${path.slice(0, path.lastIndexOf('/'))}?@record=${path}`);
      await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    };
    await look('/m/Kind/%221%22');
    await dialog.getByText('1 m/Use that refer to it').waitFor();
    await dialog.getByText('It cannot be undone: what refers to it would not come back.').waitFor();
    // What has no code is referred to by none.
    expect(asked.filter((each) => /Use\?code=/.test(each))).toEqual([]);

    await look('/m/Box/big');
    await dialog.getByText('201 m/Part').waitFor();
    await dialog.getByText('More may go along that is not seen here.').waitFor();
    await dialog.getByText('It cannot be undone: not all that goes along is known.').waitFor();
    expect(asked.filter((each) => each.includes('PartTag'))).toEqual([]);

    await look('/m/Room/hall');
    await dialog.getByText('Nothing else goes along').waitFor();
    await dialog.getByText('It cannot be undone: what stays would stand in nothing.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Room deleted').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a number is shown with all of its digits', async () => {
    const { page, go, complaints } = await visit(open, 'module m\nentity Item { id String @id, a Number @optional, b Number @optional }');
    const body = '[{"id":"1","a":0.99999999999999999999,"b":1e400},{"id":"2","a":-12345678901234567890,"b":0.1234567890123456}]';
    await page.route(/\/m\/Item\?/, (route) => route.fulfill({ contentType: 'application/json', body }));
    await go('/data/m/Item');
    for (const digits of ['0.99999999999999999999', '1e400', '-12345678901234567890', '0.1234567890123456'])
      await page.getByRole('gridcell', { name: digits, exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('what is deleted is what was looked at, and a list that cannot be read is not called empty', async () => {
    const { page, go, post, put, get, complaints } = await visit(open, example('blog'));
    await post('/blog/Post', posts(1));
    await keepToasts(page);
    await go('/data/blog/Post?@record=/blog/Post/post-0000');
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Post?' });
    await dialog.getByText('Nothing else goes along').waitFor();
    await put('/blog/Post/post-0000', { title: 'Theirs' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('has been read again').waitFor();
    await dialog.getByText('Nothing else goes along').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await get('/blog/Post/post-0000')).body).toMatchObject({ title: 'Theirs' });

    let busy = 2;
    await page.route(/\/blog\/Tag\?/, (route) => {
      busy -= 1;
      return busy < 0 ? route.continue() : route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' });
    });
    await go('/data/blog/Tag');
    await page.getByText('Nothing here yet').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.unroute(/\/blog\/Tag\?/);
    await page.route(/\/blog\/Tag\?/, (route) => route.fulfill({ status: 400, body: '' }));
    await page.reload();
    await page.getByRole('alert').getByText('answered 400').first().waitFor();
    expect(await page.getByText('Nothing here yet').count()).toBe(0);
    expect(complaints.filter((each) => !/status of 503/.test(each))).toEqual([]);
  });
});
