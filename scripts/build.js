// Bundles src into dist: two entries (the command and the library), and chunks that are read on first use.
// `--if-stale` does nothing when dist is up to date; `--clean` leaves nothing of earlier builds.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { scalarLicense, scalarScript } from './scalar.js';
import { isBuilt, root, sourceHash } from './steps.js';
import { thirdPartyText } from './third-party.js';

const dist = join(root, 'dist');
const week = 7 * 24 * 3600 * 1000;
const entries = { cli: 'src/cli/main.ts', index: 'src/index.ts' };

if (process.argv.includes('--if-stale') && isBuilt()) process.exit(0);
if (process.argv.includes('--clean')) rmSync(dist, { recursive: true, force: true });

const result = await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(join(root, file)))),
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  legalComments: 'eof',
  // Native parts stay packages of their own.
  external: ['@photostructure/sqlite', '@node-rs/argon2'],
  // CommonJS packages inside the bundle ask for Node's own modules with `require`.
  banner: { js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);" },
  write: false,
  metafile: true,
  logLevel: 'warning',
});

// What is served as it is, then chunks, each put in place whole: whoever starts meanwhile finds either the old build or the new one.
put(join(dist, 'assets', 'scalar.js.gz'), await scalarScript());
put(join(dist, 'assets', 'scalar.LICENSE'), scalarLicense());
put(join(dist, 'THIRD-PARTY.txt'), thirdPartyText(result.metafile));
const isEntry = (file) => dirname(file.path) === dist;
for (const file of result.outputFiles.filter((each) => !isEntry(each))) put(file.path, file.contents);
for (const file of result.outputFiles.filter(isEntry)) put(file.path, `${file.text}\n// built from ${sourceHash()}\n`);
removeOldChunks(new Set(result.outputFiles.map((file) => basename(file.path))));

function put(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

/** Chunks of earlier builds stay for a while: a service that runs may yet import them. */
function removeOldChunks(current) {
  const folder = join(dist, 'chunks');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!current.has(name) && Date.now() - statSync(path).mtimeMs > week) rmSync(path);
  }
}
