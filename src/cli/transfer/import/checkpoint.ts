// Remembers beside an import how far it came, so that one that was cut off goes on where it was.

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { StartRefused } from '../../../store/store.ts';

export interface Progress {
  /** The last line that was looked at. */
  readonly line: number;
  readonly added: number;
  readonly same: number;
  /** Lines whose references were not there yet. */
  readonly waiting: readonly number[];
  /** Lines that did not fit: the next run tries them again. */
  readonly refused: readonly number[];
}

export const nothingDone: Progress = { line: 0, added: 0, same: 0, waiting: [], refused: [] };

export interface Saved {
  readonly progress: Progress;
  /** Another one each time it is written: the database says by it what came after. */
  readonly saved: string;
}

/** By the name of the file. Kept for one target: another database has none of what was done. */
export type Checkpoint = ReadonlyMap<string, Saved>;

interface Kept {
  readonly target: string;
  readonly files: Readonly<Record<string, { readonly stamp: string; readonly saved?: string; readonly progress: Progress }>>;
}

/** What was done of these files as they are now; a file that was changed begins anew. */
export function readCheckpoint(path: string, target: string, files: readonly string[]): Checkpoint {
  const kept = read(path);
  if (kept?.target !== target) return new Map();
  return new Map(
    files.flatMap((file) => {
      const found = kept.files[basename(file)];
      return found?.stamp === stampOf(file) ? [[basename(file), { progress: found.progress, saved: found.saved ?? '' }] as const] : [];
    }),
  );
}

export function writeCheckpoint(path: string, target: string, files: readonly string[], checkpoint: Checkpoint): void {
  const entries = files.flatMap((file) => {
    const saved = checkpoint.get(basename(file));
    return saved === undefined ? [] : [[basename(file), { stamp: stampOf(file), ...saved }] as const];
  });
  const kept: Kept = { target, files: Object.fromEntries(entries) };
  const partial = `${path}.${process.pid}`;
  try {
    writeFileSync(partial, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
    renameSync(partial, path);
  } catch (thrown) {
    rmSync(partial, { force: true });
    const reason = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
    throw new StartRefused(`How far the import is cannot be remembered in ${path} (${reason}); --checkpoint names another file.`, thrown);
  }
}

function read(path: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isKept(kept) ? kept : undefined;
  } catch (thrown) {
    // None yet, or one that was cut off: what is there already is found out line by line.
    if (thrown instanceof SyntaxError || (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) return undefined;
    throw thrown;
  }
}

function isKept(value: unknown): value is Kept {
  return typeof value === 'object' && value !== null && 'target' in value && 'files' in value && typeof value.files === 'object';
}

function stampOf(file: string): string {
  const { size, mtimeMs } = statSync(file);
  return `${size}-${Math.floor(mtimeMs)}`;
}
