// One mutation: the tests that reach it run on a copy with it, the cheapest first, until one notices it.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Copy, type RunEnd, root } from './copy.ts';
import { applied, type Mutation } from './operators.ts';
import type { Unit } from './reach.ts';

export interface Verdict {
  readonly mutation: Mutation;
  readonly result: 'noticed' | 'noticed in the long form' | 'unnoticed';
  /** The test file and the title of the test, or that the run took too long. */
  readonly by?: string;
  readonly ran: number;
  readonly reached: number;
}

export interface Bounds {
  /** How many files run first. */
  readonly first: number;
  /** Of the recorded time of the files that run then, on the embedded store; half of it on the other one. */
  readonly seconds: number;
  readonly isLong: boolean;
}

interface Batch {
  readonly project: string;
  readonly units: readonly Unit[];
}

export async function attempt(copy: Copy, mutation: Mutation, text: string, reaching: readonly Unit[], bounds: Bounds): Promise<Verdict> {
  const reached = new Set(reaching.map(({ file }) => file)).size;
  let ran = 0;
  copy.write(mutation.file, applied(text, mutation));
  try {
    for (const { project, units } of batches(reaching, bounds)) {
      ran += units.length;
      const by = await noticedBy(copy, project, units, false);
      if (by !== undefined) return { mutation, result: 'noticed', by, ran, reached };
    }
    for (const { project, units } of longBatches(reaching, bounds)) {
      ran += units.length;
      const by = await noticedBy(copy, project, units, true);
      if (by !== undefined) return { mutation, result: 'noticed in the long form', by, ran, reached };
    }
    return { mutation, result: 'unnoticed', ran, reached };
  } finally {
    copy.write(mutation.file, text);
  }
}

/** The first on the embedded store, others of it, some on the server: those that run nowhere else before those that also do. */
export function batches(reaching: readonly Unit[], { first, seconds }: Bounds): readonly Batch[] {
  const usable = reaching.filter(({ passed }) => passed).sort((a, b) => a.seconds - b.seconds);
  const onSqlite = usable.filter(({ project }) => project === 'sqlite');
  const isRepeated = ({ file }: Unit) => onSqlite.some((each) => each.file === file);
  const onServer = usable.filter(({ project }) => project !== 'sqlite');
  const server = within([...onServer.filter((each) => !isRepeated(each)), ...onServer.filter(isRepeated)], seconds / 2);
  const found = [
    { project: 'sqlite', units: onSqlite.slice(0, first) },
    { project: 'sqlite', units: within(onSqlite.slice(first), seconds) },
    { project: 'postgres', units: server },
  ];
  return found.filter(({ units }) => units.length > 0);
}

/** As many as fit, and the cheapest one in any case. */
function within(units: readonly Unit[], seconds: number): readonly Unit[] {
  let sum = 0;
  return units.filter((each, at) => {
    sum += each.seconds;
    return at === 0 || sum <= seconds;
  });
}

/** The files that only the long form has, of the folders whose tests reach the place; with `isLong` all that reach it, with their large counts. */
function longBatches(reaching: readonly Unit[], { isLong }: Bounds): readonly Batch[] {
  const folders = new Set(reaching.map(({ file }) => dirname(file)));
  const onlyLong = [...folders].flatMap((folder) => (existsSync(join(root, folder)) ? longFiles(folder) : []));
  const added = onlyLong.map((file): Unit => ({ project: 'sqlite', file, seconds: 120, passed: true, entered: '' }));
  const again = isLong ? reaching.filter(({ passed }) => passed) : [];
  const units = [...added, ...again];
  return ['sqlite', 'postgres']
    .map((project) => ({ project, units: units.filter((each) => each.project === project) }))
    .filter((batch) => batch.units.length > 0);
}

function longFiles(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.long.test.ts'));
  return names.map((name) => `${folder}/${name}`);
}

async function noticedBy(copy: Copy, project: string, units: readonly Unit[], isLong: boolean): Promise<string | undefined> {
  const run = await runOf(copy, project, units, isLong);
  const failed = run.ended.find(({ state }) => state === 'failed');
  if (failed !== undefined) return `${failed.file}: ${failed.failed ?? 'it could not be loaded'}`;
  if (run.code === 'time') return `${units[run.ended.length]?.file}: took too long`;
  return run.code === 0 ? undefined : `the run ended with ${run.code}: ${run.said.trim().split('\n')[0]}`;
}

/** Generous: a busy machine is not a mutation that is noticed. */
export function runOf(copy: Copy, project: string, units: readonly Unit[], isLong = false, bail = true): Promise<RunEnd> {
  const times = units.map(({ seconds }) => seconds * (isLong ? 20 : 1));
  const sum = times.reduce((all, each) => all + each, 0);
  const milliseconds = { test: 1000 * (30 + 5 * Math.max(...times)), run: 1000 * (90 + 4 * sum) };
  return copy.run({ projects: [project], files: units.map(({ file }) => file), milliseconds, isLong, bail });
}
