// The commands of docs/stores.md are run on a server, and their answers compared with the page. UPDATE_DOCS=1 writes the answers anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { normal, projectsOf, rerun } from '../docs/console.ts';
import { silentLog, testTerminal } from '../docs/support.ts';
import { databaseForTest, postgresSettings } from '../support/postgres.ts';

const page = 'docs/stores.md';

test('every command gives the answer that the page shows', async () => {
  const before = readFileSync(page, 'utf8');
  const [project = ''] = projectsOf(before);
  const folder = resolve(project);
  const { model, settings, project: found } = await load({ path: folder, config: undefined, keepsStoreId: false }, testTerminal(folder));
  if (model === undefined) throw new Error(`${project} has errors`);
  const served = { ...settings, service: { ...settings.service, port: 0 }, store: postgresSettings(await databaseForTest()) };
  const app = await createApp({ model, settings: served, name: found.name, version: found.version, folder, log: silentLog });
  onTestFinished(() => app.close());
  const [address = ''] = await app.listen();
  const after = await rerun(before, project, address);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, after);
  else expect(normal(after)).toEqual(normal(before));
});
