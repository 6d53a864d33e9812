// Finds what a folder or a single file is: its sources, its configuration file, its name and version.

import { accessSync, constants } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { type Diagnostic, diagnostic, hasErrors } from '../diagnostics.ts';
import type { McpEntry } from '../resolvers/mcp/mcp.ts';
import type { OpenapiEntry } from '../resolvers/openapi/openapi.ts';
import type { Source } from '../source.ts';
import { checkConfig } from './check.ts';
import { type Settings, type SurfaceName, settingsFrom, table } from './config.ts';
import { readCurrentConfig } from './current.ts';
import { readEarlierConfig } from './earlier/earlier.ts';
import { type EarlierProject, manifestName, readEarlierProject } from './earlier/project.ts';
import type { Environment } from './expression.ts';
import { about, type Kind, kindOf, readSource, sourceFiles } from './files.ts';
import type { ConfigInstance } from './instances.ts';
import type { OpenapiDocument } from './openapi-documents.ts';
import { findPackages, type ModelPackage, modelPackage } from './packages.ts';
import type { ConfigValue, Setting } from './setting.ts';
import type { ConfigRetry } from './settings/retry.ts';

export interface Project {
  readonly name: string;
  readonly version: string;
  /** Absolute. Data and relative imports are found from here. */
  readonly folder: string;
  /** Absolute paths, sorted. */
  readonly sources: readonly Source[];
  readonly config: Source | undefined;
  /** In which form its sources are written, and its instances presented where the settings do not say otherwise. */
  readonly surface: SurfaceName;
  /** model.platform, where there is one. */
  readonly manifest: Source | undefined;
  /** Of an earlier project: which component each file is expected to declare. */
  readonly components: ReadonlyMap<string, string>;
  /** Models that it depends on, in the order in which they are linked. */
  readonly packages: readonly ModelPackage[];
  /** OpenAPI documents that it was built with. */
  readonly documents: readonly OpenapiDocument[];
}

