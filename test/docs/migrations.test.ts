// The page on migrations, step by step: its models are written, its commands run, and what they say compared. UPDATE_DOCS=1 writes it anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { command, type Workspace, workspace } from '../cli/harness.ts';
import { normal } from './console.ts';
import { silentLog, testTerminal } from './support.ts';

const page = 'docs/migrations.md';

/** A model, a request to send, or commands with what they say. */
const parts = /<!-- file: (\S+) -->\n```al\n([\s\S]*?)```|<!-- post: (\S+) (.*?) -->|```console\n([\s\S]*?)```/g;

test('every command of the page says what the page shows', async () => {
  const place = workspace({ 'package.json': '{"name": "shop", "version": "1.0.0", "type": "module"}' });
  onTestFinished(() => place.remove());
  const before = readFileSync(page, 'utf8');
  let [after, at] = ['', 0];
  for (const match of before.matchAll(parts)) {
    const [whole, file, model, path, body, commands] = match;
    if (file !== undefined) place.write(file, model ?? '');
    else if (path !== undefined) await post(place, path, body ?? '');
    after += before.slice(at, match.index);
    after += commands === undefined ? whole : `\`\`\`console\n${await rerun(commands, place)}\`\`\``;
    at = match.index + whole.length;
  }
  after += before.slice(at);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, after);
  else expect(shown(after)).toEqual(shown(before));
});

async function rerun(block: string, place: Workspace): Promise<string> {
  let result = '';
  for (const line of block.split('\n').filter((each) => each.startsWith('$ '))) result += `${line}\n${await said(line.slice(2), place)}`;
  return result;
}

async function said(line: string, place: Workspace): Promise<string> {
  const [program, ...words] = line.split(' ');
  if (program === 'cat') return place.read(words[0] ?? '');
  expect(program).toBe('platform');
  const { out, err } = await command(place.folder, ...words);
  return `${err}${out}`;
}

async function post({ folder }: Workspace, path: string, body: string): Promise<void> {
  const { model, settings, project } = await load({ path: folder, config: undefined, keepsStoreId: true }, testTerminal(folder));
  if (model === undefined) throw new Error('the model has errors');
  const { name, version } = project;
  const app = await createApp({ model, settings, name, version, folder, log: silentLog });
  const headers = { 'content-type': 'application/json' };
  const answer = await app.respond({ method: 'POST', path, query: '', headers, body: Buffer.from(body), id: 'page', remote: '127.0.0.1' });
  await app.close();
  expect(answer.status).toBe(201);
}

function shown(text: string): string {
  return normal(text).replace(/"digest": "[0-9a-f]*"/g, '"digest": "<digest>"');
}
