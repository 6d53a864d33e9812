// model.lock.json: written by `run` and by every change under `--watch`, left alone where nothing changed, a warning where it cannot be written.

import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ensureBuilt, platform, type Running, workspace } from '../cli/harness.ts';

beforeAll(ensureBuilt);

const first = 'module shop\n\nentity Item {\n  id Int @id,\n  name String @optional\n}\n';
const manifest = '{:name :Shop :version "3.2" :platform-version "current" :components [:Shop.Core]}';
const component = '(component :Shop.Core)\n(entity :Item {:Id {:type :Int :guid true} :Name {:type :String :optional true}})\n';

async function started(folder: string, ...argv: readonly string[]): Promise<Running> {
  const service = platform(folder, 'run', '.', '--port', '0', ...argv);
  onTestFinished(async () => {
    service.child.kill('SIGTERM');
    await service.exit;
  });
  await service.until(/ at http\S+/);
  return service;
}

async function stop(service: Running): Promise<void> {
  service.child.kill('SIGTERM');
  expect(await service.exit).toBe(0);
}

test('run writes it beside the model, and a start on the same model leaves it as it is', async () => {
  const { folder, remove } = workspace({ 'src/core.al': first });
  onTestFinished(remove);
  const file = join(folder, 'model.lock.json');
  const service = await started(folder);
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 30_000 });
  await stop(service);
  const { stored } = JSON.parse(readFileSync(file, 'utf8'));
  expect(stored).toEqual({
    'shop/Item': {
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
      columns: { id: expect.stringMatching(/ Int$/), name: expect.stringMatching(/ String optional$/) },
    },
  });
  const { mtimeNs } = statSync(file, { bigint: true });
  await stop(await started(folder));
  expect(statSync(file, { bigint: true }).mtimeNs).toBe(mtimeNs);
});

test('a new name keeps its identity, also under --watch', async () => {
  const project = workspace({ 'src/core.al': first });
  onTestFinished(project.remove);
  const file = join(project.folder, 'model.lock.json');
  const columns = (): Readonly<Record<string, string>> => JSON.parse(readFileSync(file, 'utf8')).stored['shop/Item'].columns;
  await started(project.folder, '--watch');
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 30_000 });
  const { name } = columns();
  project.write('src/core.al', first.replace('name String @optional', 'title String @optional @was("name")'));
  await vi.waitFor(() => expect(columns()).toMatchObject({ title: name }), { timeout: 30_000 });
});

test('a project of the earlier surface has one too', async () => {
  const { folder, remove } = workspace({ 'model.platform': manifest, 'shop/core.platform': component });
  onTestFinished(remove);
  await stop(await started(folder));
  expect(Object.keys(JSON.parse(readFileSync(join(folder, 'model.lock.json'), 'utf8')).stored)).toEqual(['Shop.Core/Item']);
});

test('where it cannot be written, there is a warning, and the service runs', async () => {
  const { folder, remove } = workspace({ 'src/core.al': first });
  onTestFinished(remove);
  mkdirSync(join(folder, 'model.lock.json'));
  const service = await started(folder);
  await service.until(/model\.lock\.json could not be written/);
  await stop(service);
});

test('a single file is tried out, and gets none', async () => {
  const { folder, remove } = workspace({ 'notes.al': first });
  onTestFinished(remove);
  const service = platform(folder, 'run', 'notes.al', '--port', '0');
  await service.until(/ at http\S+/);
  await stop(service);
  expect(existsSync(join(folder, 'model.lock.json'))).toBe(false);
});
