// What strangers write into an application, on every page of the console: text, and nothing but text. Every page is looked at for what keeps people out, too.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { admin, world } from '../../access/people.ts';
import { password } from '../../identity/accounts.ts';
import { isMissing, useBrowser } from '../../support/browser.ts';
import { sampled } from '../../support/form.ts';
import { modelServer } from '../../support/model-server.ts';
import { expectAccessible } from '../accessible.ts';
import { signIn } from '../visit.ts';
import { type State, statesOf } from './states.ts';

const mark = '<img src=x onerror=alert(1)>';
/** Turns what follows it around, and ends what was begun before it. */
const hostile = `${mark}<script>alert(1)</script>\u202egnp.exe\u2069\u0007\\u0000`;
const long = 'x'.repeat(1_000_000);
const encoded = encodeURIComponent(hostile);
/** As it stands in an address: a path with its own escapes. */
const record = encodeURIComponent(`/m/Post/${encoded}`);

const model = `module m
// ${mark}
entity Post {
  id String @id, title String @optional, body String @optional, tags String[] @optional, any Any @optional, count Int @optional, @meta {"audit": true}
}
entity Note { id String @id, text String }
entity Tag { name String @id }
relationship PostNote contains(Post, Note)
relationship PostTag between(Post, Tag)
event show { text String }
workflow show { {Post {id? show.text}} }
event refuse { text String }
workflow refuse { throw(refuse.text) }
agent classify { instruction "Say what it is about." }
agent reply { instruction "Answer.", tools [m/Post] }
@public agent clerk { role "You are a clerk." }
flow clerk {
  classify --> "${mark}" reply
}
`;

/** An address, and where on its page the mark is shown. */
const views: readonly (readonly [address: string, shown: string])[] = [
  ['', mark],
  ['/data', 'm/Post'],
  ['/data/m/Post', mark],
  [`/data/m/Post?title=${encoded}`, `title = ${mark}`],
  [`/data/m/Post?@record=${record}`, mark],
  [`/data/m/Post?@record=${record}&@tab=PostNote`, mark],
  [`/data/m/Post?@record=${record}&@tab=PostTag`, mark],
  [`/data/m/Post?@record=${record}&@tab=Tree`, mark],
  [`/data/m/Post?@record=${record}&@tab=History`, mark],
  [`/data/m/Post?@record=${record}&@tab=API`, 'curl'],
  ['/data/m/Post?@record=/m/Post/long', 'xxx'],
  ['/data/m/Post?@record=/m/Post/long&@tab=API', 'xxx'],
  ['/model', 'Model of m'],
  ['/model?@tab=Source', mark],
  ['/model/m/Post', 'm/Post'],
  ['/events/m/show', 'm/show'],
  ['/access', mark],
  ['/access?@tab=Roles', mark],
  ['/access?@tab=Matrix', 'm/Post'],
  [`/access?@tab=Why&user=${admin}&operation=read&type=m/Post&instance=${encoded}`, mark],
  ['/access?@tab=API%20keys', mark],
  ['/audit', mark],
  ['/agents', mark],
  ['/operation', 'Requests'],
  [`/${encoded}`, 'There is no such page'],
];

