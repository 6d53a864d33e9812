// The modules that OpenAPI documents bring: read when a project is loaded, and linked with its own.

import { dirname } from 'node:path';
import { DocumentUnreadable, type OpenapiDocument, readDocument } from '../config/openapi-documents.ts';
import type { Project } from '../config/project.ts';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import type { Unit } from '../model/declaration.ts';
import { DocumentFault, type OpenapiEntry, readOpenapi } from '../resolvers/openapi/openapi.ts';
import type { ResolverSettings } from '../resolvers/resolver.ts';

export interface OpenapiModules {
  readonly units: readonly Unit[];
  readonly settings: readonly ResolverSettings[];
  readonly diagnostics: readonly Diagnostic[];
  /** As they were read. */
  readonly documents: readonly OpenapiDocument[];
}

export async function openapiModules(entries: readonly OpenapiEntry[], project: Project): Promise<OpenapiModules> {
  const all = [...entries, ...embeddedOnly(entries, project)];
  const read = await Promise.all(all.map((each) => moduleOf(each, project)));
  return {
    units: read.flatMap((each) => each.units),
    settings: read.flatMap((each) => each.settings),
    diagnostics: read.flatMap((each) => each.diagnostics),
    documents: read.flatMap((each) => each.documents),
  };
}

/** A built application knows its documents, whatever the configuration beside it says. */
function embeddedOnly(entries: readonly OpenapiEntry[], { documents }: Project): readonly OpenapiEntry[] {
  const missing = documents.filter(({ name }) => !entries.some((each) => each.name === name));
  return missing.map(({ name, spec }) => ({ name, spec, headers: {}, span: { source: { file: spec, text: '' }, start: 0, end: 0 } }));
}

async function moduleOf(entry: OpenapiEntry, project: Project): Promise<OpenapiModules> {
  const { name, spec, span, ownNetwork = false } = entry;
  const folder = project.config === undefined ? project.folder : dirname(project.config.file);
  const told = (code: 'config-value' | 'config-operation-ignored', why: string): Diagnostic =>
    diagnostic(code, span, `openapi: ${spec} ${why}`);
  try {
    const text = project.documents.find((each) => each.name === name)?.text ?? (await readDocument(spec, folder, { ownNetwork }));
    const { unit, settings, ignored } = await readOpenapi(entry, text);
    const warnings = ignored.map((each) => told('config-operation-ignored', `has an operation that cannot be called: ${each}`));
    return { units: [unit], settings: [settings], diagnostics: warnings, documents: [{ name, spec, text }] };
  } catch (thrown) {
    if (!(thrown instanceof DocumentFault) && !(thrown instanceof DocumentUnreadable)) throw thrown;
    return { units: [], settings: [], diagnostics: [told('config-value', thrown.message)], documents: [] };
  }
}
