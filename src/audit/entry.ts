// One entry of the audit trail: what it holds, the text that its hash is made of, and the line by which a block names it.

import { runOf, userOf } from '../engine/caller.ts';
import type { Context } from '../engine/operation.ts';
import type { WriteKind } from '../engine/seams.ts';
import type { TypeName } from '../model/model.ts';
import { versionColumn } from '../plan/rows/tables.ts';
import type { Value } from '../values/value.ts';
import type { Signer } from './hash-chain.ts';

/** What was done, or tried, to one instance. */
export interface Action {
  readonly operation: WriteKind;
  readonly type: TypeName;
  /** Its identifier, or its path where it stands under another one; absent where nobody knows it. */
  readonly instance: string | undefined;
  /** Objects as the JSON texts that are kept. */
  readonly before: string | null;
  readonly after: string | null;
  /** Whether it was done, at least in part, with the rights of the system. */
  readonly isBySystem?: boolean;
}

/** The values of its columns, and the line that names it. */
export interface SignedEntry {
  readonly values: readonly Value[];
  readonly line: string;
}

/** In the order of the text that is hashed; those that came later stand in it only where they say something, so that older entries have the text that they had. */
const firstColumns = [
  'id',
  'time',
  'user',
  'operation',
  'type',
  'instance',
  'before',
  'after',
  'requestId',
  'outcome',
  'run',
  'toolCall',
] as const;
export const entryColumns = [...firstColumns, 'as'] as const;

/** Entries are written once: whoever finds another version finds one that was changed. */
export const onlyVersion = 1;
export const insertedColumns: readonly string[] = [...entryColumns, versionColumn];

export type Outcome = 'done' | 'denied';

/** Entries about what one caller did at one time. */
export function signEntries(
  actions: readonly Action[],
  outcome: Outcome,
  { caller, request, clock }: Pick<Context, 'caller' | 'request' | 'clock'>,
  signer: Signer,
): readonly SignedEntry[] {
  const time = clock.now().toISOString();
  const [user, run] = [userOf(caller) ?? null, runOf(caller) ?? null];
  return actions.map(({ operation, type, instance, before, after, isBySystem = false }) => {
    const id = clock.uuid();
    const { id: requestId = null } = request ?? {};
    const as = isBySystem ? 'system' : null;
    const values = [id, time, user, operation, type, instance ?? null, before, after, requestId, outcome, run, null, as, onlyVersion];
    return { values, line: lineOf(id, signer.hash(hashedText(values))) };
  });
}

/** Of these columns as they are stored, each with its length, so that no two entries have one text: objects are the very text that was written. What is neither null nor text was never written. */
export function hashedText(columns: readonly Value[]): string {
  let text = '';
  for (let at = 0; at < entryColumns.length; at += 1) {
    const value = columns[at] ?? null;
    if (value === null && at >= firstColumns.length) continue;
    text += value === null ? '-' : typeof value === 'string' ? `${value.length} ${value}` : `? ${JSON.stringify(value)}`;
  }
  return text;
}

const idLength = 36;

function lineOf(id: string, hash: string): string {
  return `${id} ${hash}`;
}

export function partsOfLine(line: string): { readonly id: string; readonly hash: string } {
  return { id: line.slice(0, idLength), hash: line.slice(idLength + 1) };
}
