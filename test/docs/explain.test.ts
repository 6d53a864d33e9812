// Every `platform explain` of the documentation is run, and what it prints compared with the page. UPDATE_DOCS=1 writes it anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { testTerminal } from './support.ts';

const page = 'docs/workflows.md';
const updates = process.env['UPDATE_DOCS'] === '1';

test(`every explanation of ${page} is what the command prints`, async () => {
  const before = readFileSync(page, 'utf8');
  let after = before;
  const blocks = [...before.matchAll(/```console\n\$ platform (explain [^\n]+)\n[\s\S]*?```/g)];
  expect(blocks.length).toBeGreaterThan(0);
  for (const [block, command = ''] of blocks) {
    const said: string[] = [];
    const terminal = { ...testTerminal(process.cwd()), out: (text: string) => said.push(text), err: (text: string) => said.push(text) };
    expect(await main(command.split(' '), terminal)).toBe(0);
    after = after.replace(block, () => `\`\`\`console\n$ platform ${command}\n${said.join('\n')}\n\`\`\``);
  }
  if (updates) writeFileSync(page, after);
  else expect(after).toEqual(before);
});
