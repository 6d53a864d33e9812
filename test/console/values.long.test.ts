// Values of every type in the console: what is typed, copied, exported and imported is what the API has, to the last character.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isMissing, saved, useBrowser } from '../support/browser.ts';
import { visit } from './visit.ts';

const source = `module t
record Address { street String, zip Int @optional }
entity Kind { name String @id }
entity Thing {
  id Int @id, title String, body String @optional, price Decimal @optional, big Int @optional, huge BigInteger @optional, ratio Float @optional,
  on Boolean @default(false), day Date @optional, at DateTime @optional, clock Time @optional, site URL @optional,
  state @enum("new", "it's", "a,b") @default("new"), home Address @optional, tags String[] @optional, sizes Int[] @optional,
  homes Address[] @optional, extra Map @optional, any Any @optional, code Password @optional, kind String @ref(Kind.name) @optional
}`;

/** Values that a text file or a spreadsheet would make others of. */
const hard = [
  '{"id":1,"title":"=1+1","body":"\'apostrophe","tags":["=x","a,b",""],"any":"=cmd","extra":{"k,1":"\\"q\\""}}',
  '{"id":2,"title":"-5","body":"","tags":[],"any":"plain","price":"-1.50","big":-9223372036854775808,"ratio":-1.5}',
  '{"id":3,"title":"","any":5,"at":"2026-01-01T10:00:00","clock":"00:00:00"}',
  '{"id":4,"title":"\\"quoted\\"","body":"a\\r\\nb\\nc\\rd","any":false,"homes":[{"street":"x,y\\n\\"z\\""}],"home":{"street":""}}',
  '{"id":5,"title":"\'\'=","body":"\\ufeffbom","any":"\\"text\\"","state":"a,b","price":"123456789012345678901234567890.123456789","huge":"-99999999999999999999999"}',
  '{"id":6,"title":" lead","body":"trail ","any":"null","tags":["null"],"extra":{"n":9223372036854775807,"m":[0.1,null]},"ratio":1e300}',
];

async function chooseForm(page: Page, form: string): Promise<string> {
  await page.getByRole('button', { name: 'Export' }).click();
  const [file] = await Promise.all([saved(page.waitForEvent('download')), page.getByRole('menuitem', { name: form }).click()]);
  return file.toString();
}