describe.skipIf(isMissing)('hostile values', () => {
  const open = useBrowser();

  /** Where every page shows something of it. */
  const people = async () => {
    const peer = await modelServer();
    const made = await world(model, 'current', { audit: {}, limits: { body: 4_000_000 }, llm: peer.settings });
    const { served, admin: first } = made;
    const done = [
      await first.create('/m/Post', { id: hostile, title: hostile, body: hostile, tags: [hostile], any: { [hostile]: hostile } }),
      await first.create('/m/Post', { id: 'long', title: long, body: long }),
      await first.create('/m/Tag', { name: hostile }),
      await first.create(`/m/Post/${encoded}/PostNote/Note`, { id: hostile, text: hostile }),
      await first.create(`/m/Post/${encoded}/PostTag/Tag`, { name: hostile }),
      await first.change(`/m/Post/${encoded}`, { body: `${hostile} changed` }),
      await served.post('/platform.auth/signup', { email: 'ann@example.com', password, firstName: hostile, lastName: hostile }),
      await first.assign('RoleAssignment', { role: hostile, assignee: 'ann@example.com' }),
      await first.create('/platform.auth/ApiKey', { name: hostile }),
    ];
    peer.says(mark, { tool: 'm_Post_read', arguments: { id: hostile } }, hostile);
    done.push(await served.post('/m/clerk', { message: hostile }, first.headers));
    expect(done.map(({ status, text }) => (status < 300 ? '' : text))).toEqual(done.map(() => ''));
    const [address = ''] = await served.app.listen();
    return { ...made, address, peer };
  };

  test('are text on every page, which is accessible in light and dark, wide and narrow', async () => {
    const { address, peer, admin: first } = await people();
    const pages = [];
    for (const width of sampled([1440, 320], 2)) {
      const { page, complaints } = await open(address, { viewport: { width, height: 800 }, colorScheme: 'light' });
      // What was typed into a form is left.
      page.on('dialog', (dialog) => dialog.accept());
      await page.goto(`${address}/console`);
      await signIn({ page }, admin);
      pages.push({ page, width, complaints });
    }
    const states: readonly State[] = [
      ...views.map(([at, shown]) => ({ name: at, at, shown, open: async () => undefined })),
      ...sampled(statesOf(mark, hostile), 8),
      {
        name: 'a conversation',
        at: '/agents/m/clerk',
        shown: mark,
        async open(page) {
          peer.says(mark, { tool: 'm_Post_read', arguments: { id: hostile } }, hostile);
          await page.getByRole('textbox', { name: 'Message' }).fill(hostile);
          await page.getByRole('button', { name: 'Send' }).click();
          await page.getByRole('region', { name: 'Run', exact: true }).getByText('m_Post_read').waitFor();
          await expect.poll(() => page.getByRole('region', { name: 'Conversation' }).getByText(mark).count()).toBe(2);
        },
      },
    ];
    // On both screens in light and dark where there is time; else every page, and some of what can be done there, on one of them, a part of it in light and dark.
    const looked = new Set(sampled(states, 9));
    for (const state of states) {
      for (const { page, width } of pages) {
        await show(page, state.at);
        await state.open(page, first);
        await expectHarmless(page, state, width);
        if (looked.has(state)) await expectSeen(page);
        await page.keyboard.press('Escape');
      }
    }
    expect(pages.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
});

/** Without loading the page anew. */
async function show(page: Page, to: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${to}`)}); dispatchEvent(new PopStateEvent('popstate'))`);
}

async function expectHarmless(page: Page, { name, shown }: State, width: number): Promise<void> {
  const text = (): Promise<string> => page.evaluate("document.querySelector('#root').textContent");
  await expect.poll(text, { message: name }).toContain(shown);
  await expect.poll(() => page.locator('.skeleton').count(), { message: name }).toBe(0);
  // A field has what was typed into it; everywhere else, what changes how text is read is shown by its name.
  const raw = await page.evaluate(`(() => {
    const found = [];
    const walk = document.createTreeWalker(document.querySelector('#root'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const { data, parentElement } = walk.currentNode;
      if (/[\\u0007\\u202e\\u2069]/.test(data) && parentElement.closest('textarea') === null) found.push(parentElement.outerHTML.slice(0, 200));
    }
    for (const each of document.querySelectorAll('[title], [aria-label], [placeholder]'))
      for (const name of ['title', 'aria-label', 'placeholder'])
        if (/[\\u0007\\u202e\\u2069]/.test(each.getAttribute(name) ?? '')) found.push(each.outerHTML.slice(0, 200));
    return /[\\u0007\\u202e\\u2069]/.test(document.title) ? [...found, document.title] : found;
  })()`);
  expect(raw, name).toEqual([]);
  expect((await text()).length, name).toBeLessThan(100_000);
  expect(await page.locator('#root script, #root img, #root iframe').count(), name).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
}

async function expectSeen(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
}
