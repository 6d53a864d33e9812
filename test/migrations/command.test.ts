// `platform migrate`: what each word prints and exits with, on a project in a folder.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import picocolors from 'picocolors';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { load } from '../../src/cli/load.ts';
import { main } from '../../src/cli/main.ts';
import { command, workspace } from '../cli/harness.ts';
import { silentLog, testTerminal } from '../docs/support.ts';
import { execute } from '../support/database.ts';

const first = 'module shop\n\nentity Item {\n  id Int @id,\n  name String,\n  price Int\n}\n';

interface Shop {
  readonly folder: string;
  model(text: string): void;
  run(...argv: readonly string[]): ReturnType<typeof command>;
  /** On a terminal, where a person gives these answers. */
  asked(answers: readonly string[], ...argv: readonly string[]): Promise<{ readonly code: number; readonly said: string }>;
  /** Starts the service, as `run` does, sends these, and stops it. */
  serve(...bodies: readonly object[]): Promise<unknown>;
  lock(): {
    readonly digest: string;
    readonly stored: Readonly<Record<string, unknown>>;
    readonly retired: Readonly<Record<string, string>>;
  };
}

function shop(): Shop {
  const project = workspace({ 'src/core.al': first, 'package.json': '{"name": "shop", "version": "2.1.0", "type": "module"}' });
  onTestFinished(() => project.remove());
  const { folder } = project;
  return {
    folder,
    model: (text) => project.write('src/core.al', text),
    run: (...argv) => command(folder, 'migrate', ...argv),
    async asked(answers, ...argv) {
      const left = [...answers];
      const said: string[] = [];
      const tell = (text: string) => void said.push(text);
      const ask = async (question: string) => {
        said.push(question);
        return left.shift() ?? '';
      };
      const colours = picocolors.createColors(false);
      const code = await main(['migrate', ...argv], { out: tell, err: tell, isTerminal: false, ask, colours, folder, environment: {} });
      return { code, said: said.join('\n') };
    },
    async serve(...bodies) {
      const { model, settings, project: found } = await load({ path: folder, config: undefined, keepsStoreId: true }, testTerminal(folder));
      if (model === undefined) throw new Error('the model has errors');
      const app = await createApp({ model, settings, name: found.name, version: found.version, folder, log: silentLog });
      const ask = (method: string, path: string, body?: object) =>
        app.respond({
          method,
          path,
          query: '',
          headers: body === undefined ? {} : { 'content-type': 'application/json' },
          body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
          id: 'test',
          remote: '127.0.0.1',
        });
      try {
        for (const body of bodies) expect((await ask('POST', '/shop/Item', body)).status).toBe(201);
        const { body } = await ask('GET', '/shop/Item');
        let text = '';
        for await (const piece of typeof body === 'object' && !Buffer.isBuffer(body) ? body : [String(body)]) text += piece;
        return JSON.parse(text);
      } finally {
        await app.close();
      }
    },
    lock: () => JSON.parse(readFileSync(join(folder, 'model.lock.json'), 'utf8')),
  };
}

const pen = { id: 1, name: 'pen', price: 3 };
const cup = { id: 2, name: 'cup', price: 5 };

async function filled(): Promise<Shop> {
  const made = shop();
  await made.serve(pen, cup);
  return made;
}

test('plan tells a changed model in words, with rows, and in SQL, and exits with 0; --check exits with 1', async () => {
  const data = await filled();
  expect(await data.run('plan')).toEqual({ code: 0, out: 'Nothing to do: the database fits the model.\n', err: '' });
  expect((await data.run('plan', '--check')).code).toBe(0);
  data.model(first.replace('name String', 'title String @was("name"),\n  tag String @default("new")').replace(',\n  price Int', ''));
  const { code, out } = await data.run('plan');
  expect(code).toBe(0);
  expect(out).toContain('! shop/Item.price is retired, with the values of 2 instances: 1, 2\n');
  expect(out).toContain('+ shop/Item.name is called shop/Item.title from now on, and keeps its values\n');
  expect(out).toContain('+ shop/Item.tag is new; 2 instances get "new"\n');
  expect(out).toContain('ALTER TABLE "shop/Item" RENAME COLUMN "name" TO "title";\n');
  expect(out).toContain('! is refused at start; platform migrate apply does all of it.\n');
  expect((await data.run('plan', '--check')).code).toBe(1);
  const { changes } = JSON.parse((await data.run('plan', '--json')).out);
  expect(changes).toContainEqual({ kind: 'gone-column', by: 'apply', words: expect.stringContaining('shop/Item.price is retired') });
});

