// The page of agents in a real browser: a conversation, the run behind it, the path through a flow, and approvals.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { world } from '../access/people.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';
import { example, signIn, visit } from './visit.ts';

const llm = { provider: 'scripted', script: join(import.meta.dirname, '../../examples/support/script.json') } as const;

describe.skipIf(isMissing)('the agents of the console', () => {
  const open = useBrowser();

  test('an agent is talked to, its run is shown as a tree with the path through its flow, and what waits is approved', async () => {
    const { page, go, post, get, complaints } = await visit(open, example('support'), { llm });
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
    // The call that was shown is what is approved, not whatever the run waits for by then.
    const sent = page.waitForRequest(/\/approve$/);
    await conversation.getByRole('button', { name: 'Approve' }).click();
    const asked = await sent;
    const shown = JSON.stringify(
      (await get(`${new URL(asked.url()).pathname.replace('/approve', '')}?@include=RunStep.StepToolCall`)).body,
    );
    expect(shown).toContain(`"id":"${asked.postDataJSON().call}"`);
    await conversation.getByText('50.00 will be back on your account').waitFor();
    expect((await get('/support/Refund')).body).toMatchObject([{ ticket: 2, amount: '50.00' }]);
    await run.getByText('support_Refund_create').waitFor();

    // Somebody else decides: the page finds out by itself.
    await page.getByRole('textbox', { name: 'Message' }).fill('Ann here: I was charged twice again');
    await page.getByRole('button', { name: 'Send' }).click();
    await conversation.getByRole('button', { name: 'Reject' }).waitFor();
    const waiting = Object((await get('/platform.ai/Run?status=waiting')).body)[0].id;
    await post(`/platform.ai/Run/${waiting}/reject`, undefined);
    await expect.poll(() => conversation.getByText('50.00 will be back on your account').count(), { timeout: 20_000 }).toBe(2);
    expect(await conversation.getByRole('button', { name: 'Reject' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('what waits is found again and rejected, refusals are marked, and a message that is not heard stays, on a narrow dark screen', async () => {
    const narrow = { viewport: { width: 320, height: 700 }, colorScheme: 'dark' } as const;
    const { page, go, post, get, complaints } = await visit(open, example('support'), { llm }, narrow);
    await post('/support/Ticket', [{ title: 'x' }, { customer: 'ann@example.com', title: 'Charged twice' }]);
    await post('/support/desk', { message: 'Ann here: I was charged twice <b>' });
    await go('/agents');
    await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor();
    await page.getByRole('button', { name: 'Reject' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('link', { name: 'Ann here: I was charged twice <b>' }).click();
    const run = page.getByRole('region', { name: 'Run', exact: true });
    await run.getByText('rejected', { exact: true }).waitFor();
    await expectAccessible(page);
    expect((await get('/support/Refund')).body).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    // What is over is not offered to be given up; what waits is.
    expect(await run.getByRole('button', { name: 'Cancel the run' }).count()).toBe(0);
    await post('/support/desk', { message: 'Ann here: I was charged twice, once more' });
    await go('/agents');
    await page.getByRole('link', { name: 'Ann here: I was charged twice, once more' }).click();
    await run.getByRole('button', { name: 'Cancel the run' }).click();
    await run.getByText('cancelled', { exact: true }).waitFor();
    expect(await run.getByRole('button').allTextContents()).not.toContain('Approve');

    const message = page.getByRole('textbox', { name: 'Message' });
    const long = 'x'.repeat(40_000);
    await message.fill(long);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').waitFor();
    await expect.poll(() => message.inputValue()).toBe(long);
    expect(complaints).toEqual([]);
  });

  test('a run that a resolver has suspended is given the data that it waits for, and what is no JSON is told at its field', async () => {
    const core = `module m
import "desk.js" @as desk
entity Note { id Int @id, text String }
event ask { }
event buy { id Int }
workflow buy { {ask {}} @as said @then { {Note {id buy.id, text said.word}} } }
resolver asked [m/ask] { eval desk.ask }
`;
    const desk = 'export const ask = (event, context) => { context.suspend(); };\n';
    const { page, go, post, get, complaints } = await visit(open, { 'core.al': core, 'desk.js': desk });
    const { body } = await post('/m/buy', { id: 7 });
    await go('/agents');
    const waiting = page.getByRole('region', { name: `Data for m/buy ${Object(body).runId}` });
    const data = waiting.getByLabel('Data');
    await data.fill('{"word":');
    await waiting.getByRole('button', { name: 'Resume' }).click();
    await waiting.getByText('must be JSON').waitFor();
    await expectAccessible(page);
    await data.fill('{"word":"yes"}');
    await waiting.getByRole('button', { name: 'Resume' }).click();
    await waiting.waitFor({ state: 'detached' });
    expect((await get('/m/Note')).body).toEqual([{ id: 7, text: 'yes' }]);
    expect(complaints).toEqual([]);
  });

  test('an answer can be stopped from the page that is come back to, keeps what was typed meanwhile, and ends when its user signs out', async () => {
    const { served, join: joined } = await world(example('support'), 'current', { llm });
    await joined('ann');
    await joined('ben');
    const [address = ''] = await served.app.listen();
    const { page } = await open(address);
    // The agent thinks for as long as anybody waits.
    await page.route(`${address}/support/desk`, () => undefined);
    await page.goto(`${address}/console/agents/support/desk`);
    await signIn({ page }, 'ann@example.com');
    const message = page.getByRole('textbox', { name: 'Message' });
    const conversation = page.getByRole('region', { name: 'Conversation' });
    const say = async (text: string): Promise<void> => {
      await message.fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
    };
    const reopen = async (): Promise<void> => {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('link', { name: 'support/desk' }).click();
    };
    await say('One');
    await reopen();
    await page.getByRole('button', { name: 'Stop' }).click();
    await conversation.getByText('Stopped.').waitFor();
    await say('Two');
    await message.fill('Something else');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => conversation.getByText('Stopped.').count()).toBe(2);
    expect(await message.inputValue()).toBe('Something else');

    await say('A secret of Ann');
    const aborted = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/support/desk'));
    await page.getByRole('banner').getByRole('button', { name: 'ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await aborted;
    await signIn({ page }, 'ben@example.com');
    await reopen();
    await conversation.getByText('Nothing has been said yet.').waitFor();
    expect(await conversation.textContent()).not.toContain('secret');
  });
});
