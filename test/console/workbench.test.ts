// The page at `/graphql` in a real browser: an operation is completed, run, watched and explained. Skipped where no browser is installed.

import { describe, expect, test } from 'vitest';
import { blog } from '../graphql/support.ts';
import { serve } from '../support/app.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';

const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test('a browser is shown a page whose policy lets nothing in but its own files; everybody else is answered by GraphQL', async () => {
  const { get, post } = await serve(blog, { graphql: true });
  const page = await get('/graphql?query={postList{slug}}', { accept: browserAccepts });
  expect([page.status, page.headers['content-type'], page.headers['vary']]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
  expect(page.headers['content-security-policy']).not.toContain('unsafe');
  const files = [...page.text.matchAll(/\/graphql\/assets\/[\w-]+-\w{8}\.(?:js|css)/g)].map(([path]) => path);
  expect(files).toHaveLength(2);
  for (const path of files) {
    const { status, headers } = await get(path, { 'accept-encoding': 'br' });
    expect([status, headers['content-encoding'], headers['cache-control']]).toEqual([200, 'br', expect.stringContaining('immutable')]);
  }
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'application/graphql-response+json']) {
    expect((await get('/graphql?query={postCount}', { accept })).body).toEqual({ data: { postCount: 0 } });
  }
  expect((await post('/graphql', { query: '{ postCount }' }, { accept: browserAccepts })).body).toEqual({ data: { postCount: 0 } });
});

test('without GraphQL there is no page either', async () => {
  const { get } = await serve(blog);
  expect((await get('/graphql', { accept: browserAccepts })).status).toBe(404);
});

/** As long as the browser itself waits for what is to be seen. */
const patiently = { timeout: 60_000 };

/** Writes into two editors, one right after the other: nothing is rendered in between. */
const writeInBoth = `(async () => {
  for (const [host, text] of [['Operation', '# both '], ['Variables', ' ']]) {
    const editors = [...document.querySelectorAll('.editor')].map((each) => each.shadowRoot.querySelector('.cm-content'));
    editors.find((each) => each.getAttribute('aria-label') === host).focus();
    document.execCommand('insertText', false, text);
    await Promise.resolve();
  }
  return sessionStorage.getItem('platform.graphql');
})()`;

describe.skipIf(isMissing)('the page', () => {
  const open = useBrowser();

  test('an operation is completed from the schema, run with variables, and a subscription goes on until it is stopped', async () => {
    const { app, post } = await serve(blog, { graphql: true });
    await post('/blog/Post', { slug: 'first', title: 'First' });
    const [address = ''] = await app.listen();
    const { page, complaints } = await open(address);
    await page.goto(`${address}/graphql`);
    const editor = page.getByRole('textbox', { name: 'Operation' });
    const result = page.getByRole('textbox', { name: 'Result' });
    const write = async (text: string): Promise<void> => {
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(text);
    };
    await expect.poll(() => page.getByRole('button', { name: 'Documentation' }).isEnabled(), patiently).toBe(true);

    await write('{ ');
    await page.keyboard.type('postLi');
    await page.getByRole('option', { name: /^postList/ }).click();
    await editor.getByText('postList', { exact: true }).waitFor();
    await page.keyboard.insertText(' { slug title } }');
    await page.keyboard.press('Control+Enter');
    await result.getByText('"First"', { exact: true }).waitFor();

    await write('query One($slug: String!) { post(slug: $slug) { title likes } } query Other { postCount }');
    const variables = page.getByRole('textbox', { name: 'Variables' });
    await variables.click();
    await page.keyboard.insertText('{"slug": "first"}');
    await page.getByRole('button', { name: 'Run' }).click();
    await result.getByText('"likes"').waitFor();
    await page.getByRole('combobox', { name: 'Operation' }).selectOption('Other');
    await page.getByRole('button', { name: 'Run' }).click();
    await result.getByText('"postCount"').waitFor();

    expect(JSON.parse(String(await page.evaluate(writeInBoth)))).toEqual({
      query: expect.stringContaining('# both '),
      variables: expect.stringMatching(/^ | $/),
    });

    await write('# First\nquery{postCount}');
    await page.getByRole('button', { name: 'Format' }).click();
    await expect.poll(() => editor.textContent(), patiently).toContain('# First{  postCount}');
    await write('query{# kept\npostCount}');
    await page.getByRole('button', { name: 'Format' }).click();
    await page.getByRole('alert').getByText('It has comments').waitFor();
    expect(await editor.textContent()).toContain('# kept');

    await write('subscription { postChanges { kind instance { slug } } }');
    await page.getByRole('button', { name: 'Run' }).click();
    await result.getByText('"READY"').waitFor();
    await post('/blog/Post', { slug: 'second', title: 'Second' });
    await result.getByText('"second"').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Run' }).waitFor();

    await page.getByRole('button', { name: 'Documentation' }).click();
    const explorer = page.getByRole('complementary', { name: 'Documentation' });
    await explorer.getByLabel('Search the schema').fill('zip');
    await explorer.getByRole('button', { name: 'Place.zip', exact: true }).click();
    await explorer.getByRole('heading', { name: 'Place' }).waitFor();
    // Where typed text replaces a selection the browser itself keeps its look by an attribute, which the policy refuses and the editor writes anew.
    expect(complaints.filter((each) => !each.startsWith('Applying inline style'))).toEqual([]);
    await expectAccessible(page);
  });
});
