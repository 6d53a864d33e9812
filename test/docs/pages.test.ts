// Every command in the documentation is run, and its answer compared with the page. UPDATE_DOCS=1 writes the answers anew.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { parseCurl } from './curl.ts';
import { silentLog, testTerminal } from './support.ts';

const pages = [
  'README.md',
  'examples/blog/README.md',
  'examples/company/README.md',
  'examples/shop/README.md',
  'examples/loyalty/README.md',
  'docs/rest.md',
  'docs/workflows.md',
];
const updates = process.env['UPDATE_DOCS'] === '1';

for (const page of pages) {
  const text = readFileSync(page, 'utf8');
  for (const project of projectsOf(text)) describePage(page, project);
}

function describePage(page: string, project: string): void {
  describe(`${page} on ${project}`, () => {
    let app: App;
    let address: string;
    const folder = mkdtempSync(join(tmpdir(), 'platform-docs-'));
    beforeAll(async () => {
      cpSync(project, folder, { recursive: true, filter: (source) => !source.endsWith('/data') });
      const { model, settings, project: found } = await load({ path: folder, config: undefined, keepsStoreId: true }, testTerminal(folder));
      if (model === undefined) throw new Error(`${project} has errors`);
      const quiet = { ...settings, service: { ...settings.service, port: 0 } };
      app = await createApp({ model, settings: quiet, name: found.name, version: found.version, folder, log: silentLog });
      [address = ''] = await app.listen();
    });
    afterAll(async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    });
    test('every command gives the answer that the page shows', async () => {
      const before = readFileSync(page, 'utf8');
      const after = await rerun(before, project, address);
      if (updates) writeFileSync(page, after);
      else expect(normal(after)).toEqual(normal(before));
    });
  });
}

function projectsOf(text: string): readonly string[] {
  return [...text.matchAll(/<!-- tested: (\S+) -->/g)].map((match) => match[1] ?? '');
}

/** The page with the answers of this run. */
async function rerun(text: string, project: string, address: string): Promise<string> {
  const start = text.indexOf(`<!-- tested: ${project} -->`);
  const end = text.indexOf('<!-- /tested -->', start);
  let result = '';
  let at = start;
  for (const match of text.slice(start, end).matchAll(/```console\n([\s\S]*?)```/g)) {
    const place = start + match.index;
    result += text.slice(at, place);
    result += `\`\`\`console\n${await rerunBlock(match[1] ?? '', address)}\`\`\``;
    at = place + match[0].length;
  }
  return text.slice(0, start) + result + text.slice(at);
}

async function rerunBlock(block: string, address: string): Promise<string> {
  let result = '';
  for (const line of block.split('\n').filter((each) => each.startsWith('$ ')))
    result += `${line}\n${await answerOf(line.slice(2), address)}\n`;
  return result;
}

async function answerOf(command: string, address: string): Promise<string> {
  const call = parseCurl(command);
  const url = call.url.replace(/^(http:\/\/)?localhost:8080/, address);
  const response = await fetch(url, {
    method: call.method,
    headers: call.headers,
    ...(call.body === undefined ? {} : { body: call.body }),
  });
  const body = await response.text();
  if (!call.showsHeaders) return body;
  const headers = [...response.headers].filter(([name]) => shownHeaders.includes(name)).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${response.status} ${response.statusText}`, ...headers, '', body].join('\n').trimEnd();
}

const shownHeaders = ['content-type', 'etag', 'location', 'link', 'x-total-count', 'allow'];

/** What differs from run to run: identifiers, times, tags, cursors. */
function normal(text: string): string {
  return text
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/etag: "[0-9a-z]+"/g, 'etag: <tag>')
    .replace(/@after=[\w-]+/g, '@after=<cursor>');
}
