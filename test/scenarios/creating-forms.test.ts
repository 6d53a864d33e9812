// Every way to create an instance, at the root and under one to three parents: its path is right, it is read by it, and it goes elsewhere as it is.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { command } from '../cli/harness.ts';
import { open, type Served, serve } from '../support/app.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storeOfRun } from '../support/store.ts';
import { type CreatingForm, type Level, levels, type SyntaxOfForms } from './creating-forms.ts';
import { current } from './creating-forms-current.ts';
import { earlier } from './creating-forms-earlier.ts';

for (const syntax of [current, earlier]) {
  describe(`in the ${syntax.surface} syntax`, () => {
    const { surface, module } = syntax;
    test('every form gives the path of its parents, which reads it, finds it, and is the same elsewhere', async () => {
      const served = await open(syntax.source, { folder: temporaryFolder(), surfaces: [surface] });
      const paths = new Set<string>();
      for (const each of syntax.stored) paths.add(pathOf(module, each));
      for (const form of syntax.forms) {
        await create(served, form, syntax);
        for (const chain of form.creates) {
          paths.add(pathOf(module, chain));
          if (form.later) await vi.waitFor(() => readBack(served, chain, form, syntax), { timeout: 30_000 });
          else await readBack(served, chain, form, syntax);
        }
      }
      await expectAll(served, paths, syntax);
      expect(served.failures).toEqual([]);
      await served.app.close();
      await expectSameElsewhere(served, syntax);
    });
  });
}

async function create(served: Served, { title, post }: CreatingForm, { surface }: SyntaxOfForms): Promise<void> {
  if (post === undefined) return;
  const [target, body] = post;
  const answer = await served.post(target, body);
  const status = surface === 'current' && !target.includes('/make') ? 201 : 200;
  expect([title, answer.status, answer.status === status ? '' : answer.text]).toEqual([title, status, '']);
}

/** Made from the names and identifiers alone, by none of the service's own functions. */
function pathOf(module: string, chain: Level): string {
  const steps = chain.map((id, level) => {
    const { type, relationship } = levels[level] ?? { type: '', relationship: '' };
    const own = `${module}$${type}/${encodeURIComponent(String(id))}`;
    return level === 0 ? own : `${module}$${relationship}/${own}`;
  });
  return `path://${steps.join('/')}`;
}

async function readBack(
  served: Served,
  chain: Level,
  { title }: CreatingForm,
  { surface, module, base, identifier }: SyntaxOfForms,
): Promise<void> {
  const id = chain.at(-1);
  const nested = chain.map((each, level) => {
    const { type = '', relationship = '' } = levels[level] ?? {};
    const own = `${type}/${encodeURIComponent(String(each))}`;
    return level === 0 ? own : `${relationship}/${own}`;
  });
  const read = await served.get(`${base}/${nested.join('/')}`);
  expect([title, read.status, read.body]).toMatchObject([title, 200, { [identifier]: id }]);
  if (chain.length === 1) return;
  const path = pathOf(module, chain);
  expect([title, read.body]).toMatchObject([title, { __path__: path }]);
  const found = await served.get(`${base}/${levels[chain.length - 1]?.type}?__path__=${encodeURIComponent(path)}`);
  expect([title, surface, found.body]).toMatchObject([title, surface, [{ [identifier]: id, __path__: path }]]);
}

/** Nothing but these was created. */
async function expectAll(served: Served, paths: ReadonlySet<string>, { base, module, identifier }: SyntaxOfForms): Promise<void> {
  const found: string[] = [];
  for (const [level, { type }] of levels.entries()) {
    const { body } = await served.get(`${base}/${type}`);
    if (!Array.isArray(body)) throw new Error(`no list of ${type}`);
    found.push(...body.map((each) => (level === 0 ? pathOf(module, [each[identifier]]) : each['__path__'])));
  }
  expect(found.toSorted()).toEqual([...paths].toSorted());
}

/** Exported, imported into an empty store, and copied into another: the same lines each time. */
async function expectSameElsewhere(served: Served, { files }: SyntaxOfForms): Promise<void> {
  const { folder, kept } = served;
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(`project/${name}`, text);
  write('a.al', JSON.stringify({ store: settingsOf(kept.settings) }));
  for (const name of ['b', 'c']) write(`${name}.al`, JSON.stringify({ store: await newStore(join(folder, `${name}.db`)) }));
  const done = async (...argv: readonly string[]) => expect(await command(folder, ...argv)).toMatchObject({ code: 0 });
  await done('export', 'project', '-c', 'a.al', '--out', 'a');
  await done('import', 'a', 'project', '-c', 'b.al');
  await done('store', 'copy', 'project', '-c', 'a.al', '--to', 'config:c.al');
  for (const name of ['b', 'c']) await done('export', 'project', '-c', `${name}.al`, '--out', name);
  const names = readdirSync(join(folder, 'a')).filter((each) => each.endsWith('.jsonl'));
  expect(names.length).toBeGreaterThanOrEqual(levels.length);
  const text = (from: string, name: string) => readFileSync(join(folder, from, name), 'utf8');
  for (const name of names) expect([name, text('b', name), text('c', name)]).toEqual([name, text('a', name), text('a', name)]);
}

/** A store of its own, of the kind that this run is about. */
async function newStore(dbname: string): Promise<object> {
  if (storeOfRun() === 'sqlite') return { type: 'sqlite', dbname };
  const { databaseForTest, postgresSettings } = await import('../support/postgres.ts');
  return settingsOf(postgresSettings(await databaseForTest()));
}

function settingsOf(settings: Served['kept']['settings']): object {
  if (settings.type === 'sqlite') return { type: 'sqlite', dbname: settings.file };
  const { type, host, port, dbname, username, password } = settings;
  return { type, host, port, dbname, username, password };
}

const folders = `module m
entity Folder { name String @id }
entity Person { id Int @id }
relationship Inside contains (Folder @as outer, Folder @as inner)
relationship Likes between (Person, Folder)
workflow found { {Folder {name? "root"}, Inside [{Folder {name "b"}}]} }
workflow linked { {Person {id 1}, Likes [{Folder {name "x"}, Inside [{Folder {name "y"}}]}]} @as p;
  for each in p.Likes { {Folder {name? each.name}, Inside [{Folder {name "z"}}]} } }
workflow behind { {Person {id? 1}, Likes [{Folder {name "q"}, Inside [{Folder {name "s"}}]}]} }
workflow upsert { {Folder {name "up"}, Inside [{Folder {name "u1"}, Inside [{Folder {name "u2"}}]}], @upsert} }
`;

test('a type that contains itself, created at its root, below it, and behind a link, has the paths of its parents', async () => {
  const served = await serve(folders);
  expect((await served.post('/m/Folder', { name: 'root' })).status).toBe(201);
  for (const each of ['found', 'linked', 'behind', 'upsert', 'upsert']) expect((await served.post(`/m/${each}`, {})).status).toBe(200);
  const below = ['root/b', 'q/s', 'up/u1', 'up/u1/u2', 'x/y', 'x/z'].map(
    (each) => `path://m$Folder/${each.replaceAll('/', '/m$Inside/m$Folder/')}`,
  );
  const { body } = await served.get('/m/Folder');
  const found = Array.isArray(body) ? body.map((each) => each['__path__'] ?? each['name']) : [];
  expect(found.toSorted()).toEqual([...below, 'root', 'q', 'up', 'x'].toSorted());
});
