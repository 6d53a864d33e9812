// Models that a project depends on: packages of package.json, and those that model.platform names, with their sources and where they stand.

import { join, resolve, sep } from 'node:path';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import type { Source, Span } from '../source.ts';
import type { SurfaceName } from './config.ts';
import { type FoundModel, manifestName, readEarlierProject } from './earlier/project.ts';
import { about, kindOf, readSource, sourceFiles } from './files.ts';

export interface ModelPackage {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly folder: string;
  readonly surface: SurfaceName;
  /** Those of a model that an earlier one names are among the sources of the project. */
  readonly sources: readonly Source[];
}

/** The package that a file belongs to. */
export function packageOf(file: string, packages: readonly ModelPackage[]): ModelPackage | undefined {
  return packages
    .filter(({ folder }) => file.startsWith(`${folder}${sep}`))
    .sort((a, b) => b.folder.length - a.folder.length)
    .at(0);
}

/** Those of package.json, and what they depend on in turn, which comes before them. `visited` are the folders that are known. */
export function findPackages(
  folder: string,
  visited: Set<string>,
  modelPaths: readonly string[],
  diagnostics: Diagnostic[],
): readonly ModelPackage[] {
  const file = join(folder, 'package.json');
  if (kindOf(file) !== 'file') return [];
  const source = readSource(file, diagnostics);
  const manifest = source && parsed(source.text);
  if (source === undefined || manifest === undefined) return [];
  const wanted = Object.entries(objectIn(manifest, 'dependencies'));
  return wanted.flatMap(([name, range]): readonly ModelPackage[] => {
    const found = placeOf(name, String(range), folder);
    if (found === undefined || visited.has(found)) return [];
    const isEarlier = kindOf(join(found, manifestName)) === 'file';
    if (!isEarlier && sourceFiles(found).length === 0) return [];
    visited.add(found);
    const own = isEarlier ? earlierPackages(found, visited, modelPaths, diagnostics) : [currentPackage(name, found, diagnostics)];
    const version = own.at(-1)?.version ?? '0.0.0';
    if (!suits(version, String(range))) {
      const at = source.text.indexOf(JSON.stringify(name));
      const span: Span = { source, start: Math.max(at, 0), end: Math.max(at, 0) + name.length + 2 };
      diagnostics.push(diagnostic('package-version', span, `the package ${name} is there in version ${version}, not ${String(range)}`));
    }
    return [...findPackages(found, visited, modelPaths, diagnostics), ...own];
  });
}

function currentPackage(name: string, folder: string, diagnostics: Diagnostic[]): ModelPackage {
  return modelPackage({ name, version: versionIn(folder, diagnostics), folder, surface: 'current' }, diagnostics);
}

/** A model that another one names. */
export function modelPackage({ name, version, folder, surface }: FoundModel, diagnostics: Diagnostic[]): ModelPackage {
  const files = surface === 'current' ? sourceFiles(folder) : [];
  return { name, version, folder, surface, sources: files.flatMap((file) => readSource(file, diagnostics) ?? []) };
}

/** Its own components, after those of the models that it names. */
function earlierPackages(
  folder: string,
  visited: Set<string>,
  modelPaths: readonly string[],
  diagnostics: Diagnostic[],
): readonly ModelPackage[] {
  const found = readEarlierProject(folder, modelPaths);
  diagnostics.push(...found.diagnostics);
  for (const each of found.models) visited.add(each.folder);
  const sources = found.components.flatMap(({ file }) => readSource(file, diagnostics) ?? []);
  const own = { name: found.name ?? folder, version: found.version ?? '0.0.0', folder, surface: 'earlier' as const, sources };
  return [...found.models.map((each) => modelPackage(each, diagnostics)), own];
}

/** Where Node would find it, or the folder that is named in place of a version. */
function placeOf(name: string, range: string, folder: string): string | undefined {
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name) || name.includes('..')) return undefined;
  const named = /^(?:file|link):(.+)$/.exec(range)?.[1];
  const places = [
    ...ancestors(folder).map((each) => join(each, 'node_modules', name)),
    ...(named === undefined ? [] : [resolve(folder, named)]),
  ];
  return places.find((each) => kindOf(each) === 'folder');
}

function ancestors(folder: string): readonly string[] {
  const parent = resolve(folder, '..');
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function versionIn(folder: string, diagnostics: Diagnostic[]): string {
  const file = join(folder, 'package.json');
  const source = kindOf(file) === 'file' ? readSource(file, diagnostics) : undefined;
  const manifest = source && parsed(source.text);
  // Otherwise what it depends on would be missing, and nobody knew why.
  if (source !== undefined && manifest === undefined) diagnostics.push(about(file, 'file-unreadable', 'package.json is not JSON'));
  const version = manifest?.['version'];
  return typeof version === 'string' ? version : '0.0.0';
}

/** Only what says a version is compared: `1.2.3`, `^1.2.3`, `~1.2.3`. */
function suits(version: string, range: string): boolean {
  const wanted = /^([\^~]?)(\d+)\.(\d+)\.(\d+)$/.exec(range);
  const present = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (wanted === null || present === null) return true;
  const [, sign, ...asked] = wanted;
  const [a = 0, b = 0, c = 0] = asked.map(Number);
  const [x = 0, y = 0, z = 0] = present.slice(1).map(Number);
  if (sign === '') return a === x && b === y && c === z;
  const isSame = sign === '^' && a > 0 ? a === x : a === x && b === y;
  return isSame && (y > b || (y === b && z >= c));
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // Told where the name of the project, or the version of the package, is read from the same file.
    return undefined;
  }
}

function objectIn(manifest: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const value = manifest[key];
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
