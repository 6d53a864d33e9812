// The page on agents: its project is served with the provider `scripted`, its calls and commands run, and what they say compared. UPDATE_DOCS=1 writes it anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { command, type Workspace, workspace } from '../cli/harness.ts';
import { normal, rerun } from './console.ts';
import { silentLog, testTerminal } from './support.ts';

const page = 'docs/agents.md';
const files = /<!-- file: (\S+) -->\n```\w+\n([\s\S]*?)```/g;

test('every command of the page says what the page shows', async () => {
  const before = readFileSync(page, 'utf8');
  const place = workspace({ 'package.json': '{"name": "desk", "version": "1.0.0", "type": "module"}' });
  onTestFinished(() => place.remove());
  for (const [, file = '', text = ''] of before.matchAll(files)) place.write(file, text);
  const app = await served(place);
  onTestFinished(() => app.close());
  const [address = ''] = await app.listen();
  const after = await rerun(before, 'desk', address, async (words) => {
    const { out, err } = await command(place.folder, ...words);
    return `${out}${err}`.trimEnd();
  });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, after);
  else expect(shown(after)).toEqual(shown(before));
});

/** How long something took is another each time. */
function shown(text: string): string {
  return normal(text).replace(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, '<time>');
}

async function served({ folder }: Workspace) {
  const { model, settings, project } = await load({ path: folder, config: undefined, keepsStoreId: true }, testTerminal(folder));
  if (model === undefined) throw new Error('the model has errors');
  const { name, version } = project;
  return createApp({ model, settings: { ...settings, service: { ...settings.service, port: 0 } }, name, version, folder, log: silentLog });
}
