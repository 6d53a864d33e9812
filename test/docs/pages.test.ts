// Every command in the documentation is run, and its answer compared with the page. UPDATE_DOCS=1 writes the answers anew.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { main } from '../../src/cli/main.ts';
import { normal, projectsOf, rerun } from './console.ts';
import { silentLog, testTerminal } from './support.ts';

const pages = [
  'README.md',
  'examples/blog/README.md',
  'examples/company/README.md',
  'examples/shop/README.md',
  'examples/loyalty/README.md',
  'examples/members/README.md',
  'examples/newsroom/README.md',
  'examples/support/README.md',
  'examples/directory/current/README.md',
  'examples/directory/earlier/README.md',
  'examples/staff/README.md',
  'examples/clinic/README.md',
  'docs/packages.md',
  'docs/rest.md',
  'docs/workflows.md',
  'docs/identity.md',
  'docs/access.md',
];
/** What projects that need an admin are started with. */
const environment = { PLATFORM_SUPERUSER_EMAIL: 'admin@clinic.example', PLATFORM_SUPERUSER_PASSWORD: 'correct horse battery' };
const updates = process.env['UPDATE_DOCS'] === '1';

for (const page of pages) {
  const text = readFileSync(page, 'utf8');
  for (const project of projectsOf(text)) describePage(page, project);
}

function describePage(page: string, project: string): void {
  describe(`${page} on ${project}`, () => {
    let app: App;
    let address: string;
    const root = mkdtempSync(join(tmpdir(), 'platform-docs-'));
    const folder = join(root, project);
    beforeAll(async () => {
      // What a project depends on lies beside it.
      for (const each of [project, 'examples/packages'])
        cpSync(each, join(root, each), { recursive: true, filter: (source) => !source.endsWith('/data') });
      const terminal = { ...testTerminal(folder), ...(project === 'examples/clinic' ? { environment } : {}) };
      const { model, settings, project: found } = await load({ path: folder, config: undefined, keepsStoreId: true }, terminal);
      if (model === undefined) throw new Error(`${project} has errors`);
      const quiet = { ...settings, service: { ...settings.service, port: 0 } };
      app = await createApp({ model, settings: quiet, name: found.name, version: found.version, folder, log: silentLog });
      [address = ''] = await app.listen();
    });
    afterAll(async () => {
      await app.close();
      rmSync(root, { recursive: true, force: true });
    });
    test('every command gives the answer that the page shows', async () => {
      const before = readFileSync(page, 'utf8');
      const after = await rerun(before, project, address, (words) => said(words, root));
      if (updates) writeFileSync(page, after);
      else expect(normal(after)).toEqual(normal(before));
    });
  });
}

/** From the folder in which the project has the path that it has in the clone. */
async function said(words: readonly string[], folder: string): Promise<string> {
  const lines: string[] = [];
  const tell = (text: string): number => lines.push(text);
  await main(words, { ...testTerminal(folder), out: tell, err: tell });
  return lines.join('\n');
}
