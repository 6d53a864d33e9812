// The page Access in a real browser: users, roles, who may do what and why, and API keys.

import { describe, expect, test } from 'vitest';
import { admin, instances, world } from '../access/people.ts';
import { clientOf, password } from '../identity/accounts.ts';
import { isMissing, useBrowser, type VisitOptions } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';
import { example, signIn } from './visit.ts';

describe.skipIf(isMissing)('access in the console', () => {
  const open = useBrowser();

  const newsroom = async (email: string, context: VisitOptions = {}) => {
    const people = await world(example('newsroom'));
    const ann = await people.join('ann', 'user');
    await people.join('ben', 'user', 'editor');
    await ann.create('/newsroom/Post', { id: 1, title: 'Flood' });
    const [address = ''] = await people.served.app.listen();
    const { page, complaints } = await open(address, context);
    await page.goto(`${address}/console/access`);
    await signIn({ page }, email);
    return { ...people, page, complaints, address };
  };

  test('users are kept out and let in again, and get and lose roles', async () => {
    const { page, admin: first, served, complaints } = await newsroom(admin);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Access' }).click();
    await page.getByRole('tab', { name: 'Users' }).click();
    const row = page.getByRole('row', { name: 'ann@example.com' });
    await row.getByText('Active').waitFor();
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Disable ann@example.com' }).click();
    await row.getByText('Disabled').waitFor();
    expect((await clientOf(served, 'current').login('ann@example.com', password)).status).toBe(401);
    await row.getByRole('button', { name: 'Enable ann@example.com' }).click();
    await row.getByText('Active').waitFor();
    expect((await clientOf(served, 'current').login('ann@example.com', password)).status).toBe(200);
    expect(await page.getByRole('button', { name: `Disable ${admin}` }).isDisabled()).toBe(true);

    await row.getByRole('button', { name: 'Roles of ann@example.com' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roles of ann@example.com' });
    await dialog.getByRole('checkbox', { name: 'editor' }).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const roles = async () =>
      [
        ...new Set(instances(await first.read(`${first.at('RoleAssignment')}?assignee=ann@example.com`)).map((each) => each['role'])),
      ].toSorted();
    await expect.poll(roles).toEqual(['editor', 'user']);
    // By the keyboard: the tabs by the arrow keys.
    await page.getByRole('tab', { name: 'Users' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Take editor from ann@example.com' }).focus();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await expect.poll(roles).toEqual(['user']);
    await page.getByRole('combobox', { name: 'User' }).fill('ann@example.com');
    await page.getByLabel('Role', { exact: true }).fill('chief');
    await page.getByRole('button', { name: 'Assign' }).click();
    await expect.poll(roles).toEqual(['chief', 'user']);
    expect(complaints).toEqual([]);
  });

  test('a key is shown once, is let in, and is not after it was deleted', async () => {
    const { page, served, enter, complaints } = await newsroom('ben@example.com', { viewport: { width: 320, height: 700 } });
    // Whoever is no admin has keys, and is not told of others.
    await page.getByRole('button', { name: 'New key' }).click();
    expect(await page.getByRole('tab').allTextContents()).toEqual(['API keys']);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('calendar');
    await dialog.getByLabel('Only some of my roles').check();
    await dialog.getByLabel('editor').check();
    await dialog.getByLabel('Expires').fill('2999-01-01');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create' }).dblclick();
    const key = await dialog.getByLabel('Key').inputValue();
    await expectAccessible(page);
    // Nobody closes it by chance: not by a second Escape either, which a browser lets no page prevent.
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    expect(await dialog.getByLabel('Key').inputValue()).toBe(key);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByText('copy it by hand').waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe(key);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('row', { name: 'calendar' }).waitFor();
    expect(await page.getByRole('row', { name: 'calendar' }).count()).toBe(1);
    expect(await page.locator('body').textContent()).not.toContain(key);
    const bearer = { authorization: `Bearer ${key}` };
    expect((await served.get('/platform.auth/me', bearer)).body).toMatchObject({ roles: ['editor'] });
    // To the end of that day, in the zone of its owner.
    const [kept] = instances(await (await enter('ben')).read('/platform.auth/ApiKey'));
    expect(kept?.['expires']).toBe(await page.evaluate("new Date('2999-01-01T23:59:59').toISOString()"));
    await page.getByRole('button', { name: 'Delete calendar' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No keys yet.').waitFor();
    await expect.poll(async () => (await served.get('/platform.auth/me', bearer)).status).toBe(401);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(complaints).toEqual([]);
  });

  test('the matrix says who may do what, and Why says by which rule', async () => {
    const { page, address, complaints } = await newsroom(admin, { colorScheme: 'dark' });
    await page.getByRole('tab', { name: 'Matrix' }).click();
    const line = page.getByRole('row', { name: 'newsroom/Correction role editor where auth.user = this.editor' });
    await expect.poll(() => line.getByText(/^may /).allTextContents()).toEqual(['may read', 'may update']);
    // Each mark stands below the operation that it is about.
    const head = await page.getByRole('columnheader', { name: 'update' }).boundingBox();
    const mark = await line.getByRole('cell', { name: 'may update' }).boundingBox();
    expect([mark?.x, mark?.width]).toEqual([head?.x, head?.width]);
    await page.getByLabel('Role').selectOption('user');
    expect(await page.getByRole('row', { name: 'role editor' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.getByLabel('User').fill('ben@example.com');
    await page.getByLabel('Operation').selectOption('update');
    await page.getByLabel('Type').selectOption('newsroom/Post');
    await page.getByLabel('Instance').fill('1');
    await page.getByRole('button', { name: 'Check' }).click();
    const answer = page.getByRole('status', { name: 'Answer' });
    await answer.getByText('newsroom/Post 1 is owned by ann@example.com').waitFor();
    expect(await answer.textContent()).toContain('Denied: the request is answered with 403');
    await expectAccessible(page);
    await page.getByLabel('User').fill('ann@example.com');
    await page.getByRole('button', { name: 'Check' }).click();
    await answer.getByText('Allowed').waitFor();
    // What is asked is in the address.
    await page.reload();
    await answer.getByText('Allowed').waitFor();
    await page.getByLabel('User').fill('nobody@example.com');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('alert').getByText('There is no user nobody@example.com.').waitFor();

    await page.goto(`${address}/console/data/newsroom/Post?@record=/newsroom/Post/1&@tab=Access`);
    const panel = page.getByRole('complementary');
    await panel.getByLabel('User').fill('ben@example.com');
    await panel.getByRole('button', { name: 'Check' }).click();
    await panel.getByText('newsroom/Post 1 is owned by ann@example.com').waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