describe.skipIf(isMissing)('values in the console', () => {
  const open = useBrowser();

  test('an empty text is one value and no value another: each is shown, made and changed by the form', async () => {
    const { page, go, post, get, put, complaints } = await visit(open, source);
    await post('/t/Thing', [
      { id: 1, title: 'a', body: '' },
      { id: 2, title: 'b' },
    ]);
    const bodies = async (): Promise<unknown> => Object((await get('/t/Thing')).body).map((each: { body: unknown }) => each.body);
    const panel = page.getByRole('complementary');
    const isEmpty = page.getByRole('checkbox', { name: 'body Empty text instead of no value' });
    await go('/data/t/Thing?@record=/t/Thing/1');
    await expect.poll(() => isEmpty.isChecked()).toBe(true);
    // What is not touched stays as it is.
    await panel.getByLabel('title').fill('c');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await get('/t/Thing/1')).body).toMatchObject({ title: 'c', body: '' });
    // One that is typed into and emptied is an empty text again, in the form and in its cell.
    const body = panel.getByRole('textbox', { name: 'body' });
    await body.fill('x');
    await body.fill('');
    expect(await isEmpty.isChecked()).toBe(true);
    const cell = page.getByRole('row').filter({ hasText: 'c' }).locator('[data-column=body]');
    await cell.focus();
    await page.keyboard.press('F2');
    const sent: unknown[] = [];
    page.on('request', (request) => request.method() === 'PUT' && sent.push(request.postDataJSON()));
    await page.keyboard.type('a');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.cell-editor').count()).toBe(0);
    expect(sent).toEqual([]);
    await isEmpty.uncheck();
    // What was emptied is asked about no more when all is cancelled.
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => isEmpty.isChecked()).toBe(true);
    await isEmpty.uncheck();
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect.poll(bodies).toEqual([null, null]);
    await panel.getByLabel('title').fill('cc');
    await body.fill('x');
    await body.fill('');
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => isEmpty.count()).toBe(0);
    await go('/data/t/Thing?@record=/t/Thing/2');
    await panel.getByLabel('body').fill('x');
    expect(await isEmpty.count()).toBe(0);
    await panel.getByLabel('body').fill('');
    await isEmpty.check();
    // In a conflict both are told apart, too.
    await put('/t/Thing/2', { body: 'theirs' });
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('cell', { name: '(empty)' }).waitFor();
    await page.keyboard.press('Escape');
    await isEmpty.uncheck();
    await body.fill('mine');
    await put('/t/Thing/2', { body: null });
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('cell', { name: '–', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await body.fill('');
    await isEmpty.check();
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(bodies).toEqual([null, '']);
    await go('/data/t/Thing?@new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('id', { exact: true }).fill('3');
    await dialog.getByLabel('title').fill('d');
    await dialog.getByLabel('body').fill('x');
    await dialog.getByLabel('body').fill('');
    await isEmpty.check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(bodies).toEqual([null, '', '']);
    expect(complaints).toEqual([]);
  });

  test('an instance with a value of each type is made by the form, and by the curl that the form copies, as it was typed', async () => {
    const { page, go, post, get, remove, complaints } = await visit(open, source, {}, { timezoneId: 'Asia/Kolkata' });
    await post('/t/Kind', { name: "it's" });
    await go('/data/t/Thing?@new=1');
    const dialog = page.getByRole('dialog');
    const typed: Readonly<Record<string, string>> = {
      id: '1',
      title: "two\n'lines'",
      price: '123456789012345678901234567890.123456789',
      big: '9223372036854775807',
      huge: '123456789012345678901234567890123456789',
      ratio: '0.1',
      day: '2026-02-28',
      at: '2026-02-28T13:45:10.123456+05:30',
      clock: '13:45:10.5',
      site: 'https://example.com/a?b=c#d',
      home: '{"street":"x\\ny","zip":12}',
      extra: '{"a": 1234567890123456789, "b": [1.50, null]}',
      any: '{a:1}',
      code: 'Open-sesame-1',
      kind: "it's",
    };
    for (const [name, text] of Object.entries(typed)) await dialog.getByLabel(name, { exact: true }).fill(text);
    await dialog.getByLabel('on', { exact: true }).selectOption('true');
    await dialog.getByLabel('state', { exact: true }).selectOption("it's");
    await dialog.getByRole('button', { name: 'Add to tags' }).click();
    await dialog.getByLabel('tags 1').fill('one\ntwo');
    await dialog.getByRole('button', { name: 'Add to sizes' }).click();
    await dialog.getByLabel('sizes 1').fill('9007199254740993');
    // What is no JSON would be kept as a text by an attribute that takes anything.
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('.field', { hasText: 'any' }).getByText('must be JSON').waitFor();
    await dialog.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Not copied: any must be JSON').waitFor();
    await dialog.getByLabel('any', { exact: true }).fill('"text"');
    await dialog.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied as curl').waitFor();
    const curl = await page.evaluate<string>('navigator.clipboard.readText()');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Thing created').waitFor();
    const made = await (await fetch(new URL('/t/Thing/1', page.url()))).text();
    expect(made).toBe(
      `{"id":1,"title":"two\\n'lines'","body":null,"price":"123456789012345678901234567890.123456789","big":9223372036854775807,"huge":"123456789012345678901234567890123456789","ratio":0.1,"on":true,"day":"2026-02-28","at":"2026-02-28T08:15:10.123456Z","clock":"13:45:10.5","site":"https://example.com/a?b=c#d","state":"it's","home":{"street":"x\\ny","zip":12},"tags":["one\\ntwo"],"sizes":[9007199254740993],"homes":null,"extra":{"a":1234567890123456789,"b":[1.5,null]},"any":"text","kind":"it's"}`,
    );
    await remove('/t/Thing/1');
    expect((await get('/t/Thing')).body).toEqual([]);
    expect((await promisify(execFile)('sh', ['-c', curl.replace('curl ', 'curl -s ')])).stdout).toBe(made);
    expect(complaints).toEqual([]);
  });

  test('what is exported as CSV or JSON is imported again as the same values', async () => {
    const { page, go, remove, complaints } = await visit(open, source);
    await go('/data/t/Thing');
    const at = (path: string) => new URL(path, page.url());
    for (const body of hard)
      expect((await fetch(at('/t/Thing'), { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status).toBe(201);
    const before = await (await fetch(at('/t/Thing'))).text();
    const dialog = page.getByRole('dialog');
    const choose = (name: string, text: string) =>
      dialog.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });
    for (const form of ['CSV', 'JSON']) {
      const file = await chooseForm(page, form);
      for (let id = 1; id <= hard.length; id += 1) await remove(`/t/Thing/${id}`);
      await page.getByRole('button', { name: 'Import' }).click();
      await choose(`things.${form.toLowerCase()}`, file);
      await dialog.getByRole('button', { name: 'Import' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await (await fetch(at('/t/Thing'))).text()).toBe(before);
    }
    await page.getByRole('button', { name: 'Import' }).click();
    await choose('things.csv', 'id,title,any,extra\n7,seven,1,{}\n8,eight,{a:1},{}\n9,nine,1,{\n');
    await dialog.getByText('Line 3: any must be JSON').waitFor();
    await dialog.getByText('Line 4: extra must be JSON').waitFor();
    await dialog.getByText('2 cells cannot be read.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('an identifier of any type is imported, found, referred to and opened as what it is: the text "1" is not the number 1', async () => {
    const { page, go, post, get, complaints } = await visit(
      open,
      `module a
entity Kind { id Any @id, title String @optional }
entity Many { id String @id }
entity Thing { id Int @id, kind Any @ref(Kind.id) @optional, many String @ref(Many.id) @optional }`,
    );
    await post('/a/Kind', { id: 1, title: 'a number' });
    await post('/a/Kind', { id: '1', title: 'a text' });
    await post('/a/Many', [{ id: 'x' }, ...Array.from({ length: 35 }, (_, at) => ({ id: `ax${at}` }))]);
    await go('/data/a/Kind');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Import' }).click();
    const file = { name: 'kinds.csv', mimeType: '', buffer: Buffer.from('id,title\nabc,letters\n') };
    await dialog.locator('input[type=file]').setInputFiles(file);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await get('/a/Kind/abc')).body).toMatchObject({ id: 'abc' });
    await page.getByRole('gridcell', { name: 'a text' }).click();
    await expect.poll(() => page.getByRole('complementary').getByLabel('title').inputValue()).toBe('a text');

    await go('/data/a/Thing?@new=1');
    await dialog.getByLabel('id', { exact: true }).fill('1');
    await dialog.getByLabel('kind', { exact: true }).fill('a text');
    await dialog.getByRole('option', { name: 'a text' }).click();
    expect(await dialog.getByLabel('kind', { exact: true }).inputValue()).toBe('"1"');
    // The one that was typed in full comes first, though more than are read contain it.
    await dialog.getByLabel('many', { exact: true }).fill('x');
    await expect.poll(() => dialog.getByRole('option').first().textContent()).toMatch(/^x\s*$/);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Thing created').waitFor();
    expect((await get('/a/Thing/1')).body).toEqual({ id: 1, kind: '1', many: 'x' });
    expect(complaints).toEqual([]);
  });

  test('a text keeps its line breaks in forms, cells and filters, and Enter ends one that is a line', async () => {
    const { page, go, post, get, complaints } = await visit(open, source);
    await post('/t/Thing', [
      { id: 1, title: 'a\r\nb', body: 'x\ry\nz\r\nw' },
      { id: 2, title: 'a_b' },
      { id: 3, title: 'aXb' },
    ]);
    const panel = page.getByRole('complementary');
    await go('/data/t/Thing?@record=/t/Thing/1');
    // An Enter that ends a composition is no end of the text.
    const isLeft = await panel.getByLabel('title').evaluate((field) => {
      const { KeyboardEvent } = Object(globalThis);
      const composed = { key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true, cancelable: true };
      return Object(field).dispatchEvent(new KeyboardEvent('keydown', composed));
    });
    expect(isLeft).toBe(true);
    await panel.getByLabel('title').press('Control+End');
    await page.keyboard.type('!');
    await page.keyboard.press('Enter');
    await page.keyboard.type('c');
    await panel.getByLabel('body').press('Control+Home');
    await page.keyboard.type('>');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Thing saved').waitFor();
    expect((await get('/t/Thing/1')).body).toMatchObject({ title: 'a\r\nb!\r\nc', body: '>x\ry\nz\r\nw' });

    await go('/data/t/Thing?@columns=id,title,body');
    const row = page.getByRole('grid').locator('[data-index="1"]');
    await row.hover();
    await row.locator('[data-column=title]').getByRole('button', { name: 'Edit the cell' }).click();
    const cell = page.getByLabel('title of 2');
    await cell.press('Control+End');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second');
    await page.keyboard.press('Control+Enter');
    await page.getByText('title saved').waitFor();
    expect((await get('/t/Thing/2')).body).toMatchObject({ title: 'a_b\nsecond' });

    const filtered = async (operator: string, text: string, found: string): Promise<void> => {
      await go('/data/t/Thing');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('Attribute').selectOption('title');
      await page.getByLabel('Operator').selectOption(operator);
      await page.getByLabel('Value').fill(text);
      await page.getByLabel('Value').press('Control+Enter');
      await page.getByText('1 row', { exact: true }).waitFor();
      await page.getByRole('gridcell', { name: found, exact: true }).first().waitFor();
    };
    await filtered('eq', 'a_b\nsecond', '2');
    // A sign that stands for others in a pattern is itself in what is contained.
    await filtered('ilike', 'A_B', '2');
    expect(complaints).toEqual([]);
  });

  test('a reference that is typed in full is taken as it was typed, whatever else contains it', async () => {
    const model = `module m
entity Post { id Int @id, title String }
entity Bare { id Int @id, rank Int }
entity Person { id Int @id, name String, email Email @unique }
entity Note { id Int @id, post Int @ref(Post.id), bare Int @ref(Bare.id), by Email @ref(Person.email) }`;
    const { page, go, post, get, complaints } = await visit(open, model);
    await post(
      '/m/Post',
      [1, 7, 17].map((id) => ({ id, title: `About ${24 - id}` })),
    );
    await post(
      '/m/Bare',
      [1, 7].map((id) => ({ id, rank: id })),
    );
    await post(
      '/m/Person',
      [1, 2].map((id) => ({ id, name: `Person ${id}`, email: `p${id}@example.com` })),
    );
    await go('/data/m/Note?@new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('id', { exact: true }).fill('1');
    for (const [name, text, shown] of [
      ['post', '7', 'About 17 7'],
      ['bare', '7', '7'],
      ['by', 'p2@example.com', 'Person 2 p2@example.com'],
    ] as const) {
      const field = dialog.getByLabel(name, { exact: true });
      await field.fill(text);
      await expect.poll(async () => (await dialog.getByRole('option').first().textContent())?.trim()).toBe(shown);
      await field.press('Enter');
      expect(await field.inputValue()).toBe(text);
    }
    await dialog.getByLabel('bare', { exact: true }).fill('70');
    await expect.poll(() => dialog.getByRole('option').count()).toBe(0);
    await dialog.getByLabel('bare', { exact: true }).fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Note created').waitFor();
    expect((await get('/m/Note/1')).body).toEqual({ id: 1, post: 7, bare: 7, by: 'p2@example.com' });
    expect(complaints).toEqual([]);
  });

  test('nothing is typed into a new record while it is being saved', async () => {
    const { page, go, get, complaints } = await visit(open, source);
    await go('/data/t/Thing?@new=1');
    let letGo = (): void => undefined;
    const isLet = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/t/Thing', async (route) => {
      if (route.request().method() === 'POST') await isLet;
      await route.continue();
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('id', { exact: true }).fill('1');
    const title = dialog.getByLabel('title', { exact: true });
    await title.fill('sent');
    await title.press('Enter');
    await dialog.locator('form[aria-busy=true]').waitFor();
    await title.pressSequentially(' later');
    expect(await title.inputValue()).toBe('sent');
    letGo();
    await page.getByText('Thing created').waitFor();
    expect((await get('/t/Thing/1')).body).toMatchObject({ title: 'sent' });
    expect(complaints).toEqual([]);
  });
});