export interface ProjectFound {
  readonly project: Project;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads everything a project consists of; `configFile` stands in for the project's own, `null` for none at all. */
export function findProject(path: string, configFile?: string | null, modelPaths: readonly string[] = []): ProjectFound {
  const given = resolve(path);
  const target = basename(given) === manifestName && kindOf(given) === 'file' ? dirname(given) : given;
  const diagnostics: Diagnostic[] = [];
  const kind = kindOf(target);
  const folder = kind === 'file' ? dirname(target) : target;
  const earlier = kind === 'folder' && kindOf(join(folder, manifestName)) === 'file' ? readEarlierProject(folder, modelPaths) : undefined;
  if (earlier !== undefined) return { project: earlierProject(folder, earlier, configFile, modelPaths, diagnostics), diagnostics };
  const files = kind === 'missing' ? [] : kind === 'file' ? [target] : sourceFiles(folder);
  const sources = files.flatMap((file) => readSource(file, diagnostics) ?? []);
  const [only] = sources;
  const project: Project = {
    ...identityOf(target, kind, diagnostics),
    folder,
    sources,
    config: readConfigSource(folder, kind, configFile, diagnostics),
    surface: kind === 'file' && only !== undefined ? surfaceOf(only) : 'current',
    manifest: undefined,
    components: new Map(),
    packages: kind === 'folder' ? findPackages(folder, new Set([folder]), modelPaths, diagnostics) : [],
    documents: [],
  };
  if (kind === 'missing') diagnostics.push(about(target, 'file-unreadable', 'there is no such file or folder'));
  else if (files.length === 0) diagnostics.push(emptyProject(folder));
  return { project, diagnostics };
}

function earlierProject(
  folder: string,
  found: EarlierProject,
  configFile: string | null | undefined,
  modelPaths: readonly string[],
  diagnostics: Diagnostic[],
): Project {
  diagnostics.push(...found.diagnostics);
  const known = new Set([folder, ...found.models.map((each) => each.folder)]);
  return {
    name: found.name ?? (basename(folder) || 'project'),
    version: found.version ?? '0.0.0',
    folder,
    sources: found.components.flatMap(({ file }) => readSource(file, diagnostics) ?? []),
    config: readConfigSource(folder, 'folder', configFile, diagnostics, 'config.edn'),
    surface: 'earlier',
    manifest: found.manifest,
    components: new Map(found.components.map(({ file, component }) => [file, component])),
    packages: [...found.models.map((each) => modelPackage(each, diagnostics)), ...findPackages(folder, known, modelPaths, diagnostics)],
    documents: [],
  };
}

/** A single file says by its name, or else by its first character, in which form it is written. */
export function surfaceOf({ file, text }: Source): SurfaceName {
  if (['.platform', '.edn', '.clj', '.cljc'].includes(extname(file))) return 'earlier';
  return /^(?:[\s,]|;[^\n]*\n)*[({#]/.test(text) ? 'earlier' : 'current';
}

export interface SettingsRead {
  /** Meaningful only when there are no errors. */
  readonly settings: Settings;
  /** What the configuration puts in place at start. */
  readonly instances: readonly ConfigInstance[];
  /** OpenAPI documents that it names. */
  readonly openapi: readonly OpenapiEntry[];
  /** Servers of the Model Context Protocol that it names. */
  readonly mcp: readonly McpEntry[];
  /** Retries of agents. */
  readonly retries: readonly ConfigRetry[];
  readonly diagnostics: readonly Diagnostic[];
}

export function readSettings(project: Project, environment: Environment, storeId: () => string): SettingsRead {
  const { folder, name, surface } = project;
  const place = { projectFolder: folder, projectName: name, configFile: project.config?.file, surface, environment, storeId };
  if (project.config === undefined)
    return { settings: settingsFrom(new Map(), place), instances: [], openapi: [], mcp: [], retries: [], diagnostics: [] };
  const isEarlier = extname(project.config.file) === '.edn';
  const read = isEarlier ? readEarlierConfig(project.config, environment) : readCurrentConfig(project.config, environment);
  const checked = read.value === undefined ? undefined : checkConfig(read.value);
  const found = [...read.diagnostics, ...(checked?.diagnostics ?? [])];
  const missing = checked === undefined || hasErrors(found) ? [] : missingFiles(checked.given, dirname(project.config.file));
  const diagnostics = [...found, ...missing];
  // With errors the settings are not used, and no identifier is to be drawn for them.
  const given = hasErrors(diagnostics) ? undefined : checked?.given;
  const listIn = <T>(row: Setting<readonly T[]>): readonly T[] => {
    const value = checked?.given.get(row.key);
    return (value === undefined ? undefined : row.read(value)?.value) ?? [];
  };
  const [openapi, mcp, retries] = [listIn(table.openapi), listIn(table.mcpServers), listIn(table.retry)];
  return { settings: settingsFrom(given ?? new Map(), place), instances: read.instances, openapi, mcp, retries, diagnostics };
}

/** Files that a setting names and that a start would read. */
function missingFiles(given: ReadonlyMap<string, ConfigValue>, folder: string): readonly Diagnostic[] {
  return [table.tlsKey, table.tlsCert].flatMap((row) => {
    const value = given.get(row.key);
    const file = value === undefined ? undefined : row.read(value)?.value;
    if (value === undefined || file === undefined || isReadable(resolve(folder, file))) return [];
    return [diagnostic('config-value', value.span, `${row.key}: the file ${file} cannot be read`)];
  });
}

function isReadable(file: string): boolean {
  if (kindOf(file) !== 'file') return false;
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The file that is given, else the project's own where there is one. */
export function readConfigSource(
  folder: string,
  kind: Kind,
  given: string | null | undefined,
  diagnostics: Diagnostic[],
  name = 'config.al',
): Source | undefined {
  if (given === null) return undefined;
  if (given !== undefined) return readSource(resolve(given), diagnostics);
  const file = join(folder, name);
  return kind === 'folder' && kindOf(file) === 'file' ? readSource(file, diagnostics) : undefined;
}

/** From package.json, else the name of the folder or file and 0.0.0. */
function identityOf(target: string, kind: Kind, diagnostics: Diagnostic[]): { name: string; version: string } {
  const fallback = { name: basename(target, kind === 'file' ? extname(target) : '') || 'project', version: '0.0.0' };
  const file = join(target, 'package.json');
  if (kind !== 'folder' || kindOf(file) !== 'file') return fallback;
  const source = readSource(file, diagnostics);
  if (source === undefined) return fallback;
  try {
    const manifest: unknown = JSON.parse(source.text);
    return { name: textOf(manifest, 'name') ?? fallback.name, version: textOf(manifest, 'version') ?? fallback.version };
  } catch {
    diagnostics.push(about(file, 'file-unreadable', 'package.json is not JSON'));
    return fallback;
  }
}

function textOf(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Object.entries(value).find(([each]) => each === key)?.[1];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function emptyProject(folder: string): Diagnostic {
  const above = basename(folder) === 'src' ? `did you mean ${dirname(folder)}?` : undefined;
  return about(
    folder,
    'project-empty',
    'there is no model here: a project has at least one file src/*.al',
    above ?? 'platform init <project> makes one',
  );
}
