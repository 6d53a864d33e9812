// `platform packages`: the models that a project depends on, and the modules that they bring.

import type { ModelPackage } from '../../config/packages.ts';
import { packageOf } from '../../config/packages.ts';
import type { Project } from '../../config/project.ts';
import { frontEndOf, loadText } from '../load.ts';
import { counted, printable, report, shownPath } from '../report.ts';
import type { Terminal } from '../terminal.ts';

export async function packages(
  path: string,
  { config, json = false }: { config?: string; json?: boolean },
  terminal: Terminal,
): Promise<number> {
  const { project, model, diagnostics, sources } = await loadText({ path, config, keepsStoreId: false }, terminal);
  const found = project.packages.map((each) => ({
    name: each.name,
    version: each.version,
    folder: shownPath(each.folder, terminal.folder),
    modules: modulesOf(each, project),
  }));
  if (json) terminal.out(JSON.stringify(found, undefined, 2));
  else {
    for (const { name, version, folder, modules } of found)
      terminal.out(`${printable(name)} ${printable(version)}  ${modules.join(', ')}  ${terminal.colours.dim(printable(folder))}`);
    terminal.err(counted(found.length, 'package'));
  }
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  return model === undefined ? 1 : 0;
}

/** Sources of a model that an earlier one names are among those of the project. */
function modulesOf(of: ModelPackage, project: Project): readonly string[] {
  const among = project.sources.filter(({ file }) => packageOf(file, project.packages) === of);
  const units = [...of.sources, ...among].map((source) => frontEndOf(of).read(source).unit);
  return [...new Set(units.flatMap(({ module }) => (module === undefined ? [] : [module.text])))].sort();
}
