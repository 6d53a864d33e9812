// The main job of every page, by the keyboard alone and by the mouse alone, on three of the examples.

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { admin, instances, type World, world } from '../../access/people.ts';
import { mailServer, mailSettings, password } from '../../identity/accounts.ts';
import { isMissing, saved, useBrowser } from '../../support/browser.ts';
import { sampled, seed } from '../../support/form.ts';
import { example } from '../visit.ts';
import { type Hand, keyboard, mouse } from './hands.ts';

/** What of an example its pages are tried with. */
interface Case {
  readonly name: string;
  readonly type: string;
  readonly title: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly event?: { readonly name: string; readonly fields: Readonly<Record<string, string>>; readonly gives: string };
  readonly agent?: { readonly name: string; readonly message: string; readonly says: string };
}

const cases: readonly Case[] = [
  { name: 'blog', type: 'blog/Author', title: 'name', fields: { name: 'Ann', email: 'ann@example.com' } },
  {
    name: 'newsroom',
    type: 'newsroom/Post',
    title: 'title',
    fields: { id: '1', title: 'Flood' },
    event: { name: 'newsroom/publish', fields: { id: '1' }, gives: 'published' },
  },
  {
    name: 'support',
    type: 'support/Ticket',
    title: 'title',
    fields: { title: 'Charged twice', customer: 'ann@example.com' },
    event: { name: 'support/report', fields: { message: 'Broken' }, gives: 'Broken' },
    agent: { name: 'support/desk', message: 'How do I change my password?', says: 'Open Settings, then Password.' },
  },
];

const script = join(import.meta.dirname, '../../../examples/support/script.json');

interface Visit extends World {
  readonly page: Page;
  readonly hand: Hand;
}

const link = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

/** A page of the console, and its job; the one before has left it as the next finds it. */
const jobs: readonly (readonly [page: string, job: (visit: Visit, tried: Case) => Promise<void>])[] = [
  [
    'Home',
    async ({ page, hand }, { type }) => {
      await hand.press(page.getByRole('main').getByRole('link', { name: type.split('/')[1] ?? '', exact: true }));
      await page.getByRole('grid', { name: type }).waitFor();
      await hand.expectPlace(page);
    },
  ],
  [
    'Data',
    async ({ page, hand, admin: first }, { type, fields, title }) => {
      for (const { id } of instances(await first.read(`/${type}`))) await first.remove(`/${type}/${id}`);
      await hand.press(page.getByRole('link', { name: type, exact: true }));
      await hand.expectPlace(page);
      await hand.press(page.getByRole('button', { name: `New ${type.split('/')[1]}` }));
      const dialog = page.getByRole('dialog');
      for (const [name, text] of Object.entries(fields)) await hand.write(dialog.getByLabel(name, { exact: true }), text);
      await hand.press(dialog.getByRole('button', { name: 'Save' }));
      const panel = page.getByRole('complementary');
      await hand.write(panel.getByLabel(title, { exact: true }), 'Changed');
      await hand.press(panel.getByRole('button', { name: 'Save' }));
      await page.getByRole('grid').getByRole('gridcell', { name: 'Changed' }).waitFor();
      await hand.press(panel.getByRole('button', { name: 'Close' }));
      await panel.waitFor({ state: 'detached' });
      await hand.expectPlace(page);
      await hand.press(page.getByRole('grid').getByRole('row').nth(1));
      await hand.press(panel.getByRole('button', { name: 'Delete' }));
      await dialog.getByText('Nothing else goes along').waitFor();
      // What is thought better of gives the focus back to where it was.
      await hand.press(dialog.getByRole('button', { name: 'Cancel' }));
      await dialog.waitFor({ state: 'detached' });
      await hand.expectPlace(page);
      await hand.press(panel.getByRole('button', { name: 'Delete' }));
      await dialog.getByText('Nothing else goes along').waitFor();
      await hand.press(dialog.getByRole('button', { name: 'Delete' }));
      await expect.poll(async () => (await first.read(`/${type}`)).body).toEqual([]);
      await panel.waitFor({ state: 'detached' });
      await hand.expectPlace(page);
      const again = Object.entries(fields).map(([name, text]) => [name, name === 'id' ? Number(text) : text] as const);
      expect((await first.create(`/${type}`, Object.fromEntries(again))).status).toBe(201);
    },
  ],
  [
    'Model',
    async ({ page, hand }, { name, type }) => {
      await hand.press(page.getByRole('figure', { name: `Model of ${name}` }).getByRole('button', { name: type, exact: true }));
      await page.getByRole('heading', { name: type }).waitFor();
      await hand.expectPlace(page);
      await hand.press(page.getByRole('link', { name: `Model of ${name}` }));
      await hand.openTab(page, 'Source');
      await page.getByText(`module ${name}`).first().waitFor();
    },
  ],
  [
    'Events',
    async ({ page, hand }, { event = { name: '', fields: {}, gives: '' } }) => {
      await hand.press(page.getByRole('link', { name: event.name, exact: true }));
      await hand.expectPlace(page);
      for (const [name, text] of Object.entries(event.fields)) await hand.write(page.getByLabel(name, { exact: true }), text);
      await hand.press(page.getByRole('button', { name: 'Run' }));
      await page.getByRole('region', { name: 'Result' }).getByText(event.gives).first().waitFor();
      await hand.expectPlace(page);
    },
  ],
  [
    'Access',
    async ({ page, hand }, { type }) => {
      await hand.openTab(page, 'Users');
      await hand.press(page.getByRole('button', { name: 'Roles of ann@example.com' }));
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Done' }));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await hand.expectPlace(page);
      await hand.openTab(page, 'Why');
      await hand.write(page.getByLabel('User'), 'ann@example.com');
      await hand.choose(page.getByLabel('Type'), type);
      await hand.choose(page.getByLabel('Operation'), 'create');
      await hand.press(page.getByRole('button', { name: 'Check' }));
      await page
        .getByRole('status', { name: 'Answer' })
        .getByText(/Denied|Allowed/)
        .waitFor();
    },
  ],
  [
    'Audit',
    async ({ page, hand }) => {
      const filter = page.getByRole('form', { name: 'Filter' });
      await hand.write(filter.getByLabel('Instance'), 'no such');
      await hand.press(filter.getByRole('button', { name: 'Apply' }));
      await page.getByText('No entry is like that.').waitFor();
      await hand.press(filter.getByRole('button', { name: 'Clear' }));
      await hand.press(page.getByRole('button', { name: 'Verify' }));
      await page
        .getByText(/all as written, none missing|Nothing has been recorded/)
        .first()
        .waitFor();
      await hand.expectPlace(page);
    },
  ],
  [
    'Agents',
    async ({ page, hand }, { agent = { name: '', message: '', says: '' } }) => {
      await hand.press(page.getByRole('link', { name: agent.name, exact: true }));
      await hand.write(page.getByRole('textbox', { name: 'Message' }), agent.message);
      await hand.press(page.getByRole('button', { name: 'Send' }));
      await page.getByRole('region', { name: 'Conversation' }).getByText(agent.says).waitFor();
      await hand.expectPlace(page);
    },
  ],
  [
    'Operation',
    async ({ page, hand }) => {
      await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor();
      const backup = saved(page.waitForEvent('download'));
      await hand.press(page.getByRole('button', { name: 'Download backup' }));
      expect((await backup).subarray(0, 15).toString()).toBe('SQLite format 3');
    },
  ],
];