test('apply --set gives stored instances a value of an attribute that is new and required, or required from now on', async () => {
  const data = await filled();
  data.model(first.replace('price Int', 'price Int,\n  weight Decimal,\n  tags String[] @optional'));
  const refused = await data.run('apply', '--yes');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('apply --set shop/Item.weight=<value>') });
  const { out } = await data.run('plan', '--set', 'Item.weight=1.50', '--set', 'shop/Item.tags=["new"]');
  expect(out).toContain('+ shop/Item.weight is new; 2 instances get "1.50"\n');
  const applied = await data.run('apply', '--yes', '--set', 'Item.weight=1.50', '--set', 'shop/Item.tags=["new"]');
  expect(applied).toMatchObject({ code: 0, err: '' });
  const now = [pen, cup].map((each) => ({ ...each, weight: '1.50', tags: ['new'] }));
  expect(await data.serve()).toEqual(now);
  data.model(first.replace('price Int', 'price Int,\n  weight Decimal,\n  tags String[] @optional,\n  note String @optional'));
  await data.serve();
  data.model(first.replace('price Int', 'price Int,\n  weight Decimal,\n  tags String[] @optional,\n  note String'));
  expect((await data.run('apply', '--yes')).err).toContain('apply --set shop/Item.note=<value>');
  expect((await data.run('apply', '--yes', '--set', 'Item.note=none')).code).toBe(0);
  expect(await data.serve()).toEqual(now.map((each) => ({ ...each, note: 'none' })));
  expect((await data.run('plan')).out).toContain('Nothing to do');
});

const wrongValues: readonly (readonly [given: string, says: RegExp, code: number])[] = [
  ['Item', /write it as Entity\.attribute=value/, 2],
  ['Itm.weight=1', /there is no Itm; did you mean Item\?/, 2],
  ['Item.wait=1', /shop\/Item has no attribute wait/, 2],
  ['Item.weight=heavy', /the value must be a decimal number/, 2],
  ['Item.id=4', /instances cannot all have the same identifier/, 2],
  ['Item.secret=x', /stored as a hash/, 2],
  ['Item.price=4', /shop\/Item\.price is neither new nor required from now on/, 1],
];
for (const [given, says, exit] of wrongValues) {
  test(`--set ${given} is refused with one line, and nothing is changed`, async () => {
    const data = await filled();
    data.model(first.replace('price Int', 'price Int,\n  weight Decimal,\n  secret Password @optional'));
    const { code, out, err } = await data.run('apply', '--yes', '--set', 'Item.weight=1', '--set', given);
    expect([code, out, err.trimEnd().split('\n')]).toEqual([exit, '', [expect.stringMatching(says)]]);
    data.model(first);
    expect(await data.serve()).toEqual([pen, cup]);
  });
}

test('a value that refers to what is not there is in the way', async () => {
  const data = await filled();
  data.model(`${first.replace('price Int', 'price Int,\n  kind @ref(Kind.name)')}\nentity Kind {\n  name String @id\n}\n`);
  const { code, err } = await data.run('apply', '--yes', '--set', 'Item.kind=tool');
  expect([code, err]).toEqual([1, expect.stringContaining('there is no shop/Kind with this name')]);
});

test('--sql prints one script that does the same as apply where nothing is done row by row', async () => {
  const data = await filled();
  data.model(first.replace('name String', 'title String @was("name")').replace(',\n  price Int', ''));
  const { out } = await data.run('plan', '--sql');
  expect(out).not.toContain('-- ');
  expect(out).toContain('COMMIT');
  const { settings } = await load({ path: data.folder, config: undefined, keepsStoreId: true }, testTerminal(data.folder));
  if (settings.store.type !== 'sqlite') throw new Error('the project keeps its data elsewhere');
  execute(settings.store.file, out);
  expect((await data.run('plan')).out).toContain('Nothing to do');
  expect(await data.serve()).toEqual([
    { id: 1, title: 'pen' },
    { id: 2, title: 'cup' },
  ]);
  expect((await data.run('undo')).out).toMatch(/^Taken back:\n/);
  data.model(first);
  expect(await data.serve()).toEqual([pen, cup]);
});

