// `platform convert`, and the other commands on projects of the earlier surface.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { command, root, type Workspace, workspace } from './harness.ts';

const opened: Workspace[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.remove();
});

function open(files: Readonly<Record<string, string>> = {}): Workspace {
  const made = workspace(files);
  opened.push(made);
  return made;
}

const earlier = {
  'company/model.platform': '{:name :Acme :version "1.0.0" :platform-version "current" :components [:Acme.Company]}',
  'company/config.edn': '{:service {:port #$ [PORT 8080]} :store {:type :h2 :dbname "./data/x"} :logging {:dev-mode true}}',
  'company/acme/company.clj':
    '(component :Acme.Company)\n\n; What it is.\n(entity :Acme.Company/Department\n {:No {:type :Int :guid true}})\n(defn f [x] x)\n',
};

describe('platform convert', () => {
  test('imported files are brought along with what they import, and the result is without errors', async () => {
    const place = open({
      ...earlier,
      'company/acme/company.clj':
        '(component :Acme.Company)\n(import "./checks.js" :as :checks)\n(entity :E {:Id {:type :Int :guid true} :N {:type :Int :check checks/ok}})\n',
      'company/acme/checks.js': "import { least } from './lib/least.js';\nexport const ok = (value) => value > least;\n",
      'company/acme/lib/least.js': "import '../checks.js';\nexport const least = 1;\n",
    });
    expect((await command(place.folder, 'convert', 'company', 'out')).code).toBe(0);
    expect(place.read('out/acme/lib/least.js')).toContain('least = 1');
    expect((await command(place.folder, 'check', 'out')).code).toBe(0);
  });

  test('a project of the earlier surface becomes one of the current surface', async () => {
    const place = open(earlier);
    const { code, out, err } = await command(place.folder, 'convert', 'company', 'out');
    expect([code, err]).toEqual([0, '']);
    expect(place.read('out/src/acme/company.al')).toBe(
      'module Acme.Company\n\n// What it is.\nentity Department {\n  No Int @guid\n}\n/* Without a counterpart here (a function):\n(defn f [x] x) */\n',
    );
    expect(place.read('out/config.al')).toBe(
      '{\n  "service": {"port": "#js process.env.PORT ?? 8080"},\n  "store": {"type": "sqlite", "dbname": "./data/x"}\n}\n',
    );
    expect(JSON.parse(place.read('out/package.json'))).toMatchObject({ name: 'Acme', version: '1.0.0' });
    expect(out).toContain('Without a counterpart in the other form (2 places):');
    expect(out).toMatch(/company\/acme\/company\.clj:6:1 {2}a function/);
    expect(out).toContain(':logging has no meaning here and is ignored');
    expect((await command(place.folder, 'check', 'out')).code).toBe(0);
  });

  test('a project of the current surface becomes one of the earlier surface', async () => {
    const place = open({
      'shop/package.json': '{"name": "@acme/shop", "version": "2.0.0"}',
      'shop/config.al': '{"port": "#js process.env.PORT || 9000"} @as s\n{"service": s, "log": {"level": "#js level()"}}',
      'shop/src/a.al':
        'module shop.core\n\nimport "rates.js" @as rates\n\n// Sold here.\nentity Item {\n  sku String @id @check(rates.valid)\n}\n',
      'shop/src/b.al': 'module shop.core\n\n/* Of an item. */\nentity Part {\n  no Int @id\n}\n\nrelationship Parts contains(Item, Part)\n',
      'shop/src/rates.js': 'export function valid() { return true; }\n',
    });
    place.write(
      'shop/config.al',
      '{"port": "#js process.env.PORT || 9000"} @as s\n{"service": s, "log": {"level": "#js \'wa\' + \'rn\'"}}',
    );
    const { code, out, err } = await command(place.folder, 'convert', 'shop', 'out');
    expect([code, err]).toEqual([0, '']);
    expect(place.read('out/model.platform')).toBe(
      '{:name "@acme/shop"\n :version "2.0.0"\n :platform-version "current"\n :components [:shop.core]}\n',
    );
    expect(place.read('out/config.edn')).toBe('{:service {:port #$ [PORT 9000]}}\n');
    expect(place.read('out/shop/core.platform')).toBe(
      [
        '(component :shop.core)',
        '',
        '(import "../src/rates.js" :as :rates)',
        '',
        '; Sold here.',
        '(entity :Item {:sku {:type :String :id true :check rates/valid}})',
        '',
        '; Of an item.',
        '(entity :Part {:no {:type :Int :id true}})',
        '',
        '(relationship :Parts {:meta {:contains [:Item :Part]}})',
        '',
      ].join('\n'),
    );
    expect(existsSync(join(place.folder, 'out/src/rates.js'))).toBe(true);
    expect(out).toContain('log.level is computed: write its value to config.edn');
    expect((await command(place.folder, 'check', 'out')).out).toContain('2 entities, 1 relationship, no errors');
  });

  test('there and back gives the same files', async () => {
    const place = open();
    await command(place.folder, 'convert', join(root, 'examples/company'), 'there');
    await command(place.folder, 'convert', 'there', 'back');
    await command(place.folder, 'convert', 'back', 'again');
    for (const file of ['src/acme/company.al', 'src/acme/store.al', 'config.al']) {
      expect(place.read(`again/${file}`)).toBe(place.read(`there/${file}`));
    }
  });

  test('a single file is converted too', async () => {
    const place = open({ 'notes.clj': '(component :Notes)\n(entity :Note {:Text :String})\n' });
    expect((await command(place.folder, 'convert', 'notes.clj', 'out')).code).toBe(0);
    expect(place.read('out/src/notes.al')).toContain('entity Note {\n  Text String\n}');
  });

  test('a model with errors is not converted', async () => {
    const place = open({ 'notes.clj': '(component :Notes)\n(entity :Note {:Text :Strin})\n' });
    const { code, err } = await command(place.folder, 'convert', 'notes.clj', 'out');
    expect(code).toBe(1);
    expect(err).toContain('did you mean `String`?');
    expect(existsSync(join(place.folder, 'out'))).toBe(false);
  });

  test('nothing is written over', async () => {
    const place = open({ ...earlier, 'out/a.txt': 'mine' });
    const { code, err } = await command(place.folder, 'convert', 'company', 'out');
    expect([code, err]).toEqual([1, 'platform: out is not empty; name a new folder\n']);
  });
});

