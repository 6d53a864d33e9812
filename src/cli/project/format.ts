// `platform format`: lays out source files in place; `--check` only names those that would change.

import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { findProject, surfaceOf } from '../../config/project.ts';
import type { Diagnostic } from '../../diagnostics.ts';
import { formatSource as formatCurrent } from '../../language/current/print/format.ts';
import { formatSource as formatEarlier } from '../../language/earlier/print/format.ts';
import type { Source } from '../../source.ts';
import { report, shownPath } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';

export async function format(paths: readonly string[], options: { check?: boolean }, terminal: Terminal): Promise<number> {
  const targets = (paths.length === 0 ? ['.'] : paths).map((path) => resolve(terminal.folder, path));
  const found = targets.map((target) => sourcesAt(target));
  const sources = found.flatMap((each) => each.sources);
  const diagnostics = found.flatMap((each) => each.diagnostics);
  const changed = await withProgress(terminal, 'Formatting', () => sources.filter((source) => change(source, options, diagnostics)));
  for (const source of changed) terminal.out(shownPath(source.file, terminal.folder));
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  return diagnostics.length > 0 || (options.check === true && changed.length > 0) ? 1 : 0;
}

/** Whether the layout differs; a file that cannot be read as a model is left alone. */
function change(source: Source, options: { check?: boolean }, diagnostics: Diagnostic[]): boolean {
  const result = formatterOf(source)(source);
  if ('diagnostics' in result) {
    diagnostics.push(...result.diagnostics.filter((each) => each.severity === 'error'));
    return false;
  }
  if (result.text === source.text) return false;
  if (options.check !== true) writeFileSync(source.file, result.text);
  return true;
}

/** By the form that the file is written in: `config.al` beside a model of the earlier surface is still a script. */
function formatterOf(source: Source): typeof formatCurrent {
  return basename(source.file) !== 'config.al' && surfaceOf(source) === 'earlier' ? formatEarlier : formatCurrent;
}

function sourcesAt(target: string): { sources: readonly Source[]; diagnostics: readonly Diagnostic[] } {
  const { project, diagnostics } = findProject(target);
  return { sources: [project.manifest, ...project.sources, project.config].filter((each) => each !== undefined), diagnostics };
}
