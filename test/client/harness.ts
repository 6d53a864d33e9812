// For tests of generated clients: a project with its client, the compiler at its strictest, and the client as a program imports it.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { command, root } from '../cli/harness.ts';
import type { Served } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { listen } from '../support/listen.ts';

const settings = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.asynciterable', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  types: [],
};

/** A folder with these files, and the client of the project in it as `api.ts`. */
export async function projectWithClient(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = folderForTest();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  expect(await command(folder, 'client', '--out', 'api.ts')).toEqual({ code: 0, out: '', err: '' });
  return folder;
}

/** What the compiler says of `program.ts` beside the client; with `emit` both become JavaScript. */
export function compile(folder: string, program: string, emit = false): string {
  writeFileSync(join(folder, 'program.ts'), program);
  const ending = emit ? { rewriteRelativeImportExtensions: true } : { allowImportingTsExtensions: true, noEmit: true };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...settings, ...ending }, files: ['program.ts', 'api.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder, encoding: 'utf8' }).stdout;
}

export const opening = "import { createClient } from './api.ts';\nconst api = createClient({ baseUrl: '' });\n";

/** As a program imports it; what is not checked by the compiler here is checked by `compile`. */
export async function clientModule(folder: string) {
  return import(pathToFileURL(join(folder, 'api.ts')).href);
}

const addresses = new WeakMap<Served, Promise<readonly string[]>>();

/** Where the service listens. */
export async function addressOf(served: Served): Promise<string> {
  const listening = addresses.get(served) ?? served.app.listen();
  addresses.set(served, listening);
  const [address = ''] = await listening;
  return address;
}

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

/** Where the page and the client lie: another origin than that of the service. */
export async function fileServer(folder: string): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const name = url.split('?')[0]?.slice(1) ?? '';
    const type = types[name.split('.').at(-1) ?? ''];
    response.writeHead(type === undefined ? 204 : 200, type === undefined ? {} : { 'content-type': type });
    response.end(type === undefined ? undefined : readFileSync(join(folder, name)));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}
