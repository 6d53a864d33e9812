// The files that ARCHITECTURE.md names are there, and its index holds every file with what it says of itself (UPDATE_DOCS=1 writes it anew).

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';

const heading = '## Every file\n';

test('every file that the drawing names exists', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8');
  const named = [...page.matchAll(/`(src\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test('the index of the drawing holds every file with what it says of itself', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8');
  const before = page.slice(0, page.indexOf(heading));
  const wanted = `${before}${heading}\n${index()}`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync('ARCHITECTURE.md', wanted);
  else expect(page).toBe(wanted);
});

function index(): string {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .sort();
  const rooms = [...new Set(files.map((file) => dirname(file)))].sort();
  const introduction =
    'What each file says of itself in its first line. A test keeps this list and the files the same (`UPDATE_DOCS=1` writes it anew).\n';
  return [introduction, ...rooms.map((room) => `### ${room}\n\n${table(files.filter((file) => dirname(file) === room))}`)].join('\n');
}

function table(files: readonly string[]): string {
  return files.map((file) => `- \`${file.split('/').at(-1)}\`: ${ofItself(file)}\n`).join('');
}

function ofItself(file: string): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join(' ');
}
