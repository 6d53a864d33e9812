// The commands about users in docs/identity.md are run, and what they say compared with the page. UPDATE_DOCS=1 writes it anew.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { root, workspace } from '../cli/harness.ts';
import { testTerminal } from './support.ts';

const page = 'docs/identity.md';

test('every command about users says what the page shows', async () => {
  const { folder, read, remove } = workspace({
    'password.txt': 'correct horse battery\n',
    'other-password.txt': 'battery horse correct\n',
  });
  onTestFinished(remove);
  cpSync(join(root, 'examples', 'members'), join(folder, 'members'), { recursive: true, filter: (each) => !/[\\/]data$/.test(each) });
  const before = readFileSync(page, 'utf8');
  const start = before.indexOf('<!-- run: members -->');
  const [whole = '', block = ''] = /```console\n([\s\S]*?)```/.exec(before.slice(start)) ?? [];
  let said = '';
  for (const line of block.split('\n').filter((each) => each.startsWith('$ ')))
    said += `${line}\n${await answered(line.slice(2), folder, read)}`;
  const after = before.replace(whole, `\`\`\`console\n${said}\`\`\``);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, after);
  else expect(normal(after)).toBe(normal(before));
});

async function answered(line: string, folder: string, read: (file: string) => string): Promise<string> {
  const [command = '', file] = line.split(' < ');
  const said: string[] = [];
  const tell = (text: string): number => said.push(text);
  const terminal = {
    ...testTerminal(folder),
    out: tell,
    err: tell,
    line: async () => (file === undefined ? '' : (read(file).split('\n')[0] ?? '')),
  };
  const code = await main(command.split(' ').slice(1), terminal);
  expect([line, code, said]).toEqual([line, 0, said]);
  return said.map((each) => `${each}\n`).join('');
}

/** Each key is another one. */
function normal(text: string): string {
  return text.replace(/^[\w-]{43} signs/gm, '<key> signs');
}
