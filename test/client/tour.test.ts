// The page about the client: its program is compiled as strictly as can be, run by Node against examples/blog, and says what the page shows.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { command, root } from '../cli/harness.ts';
import { normal } from '../docs/console.ts';
import { serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { addressOf, compile } from './harness.ts';

const page = join(root, 'docs/client.md');
const parts =
  /(```console\n\$ platform client )(\S+)( --out api\.ts\n```[\s\S]*?```ts\n)([\s\S]*?)(```[\s\S]*?```console\n\$ node tour\.ts\n)([\s\S]*?)(```)/;

test('the program of the page does the tour of the README with the client', async () => {
  const text = readFileSync(page, 'utf8');
  const [, , project = '', , program = '', , shown = ''] = parts.exec(text) ?? [];
  const folder = folderForTest();
  expect(await command(root, 'client', project, '--out', join(folder, 'api.ts'))).toEqual({ code: 0, out: '', err: '' });
  expect(compile(folder, program, true)).toBe('');
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const address = await addressOf(await serve({ 'blog.al': readFileSync(join(root, project, 'src/blog.al'), 'utf8') }));
  const compiled = readFileSync(join(folder, 'program.js'), 'utf8');
  writeFileSync(join(folder, 'program.js'), compiled.replace('http://localhost:8080', address));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'program.js')], { timeout: 30_000 });
  expect(stderr).toBe('');
  if (process.env['UPDATE_DOCS'] === '1')
    writeFileSync(
      page,
      text.replace(parts, (...all) => all.slice(1, 6).join('') + stdout + all[7]),
    );
  else expect(normal(stdout)).toBe(normal(shown));
});
