// Every `platform` command of the pages about commands is run, and what it says compared with the page. UPDATE_DOCS=1 writes it anew.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { command, ensureBuilt, root, type Workspace, workspace } from '../cli/harness.ts';
import { normal } from './console.ts';
import { silentLog, testTerminal } from './support.ts';

const pages = ['docs/build.md', 'docs/backup.md', 'docs/moving.md'];
const updates = process.env['UPDATE_DOCS'] === '1';
const opened: Workspace[] = [];

beforeAll(ensureBuilt);
afterAll(() => {
  for (const each of opened) each.remove();
});

describe.each(pages)('%s', (page) => {
  test('every command says what the page shows', async () => {
    const before = readFileSync(page, 'utf8');
    const place = workspace({ 'new.jsonl': '{"slug": "first", "title": "First"}\n{"slug": "second"}\n' });
    opened.push(place);
    for (const name of ['blog', 'copy']) {
      cpSync(join(root, 'examples', 'blog'), join(place.folder, name), {
        recursive: true,
        filter: (each) => !/[\\/](data|out)$/.test(each),
      });
    }
    await fill(join(place.folder, 'blog'));
    const after = await rerun(before, place);
    if (updates) writeFileSync(page, after);
    else expect(shown(after)).toEqual(shown(before));
  });
});

/** Two posts, one with its author and a comment. */
async function fill(folder: string): Promise<void> {
  const { model, settings, project } = await load({ path: folder, config: undefined, keepsStoreId: true }, testTerminal(folder));
  if (model === undefined) throw new Error('the example has errors');
  const { name, version } = project;
  const app = await createApp({
    model,
    settings: { ...settings, service: { ...settings.service, port: 0 } },
    name,
    version,
    folder,
    log: silentLog,
  });
  const [address = ''] = await app.listen();
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(201);
  };
  await post('/blog/Author', { name: 'Ada', email: 'ada@example.com', AuthorPost: [{ slug: 'hello', title: 'Hello, "world"' }] });
  await post('/blog/Post', { slug: 'empty', title: '' });
  await post('/blog/Post/hello/PostComment/Comment', { text: 'Well said.' });
  await app.close();
}

async function rerun(text: string, place: Workspace): Promise<string> {
  const start = text.indexOf('<!-- run: ');
  const end = text.indexOf('<!-- /run -->', start);
  expect(start).toBeGreaterThan(-1);
  let [result, at] = ['', 0];
  for (const match of text.slice(0, end).matchAll(/```console\n([\s\S]*?)```/g)) {
    let block = '';
    for (const line of (match[1] ?? '').split('\n').filter((each) => each.startsWith('$ '))) {
      block += `${line}\n${await said(line.slice(2), place)}`;
    }
    result += `${text.slice(at, match.index)}\`\`\`console\n${block}\`\`\``;
    at = match.index + match[0].length;
  }
  return result + text.slice(at);
}

async function said(line: string, place: Workspace): Promise<string> {
  const [program, ...words] = line.split(' ');
  if (program === 'cat') return place.read(words[0] ?? '');
  if (program === 'platform') {
    const { out, err } = await command(place.folder, ...words);
    return withoutFolder(`${err}${out}`, place);
  }
  if (program !== 'node') throw new Error(`the page runs ${program}, which the test does not know`);
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: place.folder,
    encoding: 'utf8',
    // With a cache of its own.
    env: { ...process.env, HOME: place.folder, XDG_CACHE_HOME: '' },
  });
  return withoutFolder(`${stderr}${stdout}`, place);
}

function withoutFolder(text: string, { folder }: Workspace): string {
  return text.replaceAll(realpathSync(folder), '<folder>').replaceAll(folder, '<folder>');
}

/** Sizes, hashes and versions differ from run to run. */
function shown(text: string): string {
  return normal(text)
    .replace(/\d+(\.\d+)? (MB|kB)/g, '<size>')
    .replace(/"__version":\d+/g, '"__version":<version>')
    .replace(/^( +\d+ {2})[0-9a-f]{12}/gm, '$1<hash>')
    .replace(/,\d{13}$/gm, ',<version>');
}