test('a script of --sql that is run after somebody else has migrated changes nothing', async () => {
  const data = await filled();
  data.model(first.replace('price Int', 'price Int, stock Int @default(1)'));
  const { out } = await data.run('plan', '--sql');
  data.model(first.replace('price Int', 'price Int, size Int @default(2)'));
  await data.serve();
  const { settings } = await load({ path: data.folder, config: undefined, keepsStoreId: true }, testTerminal(data.folder));
  const { store } = settings;
  if (store.type !== 'sqlite') throw new Error('the project keeps its data elsewhere');
  expect(() => execute(store.file, out)).toThrow(/UNIQUE/);
  expect((await data.run('plan')).out).toContain('Nothing to do');
});

test('--sql of what is done row by row takes itself back', async () => {
  const data = await filled();
  data.model(first.replace('price Int', 'price Decimal'));
  const { out } = await data.run('plan', '--sql');
  expect(out).toMatch(/^-- Not to be run by hand/);
  const { settings } = await load({ path: data.folder, config: undefined, keepsStoreId: true }, testTerminal(data.folder));
  if (settings.store.type !== 'sqlite') throw new Error('the project keeps its data elsewhere');
  execute(settings.store.file, out);
  data.model(first);
  expect(await data.serve()).toEqual([pen, cup]);
});

test('apply does what a start refuses, without asking where nobody can answer, and writes the lock', async () => {
  const data = await filled();
  data.model(first.replace(',\n  price Int', ''));
  await expect(data.serve()).rejects.toThrow(
    /shop\/Item\.price is stored but no longer in the model; it has a value in 2 instances: 1, 2\n/,
  );
  const { code, out } = await data.run('apply');
  expect([code, out]).toEqual([0, 'Done:\n  shop/Item.price is retired, with the values of 2 instances: 1, 2\n']);
  expect((await data.run('apply')).out).toBe('Nothing to do: the database fits the model.\n');
  expect(Object.keys(data.lock().stored)).toEqual(['shop/Item']);
  expect(data.lock().retired).toEqual({ 'shop/Item.price~1': expect.stringMatching(/^[0-9a-f]{8} Int since \d{4}-/) });
  data.model(first.replace(',\n  price Int', ',\n  price Int @optional'));
  expect(await data.serve()).toEqual([pen, cup]);
});

test('on a terminal apply asks, and does nothing without a yes', async () => {
  const data = await filled();
  data.model(first.replace(',\n  price Int', ''));
  const no = await data.asked(['n'], 'apply');
  expect([no.code, no.said]).toEqual([1, expect.stringMatching(/price is retired.*\nDo it\? \[y\/N\] \nplatform: nothing was changed$/)]);
  expect((await data.run('plan', '--check')).code).toBe(1);
  expect((await data.asked(['y'], 'apply')).code).toBe(0);
  expect((await data.asked([], 'apply', '--yes')).said).toBe('Nothing to do: the database fits the model.');
});

test('on a terminal a drop and an add of the same type are taken for a new name when a person says so', async () => {
  const data = await filled();
  data.model(first.replace('name String', 'title String'));
  expect((await data.run('plan')).out).toContain('shop/Item.title is new and could be what was name: then say @was("name")');
  const { code, said } = await data.asked(['y', 'y'], 'apply');
  expect(said).toContain('Is shop/Item.title what was shop/Item.name before? [y/N] ');
  expect(code).toBe(0);
  expect(await data.serve()).toEqual([
    { id: 1, title: 'pen', price: 3 },
    { id: 2, title: 'cup', price: 5 },
  ]);
});

test('what is in the way of apply is told with the rows and the ways out, and it exits with 1', async () => {
  const data = await filled();
  data.model(first.replace('name String', 'name Int'));
  const { code, out, err } = await data.run('apply', '--yes');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(
    /^platform: nothing was changed; in the way:\n {2}- shop\/Item\.name .* 2 instances .*: 1, 2\n {6}change those values first\n/,
  );
  expect((await data.run('plan')).out).toContain('x cannot be done as things stand');
});

