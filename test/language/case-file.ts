// In charge of `.case` files: the text of a file ↔ its cases.
//
// A file holds cases separated by a line `=====`. A case begins with `# Title.` (and `# only: read`), then has sections,
// each introduced by a line `== name`: `source [file] [escaped]` (one or more), `format`, `diagnostics`, `model`,
// and `same [file]` with the same model in the other surface.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Source } from '../../src/source.ts';

export interface Case {
  readonly title: string;
  /** Linking is left out. */
  readonly readOnly: boolean;
  readonly head: readonly string[];
  readonly sections: readonly Section[];
}

export interface Section {
  readonly name: string;
  readonly rest: string;
  readonly body: string;
}

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Every case file below this folder, by its path. */
export function caseFiles(): readonly { readonly path: string; readonly name: string; readonly cases: readonly Case[] }[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.case'));
  return names.sort().map((name) => ({ path: join(folder, name), name, cases: parseCases(readFileSync(join(folder, name), 'utf8')) }));
}

function parseCases(text: string): readonly Case[] {
  return text.split(/^=====$\n?/m).map(parseCase);
}

export function printCases(cases: readonly Case[]): string {
  return cases.map(printCase).join('\n=====\n');
}

function parseCase(text: string): Case {
  const [head = '', ...parts] = text.split(/^== /m);
  const lines = head.split('\n').filter((line) => line.startsWith('#'));
  const sections = parts.map((part) => {
    const [first = '', ...body] = part.split('\n');
    const [name = '', ...rest] = first.trim().split(' ');
    return { name, rest: rest.join(' '), body: withoutBlankEnd(body.join('\n')) };
  });
  const title = (lines[0] ?? '# untitled').slice(1).trim();
  return { title, readOnly: lines.includes('# only: read'), head: lines, sections };
}

function printCase({ head, sections }: Case): string {
  const parts = sections.map(({ name, rest, body }) => `== ${`${name} ${rest}`.trim()}\n${body}`);
  return `${head.join('\n')}\n${parts.join('\n')}`;
}

function withoutBlankEnd(text: string): string {
  const kept = text.trimEnd();
  return kept === '' ? '' : `${kept}\n`;
}

/** The files of a case. An `escaped` one holds `\r`, `\0` and `\uXXXX` for characters that an editor would not keep. */
export function sourcesOf(each: Case): readonly Source[] {
  return sourcesIn(each, 'source');
}

/** The same model in the other surface. */
export function sameSourcesOf(each: Case): readonly Source[] {
  return sourcesIn(each, 'same');
}

function sourcesIn(each: Case, name: string): readonly Source[] {
  return each.sections
    .filter((section) => section.name === name)
    .map(({ rest, body }) => {
      const words = rest.split(' ').filter((word) => word !== '' && word !== 'escaped');
      const file = (words[0] ?? 'core.al').replace(/^\[(.*)\]$/, '$1');
      return { file, text: rest.split(' ').includes('escaped') ? unescaped(body) : body };
    });
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = { r: '\r', n: '\n', 0: '\0' };
  return text.replace(
    /\\(u[0-9a-fA-F]{4}|[rn0])/g,
    (_, code: string) => characters[code] ?? String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
}
