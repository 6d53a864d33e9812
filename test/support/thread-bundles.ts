// Threads and processes of a service under test run a bundle, as those of the command do: to take the types off in each of them takes ten times as long as to start it.

import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const folder = fileURLToPath(new URL('../../out/threads', import.meta.url));

/** For the configuration of the tests: in a file that a thread or process is started with, its own address is that of its bundle. */
export function threadBundles() {
  return {
    name: 'thread-bundles',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!/\/(thread|reader)-main\.ts$/.test(id)) return undefined;
      return { code: code.replace('import.meta.url', JSON.stringify(pathToFileURL(bundleOf(id)).href)), map: null };
    },
  };
}

/** Named after what is in it: runs beside each other write the same. */
function bundleOf(file: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    write: false,
  });
  const text = outputFiles.map((each) => each.text).join('');
  const bundle = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${bundle}.${process.pid}`, text);
  renameSync(`${bundle}.${process.pid}`, bundle);
  return bundle;
}
