// `platform build`: writes an application into one file that runs where there is nothing but Node.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { embed } from '../../config/embedded-project.ts';
import type { Project } from '../../config/project.ts';
import { makeFolder } from '../../folders.ts';
import type { Model } from '../../model/model.ts';
import { type Part, withParts } from '../../standalone/parts.ts';
import { StartRefused } from '../../store/store.ts';
import { load } from '../load.ts';
import { report, shownPath } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { interpreterPart } from './interpreter.ts';
import { collectModules } from './modules.ts';
import { currentPlatform, nativeParts, type PlatformName, packageFolder, platforms } from './native.ts';

export interface BuildOptions {
  /** Folder to write to, in place of `out` in the project. */
  readonly out?: string;
  readonly platform?: readonly PlatformName[];
}

export async function build(path: string, options: BuildOptions, terminal: Terminal): Promise<number> {
  const { project, model, diagnostics, sources, documents } = await withProgress(terminal, 'Reading the model', () =>
    load({ path, config: undefined, keepsStoreId: false, ignoresConfig: true }, terminal),
  );
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const { parts, withoutArgon2 } = nativeParts(options.platform ?? [currentPlatform()]);
  if (withoutArgon2.length > 0 && hasSecrets(model)) {
    terminal.err(`platform: secrets cannot be hashed on ${withoutArgon2.join(', ')}: @node-rs/argon2 is not installed for it`);
  }
  const folder = options.out === undefined ? join(project.folder, 'out') : resolve(terminal.folder, options.out);
  const { functions } = model;
  const modules = await collectModules([...new Set(functions.map((each) => each.file))], project.folder);
  const file = join(folder, fileName(project));
  await withProgress(terminal, 'Building', () => {
    const own = [
      jsonPart('project', embed(project, documents)),
      ...(functions.length > 0 ? [jsonPart('modules', modules)] : []),
      ...interpreterPart(model, project.folder),
      ...mailPart(project.folder),
    ];
    put(file, withParts(runtime(), [...own, ...parts, ...assets()]));
  });
  terminal.out(`${shownPath(file, terminal.folder)}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  return 0;
}

export function parsePlatforms(given: string): readonly PlatformName[] | undefined {
  if (given === 'all') return platforms;
  const found = given.split(',').map((name) => platforms.find((each) => name === each || name.startsWith(`${each}-`)));
  const known = found.filter((each) => each !== undefined);
  return known.length === found.length ? known : undefined;
}

/** Names of packages may have a scope: `@acme/shop` becomes `acme-shop`. */
function fileName({ name, version }: Project): string {
  const part = (text: string) => text.replace(/^@/, '').replace(/[^\p{L}\p{N}._-]+/gu, '-');
  return `${part(name)}-${part(version)}.cjs`;
}

function hasSecrets(model: Model): boolean {
  const links = [...model.relationships.values()].filter((each) => each.kind === 'between');
  return [...model.entities.values(), ...links].some((type) => type.attributes.some((each) => each.secret));
}

function jsonPart(name: string, value: unknown): Part {
  return { name, content: Buffer.from(JSON.stringify(value)) };
}

/** The application's own texts of mails: without them others would be sent. */
function mailPart(project: string): readonly Part[] {
  const folder = join(project, 'mail');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\w+\.(txt|html)$/.test(name)) : [];
  const texts = names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  return texts.length === 0 ? [] : [jsonPart('mail', texts)];
}

function assets(): readonly Part[] {
  const licences = [
    readFileSync(inDist('THIRD-PARTY.txt'), 'utf8'),
    ...['@photostructure/sqlite', '@node-rs/argon2'].map((name) => `${name}\n\n${licenceOf(packageFolder(name))}`),
    `@scalar/api-reference\n\n${readFileSync(inDist('assets/scalar.LICENSE'), 'utf8')}`,
  ];
  return [
    { name: 'docs-script', content: readFileSync(inDist('assets/scalar.js.gz')) },
    { name: 'console', content: readFileSync(inDist('assets/console.pack')) },
    { name: 'graphql', content: readFileSync(inDist('assets/graphql.pack')) },
    { name: 'third-party', content: Buffer.from(licences.join(`\n${'='.repeat(80)}\n`)) },
  ];
}

function licenceOf(folder: string): string {
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((name) => join(folder, name)).find((each) => existsSync(each));
  return file === undefined ? String(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).license) : readFileSync(file, 'utf8');
}

function runtime(): string {
  return readFileSync(inDist('standalone.cjs'), 'utf8');
}

/** This code stands in the bundle, one folder below it, or in the source tree. */
function inDist(path: string): string {
  const places = [`./${path}`, `../${path}`, `../../../dist/${path}`].map((each) => fileURLToPath(new URL(each, import.meta.url)));
  const found = places.find((each) => existsSync(each));
  if (found === undefined) throw new StartRefused(`${path} is not built yet; run "npm run build".`);
  return found;
}

/** Whole or not at all. */
function put(file: string, text: string): void {
  makeFolder(resolve(file, '..'));
  const partial = `${file}.${process.pid}`;
  try {
    writeFileSync(partial, text);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
}
