// Keeps account of the lines of an import: in the database with the rows that they became, and now and then in the checkpoint beside the data.

import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Writer } from '../../../store/store.ts';
import { type Checkpoint, nothingDone, type Progress, readCheckpoint, type Saved, writeCheckpoint } from './checkpoint.ts';
import type { Claim, Outcomes, Unsaved } from './claim.ts';

export interface Ledger {
  /** What earlier runs have done. */
  readonly before: readonly Progress[];
  all(): readonly Progress[];
  progress(file: string): Progress;
  /** In the transaction that adds what these lines became. */
  note(outcomes: ReadonlyMap<string, Outcomes>, tx: Writer): Promise<void>;
  /** After it: they are done. */
  take(file: string, outcomes: Outcomes): void;
  save(file: string): void;
}

export interface LedgerPlace {
  readonly checkpoint: string;
  readonly target: string;
  readonly files: readonly string[];
}

/** So many lines are held in the database before the checkpoint is written. */
const fewLines = 1000;

/** More where many are open: the checkpoint holds all of them, and is long; what is held is written anew with every batch. */
function mostHeld({ waiting, refused }: Progress): number {
  return Math.max(fewLines, Math.sqrt(fewLines * (waiting.length + refused.length)));
}

export function openLedger({ checkpoint, target, files }: LedgerPlace, claim: Claim): Ledger {
  const found = withLeft(readCheckpoint(checkpoint, target, files), claim.left);
  const kept = new Map(files.map((file) => [basename(file), tryAgain(found.get(basename(file)) ?? nothingSaved())]));
  const unsaved = new Map<string, Outcomes>();
  const savedOf = (name: string): Saved => kept.get(name) ?? nothingSaved();
  const write = (): void => writeCheckpoint(checkpoint, target, files, kept);
  const save = (file: string): void => {
    const name = basename(file);
    kept.set(name, { progress: savedOf(name).progress, saved: randomUUID() });
    unsaved.delete(name);
    write();
  };
  // Before anything is added, so that nothing is that could not be remembered. What the database remembers stands in it from now on.
  for (const name of kept.keys()) kept.set(name, { ...savedOf(name), saved: randomUUID() });
  write();
  return {
    before: [...found.values()].map((each) => each.progress),
    all: () => [...kept.values()].map((each) => each.progress),
    progress: (file) => savedOf(basename(file)).progress,
    async note(outcomes, tx) {
      const merged = new Map(unsaved);
      for (const [file, each] of outcomes) merged.set(basename(file), together(unsaved.get(basename(file)) ?? noOutcomes, each));
      await claim.note(Object.fromEntries([...merged].map(([name, each]) => [name, { saved: savedOf(name).saved, outcomes: each }])), tx);
    },
    take(file, outcomes) {
      const name = basename(file);
      const { progress, saved } = savedOf(name);
      const held = together(unsaved.get(name) ?? noOutcomes, outcomes);
      unsaved.set(name, held);
      kept.set(name, { progress: applied(progress, outcomes), saved });
      if (linesIn(held) >= mostHeld(progress)) save(file);
    },
    save,
  };
}

const noOutcomes: Outcomes = { line: 0, added: [], same: [], waiting: [], refused: [] };

function nothingSaved(): Saved {
  return { progress: nothingDone, saved: '' };
}

/** What the checkpoint does not say, because it was cut off before, the database does. */
function withLeft(checkpoint: Checkpoint, left: Unsaved): Checkpoint {
  return new Map(
    [...checkpoint].map(([name, { progress, saved }]) => {
      const more = left[name];
      return [name, { saved, progress: more?.saved === saved ? applied(progress, more.outcomes) : progress }] as const;
    }),
  );
}

/** What an earlier run refused may fit now: the model was changed, or what was missing has come. */
function tryAgain({ progress, saved }: Saved): Saved {
  return { saved, progress: { ...progress, waiting: inOrder([...progress.waiting, ...progress.refused]), refused: [] } };
}

function applied(progress: Progress, { line, added, same, waiting, refused }: Outcomes): Progress {
  const looked = new Set([...added, ...same, ...waiting, ...refused]);
  const open = (lines: readonly number[]) => lines.filter((each) => !looked.has(each));
  return {
    line: Math.max(progress.line, line),
    added: progress.added + added.length,
    same: progress.same + same.length,
    waiting: inOrder([...open(progress.waiting), ...waiting]),
    refused: inOrder([...open(progress.refused), ...refused]),
  };
}

/** A line that waited, and was looked at again, is what it was found to be last. */
function together(first: Outcomes, then: Outcomes): Outcomes {
  const looked = new Set([...then.added, ...then.same, ...then.waiting, ...then.refused]);
  const merged = (of: (each: Outcomes) => readonly number[]) => [...of(first).filter((each) => !looked.has(each)), ...of(then)];
  return {
    line: Math.max(first.line, then.line),
    added: merged((each) => each.added),
    same: merged((each) => each.same),
    waiting: merged((each) => each.waiting),
    refused: merged((each) => each.refused),
  };
}

function linesIn({ added, same, waiting, refused }: Outcomes): number {
  return added.length + same.length + waiting.length + refused.length;
}

function inOrder(lines: readonly number[]): readonly number[] {
  return [...lines].sort((a, b) => a - b);
}
