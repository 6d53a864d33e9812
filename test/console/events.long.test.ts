// The page of events in a real browser: a form for each, what it gave, and the steps behind it.

import { describe, expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { password } from '../identity/accounts.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';
import { example, visit } from './visit.ts';

describe.skipIf(isMissing)('the events of the console', () => {
  const open = useBrowser();

  test('an event is run from its form, faults stand at their fields, its result and steps are shown, and nothing typed is lost', async () => {
    const { page, go, post, get, complaints } = await visit(open, example('shop'));
    await post('/shop/Customer', { email: 'ann@example.com', name: '<script>alert(1)</script>' });
    await go('');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events' }).click();
    await page.getByRole('link', { name: 'shop/sales' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'shop/buy' }).click();
    const [result, steps] = [page.getByRole('region', { name: 'Result' }), page.getByRole('region', { name: 'Steps' })];
    await result.getByText('curl').waitFor();
    await expectAccessible(page);

    await page.getByLabel('customer').fill('ann@example.com');
    await page.getByRole('button', { name: 'Run' }).click();
    const product = page.getByLabel('product');
    await expect.poll(() => product.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('customer').inputValue()).toBe('ann@example.com');
    await expectAccessible(page);

    // By the keyboard alone; and what was typed is there after another page was looked at.
    await product.fill('tea');
    await page.goBack();
    await page.getByRole('link', { name: 'shop/buy' }).click();
    expect(await product.inputValue()).toBe('tea');
    await page.getByLabel('quantity').fill('3');
    await page.keyboard.press('Enter');
    await result.getByRole('row', { name: 'total' }).waitFor();
    await result.getByRole('cell', { name: 'Green tea' }).waitFor();
    expect((await get('/shop/Purchase')).body).toMatchObject([{ quantity: 3, amount: '13.50' }]);
    await steps.getByRole('listitem').filter({ hasText: 'find' }).first().waitFor();
    await steps.locator('summary').click();
    await steps.getByText('INSERT INTO "shop/Purchase"').waitFor();
    expect(await page.getByLabel('quantity').inputValue()).toBe('3');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const curl = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(curl).toContain('/shop/buy');
    expect(curl).toContain('"quantity":3');
    expect(curl).not.toContain('platform-trace');
    expect(complaints).toEqual([]);
  });

  test('JSON is typed key by key: what is not whole yet leaves the page as it is, and is told when it is sent', async () => {
    const { page, go, complaints } = await visit(open, 'module m\nevent put { extra Map }\nworkflow put { put.extra }\n');
    await go('/events/m/put');
    const [extra, result] = [page.getByLabel('extra'), page.getByRole('region', { name: 'Result' })];
    await result.getByText('curl').waitFor();
    await extra.press('{');
    await result.getByText('curl').waitFor({ state: 'detached' });
    expect(await extra.inputValue()).toBe('{');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('.field', { hasText: 'extra' }).getByText('must be JSON').waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Not copied: extra must be JSON').waitFor();
    await extra.press('End');
    await page.keyboard.type('"a":1}');
    await page.getByRole('button', { name: 'Run' }).click();
    await result.getByRole('row', { name: 'a' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('only events that a caller may run are offered, and what an event gives is shown as text, on a narrow screen too', async () => {
    const source = `module m
entity A { id Int @id, text String, @rbac [(roles: ["*"], allow: [create, read])] }
event show { text String, @rbac [(roles: [user], allow: [create])] }
workflow show { {A {id 1, text show.text}}; {A? {}} }
event hide { text String, @rbac [(roles: [editor], allow: [create])] }
workflow hide { {A? {}} }
`;
    const { served, join: joined } = await world(source);
    await joined('ann', 'user');
    const [address = ''] = await served.app.listen();
    const { page, complaints } = await open(address, { colorScheme: 'dark', viewport: { width: 320, height: 700 } });
    await page.goto(`${address}/console/events`);
    const form = page.getByRole('form', { name: 'Sign in' });
    await form.getByLabel('Email').fill('ann@example.com');
    await form.getByLabel('Password').fill(password);
    await form.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'm/show' }).click();
    expect(await page.getByRole('link', { name: 'm/hide' }).count()).toBe(0);
    await page.getByLabel('text').fill(`<img src=x onerror=alert(1)>\u202e${'long '.repeat(200)}`);
    await page.getByRole('button', { name: 'Run' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('<img src=x onerror=alert(1)>\\u202e').first().waitFor();
    // Steps and statements are told to admins alone: nothing of it is asked for.
    await page.getByRole('region', { name: 'Steps' }).getByText('told to admins').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(complaints).toEqual([]);
  });
});
