// The page about timers: its models are a project, and `platform timers` prints what the page shows.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { command, type Workspace, workspace } from '../cli/harness.ts';
import { silentLog, testTerminal } from './support.ts';

const page = 'docs/timers.md';
const text = readFileSync(page, 'utf8');
const shown = /```console\n\$ platform timers shop\n([\s\S]*?)```/;

/** The blocks of code of a language, one after the other. */
function blocks(language: string): readonly string[] {
  return [...text.matchAll(/```(\w*)\n([\s\S]*?)```/g)].filter((each) => each[1] === language).map((each) => each[2] ?? '');
}

function place(files: Readonly<Record<string, string>>): Workspace {
  const made = workspace(files);
  onTestFinished(() => made.remove());
  return made;
}

/** When they are due, and how often some of them ran meanwhile, differs from run to run, and so does their order. */
function normal(lines: string): readonly string[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\S+Z/, '<time>').replace(/\d+ runs?/, '<runs>'))
    .sort();
}

test('platform timers lists the timers and schedules of the page, with the error of the one that failed', async () => {
  const { folder } = place({ 'shop/src/shop.al': blocks('').join('\n') });
  const { model, settings, project } = await load({ path: 'shop', config: undefined, keepsStoreId: true }, testTerminal(folder));
  if (model === undefined) throw new Error('the page has errors');
  const app = await createApp({ model, settings: { ...settings, service: { ...settings.service, port: 0 } }, ...project, log: silentLog });
  const [address = ''] = await app.listen();
  for (const each of ['remind', 'welcome', 'poll']) {
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"email": "ann@example.com"}' };
    expect((await fetch(`${address}/shop/${each}`, asked)).status).toBe(200);
  }
  await expect.poll(async () => (await fetch(`${address}/platform/timer/welcome`)).text(), { timeout: 30_000 }).toContain('no mail server');
  const listed = await command(folder, 'timers', 'shop');
  await app.close();
  const said = `${listed.out}${listed.err}`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, text.replace(shown, `\`\`\`console\n$ platform timers shop\n${said}\`\`\``));
  else expect(normal(said)).toEqual(normal(shown.exec(text)?.[1] ?? ''));
}, 60_000);

test('what the page shows of the earlier surface has no errors', async () => {
  const [schedules = '', timer = ''] = blocks('clojure');
  const { folder } = place({
    'model.platform': '{:name :Shop :version "0.0.1" :platform-version "current" :components [:Shop]}',
    'shop.platform': `(component :Shop)
(entity :Basket {:Id :Identity})
${schedules}
(dataflow :Tidy {:Basket? {}})
(event :Mail {:To :Email})
(event :Remind {:Email :Email})
(dataflow :Remind ${timer})`,
  });
  expect((await command(folder, 'check')).out).toBe('Shop 0.0.1: 1 entity, 0 relationships, no errors\n');
});
