// Reads model.platform: what the model is called, which components it has and in which files, and which models it builds on.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { type Diagnostic, type DiagnosticCode, diagnostic } from '../../diagnostics.ts';
import { type Form, isMap, lookUp, type MapForm, unquoted } from '../../language/earlier/read/form.ts';
import { readForms } from '../../language/earlier/read/read.ts';
import type { Source, Span } from '../../source.ts';
import { sourceFiles } from '../files.ts';

export interface EarlierProject {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly manifest: Source;
  /** With those of the models that this one builds on, which come first. */
  readonly components: readonly ComponentFile[];
  /** The models that it builds on, and those that they build on. */
  readonly models: readonly FoundModel[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface FoundModel {
  readonly name: string;
  readonly version: string;
  /** Absolute. */
  readonly folder: string;
  readonly surface: 'current' | 'earlier';
}

export interface ComponentFile {
  readonly component: string;
  /** Absolute. */
  readonly file: string;
}

export const manifestName = 'model.platform';

/** `modelPaths` are folders that other models are looked for in, besides the one around the project. */
export function readEarlierProject(folder: string, modelPaths: readonly string[] = []): EarlierProject {
  const models: FoundModel[] = [];
  return { ...readModel(folder, { modelPaths, visited: new Set([resolve(folder)]), models }), models };
}

interface Search {
  readonly modelPaths: readonly string[];
  /** Models that build on each other in a circle are read once. */
  readonly visited: Set<string>;
  readonly models: FoundModel[];
}

function readModel(folder: string, search: Search): Omit<EarlierProject, 'models'> {
  const file = join(folder, manifestName);
  const source = { file, text: readText(file) ?? '' };
  const { forms, diagnostics: faults } = readForms(source);
  const diagnostics = [...faults];
  const map = forms.map(unquoted).find(isMap);
  const report = (code: DiagnosticCode, span: Span, message: string, suggestion?: string) => {
    diagnostics.push(diagnostic(code, span, message, suggestion));
    return undefined;
  };
  if (map === undefined) {
    if (faults.length === 0) report('project-key-missing', { source, start: 0, end: 0 }, `${manifestName} must be a map`, example);
    return { name: undefined, version: undefined, manifest: source, components: [], diagnostics };
  }
  checkKeys(map, report);
  checkRuntime(lookUp(map, 'platform-version'), report);
  const components = [...dependencies(map, folder, search, diagnostics, report), ...ownComponents(map, folder, report)];
  const version = textOf(lookUp(map, 'version')) ?? '0.0.0';
  return { name: textOf(lookUp(map, 'name')), version, manifest: source, components, diagnostics };
}

type Report = (code: DiagnosticCode, span: Span, message: string, suggestion?: string) => undefined;

const example = 'write {:name :Shop :version "0.0.1" :platform-version "current" :components [:Shop.Core]}';

/** With what a key stands for where it is left out: existing models leave the versions out. */
const required = [
  { key: 'name', what: 'the unique name of the model' },
  { key: 'version', what: 'the version of the model, as a text', assumed: '0.0.0' },
  { key: 'platform-version', what: 'the version of the runtime that it needs, or "current"', assumed: 'current' },
  { key: 'components', what: 'a list of the names of its components' },
];

function checkKeys(map: MapForm, report: Report): void {
  for (const { key, what, assumed } of required) {
    const value = lookUp(map, key);
    if (value === undefined && assumed !== undefined) {
      const message = `${manifestName} has no :${key}, ${what}; it is taken to be "${assumed}"`;
      report('project-version-missing', map.span, message, `add :${key} "${assumed}"`);
    } else if (value === undefined) report('project-key-missing', map.span, `${manifestName} has no :${key}: ${what}`, example);
    else if (key !== 'components' && textOf(value) === undefined)
      report('project-key-missing', value.span, `:${key} must be ${what}`, example);
  }
}

/** `current`, or a version that this runtime is compatible with. */
function checkRuntime(value: Form | undefined, report: Report): void {
  const wanted = textOf(value);
  if (value === undefined || wanted === undefined || wanted === 'current' || fits(wanted, manifest.version)) return;
  report('project-version', value.span, `the model needs version ${wanted} of the runtime; this is ${manifest.version}`, 'write "current"');
}

/** The same major version (of 0.x the same minor one), and not newer. */
function fits(wanted: string, present: string): boolean {
  const [a, b] = [partsOf(wanted), partsOf(present)];
  if (a === undefined || b === undefined || a[0] !== b[0] || (a[0] === 0 && a[1] !== b[1])) return false;
  return a[1] < b[1] || (a[1] === b[1] && a[2] <= b[2]);
}

function partsOf(version: string): readonly [number, number, number] | undefined {
  const found = /^(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:[-+].*)?$/.exec(version);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
}

function ownComponents(map: MapForm, folder: string, report: Report): readonly ComponentFile[] {
  const value = lookUp(map, 'components');
  if (value === undefined) return [];
  const given = unquoted(value);
  if (given.kind !== 'vector' && given.kind !== 'list' && given.kind !== 'set') {
    return report('project-key-missing', value.span, ':components must be a list or a vector of names', 'write [:Shop.Core]') ?? [];
  }
  const seen = new Set<string>();
  return given.items.flatMap((each): readonly ComponentFile[] => {
    const component = textOf(each);
    if (component === undefined) return report('project-key-missing', each.span, 'the name of a component is expected') ?? [];
    if (seen.has(component)) return report('name-repeated', each.span, `the component ${component} stands here twice`) ?? [];
    seen.add(component);
    const file = fileOf(component, folder);
    if (file !== undefined) return [{ component, file }];
    const [wanted = ''] = candidates(component);
    return report('project-component-missing', each.span, `there is no file for the component ${component}`, `write it to ${wanted}`) ?? [];
  });
}

const extensions = ['platform', 'al', 'edn', 'clj', 'cljc'];

function fileOf(component: string, folder: string): string | undefined {
  return candidates(component)
    .map((each) => join(folder, each))
    .find(isFile);
}

/** `acme/company.al`, `Acme/Company.al`; parts in CamelCase also as snake_case and kebab-case. */
function candidates(component: string): readonly string[] {
  const parts = component.split('.');
  const spellings = [snake, lower, kebab, (part: string) => part];
  const paths = new Set(spellings.map((spell) => parts.map(spell).join('/')));
  return [...paths].flatMap((path) => extensions.map((extension) => `${path}.${extension}`));
}

function lower(part: string): string {
  return part.toLowerCase();
}

function snake(part: string): string {
  return part.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1_$2').toLowerCase();
}

function kebab(part: string): string {
  return snake(part).replaceAll('_', '-');
}

/** `:dependencies [:Bank ["Lib" "1.0.0"] {:name :Other :version "2"}]`. */
function dependencies(map: MapForm, folder: string, search: Search, diagnostics: Diagnostic[], report: Report): readonly ComponentFile[] {
  const value = lookUp(map, 'dependencies');
  if (value === undefined) return [];
  const given = unquoted(value);
  if (given.kind !== 'vector' && given.kind !== 'list')
    return report('project-dependency', value.span, ':dependencies must be a vector of models') ?? [];
  return given.items.flatMap((each) => dependency(unquoted(each), folder, search, diagnostics, report));
}

function dependency(form: Form, folder: string, search: Search, diagnostics: Diagnostic[], report: Report): readonly ComponentFile[] {
  const { name, version, path } = wantedModel(form);
  if (name === undefined)
    return report('project-dependency', form.span, 'the name of a model is expected', 'write :Bank, or [:Bank "1.0.0"]') ?? [];
  const found = path === undefined ? findModel(name, folder, search) : resolve(folder, path);
  if (found === undefined || !isModel(found)) {
    const places = 'beside the project, in it, in ./resolvers, in node_modules, or in a folder that PLATFORM_MODEL_PATHS names';
    return report('project-dependency', form.span, `there is no model ${name}`, `put its folder ${places}`) ?? [];
  }
  if (search.visited.has(found)) return [];
  search.visited.add(found);
  if (!isFile(join(found, manifestName))) {
    search.models.push({ name, version: version ?? '0.0.0', folder: found, surface: 'current' });
    return [];
  }
  const model = readModel(found, search);
  diagnostics.push(...model.diagnostics);
  if (model.name !== undefined && model.name !== name)
    report('project-dependency', form.span, `the model in ${basename(found)} is called ${model.name}, not ${name}`);
  if (version !== undefined && version !== 'current' && version !== model.version) {
    report('package-version', form.span, `the package ${name} is there in version ${model.version ?? 'unknown'}, not ${version}`);
  }
  search.models.push({ name, version: model.version ?? '0.0.0', folder: found, surface: 'earlier' });
  return model.components;
}

function wantedModel(form: Form): {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly path: string | undefined;
} {
  if (isMap(form)) {
    const source = lookUp(form, 'source');
    const path = lookUp(form, 'path') ?? (source !== undefined && isMap(source) ? lookUp(source, 'path') : undefined);
    return { name: textOf(lookUp(form, 'name')), version: textOf(lookUp(form, 'version')), path: textOf(path) };
  }
  const [name, version] = form.kind === 'vector' || form.kind === 'list' ? form.items : [form];
  return { name: textOf(name), version: textOf(version), path: undefined };
}

function findModel(name: string, folder: string, { modelPaths }: Search): string | undefined {
  const names = [...new Set([name, lower(name), snake(name), kebab(name), name.replaceAll('.', '/').toLowerCase()])];
  const places = [
    folder,
    dirname(folder),
    join(folder, 'resolvers'),
    join(folder, 'node_modules'),
    ...modelPaths.map((each) => resolve(folder, each)),
  ];
  return places.flatMap((place) => names.map((each) => join(place, each))).find((each) => isModel(each) && each !== folder);
}

function isModel(folder: string): boolean {
  return isFile(join(folder, manifestName)) || sourceFiles(folder).length > 0;
}

/** A name may be a keyword, a symbol or a text. */
function textOf(form: Form | undefined): string | undefined {
  if (form === undefined) return undefined;
  const given = unquoted(form);
  if (given.kind === 'keyword' || given.kind === 'symbol') return given.name;
  return given.kind === 'text' && given.value !== '' ? given.value : undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch {
    return undefined;
  }
}