describe.skipIf(isMissing)('each page', () => {
  const open = useBrowser();

  /** A long run does every job with either hand on every example; else one of them does every second one of an example, with each commit others. */
  const ways = sampled(
    cases.flatMap((tried) => [keyboard, mouse].map((hand) => ({ tried, hand, name: tried.name, by: hand.name }))),
    2 * cases.length,
  );

  test.each(ways)('of $name does its jobs by the $by alone', async ({ tried, hand }) => {
    const audited = example(tried.name).replace('entity Author {', 'entity Author {\n  @meta {"audit": true},');
    const people = await world(audited, 'current', { audit: {}, ...(tried.agent ? { llm: { provider: 'scripted', script } } : {}) });
    await people.join('ann');
    const [address = ''] = await people.served.app.listen();
    const { page, complaints } = await open(address);
    await page.goto(`${address}/console`);
    const form = page.getByRole('form', { name: 'Sign in' });
    await hand.write(form.getByLabel('Email'), admin);
    await hand.write(form.getByLabel('Password'), password);
    await hand.press(form.getByRole('button', { name: 'Sign in' }));
    const absent = [...(tried.event ? [] : ['Events']), ...(tried.agent ? [] : ['Agents'])];
    const present = jobs.filter(([each]) => !absent.includes(each));
    for (const [name, job] of sampled(present, 2, Math.floor(seed / (2 * cases.length)))) {
      await hand.press(link(page, name));
      await job({ ...people, page, hand }, tried);
    }
    await leadAnywhere(page, hand, tried);
    await hand.press(page.getByRole('banner').getByRole('button', { name: admin }));
    await hand.press(page.getByRole('menuitem', { name: 'Sign out' }));
    await form.waitFor();
    expect(await link(page, 'Home').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  /** The short form sets one with every second commit. */
  test.each(sampled([keyboard, mouse], 4))(
    'of the way in sets a new password by the $name alone, with the code of a mail',
    async (hand) => {
      const mail = await mailServer();
      const { served } = await world(example('newsroom'), 'current', { auth: { mail: mailSettings(mail) } });
      const [address = ''] = await served.app.listen();
      const { page, complaints } = await open(address);
      await page.goto(`${address}/console`);
      await hand.press(page.getByRole('link', { name: 'Forgot password' }));
      await hand.write(page.getByLabel('Email'), admin);
      await hand.press(page.getByRole('button', { name: 'Send the code' }));
      await hand.write(page.getByLabel('Code'), await mail.code(admin));
      await hand.write(page.getByRole('textbox', { name: 'New password' }), `${password} by ${hand.name}`);
      await hand.press(page.getByRole('button', { name: 'Set the password' }));
      await page.getByRole('banner').getByRole('button', { name: admin }).waitFor();
      expect(complaints).toEqual([]);
    },
  );
});

/** The commands lead anywhere; where they are left, the focus is where it was. */
async function leadAnywhere(page: Page, hand: Hand, { type }: Case): Promise<void> {
  const commands = page.getByRole('dialog', { name: 'Commands' });
  await hand.openCommands(page);
  await commands.waitFor();
  await page.keyboard.press('Escape');
  await commands.waitFor({ state: 'detached' });
  await hand.expectPlace(page);
  await hand.openCommands(page);
  await hand.write(commands.getByRole('combobox'), type);
  const option = commands.getByRole('option', { name: type });
  await option.waitFor();
  if (hand.name === 'mouse') await option.click();
  else await page.keyboard.press('Enter');
  await page.getByRole('grid', { name: type }).waitFor();
  await hand.expectPlace(page);
}
