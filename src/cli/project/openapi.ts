// `platform openapi`: prints the description of the API that a project would serve.

import { identityOf, surfacesOf } from '../../http/openapi/answers.ts';
import { openapiOf } from '../../http/openapi/openapi.ts';
import { compile } from '../../plan/compile.ts';
import { load } from '../load.ts';
import { report } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';

export async function openapi(path: string, options: { config?: string }, terminal: Terminal): Promise<number> {
  const { project, model, settings, diagnostics, sources } = await withProgress(terminal, 'Reading the model', () =>
    load({ path, config: options.config, keepsStoreId: false }, terminal),
  );
  // Beside the document, not in it.
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const { name, version } = project;
  const { expose } = settings.service;
  const plan = compile(model, { identified: settings.auth !== undefined });
  const document = openapiOf(plan, {
    name,
    version,
    metrics: expose.metrics,
    graphql: settings.graphql,
    mcp: settings.mcp,
    ...identityOf(settings.auth),
    ...surfacesOf(settings.service),
  });
  terminal.out(JSON.stringify(document, undefined, 2));
  return 0;
}
