// The page of the model in a real browser: the drawing, the page of an entity, the source and the migrations.

import { describe, expect, test } from 'vitest';
import { isMissing, saved, useBrowser } from '../support/browser.ts';
import { expectAccessible } from './accessible.ts';
import { example, visit } from './visit.ts';

describe.skipIf(isMissing)('the model in the console', () => {
  const open = useBrowser();

  test('the entities of a module are buttons of a drawing that is searched, zoomed, saved, and leads to their pages', async () => {
    const { page, go, complaints } = await visit(open, example('blog'));
    await go('');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Model' }).click();
    const figure = page.getByRole('figure', { name: 'Model of blog' });
    await figure.getByRole('button', { name: 'blog/Post' }).waitFor();
    expect(await figure.getByRole('button', { name: /^blog\// }).count()).toBe(4);
    await expectAccessible(page);
    await figure.getByRole('button', { name: 'Zoom in' }).click();
    const exported = saved(page.waitForEvent('download'));
    await figure.getByRole('button', { name: 'Export SVG' }).click();
    const svg = (await exported).toString();
    expect(svg).toMatch(/^<svg[\s\S]*PostComment[\s\S]*<\/svg>$/);
    expect(svg).not.toContain('var(--');

    // By the keyboard: the first that is found has the focus, and opens with Enter.
    await page.getByLabel('Search the model').fill('website');
    await page.getByText('1 found').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'blog/Author' }).waitFor();
    await page.getByRole('row', { name: 'email' }).getByText('unique').waitFor();
    await page.getByText('POST /blog/Author').waitFor();
    await page.getByRole('heading', { name: 'Triggers' }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('rules and triggers of an entity are told, and the model is read on a narrow dark screen', async () => {
    const source = `module m
entity A { id Int @id, name String @optional, c Int @ref(C.id) @optional, @after {create noted}, @with_unique(name, c) }
entity C { id Int @id }
workflow noted { {C {id 9}} }
`;
    const narrow = { viewport: { width: 320, height: 700 }, colorScheme: 'dark' } as const;
    const { page, go, complaints } = await visit(open, source, {}, narrow);
    await go('/model/m/A');
    await page.getByText('m/noted').waitFor();
    await page.getByText('name and c are unique together').waitFor();
    await page.getByText('refers to m/C.id').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Model of m' }).click();
    await page.getByRole('figure', { name: 'Model of m' }).getByRole('button', { name: 'm/C' }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(complaints).toEqual([]);
  });

  test('admins read the source, and what a migration would do and did, in words', async () => {
    const before = 'module m\n// <b>kept</b>\nentity A { id Int @id, name String @optional }\n';
    const newest = 'module m\nentity A { id Int @id }\nentity B { id Int @id }\n';
    const { page, go, post, complaints } = await visit(open, before, { newest: () => newest });
    await post('/m/A', { id: 1, name: 'x' });
    await go('/model');
    await page.getByRole('tab', { name: 'Diagram' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('// <b>kept</b>').waitFor();
    expect(await page.locator('.source-line').first().textContent()).toBe('module m\n');
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Migrations' }).click();
    const pending = page.getByRole('region', { name: 'Pending' });
    await pending.getByText('name').first().waitFor();
    await pending.getByText('waits for platform migrate apply').first().waitFor();
    await page.getByRole('region', { name: 'History' }).getByText('start').waitFor();
    await expectAccessible(page);
    expect(new URL(page.url()).search).toBe('?@tab=Migrations');
    expect(complaints).toEqual([]);
  });
});
