// A project inside a built application: what it consists of, without a path of the machine that it was built on.

import { basename, join, relative, sep } from 'node:path';
import type { Diagnostic } from '../diagnostics.ts';
import type { Source } from '../source.ts';
import type { SurfaceName } from './config.ts';
import { isAddress, type OpenapiDocument } from './openapi-documents.ts';
import type { ModelPackage } from './packages.ts';
import { type Project, type ProjectFound, readConfigSource } from './project.ts';

/** Paths go from the folder of the project, with slashes. The configuration is no part of it: it holds secrets. */
export interface EmbeddedProject {
  readonly name: string;
  readonly version: string;
  readonly surface: SurfaceName;
  readonly sources: readonly Source[];
  readonly manifest?: Source;
  readonly components: readonly (readonly [file: string, component: string])[];
  /** Absent in what was built before there were packages. */
  readonly packages?: readonly ModelPackage[];
  /** Absent in what was built before there were such. */
  readonly documents?: readonly OpenapiDocument[];
}

export function embed(
  { name, version, surface, folder, sources, manifest, components, packages }: Project,
  documents: readonly OpenapiDocument[],
): EmbeddedProject {
  const inside = (file: string): string => relative(folder, file).replaceAll(sep, '/');
  const moved = ({ file, text }: Source): Source => ({ file: inside(file), text });
  return {
    name,
    version,
    surface,
    sources: sources.map(moved),
    ...(manifest === undefined ? {} : { manifest: moved(manifest) }),
    components: [...components].map(([file, component]) => [inside(file), component]),
    packages: packages.map((each) => ({ ...each, folder: inside(each.folder), sources: each.sources.map(moved) })),
    documents: documents.map((each) => ({ ...each, spec: isAddress(each.spec) ? each.spec : basename(each.spec) })),
  };
}

/** `file` is the built application, below which the sources are shown; data and configuration are looked for in `folder`. */
export function embeddedProject(embedded: EmbeddedProject, file: string, folder: string, configFile: string | undefined): ProjectFound {
  const { name, version, surface, sources, manifest, components, packages = [], documents = [] } = embedded;
  const diagnostics: Diagnostic[] = [];
  const moved = (source: Source): Source => ({ file: join(file, source.file), text: source.text });
  const project: Project = {
    name,
    version,
    surface,
    folder,
    sources: sources.map(moved),
    config: readConfigSource(folder, 'folder', configFile, diagnostics, surface === 'earlier' ? 'config.edn' : 'config.al'),
    manifest: manifest === undefined ? undefined : moved(manifest),
    components: new Map(components.map(([path, component]) => [join(file, path), component])),
    packages: packages.map((each) => ({ ...each, folder: join(file, each.folder), sources: each.sources.map(moved) })),
    documents,
  };
  return { project, diagnostics };
}
