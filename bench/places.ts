// Places in the bundle → the source files they were made of, by the comments that the bundler leaves above each of them.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Place {
  readonly file: string;
  /** From 1; absent where there is none. */
  readonly line: number | undefined;
}

interface Bundle {
  /** For each line, the file it came from and the line where that file begins. */
  readonly lines: readonly { readonly file: string; readonly begins: number }[];
}

export function placesIn(root: string): (url: string, line: number) => Place {
  const bundles = new Map<string, Bundle>();
  return (url, line) => {
    if (!url.startsWith('file:')) return { file: url === '' ? '(native)' : url, line: url === '' ? undefined : line + 1 };
    const path = fileURLToPath(url);
    const name = path.startsWith(root) ? path.slice(root.length) : path;
    if (!name.startsWith('dist/')) return { file: name, line: line + 1 };
    const bundle = bundles.get(path) ?? readBundle(path, name);
    bundles.set(path, bundle);
    const found = bundle.lines[line];
    return found === undefined ? { file: name, line: line + 1 } : { file: found.file, line: undefined };
  };
}

function readBundle(path: string, name: string): Bundle {
  let current = { file: name, begins: 0 };
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map((text, index) => {
      const file = /^\s*\/\/ ((?:src|node_modules)\/\S+)$/.exec(text)?.[1];
      if (file !== undefined) current = { file, begins: index };
      return current;
    });
  return { lines };
}
