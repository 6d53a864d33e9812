// Two ways to use a page: with the mouse alone, and with the keyboard alone, where the focus is always seen and never lost.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export interface Hand {
  readonly name: 'keyboard' | 'mouse';
  press(target: Locator): Promise<void>;
  write(target: Locator, text: string): Promise<void>;
  /** One of the options of a list of choices. */
  choose(target: Locator, option: string): Promise<void>;
  openTab(page: Page, name: string): Promise<void>;
  openCommands(page: Page): Promise<void>;
  /** After something was closed or has gone: the keyboard goes on from somewhere that says where it is. */
  expectPlace(page: Page): Promise<void>;
}

export const mouse: Hand = {
  name: 'mouse',
  press: (target) => target.click(),
  async write(target, text) {
    await target.click();
    await target.fill(text);
  },
  async choose(target, option) {
    await target.selectOption(option);
  },
  openTab: (page, name) => page.getByRole('tab', { name, exact: true }).click(),
  openCommands: (page) => page.getByRole('search').getByRole('button').click(),
  expectPlace: async () => undefined,
};

export const keyboard: Hand = {
  name: 'keyboard',
  async press(target) {
    await reach(target);
    await target.page().keyboard.press('Enter');
  },
  async write(target, text) {
    await reach(target);
    await target.page().keyboard.press('Control+a');
    await target.page().keyboard.insertText(text);
  },
  async choose(target, option) {
    await reach(target);
    // A closed list takes what is typed without a pause for the beginning of an option; who was too slow begins again after one.
    const typed = async (): Promise<string> => {
      if ((await target.inputValue()) !== option) await target.page().keyboard.type(option);
      return target.inputValue();
    };
    await expect.poll(typed, { interval: 1_500 }).toBe(option);
  },
  async openTab(page, name) {
    const tab = page.getByRole('tab', { name, exact: true });
    await tab.waitFor();
    const list = page.getByRole('tablist').filter({ has: tab });
    await reach(list.getByRole('tab', { selected: true }));
    await expect
      .poll(
        async () => {
          const isOpen = (await tab.getAttribute('aria-selected')) === 'true';
          if (!isOpen) await page.keyboard.press('ArrowRight');
          return isOpen;
        },
        { interval: 20 },
      )
      .toBe(true);
  },
  openCommands: (page) => page.keyboard.press('Control+k'),
  async expectPlace(page) {
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).not.toBe('BODY');
  },
};

/** By Tab and Shift-Tab: as often as there are places on the way, then once more where that was not enough. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor();
  const keys = target.page().keyboard;
  const steps = await target.evaluate((element) => {
    const { document } = Object(globalThis);
    const dialogs = document.querySelectorAll('dialog[open]');
    const within = dialogs[dialogs.length - 1] ?? document;
    const all = [...within.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(
      (each) => each.tabIndex >= 0 && !each.disabled && each.getClientRects().length > 0,
    );
    return all.indexOf(element) - all.indexOf(document.activeElement);
  });
  for (let step = 0; step < Math.abs(steps); step += 1) await keys.press(steps > 0 ? 'Tab' : 'Shift+Tab');
  const state = (): Promise<string> =>
    target.evaluate((element) => {
      const { document, getComputedStyle } = Object(globalThis);
      if (document.activeElement !== element) return 'elsewhere';
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      // The box of an entity is drawn with a wider line, an item of a menu on another ground.
      const isMarked = (outlineStyle !== 'none' && outlineWidth !== '0px') || Object(element).closest('figure, [role=menu]') !== null;
      return isMarked ? 'seen' : `not seen: ${Object(element).outerHTML.slice(0, 200)}`;
    });
  let found = await state();
  for (let more = 0; found === 'elsewhere' && more < 300; more += 1) {
    await keys.press('Tab');
    found = await state();
  }
  expect(found, String(target)).toBe('seen');
}
