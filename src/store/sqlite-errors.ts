// Driver errors → codes of the one table. Nothing of SQL leaves the store.

import { error, PlatformError } from '../errors.ts';

const unique = new Set([1555, 2067]);
const foreignKey = 787;
const full = 13;
const busy = new Set([5, 6]);

export function toStoreError(thrown: unknown): unknown {
  const code = errorCodeOf(thrown);
  if (code === undefined || thrown instanceof PlatformError) return thrown;
  if (unique.has(code)) return error('duplicate', { detail: duplicateDetail(messageOf(thrown)) }, thrown);
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

/** The extended result code, which both drivers put on the error. */
function errorCodeOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const holder: { readonly errcode?: unknown; readonly sqliteExtendedCode?: unknown } = thrown;
  const code = holder.sqliteExtendedCode ?? holder.errcode;
  return typeof code === 'number' ? code : undefined;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : '';
}

/** From `UNIQUE constraint failed: table.a, table.b` the attributes alone. */
function duplicateDetail(message: string): string {
  const columns = message
    .replace(/^.*constraint failed: /, '')
    .split(', ')
    .map((each) => each.slice(each.lastIndexOf('.') + 1).replace(/#$/, ''))
    .filter((each) => !each.startsWith('__') && /^[\p{L}\p{N}_]+$/u.test(each));
  return columns.length === 0
    ? 'There is already an instance with this identifier.'
    : `There is already an instance with this ${columns.join(' and ')}.`;
}
