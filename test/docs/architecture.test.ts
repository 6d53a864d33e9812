// ARCHITECTURE.md names files that are there, every folder of src is in its tree, and it stays short enough to be read.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('ARCHITECTURE.md', 'utf8');

test('every file that the drawing names exists', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => `src/${file.replaceAll('\\', '/')}`);
  const named = [...page.matchAll(/`((?!test\/|scripts\/|docs\/)[\w./-]+\/[\w.-]+\.ts)`/g)].map((match) => match[1] ?? '');
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)))).toEqual([]);
});

test('every folder of the source is in the tree of the drawing', () => {
  const folders = readdirSync('src', { recursive: true, withFileTypes: true }).filter((each) => each.isDirectory());
  const tree = page.slice(page.indexOf('## The tree'), page.indexOf('## Who may import whom'));
  const isDrawn = (name: string) => new RegExp(`[\\s{,(/]${name}[/,}]`).test(tree);
  expect(folders.map((each) => each.name).filter((name) => !isDrawn(name))).toEqual([]);
});

test('the drawing is short enough to be read', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(201);
});
