// Bundles the console into one file, and the page at /graphql into another: every file of a page compressed with brotli and gzip, behind an index (src/http/console/pack.ts reads it).

import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './steps.js';

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

/** The pack, and what is in it. */
export const consolePack = () => pagePack('console/src/main.tsx');

export const graphqlPack = () => pagePack('console/src/graphql/main.tsx');

async function pagePack(source) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: source },
    outdir: 'out',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome111', 'firefox114', 'safari16.4'],
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfig: join(root, 'console', 'tsconfig.json'),
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const names = outputFiles.map((file) => file.path.slice(join(root, 'out').length + 1).replaceAll('\\', '/'));
  const first = (end) => names.find((name) => name.startsWith('main-') && name.endsWith(end));
  return { pack: packed({ script: first('.js'), style: first('.css') }, outputFiles, names), metafile };
}

function packed(first, files, names) {
  const pieces = [];
  let offset = 0;
  const add = (bytes) => {
    pieces.push(bytes);
    offset += bytes.length;
    return [offset - bytes.length, bytes.length];
  };
  const index = files.map(({ contents }, at) => {
    const type = types[names[at].split('.').at(-1)] ?? 'application/octet-stream';
    return { name: names[at], type, br: add(brotli(contents)), gzip: add(gzipSync(contents, { level: 9 })) };
  });
  const head = Buffer.from(JSON.stringify({ ...first, files: index }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...pieces]);
}

function brotli(contents) {
  return brotliCompressSync(contents, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length },
  });
}
