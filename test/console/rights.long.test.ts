// What the console says to users who see only a part of what they delete.

import { describe, expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { signIn } from './visit.ts';

describe.skipIf(isMissing)('what the console says to those who see a part', () => {
  const open = useBrowser();

  test('what goes along unseen by the caller is said, and owners that would not come back offer no undo', async () => {
    const model = `module m
entity Post { id Int @id, @rbac [(roles: [user], allow: [create, read, update, delete])] }
entity Note { id Int @id, text String @optional }
entity Desk { name String @id, @rbac [(roles: [user], allow: [create, read, update, delete])] }
relationship PostNote contains(Post, Note)`;
    const { served, join } = await world(model);
    const ann = await join('ann', 'user');
    expect((await ann.create('/m/Post', { id: 1 })).status).toBe(201);
    expect((await ann.create('/m/Desk', { name: 'sports' })).status).toBe(201);
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address);
    await page.goto(`${address}/console/data/m/Post?@record=/m/Post/1`);
    await signIn({ page }, ann.email);
    const dialog = page.getByRole('dialog');
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Something may go along that is not seen here.').waitFor();
    expect(await dialog.getByText('Nothing else goes along').count()).toBe(0);
    await dialog.getByText('It cannot be undone: owners and grants would not come back.').waitFor();
    await page.goto(`${address}/console/data/m/Desk?@record=/m/Desk/sports`);
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Nothing else goes along').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Desk deleted').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
