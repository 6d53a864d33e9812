// The page on the audit trail: its project is served, its calls and commands run, and what they say compared. UPDATE_DOCS=1 writes it anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { command, type Workspace, workspace } from '../cli/harness.ts';
import { execute } from '../support/database.ts';
import { answerTo, normal } from './console.ts';
import { silentLog, testTerminal } from './support.ts';

const page = 'docs/audit.md';

/** A file of the project, or commands with what they say. */
const parts = /<!-- file: (\S+) -->\n```al\n([\s\S]*?)```|```console\n([\s\S]*?)```/g;

test('every command of the page says what the page shows', async () => {
  const place = workspace({ 'package.json': '{"name": "shop", "version": "1.0.0", "type": "module"}' });
  const service = serviceIn(place);
  onTestFinished(async () => {
    await service.stop();
    place.remove();
  });
  const before = readFileSync(page, 'utf8');
  let [after, at] = ['', 0];
  for (const match of before.matchAll(parts)) {
    const [whole, file, text, commands] = match;
    if (file !== undefined) place.write(file, text ?? '');
    after += before.slice(at, match.index);
    after += commands === undefined ? whole : `\`\`\`console\n${await rerun(commands, service, place)}\`\`\``;
    at = match.index + whole.length;
  }
  after += before.slice(at);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, after);
  else expect(shown(after)).toEqual(shown(before));
});

/** What is in one block depends on how fast it was written. */
function shown(text: string): string {
  return normal(text).replace(/\b(block \d+|\d+ blocks?)\b/g, '<blocks>');
}

interface Service {
  /** Starts it where it does not run. */
  address(): Promise<string>;
  stop(): Promise<void>;
}

function serviceIn({ folder }: Workspace): Service {
  let app: App | undefined;
  let address = '';
  return {
    async address() {
      if (app !== undefined) return address;
      const { model, settings, project } = await load({ path: folder, config: undefined, keepsStoreId: true }, testTerminal(folder));
      if (model === undefined) throw new Error('the model has errors');
      const { name, version } = project;
      const quiet = { ...settings, service: { ...settings.service, port: 0 } };
      app = await createApp({ model, settings: quiet, name, version, folder, log: silentLog });
      [address = ''] = await app.listen();
      return address;
    },
    async stop() {
      await app?.close();
      app = undefined;
    },
  };
}

async function rerun(block: string, service: Service, place: Workspace): Promise<string> {
  let result = '';
  for (const line of block.split('\n').filter((each) => each.startsWith('$ '))) {
    const said = await answered(line.slice(2), service, place);
    result += said === '' ? `${line}\n` : `${line}\n${said.trimEnd()}\n`;
  }
  return result;
}

async function answered(line: string, service: Service, { folder }: Workspace): Promise<string> {
  const [program = '', ...words] = line.split(' ');
  if (program === 'curl') return (await answerTo(line, await service.address(), new Map())) ?? '';
  if (program === 'sqlite3') {
    await service.stop();
    const [, file = '', sql = ''] = /^sqlite3 (\S+) "(.*)"$/.exec(line) ?? [];
    execute(join(folder, file), sql.replaceAll('\\"', '"'));
    return '';
  }
  // All of it is sealed when the page says so.
  if (words[1] === 'verify') await expect.poll(async () => (await command(folder, ...words)).out).toMatch(/^0 entries are not sealed yet/m);
  const { out, err } = await command(folder, ...words);
  return `${out}${err}`;
}
