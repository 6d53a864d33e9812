// The page of agents in a real browser: a conversation, the run behind it, the path through a flow, and approvals.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectAccessible, isMissing, useBrowser } from './browser.ts';
import { example, visiting } from './visiting.ts';

const llm = { provider: 'scripted', script: join(import.meta.dirname, '../../examples/support/script.json') } as const;

describe.skipIf(isMissing)('the agents of the console', () => {
  const open = useBrowser();

  test('an agent is talked to, its run is shown as a tree with the path through its flow, and what waits is approved', async () => {
    const { page, go, post, get, complaints } = await visiting(open, example('support'), { llm });
    await post('/support/Ticket', [{ title: 'x' }, { customer: 'ann@example.com', title: 'Charged twice' }]);
    await go('');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('link', { name: 'support/desk' }).waitFor();
    // Agents that take part in flows alone are not asked.
    expect(await page.getByRole('link', { name: 'support/pay' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'support/desk' }).click();
    const [conversation, run] = [page.getByRole('region', { name: 'Conversation' }), page.getByRole('region', { name: 'Run' })];
    await page.getByRole('textbox', { name: 'Message' }).fill('How do I change my password?');
    await page.keyboard.press('Enter');
    await conversation.getByText('Open Settings, then Password.').waitFor();
    await run.getByText('support/classify').waitFor();
    await run
      .getByText(/\d+ \+ \d+ tokens/)
      .first()
      .waitFor();
    const flow = run.getByRole('figure', { name: 'Flow support/desk' });
    await expect.poll(() => flow.locator('title', { hasText: 'reply, agent, taken' }).count()).toBe(1);
    expect(await flow.locator('title', { hasText: 'pay, agent, taken' }).count()).toBe(0);
    await expectAccessible(page);

    await page.getByRole('textbox', { name: 'Message' }).fill('Ann here: I was charged twice');
    await page.getByRole('button', { name: 'Send' }).click();
    await conversation.getByRole('button', { name: 'Approve' }).waitFor();
    await run.getByText('waits for approval').waitFor();
    await expectAccessible(page);
    expect((await get('/support/Refund')).body).toEqual([]);
    await conversation.getByRole('button', { name: 'Approve' }).click();
    await conversation.getByText('50.00 will be back on your account').waitFor();
    expect((await get('/support/Refund')).body).toMatchObject([{ ticket: 2, amount: '50.00' }]);
    await run.getByText('support_Refund_create').waitFor();
    expect(complaints).toEqual([]);
  });

  test('what waits is found again and rejected, refusals are marked, and a message that is not heard stays, on a narrow dark screen', async () => {
    const narrow = { viewport: { width: 320, height: 700 }, colorScheme: 'dark' } as const;
    const { page, go, post, get, complaints } = await visiting(open, example('support'), { llm }, narrow);
    await post('/support/Ticket', [{ title: 'x' }, { customer: 'ann@example.com', title: 'Charged twice' }]);
    await post('/support/desk', { message: 'Ann here: I was charged twice <b>' });
    await go('/agents');
    await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor();
    await page.getByRole('button', { name: 'Reject' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('link', { name: 'Ann here: I was charged twice <b>' }).click();
    const run = page.getByRole('region', { name: 'Run' });
    await run.getByText('rejected', { exact: true }).waitFor();
    await expectAccessible(page);
    expect((await get('/support/Refund')).body).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);

    const message = page.getByRole('textbox', { name: 'Message' });
    const long = 'x'.repeat(40_000);
    await message.fill(long);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').waitFor();
    await expect.poll(() => message.inputValue()).toBe(long);
    expect(complaints).toEqual([]);
  });
});
