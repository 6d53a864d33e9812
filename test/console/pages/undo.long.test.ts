// What is taken back in the console: nothing is made again that somebody else has deleted meanwhile.

import { describe, expect, test } from 'vitest';
import { isMissing, useBrowser } from '../../support/browser.ts';
import { keepToasts, visit } from '../visit.ts';

describe.skipIf(isMissing)('undo', () => {
  const open = useBrowser();

  test.each(['current', 'earlier'] as const)(
    'links again what is still there, and makes nothing again that has gone, on the %s surface',
    async (surface) => {
      const model = `module m
entity Box { id String @id }
entity Part { no Int @id }
entity Tag { name String @id }
relationship BoxPart contains(Box, Part)
relationship PartTag between(Part, Tag) { rank Int @optional }
`;
      const { page, go, post, get, remove, complaints } = await visit(open, model, { surfaces: [surface] });
      const at = (path: string): string => (surface === 'current' ? path : `/api${path}`);
      const make = async (path: string, type: string, values: object): Promise<void> => {
        const { status, text } = await post(at(path), surface === 'current' ? values : { [type]: values });
        expect(status, text).toBe(surface === 'current' ? 201 : 200);
      };
      for (const name of ['red', 'blue']) await make('/m/Tag', 'm/Tag', { name });
      await make('/m/Box', 'm/Box', { id: 'one' });
      await make('/m/Box/one/BoxPart/Part', 'm/Part', { no: 1 });
      const tags = async (): Promise<string> => (await get(at('/m/Tag'))).text;
      await keepToasts(page);
      await go(`/data/m/Part?@record=${at('/m/Box/one/BoxPart/Part/1')}&@tab=PartTag`);
      const panel = page.getByRole('complementary');
      for (const name of ['red', 'blue']) {
        await panel.getByRole('button', { name: 'Link', exact: true }).click();
        await panel.getByRole('combobox').fill(name);
        await panel.getByRole('option', { name }).click();
        await panel.getByRole('link', { name }).waitFor();
      }
      // One that was unlinked is linked again, and its tag is there.
      await panel.getByRole('button', { name: 'Unlink red' }).click();
      const undo = page.getByText('Unlinked', { exact: true }).locator('..').getByRole('button', { name: 'Undo' });
      await undo.click();
      await page.getByText('Linked again').waitFor();
      await panel.getByRole('link', { name: 'red' }).waitFor();
      // Another one whose tag has gone meanwhile is not.
      await panel.getByRole('button', { name: 'Unlink blue' }).click();
      await undo.waitFor();
      expect((await remove(at('/m/Tag/blue'))).status).toBe(200);
      await undo.click();
      await panel.getByRole('alert').waitFor();
      expect(await tags()).not.toContain('blue');
      expect(complaints).toEqual([]);
    },
  );

  test('of a deletion says of a link whose other end has gone meanwhile that it could not be made again', async () => {
    const model =
      'module m\nentity Box { id String @id }\nentity Tag { name String @id }\nrelationship BoxTag between(Box, Tag) { rank Int @optional }';
    const { page, go, post, get, remove, complaints } = await visit(open, model);
    await post('/m/Box', { id: 'one' });
    for (const name of ['red', 'blue']) expect((await post('/m/Box/one/BoxTag/Tag', { name, '@link': { rank: 7 } })).status).toBe(201);
    await keepToasts(page);
    await go('/data/m/Box?@record=/m/Box/one');
    await page.getByRole('complementary').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('2 links by m/BoxTag').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    expect((await remove('/m/Tag/blue')).status).toBe(200);
    await undo.click();
    await page.getByText('1 of the links could not be made again').waitFor();
    expect((await get('/m/Tag')).body).toEqual([{ name: 'red' }]);
    expect((await get('/m/Box/one/BoxTag/Tag')).body).toMatchObject([{ name: 'red', '@link': { rank: 7 } }]);
    expect(complaints).toEqual([]);
  });

  test('of an unlink says also elsewhere that it failed, sends nothing computed, and is not offered where a secret would not come back', async () => {
    const model = `module m
entity Box { id String @id }
entity Tag { name String @id }
relationship BoxTag between(Box, Tag) { rank Int @optional, twice Int @expr(rank * 2) }
relationship BoxKey between(Box, Tag) { code String @optional @secret }
`;
    const { page, go, post, get, remove, complaints } = await visit(open, model);
    await post('/m/Box', { id: 'one' });
    expect((await post('/m/Box/one/BoxTag/Tag', { name: 'red', '@link': { rank: 7 } })).status).toBe(201);
    expect((await post('/m/Box/one/BoxKey/Tag', { name: 'green', '@link': { code: 'x' } })).status).toBe(201);
    await keepToasts(page);
    await go('/data/m/Box?@record=/m/Box/one&@tab=BoxTag');
    const panel = page.getByRole('complementary');
    const undo = page.getByRole('button', { name: 'Undo' });
    await panel.getByRole('button', { name: 'Unlink red' }).click();
    await undo.click();
    await page.getByText('Linked again').waitFor();
    expect((await get('/m/Box/one/BoxTag/Tag')).body).toMatchObject([{ name: 'red', '@link': { rank: 7, twice: 14 } }]);
    await panel.getByRole('tab', { name: 'BoxKey' }).click();
    await panel.getByRole('button', { name: 'Unlink green' }).click();
    await page.getByText('Unlinked', { exact: true }).last().waitFor();
    expect(await undo.count()).toBe(0);
    await panel.getByRole('tab', { name: 'BoxTag' }).click();
    await panel.getByRole('button', { name: 'Unlink red' }).click();
    await undo.waitFor();
    await panel.getByRole('tab', { name: 'BoxKey' }).click();
    await panel.getByText('None yet.').waitFor();
    expect((await remove('/m/Tag/red')).status).toBe(200);
    await undo.click();
    await page.getByText(/^BoxTag: /).waitFor();
    expect(complaints).toEqual([]);
  });
});