test('status tells what is pending, what was done for which version, and what is retired', async () => {
  const data = await filled();
  data.model(first.replace(',\n  price Int', ''));
  expect((await data.run('status')).out).toMatch(/^Pending:\n {2}! shop\/Item\.price is retired/);
  await data.run('apply');
  const { code, out } = await data.run('status');
  expect(code).toBe(0);
  expect(out).toMatch(/History:\n {2}1 {2}\d{4}-\S+Z {2}start {2}version 2\.1\.0\n/);
  expect(out).toMatch(
    /\n {2}2 {2}\d{4}-\S+Z {2}apply {2}version 2\.1\.0\n {5}shop\/Item\.price is retired, with the values of 2 instances: 1, 2\n/,
  );
  expect(out).toMatch(/Retired:\n {2}shop\/Item\.price \(Int\), 2 rows, since /);
  const status = JSON.parse((await data.run('status', '--json')).out);
  expect(status).toMatchObject({
    pending: [],
    history: [{ canBeUndone: false }, { canBeUndone: true }],
    retired: [{ name: 'shop/Item.price', rows: 2 }],
  });
});

test('undo takes the migrations back, the last first, until there is none', async () => {
  const data = await filled();
  data.model(first.replace('name String', 'title String @was("name")'));
  await data.serve();
  data.model(first.replace('name String', 'title String').replace('price Int', 'price String'));
  await data.run('apply');
  expect(await data.serve()).toEqual([
    { id: 1, title: 'pen', price: '3' },
    { id: 2, title: 'cup', price: '5' },
  ]);
  expect((await data.asked(['y'], 'undo')).said).toMatch(
    /^Migration 3 of .*\n.*Int to String(?:.*\n)+Take it back\? \[y\/N\] \nTaken back:\n/,
  );
  expect((await data.run('undo')).out).toBe('Taken back:\n  shop/Item.title is called shop/Item.name from now on, and keeps its values\n');
  data.model(first);
  expect(await data.serve()).toEqual([pen, cup]);
  const none = await data.run('undo');
  expect([none.code, none.err]).toEqual([1, 'platform: There is no migration to undo.\n']);
});

test('purge removes for good what is retired, only when told so, and nothing can be undone after it', async () => {
  const data = await filled();
  data.model(first.replace(',\n  price Int', ''));
  await data.run('apply');
  const unsaid = await data.run('purge');
  expect([unsaid.code, unsaid.err]).toEqual([1, 'platform: 1 retired thing would be removed for good; say --yes\n']);
  expect((await data.asked(['n'], 'purge')).code).toBe(1);
  expect((await data.run('purge', '--yes')).out).toBe('Removed:\n  shop/Item.price (Int) is removed, with 2 rows\n');
  expect((await data.run('purge', '--yes')).out).toBe('Nothing is retired.\n');
  expect((await data.run('undo')).err).toMatch(/cannot be undone any more/);
  data.model(first.replace(',\n  price Int', ',\n  price Int @optional'));
  expect(await data.serve()).toEqual([
    { ...pen, price: null },
    { ...cup, price: null },
  ]);
});

test('a folder that cannot be written gets no lock, and a warning', async () => {
  const data = await filled();
  data.model(first.replace('name String', 'title String @was("name")'));
  // Not even the superuser replaces a folder by a file.
  mkdirSync(join(data.folder, 'model.lock.json'));
  const { code, err } = await data.run('apply');
  expect([code, err]).toEqual([0, expect.stringMatching(/^platform: model\.lock\.json could not be written: /)]);
});

test('a word that there is not is refused in one line with 2, and each word has help with an example', async () => {
  const data = shop();
  expect(await data.run('plam')).toMatchObject({ code: 2, err: expect.stringMatching(/^platform: .*plam.*\n$/) });
  for (const word of ['plan', 'apply', 'status', 'undo', 'purge'])
    expect((await data.run(word, '--help')).out).toContain(`$ platform migrate ${word}`);
  expect(existsSync(join(data.folder, 'data'))).toBe(false);
});
