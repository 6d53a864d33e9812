// `platform graphql`: prints the GraphQL schema that a project would serve.

import { printSchema } from 'graphql';
import { schemaOf } from '../../http/graphql/schema.ts';
import { compile } from '../../plan/compile.ts';
import { load } from '../load.ts';
import { report } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';

export async function graphql(path: string, options: { config?: string }, terminal: Terminal): Promise<number> {
  const { model, settings, diagnostics, sources } = await withProgress(terminal, 'Reading the model', () =>
    load({ path, config: options.config, keepsStoreId: false }, terminal),
  );
  // Beside the schema, not in it.
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const plan = compile(model, { identified: settings.auth !== undefined });
  terminal.out(printSchema(schemaOf(plan, settings.service.surfaces[0] ?? 'current').schema));
  return 0;
}
