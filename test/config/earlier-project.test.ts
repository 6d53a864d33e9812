// model.platform: what it must say, and where components and other models are found.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { findProject, surfaceOf } from '../../src/config/project.ts';

const root = mkdtempSync(join(tmpdir(), 'platform-earlier-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Case {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly expected: { name?: string; version?: string; sources?: readonly string[]; config?: string; diagnostics?: readonly string[] };
}

const model = (components: string, more = '') =>
  `{:name :Acme :version "1.2.0" :platform-version "current" :components ${components} ${more}}`;

const cases: readonly Case[] = [
  {
    title: 'components stand where their names say',
    files: { 'model.platform': model('[:Acme.Company :Acme.Store]'), 'acme/company.clj': '', 'Acme/Store.edn': '', 'config.edn': '{}' },
    expected: { name: 'Acme', version: '1.2.0', sources: ['acme/company.clj', 'Acme/Store.edn'], config: 'config.edn' },
  },
  {
    title: 'parts in CamelCase are also found as snake_case and kebab-case',
    files: {
      'model.platform': model('[:Acme.CustomerSupport :Acme.OrderLine]'),
      'acme/customer_support.al': '',
      'acme/order-line.cljc': '',
    },
    expected: { sources: ['acme/customer_support.al', 'acme/order-line.cljc'] },
  },
  {
    title: 'components may be a quoted list',
    files: { 'model.platform': model('\'(:A "B" C)'), 'a.platform': '', 'b.platform': '', 'c.platform': '' },
    expected: { sources: ['a.platform', 'b.platform', 'c.platform'] },
  },
  {
    title: 'name and components are required',
    files: { 'model.platform': '{:doc "x" :version "1" :platform-version "current"}' },
    expected: { diagnostics: Array.from({ length: 2 }, () => 'model.platform project-key-missing') },
  },
  {
    title: 'a version that is left out is warned about, and taken to be 0.0.0 or current',
    files: { 'model.platform': '{:name :A :components [:A]}', 'a.clj': '' },
    expected: {
      name: 'A',
      version: '0.0.0',
      sources: ['a.clj'],
      diagnostics: ['model.platform project-version-missing', 'model.platform project-version-missing'],
    },
  },
  {
    title: 'values of another kind are refused',
    files: { 'model.platform': '{:name 1 :version 2 :platform-version 3 :components 4}' },
    expected: { diagnostics: Array.from({ length: 4 }, () => 'model.platform project-key-missing') },
  },
  { title: 'it must be a map', files: { 'model.platform': '[]' }, expected: { diagnostics: ['model.platform project-key-missing'] } },
  {
    title: 'it must be readable',
    files: { 'model.platform': '{:name ' },
    expected: {
      diagnostics: [
        'model.platform token-unexpected',
        'model.platform token-unexpected',
        'model.platform project-key-missing',
        'model.platform project-version-missing',
        'model.platform project-version-missing',
        'model.platform project-key-missing',
      ],
    },
  },
  {
    title: 'a component without a file, twice or without a name, is a diagnostic',
    files: { 'model.platform': model('[:A :B :A 3]'), 'a.clj': '' },
    expected: {
      diagnostics: ['model.platform project-component-missing', 'model.platform name-repeated', 'model.platform project-key-missing'],
      sources: ['a.clj'],
    },
  },
  {
    title: 'a version of the runtime that fits is taken',
    files: { 'model.platform': `{:name :A :version "1" :platform-version "${manifest.version}" :components [:A]}`, 'a.clj': '' },
    expected: { sources: ['a.clj'] },
  },
  {
    title: 'a version of the runtime that does not fit is refused',
    files: { 'model.platform': '{:name :A :version "1" :platform-version "99.0.0" :components [:A]}', 'a.clj': '' },
    expected: { diagnostics: ['model.platform project-version'] },
  },
  {
    title: 'another model is found beside the project, and its components come first',
    files: {
      'app/model.platform': model('[:App.Core]', ':dependencies [:Bank]'),
      'app/app/core.clj': '',
      'bank/model.platform': '{:name :Bank :version "0.1" :platform-version current :components [:Bank.Core] :dependencies \'[:Acme]}',
      'bank/bank/core.clj': '',
    },
    path: 'app',
    expected: { sources: ['bank/bank/core.clj', 'app/app/core.clj'], diagnostics: ['bank/model.platform project-dependency'] },
  },
  {
    title: 'another model is found inside of the project, by a path, or in a folder of models',
    files: {
      'model.platform': model('[]', ':dependencies [[:Lib "0.1"] {:name :Other :path "vendor/o"} {:name :Far :version "2"}]'),
      'lib/model.platform': '{:name :Lib :version "0.1" :platform-version current :components [:L]}',
      'lib/l.clj': '',
      'vendor/o/model.platform': '{:name :Other :version "0.1" :platform-version current :components [:O]}',
      'vendor/o/o.clj': '',
      'models/far/model.platform': '{:name :Far :version "2" :platform-version current :components [:F]}',
      'models/far/f.clj': '',
    },
    expected: { sources: ['lib/l.clj', 'vendor/o/o.clj', 'models/far/f.clj'] },
  },
  {
    title: 'a model that is missing, of another name or of another version is a diagnostic',
    files: {
      'model.platform': model('[]', ':dependencies [:Gone 3 ["Lib" "9"] {:name :Same :path "lib"}]'),
      'lib/model.platform': '{:name :Lib :version "0.1" :platform-version current :components []}',
    },
    expected: { diagnostics: ['model.platform project-dependency', 'model.platform project-dependency', 'model.platform package-version'] },
  },
  {
    title: 'dependencies are a vector',
    files: { 'model.platform': model('[]', ':dependencies 3') },
    expected: { diagnostics: ['model.platform project-dependency'] },
  },
  {
    title: 'model.platform itself names its folder',
    files: { 'model.platform': model('[:A]'), 'a.clj': '' },
    path: 'model.platform',
    expected: { name: 'Acme', sources: ['a.clj'] },
  },
  {
    title: 'a single file is a project, on defaults',
    files: { 'notes.clj': '(component :Notes)', 'config.edn': '{}' },
    path: 'notes.clj',
    expected: { name: 'notes', version: '0.0.0', sources: ['notes.clj'] },
  },
];

describe('a project of the earlier surface', () => {
  for (const [index, { title, files, path = '.', expected }] of cases.entries()) {
    test(title, () => {
      const folder = join(root, `case-${index}`);
      for (const [name, text] of Object.entries(files)) put(join(folder, name), text);
      const { project, diagnostics } = findProject(join(folder, path), undefined, [join(folder, 'models')]);
      const seen = (file: string) => relative(folder, file).replaceAll('\\', '/');
      expect(diagnostics.map((each) => `${seen(each.file)} ${each.code}`)).toEqual(expected.diagnostics ?? []);
      expect(project.surface).toBe('earlier');
      if (expected.sources !== undefined) expect(project.sources.map((source) => seen(source.file))).toEqual(expected.sources);
      expect(project.config && seen(project.config.file)).toBe(expected.config);
      if (expected.name !== undefined) expect(project.name).toBe(expected.name);
      if (expected.version !== undefined) expect(project.version).toBe(expected.version);
    });
  }

  const files: readonly (readonly [file: string, text: string, surface: string])[] = [
    ['a.al', 'module a', 'current'],
    ['a.al', '// note\nmodule a', 'current'],
    ['a.al', '; note\n(component :A)', 'earlier'],
    ['a.al', '(component :A)', 'earlier'],
    ['a.clj', '', 'earlier'],
    ['a.platform', '', 'earlier'],
    ['a.al', '', 'current'],
  ];
  for (const [file, text, surface] of files) {
    test(`${file} with ${JSON.stringify(text)} is of the ${surface} surface`, () => expect(surfaceOf({ file, text })).toBe(surface));
  }
});

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
