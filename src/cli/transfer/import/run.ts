// One run of an import: file after file in batches, then again what had to wait for something that came later, in the end all of it together.

import type { Note, Restored, RestoreItem } from '../../../engine/restore/restore.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { Progress } from './checkpoint.ts';
import type { Outcomes } from './claim.ts';
import type { Ledger } from './ledger.ts';
import { type ImportFile, type ImportRecord, recordsOf } from './records.ts';

export interface ImportJob {
  readonly files: readonly ImportFile[];
  readonly plan: Plan;
  readonly strict: boolean;
  readonly ledger: Ledger;
  restore(items: readonly RestoreItem[], note: Note): Promise<readonly Restored[]>;
  /** Those that point at each other. */
  restoreTogether(items: readonly RestoreItem[], note: Note): Promise<readonly Restored[]>;
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
  for (const file of job.files) if (!(await firstPass(file, job))) return totalOf(job.ledger);
  for (let backwards = true; ; backwards = !backwards) {
    const pass = await laterPass(backwards, job);
    const left = pass.left.reduce((sum, [, results]) => sum + results.length, 0);
    // Where passes get on slowly, or not at all, what is left may be held up by itself.
    const together = left > pass.found ? await togetherPass(pass.left, job) : { found: 0, left: pass.left };
    if (pass.found + together.found > 0) continue;
    // What is left now points at nothing.
    for (const [file, results] of together.left) giveUp(file, results, job);
    return totalOf(job.ledger);
  }
}

/** False when it must end here. */
async function firstPass(file: ImportFile, job: ImportJob): Promise<boolean> {
  const { line: done } = job.ledger.progress(file.file);
  let ends = false;
  for await (const batch of batchesOf(file, job, (line) => line > done)) {
    const results = await restored(file, batch, batch.at(-1)?.line ?? 0, job);
    ends = tellRefused(file, results, job) > 0 && job.strict;
    if (ends) break;
  }
  job.ledger.save(file.file);
  return !ends;
}

/** A batch of lines of one file, added and noted at once. */
async function restored(file: ImportFile, batch: readonly ImportRecord[], line: number, job: ImportJob): Promise<readonly Outcome[]> {
  const { ledger } = job;
  const note: Note = (results, tx) => ledger.note(new Map([[file.file, outcomesOf(asOutcomes(batch, results), line)]]), tx);
  const items = itemsOf(batch);
  const results = asOutcomes(batch, items.length === 0 ? [] : await job.restore(items, note));
  ledger.take(file.file, outcomesOf(results, line));
  return results;
}

/** How many of those that waited have found what they waited for, and which have not. */
async function laterPass(backwards: boolean, job: ImportJob): Promise<Pass> {
  let found = 0;
  const left: (readonly [ImportFile, readonly Outcome[]])[] = [];
  for (const file of job.files) {
    const { waiting } = job.ledger.progress(file.file);
    if (waiting.length === 0) continue;
    const results = await passOver(file, new Set(waiting), backwards, job);
    job.ledger.save(file.file);
    found += settled(file, results, job);
    left.push([file, results.filter(({ result }) => result.kind === 'waits')]);
  }
  return { found, left };
}

/** All that waits, over all files, at once. */
async function togetherPass(waiting: Pass['left'], job: ImportJob): Promise<Pass> {
  const records = waiting.flatMap(([, results]) => results.map(({ record }) => record));
  const byFile = (all: readonly Outcome[]) => {
    let from = 0;
    return waiting.map(([file, before]) => {
      from += before.length;
      return [file, all.slice(from - before.length, from)] as const;
    });
  };
  const note: Note = (results, tx) => {
    const done = byFile(asOutcomes(records, results)).map(([{ file }, each]) => [file, outcomesOf(each, 0)] as const);
    return job.ledger.note(new Map(done), tx);
  };
  const all = byFile(asOutcomes(records, await job.restoreTogether(itemsOf(records), note)));
  let found = 0;
  const left: (readonly [ImportFile, readonly Outcome[]])[] = [];
  for (const [index, [file, results]] of all.entries()) {
    job.ledger.take(file.file, outcomesOf(results, 0));
    job.ledger.save(file.file);
    found += settled(file, results, job);
    // Why it waited is known better from before.
    const before = waiting[index]?.[1] ?? [];
    left.push([file, before.filter((_, place) => results[place]?.result.kind === 'waits')]);
  }
  return { found, left };
}

/** How many wait no more; those that do not fit are told. */
function settled(file: ImportFile, results: readonly Outcome[], job: ImportJob): number {
  return results.length - tellRefused(file, results, job) - linesOf(results, 'waits').length;
}

interface Pass {
  readonly found: number;
  readonly left: readonly (readonly [ImportFile, readonly Outcome[]])[];
}

function giveUp(file: ImportFile, left: readonly Outcome[], job: ImportJob): void {
  for (const { record, result } of left) if (result.kind === 'waits') job.tell(file.file, record.line, result.reason);
  job.ledger.take(file.file, { line: 0, added: [], same: [], waiting: [], refused: linesOf(left, 'waits') });
  job.ledger.save(file.file);
}

/** What refers to later lines is best gone through from the end. */
async function passOver(file: ImportFile, lines: ReadonlySet<number>, backwards: boolean, job: ImportJob): Promise<readonly Outcome[]> {
  const batches: (readonly ImportRecord[])[] = [];
  for await (const batch of batchesOf(file, job, (line) => lines.has(line))) batches.push(backwards ? batch.toReversed() : batch);
  const results: Outcome[] = [];
  for (const batch of backwards ? batches.toReversed() : batches) results.push(...(await restored(file, batch, 0, job)));
  return results.sort((a, b) => a.record.line - b.record.line);
}

/** Tells what does not fit, and gives how many those are. */
function tellRefused({ file }: ImportFile, results: readonly Outcome[], job: ImportJob): number {
  for (const { record, result } of results) if (result.kind === 'refused') job.tell(file, record.line, result.reason);
  return linesOf(results, 'refused').length;
}

function linesOf(results: readonly Outcome[], kind: Restored['kind']): readonly number[] {
  return results.flatMap(({ record, result }) => (result.kind === kind ? [record.line] : []));
}

function outcomesOf(results: readonly Outcome[], line: number): Outcomes {
  const [added, same] = [linesOf(results, 'added'), linesOf(results, 'same')];
  return { line, added, same, waiting: linesOf(results, 'waits'), refused: linesOf(results, 'refused') };
}

interface Outcome {
  readonly record: ImportRecord;
  readonly result: Restored;
}

function itemsOf(batch: readonly ImportRecord[]): readonly RestoreItem[] {
  return batch.flatMap(({ content }) => ('plan' in content ? [content] : []));
}

/** `results` are those of the items alone. */
function asOutcomes(batch: readonly ImportRecord[], results: readonly Restored[]): readonly Outcome[] {
  let next = 0;
  return batch.map((record): Outcome => {
    if ('fault' in record.content) return { record, result: { kind: 'refused', reason: record.content.fault } };
    const result = results[next] ?? { kind: 'refused', reason: 'it was not looked at' };
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

function totalOf({ before, all }: Ledger): ImportTotal {
  const sum = (of: readonly Progress[], value: (progress: Progress) => number) => of.reduce((total, each) => total + value(each), 0);
  const grown = (value: (progress: Progress) => number) => sum(all(), value) - sum(before, value);
  return {
    added: grown((each) => each.added),
    same: grown((each) => each.same),
    refused: sum(all(), (each) => each.refused.length),
    before: sum(before, (each) => each.added + each.same),
  };
}
