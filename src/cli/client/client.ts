// `platform client`: writes a typed client of the API that a project serves, as one TypeScript file without dependencies, or as JavaScript.

import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openapiOf } from '../../http/openapi/openapi.ts';
import { compile } from '../../plan/compile.ts';
import { load, type Ready } from '../load.ts';
import { report } from '../report.ts';
import { type Terminal, withProgress } from '../terminal.ts';
import { generateClient } from './generate.ts';
import { runtimeText } from './runtime-text.ts';

export interface ClientCommand {
  readonly config?: string;
  readonly out?: string;
  readonly check?: boolean;
}

export async function client(path: string, { config, out, check }: ClientCommand, terminal: Terminal): Promise<number> {
  const loaded = await withProgress(terminal, 'Reading the model', () => load({ path, config, keepsStoreId: false }, terminal));
  const { model, diagnostics, sources } = loaded;
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const typescript = await clientText({ ...loaded, model });
  const text = out !== undefined && /\.m?js$/.test(out) ? await withoutTypes(typescript) : typescript;
  if (out === undefined) {
    terminal.out(text.trimEnd());
    return 0;
  }
  const file = resolve(terminal.folder, out);
  if (check !== true) {
    await writeFile(file, text);
    return 0;
  }
  const written = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (written === text) return 0;
  terminal.err(
    `platform: ${out} ${written === undefined ? 'does not exist' : 'is not what the model says'}; write it with platform client --out ${out}`,
  );
  return 1;
}

/** For pages and programs that are not compiled. */
async function withoutTypes(text: string): Promise<string> {
  const { transform } = await import('sucrase');
  return transform(text, { transforms: ['typescript'], disableESTransforms: true }).code;
}

/** On a service that has both surfaces the client speaks the current one. */
async function clientText({ project: { name, version }, model, settings }: Ready): Promise<string> {
  const hasAuth = settings.auth !== undefined;
  const { surfaces, envelope } = settings.service;
  const compiled = compile(model, { identified: hasAuth });
  const earlier = surfaces.includes('current') ? undefined : envelope;
  const plan = earlier === undefined ? compiled : { ...compiled, names: compiled.earlierNames };
  const { text, uses } = generateClient({ plan, document: openapiOf(plan, { name, version, auth: hasAuth }), hasAuth, earlier });
  const head = `// A client of ${name} ${version}, written by \`platform client\`: do not edit. \`platform client --check\` tells whether it is what the model says.\n/* eslint-disable */\n`;
  return [head, await runtimeText(uses), text].join('\n');
}