describe('a project of the earlier surface', () => {
  test('is checked', async () => {
    const place = open(earlier);
    const { code, out } = await command(place.folder, 'check', 'company');
    expect(code).toBe(0);
    expect(out).toContain('Acme 1.0.0: 1 entity, 0 relationships, no errors');
  });

  test('has a file that declares another component', async () => {
    const place = open({ ...earlier, 'company/acme/company.clj': '(component :Acme.Other)\n' });
    const { code, out } = await command(place.folder, 'check', 'company');
    expect(code).toBe(1);
    expect(out).toContain('this is the file of the component Acme.Company, but it declares Acme.Other');
    expect(out).toContain('write (component :Acme.Company)');
  });

  test('is formatted, with its project file and its configuration', async () => {
    const place = open(earlier);
    const first = await command(place.folder, 'format', 'company');
    expect([first.code, first.out.trim().split('\n')]).toEqual([
      0,
      ['company/model.platform', 'company/acme/company.clj', 'company/config.edn'],
    ]);
    expect(place.read('company/acme/company.clj')).toBe(
      '(component :Acme.Company)\n\n; What it is.\n(entity :Acme.Company/Department {:No {:type :Int :guid true}})\n(defn f [x] x)\n',
    );
    expect((await command(place.folder, 'format', '--check', 'company')).code).toBe(0);
  });
});
