// Bundles src into dist: two entries (the command and the library), and chunks that are read on first use.
// `--if-stale` does nothing when dist is up to date; `--clean` leaves nothing of earlier builds.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { consolePack, graphqlPack } from './console.js';
import { scalarLicense, scalarScript } from './scalar.js';
import { isBuilt, root, sourceHash } from './steps.js';
import { thirdPartyText } from './third-party.js';

const dist = join(root, 'dist');
const week = 7 * 24 * 3600 * 1000;
const entries = { cli: 'src/cli/main.ts', index: 'src/index.ts' };

const standaloneBanner = `'use strict';
if (Number(process.versions.node.split('.')[0]) < 20) {
  process.stderr.write('platform: this application needs Node 20 or newer; this is ' + process.versions.node + '\\n');
  process.exit(1);
}
const __fileUrl = require('node:url').pathToFileURL(__filename).href;`;

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
  // Of a CommonJS package a chunk that is read on first use has no names, only a default.
  alias: { sucrase: 'sucrase/dist/esm/index.js', '@aws-sdk/credential-provider-node': './src/standalone/default-credentials.ts' },
  // CommonJS packages inside the bundle ask for Node's own modules with `require`.
  banner: { js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);" },
  write: false,
  metafile: true,
  logLevel: 'warning',
});

const standalone = await buildStandalone();
const console = await consolePack();
const graphql = await graphqlPack();

// What is served as it is, then chunks, each put in place whole: whoever starts meanwhile finds either the old build or the new one.
put(join(dist, 'assets', 'scalar.js.gz'), await scalarScript());
put(join(dist, 'assets', 'scalar.LICENSE'), scalarLicense());
put(join(dist, 'assets', 'console.pack'), console.pack);
put(join(dist, 'assets', 'graphql.pack'), graphql.pack);
for (const name of readdirSync(join(root, 'src/cli/client/runtime')))
  put(join(dist, 'assets', 'client', name), readFileSync(join(root, 'src/cli/client/runtime', name)));
put(join(dist, 'THIRD-PARTY.txt'), thirdPartyText(result.metafile, standalone.metafile, console.metafile, graphql.metafile));
put(join(dist, 'standalone.cjs'), standalone.text);
const isEntry = (file) => dirname(file.path) === dist;
for (const file of result.outputFiles.filter((each) => !isEntry(each))) put(file.path, file.contents);
for (const file of result.outputFiles.filter(isEntry)) put(file.path, `${file.text}\n// built from ${sourceHash()}\n`);
removeOldChunks(new Set(result.outputFiles.map((file) => basename(file.path))));

/** The runtime of built applications: one CommonJS text, in which files of `src/standalone` stand in for what looks around on the disk. */
async function buildStandalone() {
  const standIns = new Map([
    ['src/store/sqlite/package.ts', 'src/standalone/sqlite.ts'],
    ['src/functions/javascript/module-file.ts', 'src/standalone/modules.ts'],
    ['src/functions/clojure/interpreter-folder.ts', 'src/standalone/interpreter.ts'],
    ['src/http/openapi/docs/script.ts', 'src/standalone/docs-script.ts'],
    ['src/http/console/files.ts', 'src/standalone/console-files.ts'],
    ['src/identity/mail/template-file.ts', 'src/standalone/template-file.ts'],
    ['@node-rs/argon2', 'src/standalone/argon2.ts'],
    ['node-gyp-build', 'src/standalone/binding.ts'],
    ['@aws-sdk/credential-provider-node', 'src/standalone/default-credentials.ts'],
    // What a built application has no command for.
    ...['build/build', 'client/client', 'project/convert', 'project/format', 'project/init', 'run/watch'].map((name) => [
      `src/cli/${name}.ts`,
      'src/standalone/absent.ts',
    ]),
  ]);
  const plugin = {
    name: 'stand-ins',
    setup({ onResolve }) {
      onResolve({ filter: /./ }, ({ path, resolveDir }) => {
        const name = path.startsWith('.') ? relative(root, resolve(resolveDir, path)).replaceAll('\\', '/') : path;
        const target = standIns.get(name);
        return target === undefined ? undefined : { path: join(root, target) };
      });
    },
  };
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/standalone/standalone.ts'],
    outfile: 'dist/standalone.cjs',
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    legalComments: 'none',
    external: ['pg-native'],
    plugins: [plugin],
    define: { 'import.meta.url': '__fileUrl' },
    banner: { js: standaloneBanner },
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  return { text: outputFiles[0].text, metafile };
}

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
