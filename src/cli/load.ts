// From a path to a model and its settings, with everything that is wrong on the way: what `check`, `run` and `--watch` share.

import { delimiter, resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Settings } from '../config/config.ts';
import { embeddedProject } from '../config/embedded-project.ts';
import type { Environment } from '../config/expression.ts';
import { aiUnit, type ConfigInstance, instanceUnit, isAi } from '../config/instances.ts';
import type { OpenapiDocument } from '../config/openapi-documents.ts';
import { type ModelPackage, packageOf } from '../config/packages.ts';
import { findProject, type Project, type ProjectFound, readSettings, type SettingsRead, surfaceOf } from '../config/project.ts';
import { retryUnits } from '../config/retries.ts';
import { withVariables } from '../config/start-variables.ts';
import { keepStoreId, peekStoreId } from '../config/store-id.ts';
import { type Diagnostic, diagnostic, hasErrors } from '../diagnostics.ts';
import { clojureFaults, functionFaults, undeclaredEffects, withImportedTexts } from '../functions/functions.ts';
import { currentFrontEnd } from '../language/current/current.ts';
import { earlierFrontEnd } from '../language/earlier/earlier.ts';
import type { FrontEnd } from '../language/front-end.ts';
import type { Unit } from '../model/declaration.ts';
import { type LinkResult, link } from '../model/link/link.ts';
import type { ImportedFunctions, Model } from '../model/model.ts';
import { mergedSettings, withConfigured } from '../resolvers/configured.ts';
import type { Source } from '../source.ts';
import { StartRefused } from '../store/store.ts';
import { mcpModules } from './mcp-modules.ts';
import { openapiModules } from './openapi-modules.ts';
import type { Terminal } from './terminal.ts';

export interface Loaded {
  readonly project: Project;
  /** Absent when anything is wrong that makes the project unusable. */
  readonly model: Model | undefined;
  /** To be used only beside a model. */
  readonly settings: Settings;
  readonly diagnostics: readonly Diagnostic[];
  /** Every text that a diagnostic may point into. */
  readonly sources: readonly Source[];
  /** OpenAPI documents whose operations are events of the model. */
  readonly documents: readonly OpenapiDocument[];
}

/** A project without errors. */
export type Ready = Loaded & { readonly model: Model };

export interface LoadOptions {
  readonly path: string;
  readonly config: string | undefined;
  /** Whether an unnamed database gets its name now; `check` changes nothing. */
  readonly keepsStoreId: boolean;
  /** The configuration is not even read: what is built is to run with another. */
  readonly ignoresConfig?: boolean;
  /** Whether what is merely worth knowing is told too: to whoever checks a model, and not before every command. */
  readonly notes?: boolean;
  /** Servers of the Model Context Protocol are asked which tools they have. */
  readonly asksServers?: boolean;
}

/** The modules of the application's own functions are loaded too: what they lack is a fault of the model. */
export async function load(options: LoadOptions, terminal: Terminal): Promise<Loaded> {
  const { functions, ...text } = await loadText(options, terminal);
  const ofClojure = text.model === undefined ? [] : await clojureFaults(text.model, { folder: text.project.folder, clock: systemClock() });
  const told = ofClojure.filter((each) => each.code !== 'import-external' || options.notes === true);
  const lacking = [...(await functionFaults(functions)), ...told].map((each) => ofPackage(each, text.project.packages));
  const texts = text.model === undefined || hasErrors(lacking) ? undefined : await withImportedTexts(text.model);
  const unread = text.model === undefined ? [] : await documentFaults(text.model, text.project.folder, text.settings);
  const unloaded = new Set(lacking.filter((each) => each.code === 'import-unreadable').map((each) => `${each.file}:${each.line}`));
  // Nobody can use what cannot be loaded.
  const found = text.diagnostics.filter((each) => each.code !== 'import-unused' || !unloaded.has(`${each.file}:${each.line}`));
  const undeclared = text.model === undefined || options.notes !== true ? [] : await undeclaredEffects(text.model, externalWords);
  const faults = [...lacking, ...[...(texts?.faults ?? []), ...undeclared].map((each) => ofPackage(each, text.project.packages))];
  return { ...text, model: hasErrors(faults) ? undefined : texts?.model, diagnostics: [...found, ...faults, ...unread] };
}

