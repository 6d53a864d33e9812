// The page at `/graphql` in a real browser, where its reader has to sign in. Skipped where no browser is installed.

import { describe, expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { password } from '../identity/accounts.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';

describe.skipIf(isMissing)('the page', () => {
  const open = useBrowser();

  test('where authentication is on, its reader signs in first, and asks with their rights', async () => {
    const { served, admin, join } = await world(
      'module m\nentity Secret { id Int @id, text String, @rbac [(roles: [manager], allow: [read])] }',
      'current',
      {
        graphql: true,
      },
    );
    expect((await admin.create('/m/Secret', { id: 1, text: 'kept back' })).status).toBe(201);
    await join('ann', 'manager');
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address, { colorScheme: 'dark' });
    await page.goto(`${address}/graphql?query={secretList{text}}`);
    await page.getByRole('button', { name: 'Use the token' }).waitFor();
    await expectAccessible(page);
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.getByLabel('Email').fill('ann@example.com');
    await form.getByLabel('Password').fill(password);
    await form.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('textbox', { name: 'Result' }).getByText('"kept back"').waitFor();
    await page.getByRole('button', { name: 'Format' }).click();
    expect(await page.evaluate('sessionStorage.getItem("platform.graphql")')).toContain('secretList');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('form', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(complaints).toEqual([]);
  });
});
