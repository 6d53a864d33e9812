// One run of an import: file after file in batches, then again what had to wait for something that came later, in the end all of it together.

import { basename } from 'node:path';
import type { Restored, RestoreItem } from '../engine/restore.ts';
import type { Plan } from '../plan/plan.ts';
import { type Checkpoint, nothingDone, type Progress, readCheckpoint, writeCheckpoint } from './import-checkpoint.ts';
import { type ImportFile, type ImportRecord, recordsOf } from './import-records.ts';

export interface ImportJob {
  readonly files: readonly ImportFile[];
  readonly plan: Plan;
  readonly strict: boolean;
  readonly target: string;
  /** Where it is remembered how far it came. */
  readonly checkpoint: string;
  restore(items: readonly RestoreItem[]): Promise<readonly Restored[]>;
  /** Those that point at each other. */
  restoreTogether(items: readonly RestoreItem[]): Promise<readonly Restored[]>;
  tell(file: string, line: number, message: string): void;
}

export interface ImportTotal {
  readonly added: number;
  readonly same: number;
  readonly refused: number;
  /** Lines that an earlier run has done. */
  readonly before: number;
}

const batchSize = 200;

export async function runImport(job: ImportJob): Promise<ImportTotal> {
  const paths = job.files.map((each) => each.file);
  const before = readCheckpoint(job.checkpoint, job.target, paths);
  const kept = new Map([...before].map(([name, progress]) => [name, tryAgain(progress)]));
  const save = (file: string, progress: Progress): void => {
    kept.set(basename(file), progress);
    writeCheckpoint(job.checkpoint, job.target, paths, kept);
  };
  // Before anything is added, so that nothing is that could not be remembered.
  writeCheckpoint(job.checkpoint, job.target, paths, before);
  for (const file of job.files) if (!(await firstPass(file, job, kept, save))) return totalOf(kept, before);
  for (let backwards = true; ; backwards = !backwards) {
    const pass = await laterPass(backwards, job, kept, save);
    const left = pass.left.reduce((sum, [, results]) => sum + results.length, 0);
    // Where passes get on slowly, or not at all, what is left may be held up by itself.
    const together = left > pass.found ? await togetherPass(pass.left, job, kept, save) : { found: 0, left: pass.left };
    if (pass.found + together.found > 0) continue;
    // What is left now points at nothing.
    for (const [file, results] of together.left) giveUp(file, results, job, kept, save);
    return totalOf(kept, before);
  }
}

type Save = (file: string, progress: Progress) => void;

/** What an earlier run refused may fit now: the model was changed, or what was missing has come. */
function tryAgain(progress: Progress): Progress {
  return { ...progress, waiting: [...progress.waiting, ...progress.refused].sort((a, b) => a - b), refused: [] };
}

/** False when it must end here. */
async function firstPass(file: ImportFile, job: ImportJob, kept: Checkpoint, save: Save): Promise<boolean> {
  let progress = kept.get(basename(file.file)) ?? nothingDone;
  let unsaved = 0;
  for await (const batch of batchesOf(file, job, (line) => line > progress.line)) {
    const results = await outcomes(batch, job.restore);
    const [refused, waiting] = [tellRefused(file, results, job), linesOf(results, 'waits')];
    progress = { ...withDone(progress, results), line: batch.at(-1)?.line ?? progress.line };
    progress = { ...progress, refused: [...progress.refused, ...refused], waiting: [...progress.waiting, ...waiting] };
    unsaved += 1;
    const ends = job.strict && refused.length > 0;
    // A long list of what is open is not written down with every batch; what is done again is found to be there.
    if (ends || unsaved * 1000 > progress.waiting.length + progress.refused.length) {
      save(file.file, progress);
      unsaved = 0;
    }
    if (ends) return false;
  }
  if (unsaved > 0) save(file.file, progress);
  return true;
}

/** How many of those that waited have found what they waited for, and which have not. */
async function laterPass(backwards: boolean, job: ImportJob, kept: Checkpoint, save: Save): Promise<Pass> {
  let found = 0;
  const left: (readonly [ImportFile, readonly Outcome[]])[] = [];
  for (const file of job.files) {
    const progress = kept.get(basename(file.file)) ?? nothingDone;
    if (progress.waiting.length === 0) continue;
    const results = await passOver(file, new Set(progress.waiting), backwards, job);
    found += take(file, results, job, kept, save);
    left.push([file, results.filter(({ result }) => result.kind === 'waits')]);
  }
  return { found, left };
}