function externalWords(source: Source): string {
  return surfaceOf(source) === 'earlier' ? ':external true' : '@external';
}

/** Documents that a start could not read. Those of other hosts are not asked for here. */
async function documentFaults({ documents }: Model, folder: string, { llm }: Settings): Promise<readonly Diagnostic[]> {
  if (documents.size === 0) return [];
  const { unreadableDocument } = await import('../agents/providers/documents.ts');
  const place = { folder, hosts: llm.documentHosts };
  const faults = await Promise.all(
    [...documents.values()].map(async ({ title, url, span }) => {
      const reason = await unreadableDocument(url, place);
      return reason === undefined ? [] : [diagnostic('document-unreadable', span, `the document "${title}" cannot be read: ${reason}`)];
    }),
  );
  return faults.flat();
}

/** What can be said without running anything of the application's. */
export async function loadText(
  options: LoadOptions,
  terminal: Terminal,
): Promise<Loaded & { readonly functions: readonly ImportedFunctions[] }> {
  const config = options.config === undefined ? undefined : resolve(terminal.folder, options.config);
  const { project, diagnostics } = find(options, config, terminal);
  const storeId = options.keepsStoreId ? keepStoreId : peekStoreId;
  const {
    settings: written,
    instances,
    diagnostics: ofSettings,
    ...named
  } = readSettings(project, terminal.environment, () => storeId(project.folder, systemClock().uuid));
  const others = options.ignoresConfig === true ? namedIn(options, terminal) : named;
  const documents = await openapiModules(others.openapi, project);
  const read = readUnits(project, terminal.environment);
  const servers = await mcpModules(read.units, others.mcp, options.asksServers === true, project);
  const settings = { ...written, resolvers: mergedSettings([...written.resolvers, ...documents.settings, ...servers.settings]) };
  const remote = [...documents.units, ...servers.modules];
  const retries = retryUnits(others.retries, servers.units);
  const {
    model,
    diagnostics: ofModel,
    functions,
  } = loadModel(project, instances, settings.system, { own: servers.units, remote, retries });
  const found = [
    ...ofSettings,
    ...documents.diagnostics,
    ...[...diagnostics, ...read.diagnostics, ...servers.diagnostics, ...ofModel].map((each) => ofPackage(each, project.packages)),
  ];
  const all = options.notes === true ? found : found.filter((each) => each.severity !== 'note');
  return {
    project,
    model: hasErrors(all) || model === undefined ? undefined : withConfigured(model, settings.resolvers),
    settings,
    diagnostics: all,
    functions,
    documents: documents.documents,
    sources: [project.manifest, ...project.packages.flatMap((each) => each.sources), ...project.sources, project.config].filter(
      (each) => each !== undefined,
    ),
  };
}

/** Also where the configuration is not used for anything else: without these modules the model cannot be linked. */
function namedIn({ path }: LoadOptions, terminal: Terminal): Pick<SettingsRead, 'openapi' | 'mcp' | 'retries'> {
  const { project } = findProject(resolve(terminal.folder, path), undefined, modelPaths(terminal));
  return readSettings(project, terminal.environment, () => '');
}

function find({ path, ignoresConfig }: LoadOptions, config: string | undefined, terminal: Terminal): ProjectFound {
  const { embedded, folder } = terminal;
  if (embedded === undefined) return findProject(resolve(folder, path), ignoresConfig === true ? null : config, modelPaths(terminal));
  if (path !== '.') throw new StartRefused(`${path}: this file holds its project, and takes no other.`);
  return embeddedProject(embedded.project, embedded.file, folder, config);
}

/** Folders that the models are looked for in that a model builds on. */
export function modelPaths({ environment }: Terminal): readonly string[] {
  return (environment['PLATFORM_MODEL_PATHS'] ?? '').split(delimiter).filter((each) => each !== '');
}

/** How the sources of a project are read and written. */
export function frontEndOf({ surface }: Pick<Project, 'surface'>): FrontEnd {
  return surface === 'earlier' ? earlierFrontEnd : currentFrontEnd;
}

