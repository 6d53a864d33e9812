// Driver errors → codes of the one table. Nothing of SQL leaves the store.

import { error, PlatformError } from '../../errors.ts';

const unique = new Set([1555, 2067]);
const foreignKey = 787;
const full = 13;
const tooLarge = 18;
const busy = new Set([5, 6]);

export function toStoreError(thrown: unknown): unknown {
  const code = errorCodeOf(thrown);
  if (code === undefined || thrown instanceof PlatformError) return thrown;
  if (unique.has(code)) return duplicate(messageOf(thrown), thrown);
  if (code === foreignKey) return error('instance-referenced', {}, thrown);
  if ((code & 0xff) === full) return error('store-full', {}, thrown);
  if (busy.has(code & 0xff)) return error('store-busy', { retryAfter: 1 }, thrown);
  return error('store-failed', {}, thrown);
}

/** A failure of the disk itself: what was written before it can no longer be trusted to be on it. */
export function isDiskFailure(thrown: unknown): boolean {
  const code = errorCodeOf(thrown instanceof PlatformError ? thrown.cause : thrown);
  return code !== undefined && [10, 11, 26].includes(code & 0xff);
}

/** Whether another connection holds what this one wants. */
export function isBusy(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code !== undefined && busy.has(code & 0xff);
}

/** Whether a text is longer than the connection takes. */
export function isTooLarge(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code !== undefined && (code & 0xff) === tooLarge;
}

/** Several rows, each of which may be read by itself. It has the code that the driver gives one text: what a process throws is known here by its code alone. */
export class TooLargeTogether extends Error {
  readonly code = 'ERR_SQLITE_ERROR';
  readonly errcode = tooLarge;

  constructor() {
    super('the rows are larger together than may be read');
  }
}

/** Whether it is one text, which could be read where longer ones are taken. */
export function isOneTooLarge(thrown: unknown): boolean {
  return isTooLarge(thrown) && !(thrown instanceof TooLargeTogether);
}

/** Whether a file is something else than a database. */
export function isForeign(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code !== undefined && (code & 0xff) === 26;
}

export function isFull(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code !== undefined && (code & 0xff) === full;
}

export function isOfSqlite(thrown: unknown): boolean {
  return errorCodeOf(thrown) !== undefined;
}

/** Permission, read-only, I/O, malformed, full, cannot open, not a database: nothing that a statement of ours could be wrong about. */
const machine = new Set([3, 8, 10, 11, 13, 14, 26]);

/** Whether the disk, the system or the file itself stands in the way. */
export function isOfTheMachine(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code !== undefined && machine.has(code & 0xff);
}

/** What SQLite says where a driver leaves the code out, as it does for statements that give several rows. */
const codesByMessage: readonly (readonly [message: string, code: number])[] = [
  ['UNIQUE constraint failed', 2067],
  ['FOREIGN KEY constraint failed', foreignKey],
  ['constraint failed', 19],
  ['database or disk is full', full],
  ['string or blob too big', tooLarge],
  ['database is locked', 5],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['unable to open database file', 14],
  ['file is not a database', 26],
];

/** The extended result code of an error of SQLite. */
export function errorCodeOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const holder: { readonly code?: unknown; readonly errcode?: unknown; readonly sqliteExtendedCode?: unknown } = thrown;
  const code = holder.sqliteExtendedCode ?? holder.errcode;
  if (typeof code === 'number') return code;
  if (holder.code !== 'ERR_SQLITE_ERROR') return undefined;
  // 1 is SQLite's own code for a failure that has no other.
  return codesByMessage.find(([message]) => messageOf(thrown).includes(message))?.[1] ?? 1;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : '';
}

/** From `UNIQUE constraint failed: table.a, table.b`, or `index 'table|a|b|unique|moment'`, the attributes alone. */
function duplicate(message: string, thrown: unknown): PlatformError {
  const index = /constraint failed: index '(.*)'$/.exec(message)?.[1];
  const named = index?.split('|').slice(1, -2) ?? message.replace(/^.*constraint failed: /, '').split(', ');
  const columns = named
    .map((each) => each.slice(each.lastIndexOf('.') + 1).replace(/#$/, ''))
    .filter((each) => !each.startsWith('__') && /^[\p{L}\p{N}_]+$/u.test(each));
  const name = columns.length === 0 ? 'identifier' : columns.join(' and ');
  return new PlatformError('duplicate', { detail: `There is already an instance with this ${name}.` }, thrown, { columns });
}
