// One mutation: the tests that reach it run on a copy with it, the cheapest first, until one notices it.

import type { Copy, RunEnd } from './copy.ts';
import { applied, type Mutation } from './operators.ts';
import type { Unit } from './reach.ts';

export interface Verdict {
  readonly mutation: Mutation;
  readonly result: 'noticed' | 'noticed in the long form' | 'unnoticed';
  readonly by?: Noticing;
  readonly ran: number;
  readonly reached: number;
}

/** What has noticed a mutation: a test of a file, or that a run did not end well. */
export interface Noticing {
  readonly project: string;
  readonly file?: string;
  readonly how: string;
}

export interface Bounds {
  /** How many files run first. */
  readonly first: number;
  /** Of the recorded time of the files that run then, on the embedded store; half of it on the other one. */
  readonly seconds: number;
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
      const by = await noticedBy(copy, project, units);
      if (by !== undefined) return { mutation, result: 'noticed', by, ran, reached };
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

/** Nothing where all tests pass. */
export async function noticedBy(copy: Copy, project: string, units: readonly Unit[], isLong = false): Promise<Noticing | undefined> {
  const { ended, code, said } = await runOf(copy, project, units, isLong);
  const failed = ended.find(({ state }) => state === 'failed');
  if (failed !== undefined) return { project, file: failed.file, how: failed.failed ?? 'it could not be loaded' };
  if (code === 0) return undefined;
  return { project, how: code === 'time' ? 'the run did not end' : `the run ended with ${code}: ${said.trim().slice(-300)}` };
}

/** Generous: a busy machine is not a mutation that is noticed. */
export function runOf(copy: Copy, project: string, units: readonly Unit[], isLong = false, bail = true): Promise<RunEnd> {
  const times = units.map(({ seconds }) => seconds * (isLong ? 20 : 1));
  const sum = times.reduce((all, each) => all + each, 0);
  const milliseconds = { test: 1000 * (30 + 5 * Math.max(...times)), run: 1000 * (90 + 4 * sum) };
  return copy.run({ projects: [project], files: units.map(({ file }) => file), milliseconds, isLong, bail });
}