function readUnits(
  project: Project,
  environment: Environment,
): { readonly units: readonly Unit[]; readonly diagnostics: readonly Diagnostic[] } {
  const read = [
    ...project.packages.flatMap((each) => each.sources.map((source) => frontEndOf(each).read(source))),
    ...project.sources.map((source) => frontEndOf(project).read(source)),
  ];
  const started = read.map((each) => withVariables(each.unit, environment));
  return { units: started.map((each) => each.unit), diagnostics: [...read, ...started].flatMap((each) => each.diagnostics) };
}

interface Units {
  readonly own: readonly Unit[];
  /** The modules that other systems bring. */
  readonly remote: readonly Unit[];
  /** What the configuration adds to modules, whoever brings them. */
  readonly retries: readonly Unit[];
}

function loadModel(
  project: Project,
  instances: readonly ConfigInstance[],
  system: Settings['system'],
  { own, remote, retries }: Units,
): LinkResult {
  const units = [...own, ...remote];
  const linked = withInstances(instances, (all) => link([...all, ...retries], system), units, project);
  const diagnostics = [
    ...units.flatMap((each) => otherComponent(each, project)),
    ...modulesOfTwo(own, project.packages),
    ...remote.flatMap((each) => alsoOwn(each, own)),
    ...linked.diagnostics,
  ];
  return { ...linked, diagnostics };
}

/** A fault in the files of a package says whose it is. */
function ofPackage(found: Diagnostic, packages: readonly ModelPackage[]): Diagnostic {
  const owner = packageOf(found.file, packages);
  return owner === undefined ? found : { ...found, message: `package ${owner.name}: ${found.message}` };
}

/** What a document brings stands in a module of its own. */
function alsoOwn({ module }: Unit, own: readonly Unit[]): readonly Diagnostic[] {
  const other = own.find((each) => each.module?.text === module?.text);
  if (module === undefined || other === undefined) return [];
  return [diagnostic('config-value', module.span, `there is already a module \`${module.text}\` (${other.source.file})`)];
}

/** A module may have several files, all of one package, or of the project itself. */
function modulesOfTwo(units: readonly Unit[], packages: readonly ModelPackage[]): readonly Diagnostic[] {
  const owners = new Map<string, { readonly owner: ModelPackage | undefined; readonly file: string }>();
  return units.flatMap(({ module, source }) => {
    if (module === undefined) return [];
    const owner = packageOf(source.file, packages);
    const first = owners.get(module.text) ?? { owner, file: source.file };
    owners.set(module.text, first);
    if (first.owner === owner) return [];
    const whose = first.owner === undefined ? 'the project' : `the package ${first.owner.name}`;
    const message = `there is already a module \`${module.text}\`, of ${whose} (${first.file})`;
    return [diagnostic('package-module-repeated', module.span, message)];
  });
}

/** What the configuration puts in place is known only with the model, and is done before what the model does at start. */
function withInstances(
  instances: readonly ConfigInstance[],
  linkAll: (units: readonly Unit[]) => LinkResult,
  units: readonly Unit[],
  { config }: Project,
): LinkResult {
  const ofAgents = config === undefined ? undefined : aiUnit(instances, config, units[0]);
  const own = ofAgents === undefined ? units : [ofAgents, ...units];
  const linked = linkAll(own);
  const others = instances.filter((each) => !isAi(each));
  if (others.length === 0 || linked.model === undefined || config === undefined) return linked;
  const { unit, diagnostics } = instanceUnit(others, linked.model, config, units[0]);
  const complete = unit === undefined ? linked : linkAll([unit, ...own]);
  // A create and a change of the same instance have the same faults.
  const told = new Map(complete.diagnostics.map((each) => [`${each.file}:${each.line}:${each.column} ${each.code}`, each]));
  return { ...complete, diagnostics: [...told.values(), ...diagnostics] };
}

/** The file of a component declares that component, and no other. */
function otherComponent({ source, module }: Unit, { components }: Project): readonly Diagnostic[] {
  const expected = components.get(source.file);
  if (module === undefined || expected === undefined || module.text === expected) return [];
  const message = `this is the file of the component ${expected}, but it declares ${module.text}`;
  return [diagnostic('project-component-differs', module.span, message, `write (component :${expected})`)];
}
