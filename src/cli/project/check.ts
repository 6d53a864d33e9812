// `platform check`: examines model and configuration, changes nothing.

import { load } from '../load.ts';
import { contentOf, report, reportJson } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';

export async function check(path: string, options: { config?: string; json?: boolean }, terminal: Terminal): Promise<number> {
  const { project, model, diagnostics, sources } = await withProgress(terminal, 'Checking', () =>
    load({ path, config: options.config, keepsStoreId: false, notes: true }, terminal),
  );
  if (options.json === true) terminal.out(reportJson(diagnostics, terminal.folder));
  else if (diagnostics.length > 0) terminal.out(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model !== undefined && options.json !== true) {
    terminal.out(`${project.name} ${project.version}: ${contentOf(model)}, no errors`);
  }
  return model === undefined ? 1 : 0;
}
