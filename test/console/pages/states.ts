// What stands on a page only after something was done: dialogs, menus, forms with faults, what could not be read.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from '../../access/people.ts';

export interface State {
  readonly name: string;
  /** Below `/console`. */
  readonly at: string;
  /** Until it is there. */
  open(page: Page, first: Person): Promise<unknown>;
  /** What it shows. */
  readonly shown: string;
}

/** Of a model with `m/Post`, whose instance at `record` has `hostile` in each text, of which `mark` is the beginning. */
export function statesOf(mark: string, hostile: string): readonly State[] {
  const encoded = encodeURIComponent(hostile);
  const place = `/m/Post/${encoded}`;
  const record = `/data/m/Post?@record=${encodeURIComponent(place)}`;
  const button = (within: Page | Locator, name: string): Locator => within.getByRole('button', { name, exact: true });
  const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  const importing = async (page: Page, name: string, text: string): Promise<Locator> => {
    await button(page, 'Import').click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=file]').setInputFiles(file(name, text));
    return dialog;
  };
  return [
    {
      name: 'the navigation',
      at: '',
      shown: 'Operation',
      open: async (page) => (await button(page, 'Navigation').isVisible()) && button(page, 'Navigation').click(),
    },
    {
      name: 'the menu of the user',
      at: '',
      shown: 'Sign out',
      open: (page) => page.getByRole('banner').getByRole('button', { name: 'admin@example.com' }).click(),
    },
    {
      name: 'the form of a filter',
      at: `/data/m/Post?title=${encoded}`,
      shown: 'Operator',
      open: (page) => button(page, 'Filter').click(),
    },
    { name: 'the choice of columns', at: '/data/m/Post', shown: 'Done', open: (page) => button(page, 'Columns').click() },
    { name: 'the menu of exports', at: '/data/m/Post', shown: 'CSV', open: (page) => button(page, 'Export').click() },
    {
      name: 'a change of many rows',
      at: '/data/m/Post',
      shown: 'Apply to 1',
      async open(page) {
        await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).check();
        await button(page, 'Edit selected').click();
        await page.getByRole('dialog').getByLabel('Attribute').selectOption('title');
      },
    },
    {
      name: 'a cell with a fault',
      at: '/data/m/Post?@columns=count,title',
      shown: mark,
      async open(page) {
        await page.getByRole('grid').getByRole('row').nth(1).locator('[data-column=count]').focus();
        await page.keyboard.press('F2');
        await page.getByLabel(/^count of/).fill('many');
        await page.keyboard.press('Enter');
        await page.getByRole('grid').getByRole('alert').waitFor();
      },
    },
    {
      name: 'a new instance with faults',
      at: '/data/m/Post?@new=1',
      shown: 'New Post',
      async open(page) {
        await page.getByRole('dialog').getByLabel('count').fill(hostile);
        await button(page.getByRole('dialog'), 'Save').click();
        await page.getByRole('alert').first().waitFor();
      },
    },
    {
      name: 'the preview of an import',
      at: '/data/m/Post',
      shown: mark,
      open: async (page) => (await importing(page, 'posts.csv', `id,title\n"${hostile}","${hostile}"\n`)).getByRole('table').waitFor(),
    },
    {
      name: 'an import of what cannot be read',
      at: '/data/m/Post',
      shown: 'cannot be read',
      open: async (page) => (await importing(page, 'posts.csv', `id,any\n1,"${hostile}"\n`)).getByRole('alert').waitFor(),
    },
    {
      name: 'an import that is refused',
      at: '/data/m/Post',
      shown: 'Nothing was imported',
      async open(page) {
        const dialog = await importing(page, 'posts.json', JSON.stringify([{ id: hostile, [hostile]: 1 }]));
        await button(dialog, 'Import').click();
        await dialog.getByRole('alert').waitFor();
      },
    },
    {
      name: 'a conflict',
      at: record,
      shown: mark,
      async open(page, first) {
        await page.getByRole('complementary').getByLabel('body', { exact: true }).fill(`${hostile} mine`);
        expect((await first.change(place, { body: `${hostile} theirs`, title: hostile, count: Date.now() % 1_000_000 })).status).toBe(200);
        await button(page.getByRole('complementary'), 'Save').click();
        await page.getByRole('dialog', { name: 'Changed meanwhile' }).waitFor();
        await page.getByRole('dialog').getByRole('cell', { name: mark }).first().waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Take theirs' }).focus();
      },
    },
    {
      name: 'what can be linked',
      at: `${record}&@tab=PostTag`,
      shown: mark,
      async open(page) {
        await button(page.getByRole('complementary'), 'Link').click();
        await page.getByRole('complementary').getByRole('combobox').fill('<');
        await page.getByRole('option').first().waitFor();
      },
    },
    {
      name: 'who may do what with an instance',
      at: `${record}&@tab=Access`,
      shown: 'Allowed',
      async open(page) {
        await page.getByRole('complementary').getByLabel('User').fill('admin@example.com');
        await button(page.getByRole('complementary'), 'Check').click();
      },
    },
    { name: 'an instance that is not there', at: `${record}0`, shown: mark, open: (page) => page.getByRole('alert').waitFor() },
    {
      name: 'an address that is none',
      at: '/data/m/Post?@record=/m/Post/%25E0',
      shown: 'm/Post',
      open: (page) => page.getByRole('complementary').waitFor(),
    },
    { name: 'a filter that is none', at: `/data/m/Post?${encoded}=1`, shown: mark, open: (page) => page.getByRole('alert').waitFor() },
    ...['data', 'model', 'events', 'agents'].map((page) => ({
      name: `a name of ${page} that is none`,
      at: `/${page}/m/${encoded}`,
      shown: mark,
      open: async () => undefined,
    })),
    { name: 'migrations', at: '/model?@tab=Migrations', shown: 'Migrations', open: async () => undefined },
    {
      name: 'a run',
      at: '/agents',
      shown: 'm_Post_read',
      open: (page) => page.getByRole('link', { name: mark }).first().click(),
    },
    {
      name: 'the roles of a user',
      at: '/access',
      shown: mark,
      open: (page) => button(page, 'Roles of ann@example.com').click(),
    },
    { name: 'a new key', at: '/access?@tab=API%20keys', shown: 'Create', open: (page) => button(page, 'New key').click() },
    {
      name: 'a key that is to be deleted',
      at: '/access?@tab=API%20keys',
      shown: mark,
      open: (page) =>
        page
          .getByRole('button', { name: /^Delete </ })
          .first()
          .click(),
    },
    {
      name: 'what is about to be deleted',
      at: record,
      shown: mark,
      async open(page) {
        await button(page.getByRole('complementary'), 'Delete').click();
        await page.getByRole('dialog').getByText('1 m/Note').waitFor();
      },
    },
    {
      name: 'the commands',
      at: '',
      shown: 'Nothing is called so.',
      async open(page) {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox').fill(hostile);
      },
    },
    {
      name: 'what is said in passing',
      at: '/access?@tab=Roles',
      shown: `ann@example.com is ${mark}`,
      async open(page) {
        await page.getByRole('combobox', { name: 'User' }).fill('ann@example.com');
        await page.getByLabel('Role', { exact: true }).fill(`${hostile}${Date.now()}`);
        await button(page, 'Assign').click();
      },
    },
    {
      name: 'the result of an event',
      at: '/events/m/show',
      shown: mark,
      async open(page) {
        await page.getByLabel('text', { exact: true }).fill(hostile);
        await button(page, 'Run').click();
        await page.getByRole('region', { name: 'Result' }).getByRole('cell', { name: mark }).first().waitFor();
      },
    },
    {
      name: 'an event that fails',
      at: '/events/m/refuse',
      shown: mark,
      async open(page) {
        await page.getByLabel('text', { exact: true }).fill(hostile);
        await button(page, 'Run').click();
        await page.getByRole('alert').waitFor();
      },
    },
    {
      name: 'entries of the trail that are filtered, and verified',
      at: `/audit?instance=${encoded}`,
      shown: 'all as written',
      open: (page) => button(page, 'Verify').click(),
    },
  ];
}
