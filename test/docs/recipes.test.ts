// The page of recipes: each model is served, and its requests are answered as the page shows. UPDATE_DOCS=1 writes the answers anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { workspace } from '../cli/harness.ts';
import { normal, projectsOf, rerun } from './console.ts';
import { silentLog, testTerminal } from './support.ts';

const page = 'docs/recipes.md';
const password = 'correct horse battery';
const admin = 'admin@example.com';

/** What the recipe of an outbox has sent, by the key under which it came. */
const sent = new Map<string, unknown>();

beforeAll(async () => {
  const books = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    request.on('end', () => {
      sent.set(String(request.headers['idempotency-key']), JSON.parse(text));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => books.listen(0, '127.0.0.1', () => resolve()));
  const address = books.address();
  process.env['BOOKS_URL'] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return () => {
    delete process.env['BOOKS_URL'];
    books.close();
  };
});

describe('docs/recipes.md', () => {
  for (const recipe of projectsOf(readFileSync(page, 'utf8')))
    test(`the requests of ${recipe} are answered as the page shows`, async () => {
      const before = readFileSync(page, 'utf8');
      const section = sectionOf(before, recipe);
      const address = await served(recipe, section);
      const after = await rerun(before, recipe, address, undefined, await tokens(section, address));
      if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, after);
      else expect(normal(after)).toEqual(normal(before));
      if (recipe === 'outbox') expect([...sent.values()]).toEqual([{ payment: 1, amount: '12.50' }]);
    });
});

function sectionOf(text: string, recipe: string): string {
  const start = text.indexOf(`<!-- tested: ${recipe} -->`);
  return text.slice(start, text.indexOf('<!-- /tested -->', start));
}

/** Where the model of a recipe is served, until the test ends; its timers do not run, so that what they would do is asked for. */
async function served(recipe: string, section: string): Promise<string> {
  const [, model = ''] = /```al\n([\s\S]*?)```/.exec(section) ?? [];
  const others = [...section.matchAll(/<!-- file: \w+\/(\S+) -->\n+```\w+\n([\s\S]*?)```/g)].map(
    ([, file = '', text = '']) => [file, text] as const,
  );
  const place = workspace({
    'package.json': `{"name": "${recipe}", "version": "1.0.0", "type": "module"}`,
    'config.al': '{"rbac": {"enabled": true}, "timers": {"enabled": false}}',
    [`src/${recipe}.al`]: model,
    ...Object.fromEntries(others),
  });
  onTestFinished(() => place.remove());
  const environment = { PLATFORM_SUPERUSER_EMAIL: admin, PLATFORM_SUPERUSER_PASSWORD: password };
  const loaded = await load({ path: place.folder, config: undefined, keepsStoreId: true }, { ...testTerminal(place.folder), environment });
  if (loaded.model === undefined) throw new Error(loaded.diagnostics.map((each) => each.message).join('\n'));
  expect(loaded.diagnostics.filter(({ severity }) => severity !== 'note')).toEqual([]);
  const settings = { ...loaded.settings, service: { ...loaded.settings.service, port: 0 } };
  const { name, version } = loaded.project;
  const app = await createApp({ model: loaded.model, settings, name, version, folder: place.folder, log: silentLog });
  onTestFinished(() => app.close());
  const [address = ''] = await app.listen();
  return address;
}

/** The users of a recipe, made by the admin: the token of each, by the variable that the page has it in. */
async function tokens(section: string, address: string): Promise<Map<string, string>> {
  const post = async (path: string, body: object, token = ''): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
    return (await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const login = async (email: string): Promise<string> => {
    const token: unknown = Reflect.get(Object(await post('/platform.auth/login', { email, password })), 'id-token');
    if (typeof token !== 'string') throw new Error(`${email} is not let in`);
    return token;
  };
  const all = new Map([['ADMIN', await login(admin)]]);
  for (const name of new Set([...section.matchAll(/Bearer \$([A-Z]+)/g)].map((match) => match[1] ?? ''))) {
    if (all.has(name)) continue;
    const email = `${name.toLowerCase()}@example.com`;
    await post('/platform.auth/User', { email, password }, all.get('ADMIN'));
    all.set(name, await login(email));
  }
  return all;
}
