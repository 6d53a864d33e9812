// What the console offers to users with different roles: nothing that the API refuses, and everything that it allows.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type Person, type World, world } from '../access/people.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { isLarge, seed } from '../support/form.ts';
import { example, signIn } from './visit.ts';

/** What is offered at an address, and the request that a click on it leads to. */
interface Offer {
  readonly name: string;
  readonly at: string;
  readonly isOffered: (page: Page) => Promise<boolean>;
  readonly ask: (person: Person) => Promise<{ readonly status: number }>;
}

describe.skipIf(isMissing)('what the console offers', () => {
  const open = useBrowser();

  /** One who writes, one who corrects as well, one without a role. */
  const people = async (): Promise<World & { readonly all: readonly Person[] }> => {
    const made = await world(example('newsroom'));
    const [ann, ben, cy] = [await made.join('ann', 'user'), await made.join('ben', 'user', 'editor'), await made.join('cy')];
    // Whoever signs up may write: not this one.
    for (const { id } of Object(await made.admin.read(`${made.admin.at('RoleAssignment')}?assignee=cy@example.com`)).body)
      await made.admin.remove(made.admin.at('RoleAssignment', id));
    await ann.create('/newsroom/Post', [
      { id: 1, title: 'Of Ann' },
      { id: 2, title: 'Of Ann too' },
    ]);
    await ben.create('/newsroom/Post', { id: 3, title: 'Of Ben' });
    await ann.create('/newsroom/Post/1/PostNote/Note', { id: 1, text: 'Hers' });
    await made.admin.create('/newsroom/Desk', { name: 'Sports' });
    await made.admin.assign('OwnershipAssignment', { resource: 'newsroom/Desk', resourceId: 'Sports', assignee: ann.email });
    await ann.create('/newsroom/Correction', { id: 1, post: 1, editor: ben.email, text: 'For Ben' });
    await made.admin.create('/newsroom/Correction', { id: 2, post: 3, editor: ben.email, text: 'For Ben too' });
    return { ...made, all: [ann, ben, cy] };
  };

  const button = (name: string) => async (page: Page) => {
    const found = page.getByRole('button', { name, exact: true }).first();
    return (await found.count()) > 0 && (await found.isEnabled());
  };
  let count = 100;
  const next = (): number => {
    count += 1;
    return count;
  };
  const offers = (post: number, correction: number): readonly Offer[] => [
    {
      name: 'New Post',
      at: '/data/newsroom/Post',
      isOffered: button('New Post'),
      ask: (who) => who.create('/newsroom/Post', { id: next(), title: 'x' }),
    },
    {
      name: 'New Desk',
      at: '/data/newsroom/Desk',
      isOffered: button('New Desk'),
      ask: (who) => who.create('/newsroom/Desk', { name: `d${next()}` }),
    },
    {
      name: 'New Correction',
      at: '/data/newsroom/Correction',
      isOffered: button('New Correction'),
      ask: (who) => who.create('/newsroom/Correction', { id: next(), post, editor: who.email, text: 'x' }),
    },
    {
      name: 'a note in the post',
      at: `/data/newsroom/Post?@record=/newsroom/Post/${post}&@tab=PostNote`,
      isOffered: button('New Note'),
      ask: (who) => who.create(`/newsroom/Post/${post}/PostNote/Note`, { id: next(), text: 'x' }),
    },
    {
      name: 'the desk for the post',
      at: `/data/newsroom/Post?@record=/newsroom/Post/${post}&@tab=DeskPost`,
      isOffered: async (page) => {
        if (!(await button('Link')(page))) return false;
        await page.getByRole('button', { name: 'Link', exact: true }).click();
        const answered = page.waitForResponse((response) => /newsroom\/Desk\?.*Spo/.test(response.url()));
        await page.getByRole('combobox').fill('Spo');
        await (await answered).finished();
        // What was answered is drawn by the second frame.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        return (await page.getByRole('option', { name: 'Sports' }).count()) > 0;
      },
      ask: (who) => who.create(`/newsroom/Post/${post}/DeskPost/Desk`, { name: 'Sports' }),
    },
    ...record('Correction', `/newsroom/Correction/${correction}`, 'text'),
    ...record('Post', `/newsroom/Post/${post}`, 'title'),
  ];
  const record = (type: string, path: string, attribute: string): readonly Offer[] => [
    {
      name: `a change of ${path}`,
      at: `/data/newsroom/${type}?@record=${path}`,
      isOffered: async (page) => {
        const field = page.getByRole('complementary').getByLabel(attribute);
        return (await field.count()) > 0 && (await field.isEnabled());
      },
      ask: (who) => who.change(path, { [attribute]: 'changed' }),
    },
    {
      name: `the end of ${path}`,
      at: `/data/newsroom/${type}?@record=${path}`,
      isOffered: async (page) => {
        const found = page.getByRole('complementary').getByRole('button', { name: 'Delete' });
        return (await found.count()) > 0 && (await found.isEnabled());
      },
      ask: (who) => who.remove(path),
    },
  ];

  test('with each role nothing is offered that the API refuses, and nothing is missing that it allows', async () => {
    const { served, all } = await people();
    const [address = ''] = await served.app.listen();
    const told: (readonly [who: string, what: string, offered: boolean])[] = [];
    const answered: typeof told = [];
    // The short form looks as one of those who may do something.
    const looking = all.filter((_, index) => isLarge || index === seed % 2);
    for (const person of looking) {
      const { page, complaints } = await open(address);
      await page.goto(`${address}/console/data`);
      await signIn({ page }, person.email);
      // Each looks at what is Ann's and at what is Ben's; what is deleted on the way is no one's next.
      const looked = [...offers(person === all[0] ? 2 : 1, 1), ...offers(3, 2).slice(3)];
      for (const { name, at, isOffered } of looked) {
        await show(page, at);
        await settled(page);
        told.push([person.email, name, await isOffered(page)]);
      }
      expect(complaints).toEqual([]);
      for (const { name, ask } of looked) answered.push([person.email, name, isAllowed((await ask(person)).status)]);
    }
    expect(told).toEqual(answered);
    // Both answers are seen: a console that offers everything, or nothing, is noticed.
    for (const offered of [true, false]) expect(told.filter((each) => each[2] === offered).length).toBeGreaterThan(isLarge ? 8 : 2);
  });
});

/** What is in the way of it, such as what refers to a post, is no matter of rights. */
function isAllowed(status: number): boolean {
  return status < 300 || status === 409;
}

/** Without loading the page anew. */
async function show(page: Page, to: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${to}`)}); dispatchEvent(new PopStateEvent('popstate'))`);
}

/** The list, and the record where one is named, have been read. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.getByRole('grid').or(page.getByText('There is no such type')).first().waitFor();
  await expect.poll(() => page.locator('[role=grid][aria-busy=true], .skeleton').count()).toBe(0);
  if (page.url().includes('@record'))
    await page
      .getByRole('complementary')
      .locator('form, .toolbar, [role=alert]')
      .or(page.getByText('There is no such type'))
      .first()
      .waitFor();
}
