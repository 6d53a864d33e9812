// What a program can tell of whether a page can be used by everybody.

import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** WCAG 2.2 AA as far as a program can tell, or some of its rules. */
export async function expectAccessible(page: Page, runOnly: readonly string[] = standards): Promise<void> {
  // By the protocol of the browser: the policy of the page lets no other script in.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (rules) => {
    const { axe: checks, document } = Object(globalThis);
    const found = await checks.run(document, { runOnly: rules });
    return found.violations.map((each: { id: string; nodes: { html: string; failureSummary: string }[] }) => [
      each.id,
      ...each.nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)}: ${failureSummary}`),
    ]);
  }, runOnly);
  expect(violations).toEqual([]);
}