/** All that waits, over all files, at once. */
async function togetherPass(waiting: Pass['left'], job: ImportJob, kept: Checkpoint, save: Save): Promise<Pass> {
  const records = waiting.flatMap(([, results]) => results.map(({ record }) => record));
  const all = await outcomes(records, job.restoreTogether);
  let [found, from] = [0, 0];
  const left: (readonly [ImportFile, readonly Outcome[]])[] = [];
  for (const [file, before] of waiting) {
    const results = all.slice(from, from + before.length);
    from += before.length;
    found += take(file, results, job, kept, save);
    // Why it waited is known better from before.
    left.push([file, before.filter((_, index) => results[index]?.result.kind === 'waits')]);
  }
  return { found, left };
}

/** Writes down what came of the lines of a file that waited; gives how many wait no more. */
function take(file: ImportFile, results: readonly Outcome[], job: ImportJob, kept: Checkpoint, save: Save): number {
  const progress = kept.get(basename(file.file)) ?? nothingDone;
  const [refused, waiting] = [tellRefused(file, results, job), linesOf(results, 'waits')];
  save(file.file, { ...withDone(progress, results), refused: [...progress.refused, ...refused], waiting });
  return results.length - refused.length - waiting.length;
}

interface Pass {
  readonly found: number;
  readonly left: readonly (readonly [ImportFile, readonly Outcome[]])[];
}

function giveUp(file: ImportFile, left: readonly Outcome[], job: ImportJob, kept: Checkpoint, save: Save): void {
  for (const { record, result } of left) if (result.kind === 'waits') job.tell(file.file, record.line, result.reason);
  const progress = kept.get(basename(file.file)) ?? nothingDone;
  save(file.file, { ...progress, refused: [...progress.refused, ...linesOf(left, 'waits')], waiting: [] });
}

/** What refers to later lines is best gone through from the end. */
async function passOver(file: ImportFile, lines: ReadonlySet<number>, backwards: boolean, job: ImportJob): Promise<readonly Outcome[]> {
  const batches: (readonly ImportRecord[])[] = [];
  for await (const batch of batchesOf(file, job, (line) => lines.has(line))) batches.push(backwards ? batch.toReversed() : batch);
  const results: Outcome[] = [];
  for (const batch of backwards ? batches.toReversed() : batches) results.push(...(await outcomes(batch, job.restore)));
  return results.sort((a, b) => a.record.line - b.record.line);
}

/** Tells what does not fit, and gives its lines. */
function tellRefused({ file }: ImportFile, results: readonly Outcome[], job: ImportJob): readonly number[] {
  for (const { record, result } of results) if (result.kind === 'refused') job.tell(file, record.line, result.reason);
  return linesOf(results, 'refused');
}

function linesOf(results: readonly Outcome[], kind: Restored['kind']): readonly number[] {
  return results.flatMap(({ record, result }) => (result.kind === kind ? [record.line] : []));
}

function withDone(progress: Progress, results: readonly Outcome[]): Progress {
  const count = (kind: Restored['kind']) => linesOf(results, kind).length;
  return { ...progress, added: progress.added + count('added'), same: progress.same + count('same') };
}

interface Outcome {
  readonly record: ImportRecord;
  readonly result: Restored;
}

async function outcomes(batch: readonly ImportRecord[], restore: ImportJob['restore']): Promise<readonly Outcome[]> {
  const items = batch.flatMap(({ content }) => ('plan' in content ? [content] : []));
  const restored = items.length === 0 ? [] : await restore(items);
  let next = 0;
  return batch.map((record): Outcome => {
    if ('fault' in record.content) return { record, result: { kind: 'refused', reason: record.content.fault } };
    const result = restored[next] ?? { kind: 'refused', reason: 'it was not looked at' };
    next += 1;
    return { record, result };
  });
}

async function* batchesOf(
  file: ImportFile,
  { plan }: ImportJob,
  isWanted: (line: number) => boolean,
): AsyncGenerator<readonly ImportRecord[]> {
  let batch: ImportRecord[] = [];
  for await (const record of recordsOf(file, (type) => plan.entities.get(type) ?? plan.links.get(type))) {
    if (!isWanted(record.line)) continue;
    batch.push(record);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function totalOf(after: Checkpoint, before: Checkpoint): ImportTotal {
  const sum = (of: Checkpoint, value: (progress: Progress) => number) => [...of.values()].reduce((total, each) => total + value(each), 0);
  const grown = (value: (progress: Progress) => number) => sum(after, value) - sum(before, value);
  return {
    added: grown((each) => each.added),
    same: grown((each) => each.same),
    refused: sum(after, (each) => each.refused.length),
    before: sum(before, (each) => each.added + each.same),
  };
}
