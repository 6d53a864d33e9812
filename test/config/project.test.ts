// What a folder or a single file is.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findProject } from '../../src/config/project.ts';
import { keepStoreId, peekStoreId } from '../../src/config/store-id.ts';

const root = mkdtempSync(join(tmpdir(), 'platform-project-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const model = 'module m\n';

interface Case {
  readonly title: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** What is given to `run`, below the folder. */
  readonly path?: string;
  readonly config?: string;
  readonly expected: { name?: string; version?: string; sources?: readonly string[]; config?: string; diagnostics?: readonly string[] };
}

const cases: readonly Case[] = [
  {
    title: 'src/**/*.al is read recursively, in the same order everywhere',
    files: {
      'src/b.al': model,
      'src/a/z.al': model,
      'src/a.al': model,
      'src/node_modules/x/y.al': model,
      'src/notes.txt': '',
      'top.al': model,
    },
    expected: { sources: ['src/a.al', 'src/a/z.al', 'src/b.al'] },
  },
  {
    title: 'config.al at the root is the configuration',
    files: { 'src/a.al': model, 'config.al': '{}' },
    expected: { config: 'config.al' },
  },
  {
    title: 'another configuration is named',
    files: { 'src/a.al': model, 'config.al': '', 'x/y.al': '' },
    config: 'x/y.al',
    expected: { config: 'x/y.al' },
  },
  {
    title: 'a configuration that does not exist is a diagnostic',
    files: { 'src/a.al': model },
    config: 'none.al',
    expected: { diagnostics: ['none.al file-unreadable'] },
  },
  {
    title: 'name and version come from package.json',
    files: { 'src/a.al': model, 'package.json': '{"name": "@acme/shop", "version": "2.1.0"}' },
    expected: { name: '@acme/shop', version: '2.1.0' },
  },
  { title: 'else from the folder', files: { 'src/a.al': model }, path: '.', expected: { name: 'case-5', version: '0.0.0' } },
  {
    title: 'a broken package.json is a diagnostic',
    files: { 'src/a.al': model, 'package.json': '{' },
    expected: { diagnostics: ['package.json file-unreadable'] },
  },
  {
    title: 'a single source file is a project, on defaults',
    files: { 'notes.al': model, 'config.al': '{}', 'package.json': '{"name": "other"}' },
    path: 'notes.al',
    expected: { name: 'notes', version: '0.0.0', sources: ['notes.al'] },
  },
  { title: 'a folder without a model is a diagnostic', files: { 'README.md': '' }, expected: { diagnostics: [' project-empty'] } },
  {
    title: 'a path that does not exist is a diagnostic',
    files: {},
    path: 'nowhere',
    expected: { diagnostics: ['nowhere file-unreadable'] },
  },
  {
    title: 'a file that is not UTF-8 is a diagnostic',
    files: { 'src/a.al': new Uint8Array([0x6d, 0xff, 0xfe]) },
    expected: { diagnostics: ['src/a.al file-unreadable'] },
  },
  {
    title: 'a project of the earlier surface whose model.platform lacks what it needs',
    files: { 'model.platform': '{:name :X}', 'config.edn': '{}' },
    expected: {
      diagnostics: [
        'model.platform project-version-missing',
        'model.platform project-version-missing',
        'model.platform project-key-missing',
      ],
      config: 'config.edn',
      name: 'X',
      version: '0.0.0',
    },
  },
];

describe('a project', () => {
  for (const [index, { title, files, path = '.', config, expected }] of cases.entries()) {
    test(title, () => {
      const folder = join(root, `case-${index}`);
      mkdirSync(folder, { recursive: true });
      for (const [name, text] of Object.entries(files)) put(join(folder, name), text);
      const { project, diagnostics } = findProject(join(folder, path), config === undefined ? undefined : join(folder, config));
      const seen = (file: string) => relative(folder, file).replaceAll('\\', '/');
      expect(diagnostics.map((each) => `${seen(each.file)} ${each.code}`)).toEqual(expected.diagnostics ?? []);
      if (expected.sources !== undefined) expect(project.sources.map((source) => seen(source.file))).toEqual(expected.sources);
      expect(project.config && seen(project.config.file)).toBe(expected.config);
      if (expected.name !== undefined) expect([project.name, project.version]).toEqual([expected.name, expected.version]);
    });
  }

  test('a byte-order mark in front of a file is not part of its text', () => {
    const folder = join(root, 'bom');
    put(join(folder, 'src/a.al'), `\ufeff${model}`);
    expect(findProject(folder).project.sources[0]?.text).toBe(model);
  });

  test('the uuid of an unnamed database is drawn once per project and kept', () => {
    const folder = join(root, 'unnamed');
    const [first, second] = ['0190a5c4-7a4e-7cc3-9a3e-000000000001', '0190a5c4-7a4e-7cc3-9a3e-000000000002'];
    expect(peekStoreId(folder, () => first)).toBe(first);
    expect(keepStoreId(folder, () => second)).toBe(second);
    expect(keepStoreId(folder, () => first)).toBe(second);
    expect(peekStoreId(folder, () => first)).toBe(second);
  });
});

function put(file: string, text: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
