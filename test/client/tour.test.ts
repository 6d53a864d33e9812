// The page about the client: its program is compiled as strictly as can be, run by Node and in a browser against examples/blog, and says what the page shows.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, promisify } from 'node:util';
import { expect, test } from 'vitest';
import { command, root } from '../cli/harness.ts';
import { normal } from '../docs/console.ts';
import { serve } from '../support/app.ts';
import { isMissing, useBrowser } from '../support/browser.ts';
import { folderForTest } from '../support/folder.ts';
import { addressOf, compile, fileServer } from './harness.ts';

const page = join(root, 'docs/client.md');
const parts =
  /(```console\n\$ platform client )(\S+)( --out api\.ts\n```[\s\S]*?```ts\n)([\s\S]*?)(```[\s\S]*?```console\n\$ node tour\.ts\n)([\s\S]*?)(```)/;

interface Tour {
  /** With the compiled program and client in it. */
  readonly folder: string;
  readonly text: string;
  /** Of the service. */
  readonly address: string;
  /** What the page says that the program prints. */
  readonly shown: string;
}

/** The program asks the service of the example, whose pages may be at `origins`. */
async function tour(folder: string, origins: readonly string[] = []): Promise<Tour> {
  const text = readFileSync(page, 'utf8');
  const [, , project = '', , program = '', , shown = ''] = parts.exec(text) ?? [];
  expect(await command(root, 'client', project, '--out', join(folder, 'api.ts'))).toEqual({ code: 0, out: '', err: '' });
  expect(compile(folder, program, true)).toBe('');
  const address = await addressOf(await serve({ 'blog.al': readFileSync(join(root, project, 'src/blog.al'), 'utf8') }, { origins }));
  const compiled = readFileSync(join(folder, 'program.js'), 'utf8');
  writeFileSync(join(folder, 'program.js'), compiled.replace('http://localhost:8080', address));
  return { folder, text, address, shown };
}

test('the program of the page does the tour of the README with the client', async () => {
  const { folder, text, shown } = await tour(folderForTest());
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'program.js')], { timeout: 30_000 });
  expect(stderr).toBe('');
  if (process.env['UPDATE_DOCS'] === '1')
    writeFileSync(
      page,
      text.replace(parts, (...all) => all.slice(1, 6).join('') + stdout + all[7]),
    );
  else expect(normal(stdout)).toBe(normal(shown));
});

const open = useBrowser();

/** What a program writes is kept as it was given, and an error in its place; JSON has no word for what is undefined. */
const runner = `globalThis.written = [];
console.log = (...given) => written.push(given.map((each) => (each === undefined ? 'undefined' : each)));
import('./program.js').catch((thrown) => written.push([String(thrown)])).finally(() => { globalThis.isDone = true; });
`;

test.skipIf(isMissing)(
  'the same program does the tour in a browser, from a page of another origin (skipped where no browser is installed)',
  async () => {
    const folder = folderForTest();
    const files = await fileServer(folder);
    const { shown, address } = await tour(folder, [files]);
    writeFileSync(join(folder, 'runner.js'), runner);
    writeFileSync(
      join(folder, 'tour.html'),
      '<!doctype html><link rel="icon" href="data:,"><script type="module" src="runner.js"></script>',
    );
    const { page: shownPage, complaints } = await open(files, { origins: [address] });
    await shownPage.goto(`${files}/tour.html`);
    await expect.poll(() => shownPage.evaluate('globalThis.isDone')).toBe(true);
    const lines: readonly unknown[][] = JSON.parse(await shownPage.evaluate('JSON.stringify(written)'));
    expect(complaints).toEqual([]);
    expect(normal(lines.map((given) => `${format(...given)}\n`).join(''))).toBe(normal(shown));
  },
);
