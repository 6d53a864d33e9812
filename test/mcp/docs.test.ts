// The page about assistants: what is sent to `platform mcp` there is answered as the page shows. UPDATE_DOCS=1 writes it anew.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { root } from '../cli/harness.ts';
import { testTerminal } from '../docs/support.ts';
import { folderForTest } from '../support/folder.ts';

const page = join(root, 'docs/mcp.md');
const parts = /(```console\n\$ echo '(.*)' \| platform (.*)\n)([\s\S]*?)(```)/;

test('the message of the page is answered as the page shows', async () => {
  const text = readFileSync(page, 'utf8');
  const [, , message = '', words = '', shown] = parts.exec(text) ?? [];
  const folder = folderForTest();
  cpSync(join(root, 'examples/blog'), join(folder, 'examples/blog'), { recursive: true, filter: (each) => !each.endsWith('/data') });
  let said = '';
  const out = (line: string): void => {
    // A version is that of the moment.
    said += `${line.replace(/(@version\\?":)\d+/g, '$11794999075835')}\n`;
  };
  async function* input(): AsyncGenerator<string, void> {
    yield message;
  }
  expect(await main(words.split(' '), { ...testTerminal(folder), input, out })).toBe(0);
  if (process.env['UPDATE_DOCS'] === '1')
    writeFileSync(
      page,
      text.replace(parts, (_, before, __, ___, ____, end) => before + said + end),
    );
  else expect(said).toBe(shown);
});
