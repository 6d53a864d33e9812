// The pages of the console where the service speaks the earlier surface: names, bodies and envelopes are others, the jobs are the same.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { admin, instances, world } from '../../access/people.ts';
import { isMissing, saved, useBrowser } from '../../support/browser.ts';
import { modelServer } from '../../support/model-server.ts';
import { example, signIn, visit as visitOf } from '../visit.ts';

const examples = join(import.meta.dirname, '../../../examples');
const read = (path: string): string => readFileSync(join(examples, path), 'utf8');

const desk = `(component :Desk)
(entity :Ticket {:Id {:type :Int :guid true} :Title :String :meta {:audit true}})
{:Platform.Core/Agent {:Name :clerk :Input :Desk/Ask :Type :chat :UserInstruction "Work on tickets." :Tools [:Desk/Ticket]}}
(inference :Help {:agent "clerk"})
`;

describe.skipIf(isMissing)('the console on the earlier surface', () => {
  const open = useBrowser();

  const visit = async () => {
    const model = await modelServer();
    const project = {
      'company.platform': read('company/acme/company.platform'),
      'store.platform': read('company/acme/store.platform'),
      'loyalty.platform': read('loyalty/acme/loyalty.platform'),
      'desk.platform': desk,
    };
    const people = await world(project, 'earlier', { llm: model.settings, audit: {} });
    const [address = ''] = await people.served.app.listen();
    const { page, complaints } = await open(address);
    await page.goto(`${address}/console`);
    await signIn({ page }, admin);
    return { ...people, model, page, complaints, go: (to: string) => page.goto(`${address}/console${to}`) };
  };

  const link = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

  test('data is listed, filtered, made, changed, linked and deleted', async () => {
    const { page, complaints, admin: first } = await visit();
    for (const [No, Block] of [
      [1, 'a'],
      [2, 'b'],
    ])
      await first.create('/Acme.Company/Department', { No, Block });
    await first.create('/Acme.Company/Project', { Title: 'Bridge' });
    await link(page, 'Data').click();
    await page.getByRole('link', { name: 'Acme.Company/Department' }).click();
    const grid = page.getByRole('grid', { name: 'Acme.Company/Department' });
    await expect.poll(() => grid.getByRole('row').count()).toBe(3);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Attribute').selectOption('Block');
    await page.getByLabel('Value').selectOption('b');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => grid.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Remove Block = b' }).click();
    await page.getByRole('button', { name: 'New Department' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('No', { exact: true }).fill('3');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Block').selectOption('a');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const panel = page.getByRole('complementary');
    await panel.getByLabel('Block').selectOption('b');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => instances(await first.read('/Acme.Company/Department/3'))[0]).toMatchObject({ Block: 'b' });
    // A child, a link with what it holds, and both taken away.
    await panel.getByRole('tab', { name: 'WorksFor' }).click();
    await panel.getByRole('button', { name: 'New Employee' }).click();
    await dialog.getByLabel('No', { exact: true }).fill('7');
    await dialog.getByLabel('Name').fill('Ann');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('link', { name: 'Ann' }).waitFor();
    await panel.getByRole('tab', { name: 'TakesPart' }).click();
    await panel.getByRole('button', { name: 'Link', exact: true }).click();
    await panel.getByRole('combobox').fill('Bri');
    await panel.getByRole('option', { name: 'Bridge' }).click();
    await panel.getByRole('link', { name: 'Bridge' }).waitFor();
    await panel.getByRole('button', { name: 'Unlink Bridge' }).click();
    await panel.getByText('None yet.').waitFor();
    await panel.getByRole('tab', { name: 'WorksFor' }).click();
    await panel.getByRole('link', { name: 'Ann' }).click();
    await page.getByRole('grid', { name: 'Acme.Company/Employee' }).waitFor();
    await panel.getByLabel('Name').fill('Anna');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('grid').getByRole('gridcell', { name: 'Anna' }).waitFor();
    await page.goBack();
    await panel.getByRole('tab', { name: 'Attributes' }).click();
    await panel.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('1 Acme.Company/Employee').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => grid.getByRole('row').count()).toBe(3);
    expect(complaints).toEqual([]);
  });

  test('events are run, the model is read, users are kept out, keys made, agents asked and their runs found again', async () => {
    const { page, complaints, admin: first, model, join: joined } = await visit();
    await joined('ann');
    await first.create('/Acme.Loyalty/Customer', { Email: 'ann@example.com', Name: 'Ann' });
    await page.reload();
    await link(page, 'Events').click();
    await page.getByRole('link', { name: 'Acme.Loyalty/Buy' }).click();
    await page.getByLabel('Customer').fill('ann@example.com');
    await page.getByLabel('Product').fill('coffee');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText('There is no such product.').waitFor();
    await page.getByLabel('Product').fill('tea');
    await page.getByRole('button', { name: 'Run' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('cell', { name: 'Green tea' }).waitFor();
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByRole('listitem').first().waitFor();
    await steps.locator('summary').click();
    await steps.getByText('INSERT INTO').first().waitFor();

    await link(page, 'Model').click();
    await page.getByRole('figure', { name: 'Model of Acme.Company' }).getByRole('button', { name: 'Acme.Company/Department' }).click();
    await page.getByText('POST /api/Acme.Company/Department').first().waitFor();
    await page.getByRole('link', { name: 'Model of Acme.Company' }).click();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.getByText('(component :Acme.Company)').waitFor();

    await link(page, 'Access').click();
    await page.getByRole('tab', { name: 'Users' }).click();
    const row = page.getByRole('row', { name: 'ann@example.com' });
    await row.getByRole('button', { name: 'Disable ann@example.com' }).click();
    await row.getByText('Disabled').waitFor();
    await row.getByRole('button', { name: 'Enable ann@example.com' }).click();
    await row.getByText('Active').waitFor();
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.getByLabel('User').fill('ann@example.com');
    await page.getByLabel('Operation').selectOption('create');
    await page.getByLabel('Type').selectOption('Desk/Ticket');
    await page.getByRole('button', { name: 'Check' }).click();
    await page
      .getByRole('status', { name: 'Answer' })
      .getByText(/Denied|Allowed/)
      .waitFor();
    await page.getByRole('tab', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('calendar');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByLabel('Key').waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('row', { name: 'calendar' }).waitFor();
    await page.getByRole('button', { name: 'Delete calendar' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No keys yet.').waitFor();

    model.says({ tool: 'Desk_Ticket_create', arguments: { Id: 1, Title: 'Broken' } }, 'Done.');
    await link(page, 'Agents').click();
    await page.getByRole('link', { name: 'Desk/Ask' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('make one');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'Conversation' }).getByText('Done.').waitFor();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('Desk_Ticket_create').waitFor();
    await link(page, 'Agents').click();
    await page.getByRole('heading', { name: 'Recent runs' }).waitFor();
    await page.getByRole('link', { name: 'make one' }).click();
    const run = page.getByRole('region', { name: 'Run', exact: true });
    await run.getByText('Desk_Ticket_create').waitFor();
    await run.getByText('succeeded').waitFor();
    await page.getByRole('heading', { name: 'Earlier runs' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('Home has the types and the last changes, Audit the trail, which is verified, and Operation the service with a backup', async () => {
    const { page, complaints, admin: first } = await visit();
    expect((await first.create('/Desk/Ticket', { Id: 1, Title: 'Broken' })).status).toBe(200);
    expect((await first.change('/Desk/Ticket/1', { Title: 'Mended' })).status).toBe(200);
    await page.reload();
    const main = page.getByRole('main');
    await main.getByRole('listitem').filter({ hasText: 'Ticket' }).getByText('1', { exact: true }).waitFor();
    await main.getByText(`${admin} changed`).waitFor();
    await main.getByRole('link', { name: 'Desk/Ticket 1' }).first().click();
    await page.getByRole('grid', { name: 'Desk/Ticket' }).waitFor();
    const panel = page.getByRole('complementary');
    await expect.poll(() => panel.getByLabel('Title').inputValue()).toBe('Mended');
    await panel.getByRole('tab', { name: 'History' }).click();
    await panel.getByRole('list', { name: 'Entries' }).locator('del').getByText('Broken').waitFor();

    await link(page, 'Audit').click();
    const entries = page.getByRole('list', { name: 'Entries' });
    await expect.poll(() => entries.locator('> li').count()).toBe(2);
    const filter = page.getByRole('form', { name: 'Filter' });
    await filter.getByLabel('Type').fill('Desk/Ticket');
    await filter.getByLabel('User').fill('nobody@example.com');
    await filter.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('No entry is like that.').waitFor();
    await filter.getByLabel('User').fill(admin);
    await filter.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => entries.locator('> li').count()).toBe(2);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText(/all as written, none missing/).waitFor();

    await link(page, 'Operation').click();
    for (const name of ['Requests', 'Store', 'Migrations', 'Timers', 'Resolvers'])
      await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByRole('row', { name: /^GET / }).waitFor();
    await page.getByText('fits the model').waitFor();
    const backup = saved(page.waitForEvent('download'));
    await page.getByRole('button', { name: 'Download backup' }).click();
    expect((await backup).subarray(0, 15).toString()).toBe('SQLite format 3');
    expect(complaints).toEqual([]);
  });

  test('an instance is made and changed without an account too', async () => {
    const { page, go, get, complaints } = await visitOf(open, example('blog'), { surfaces: ['earlier'] });
    await go('/data/blog/Tag?@new=1');
    await page.getByRole('dialog').getByLabel('name').fill('news');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('complementary').getByLabel('name').waitFor();
    await go('/data/blog/Author?@new=1');
    await page.getByRole('dialog').getByLabel('name').fill('Ann');
    await page.getByRole('dialog').getByLabel('email').fill('ann@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const panel = page.getByRole('complementary');
    await panel.getByLabel('name').fill('Anna');
    await panel.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await get('/api/blog/Author')).text).toContain('Anna');
    expect(complaints).toEqual([]);
  });
});
