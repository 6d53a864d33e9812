// An example that is served, and a page of its console.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { password } from '../identity/accounts.ts';
import { type Options, type Project, serve } from '../support/app.ts';
import type { Open, Visit, VisitOptions } from '../support/browser.ts';

export function example(name: string): string {
  return readFileSync(join(import.meta.dirname, `../../examples/${name}/src/${name}.al`), 'utf8');
}

export async function visit(open: Open, project: Project, options: Options = {}, context: VisitOptions = {}) {
  const served = await serve(project, options);
  const [address = ''] = await served.app.listen();
  const { page, complaints } = await open(address, context);
  return { ...served, page, complaints, address, go: (to: string) => page.goto(`${address}/console${to}`) };
}

export async function signIn({ page }: Pick<Visit, 'page'>, email: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Sign in' });
  await form.getByLabel('Email').fill(email);
  await form.getByLabel('Password').fill(password);
  await form.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}

/** From the next page on what is said in passing stays, so that a slow machine comes in time to take it back. */
export async function keepToasts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { setTimeout: start } = globalThis;
    const kept = (work: () => void, delay?: number): unknown => (delay === 10_000 ? 0 : start(work, delay));
    Object.assign(globalThis, { setTimeout: kept });
  });
}

export function posts(count: number) {
  return Array.from({ length: count }, (_, index) => ({ slug: `post-${String(index).padStart(4, '0')}`, title: `Title ${index}` }));
}
