// What the short form does not notice is tried with what only the long form has: all mutations at once, and in halves where something fails.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noticedBy, type Verdict } from './attempt.ts';
import { type Copy, root } from './copy.ts';
import { applied } from './operators.ts';
import type { Unit } from './reach.ts';

/** A verdict of the short form, and the units that reach its place. */
export interface Open {
  readonly verdict: Verdict;
  readonly reaching: readonly Unit[];
}

/** Those that the long form notices. With `isAll`, the files that reach them run too, with their large counts, on both stores. */
export async function noticedInLong(
  copy: Copy,
  open: readonly Open[],
  textOf: (file: string) => string,
  isAll: boolean,
): Promise<readonly Verdict[]> {
  const units = unitsOf(open, isAll);
  if (open.length === 0 || units.length === 0) return [];
  const mutations = open.map(({ verdict }) => verdict.mutation);
  const files = new Set(mutations.map(({ file }) => file));
  // Two that are in one file cannot be made at once.
  const by = files.size < open.length ? undefined : await noticedTogether();
  if (files.size === open.length && by === undefined) return [];
  const [only] = open;
  if (open.length === 1) return only === undefined || by === undefined ? [] : [{ ...only.verdict, result: 'noticed in the long form', by }];
  const half = open.length >> 1;
  const first = await noticedInLong(copy, open.slice(0, half), textOf, isAll);
  return [...first, ...(await noticedInLong(copy, open.slice(half), textOf, isAll))];

  async function noticedTogether() {
    for (const each of mutations) copy.write(each.file, applied(textOf(each.file), each));
    try {
      for (const project of ['sqlite', 'postgres']) {
        const some = units.filter((each) => each.project === project);
        const found = some.length === 0 ? undefined : await noticedBy(copy, project, some, true);
        if (found !== undefined) return found;
      }
      return undefined;
    } finally {
      for (const file of files) copy.write(file, textOf(file));
    }
  }
}

/** The files that only the long form has, of the folders whose tests reach the places. */
function unitsOf(open: readonly Open[], isAll: boolean): readonly Unit[] {
  const reaching = [...new Set(open.flatMap((each) => each.reaching))];
  const folders = new Set(reaching.map(({ file }) => dirname(file)));
  const onlyLong = [...folders].flatMap((folder) => (existsSync(join(root, folder)) ? longFiles(folder) : []));
  const added = onlyLong.map((file): Unit => ({ project: 'sqlite', file, seconds: 15, passed: true, entered: '' }));
  const again = isAll ? reaching.filter(({ passed, file }) => passed && !onlyLong.includes(file)) : [];
  return [...added, ...again];
}

function longFiles(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.long.test.ts'));
  return names.map((name) => `${folder}/${name}`);
}
