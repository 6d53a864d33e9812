// All sources of the rooms, as they stand in the checkout.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './copy.ts';
import { type Mutation, mutationsOf } from './operators.ts';

export type Sources = ReadonlyMap<string, string>;

export function sources(): Sources {
  const entries = readdirSync(join(root, 'src'), { withFileTypes: true, recursive: true });
  const files = entries
    .filter((each) => each.isFile() && each.name.endsWith('.ts'))
    .map((each) => relative(root, join(each.parentPath, each.name)));
  return new Map(files.sort().map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]));
}

export function allMutations(texts: Sources): readonly Mutation[] {
  return [...texts].flatMap(([file, text]) => mutationsOf(file, text));
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
