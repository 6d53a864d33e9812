// What the server and its driver say when something fails → codes of the one table. Nothing of SQL, and no value, leaves the store.

import { type ErrorDetails, error, PlatformError } from '../../errors.ts';
import type { Shape } from '../../plan/query/shape.ts';
import { TooLarge } from '../store.ts';
import type { Constraint } from './names.ts';

/** The class or code of SQLSTATE, and what it is here. */
const uniqueViolation = '23505';
const foreignKeyViolation = '23503';
/** Others held a row or a table for too long: they may be done with it by now. */
const lockTimeout = '55P03';
/** Deadlock, serialization failure, or that: the same work may succeed at once. */
const conflicts = new Set(['40001', '40P01', lockTimeout]);
/** Statement and idle time-outs, too many connections, out of memory: the same work would meet the same. */
const busy = new Set(['57014', '53300', '53200', '25P03']);
const full = new Set(['53100']);
/** How a select fails that finds more related rows than an answer holds. */
const tooMany = '2201F';
/** An index entry that is longer than the server takes, or a text that is longer than it makes. */
const tooLong = '54000';
/** A standby, or a primary that has become one: it takes no writes. */
export const readOnly = '25006';
/** Shut down, crashed, starting up, or without writes: another connection is needed. */
const gone = new Set(['57P01', '57P02', '57P03', '57P05', readOnly]);
const systemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** What was being done when it failed, and the names that the server may tell. */
export interface StatementKind {
  readonly kind: Shape['kind'] | undefined;
  /** What it counts up from what it saw, which may be no longer true: `table column`. */
  readonly counted?: ReadonlySet<string>;
  readonly constraints: ReadonlyMap<string, Constraint>;
  /** The tables of which it has locked rows so far. */
  readonly tables?: readonly string[];
  /** The tables of which it saw one state, which need not be that of now. */
  readonly read?: ReadonlySet<string>;
}

export function toPostgresError(thrown: unknown, doing: StatementKind): unknown {
  if (thrown instanceof PlatformError) return thrown;
  const cause = withoutValues(thrown);
  if (isLost(thrown)) return error('store-failed', { retryAfter: 1 }, cause);
  const code = codeOf(thrown);
  if (code === undefined) return thrown;
  const constraint = doing.constraints.get(constraintName(thrown));
  if (code === uniqueViolation) return duplicate(thrown, constraint, doing, cause);
  if (code === foreignKeyViolation) {
    const again = isOvertaken(doing.kind, constraint);
    // What is pointed at was there when it was looked for: with its table locked, it is when it is written too.
    const tables = again && doing.kind === 'insert' && constraint?.target !== undefined ? { tables: [constraint.target] } : {};
    return new PlatformError('instance-referenced', {}, cause, { again, ...tables });
  }
  if (isConflict(thrown)) {
    // Who holds a row for so long is not kept off by a lock on its table; all others would be.
    const tables = code === lockTimeout ? [] : (doing.tables ?? []);
    return new PlatformError('store-busy', { retryAfter: 1 }, cause, { again: true, tables });
  }
  if (busy.has(code)) return error('store-busy', { retryAfter: 1 }, cause);
  if (full.has(code)) return error('store-full', {}, cause);
  if (doing.kind === 'select' && (code === tooMany || code === tooLong)) return new TooLarge(cause);
  if (code === tooLong) return error('limit-exceeded', { detail: 'A value that instances are found by is too long for the store.' }, cause);
  return error('store-failed', {}, cause);
}

/**
 * Numbers that two counted up from the same state are the same; seen from the start again, one of them gets the next. What was not there when
 * it was looked for is found then, too.
 */
function duplicate(thrown: unknown, constraint: Constraint | undefined, { counted, read }: StatementKind, cause: unknown): PlatformError {
  const { columns = [] } = constraint ?? {};
  const table = typeof thrown === 'object' && thrown !== null && 'table' in thrown ? String(thrown.table) : '';
  const unseen = read?.has(table) === true;
  const again = unseen || columns.some((column) => counted?.has(`${table} ${column}`) === true);
  return new PlatformError('duplicate', duplicateDetails(constraint), cause, { again, columns, unseen });
}

/**
 * Whether something that was there when it was looked for is gone, or has come to what was to go: seen from the start again, the request is
 * answered as if the other one had come first. What is contained goes with its parent, so that it keeps no parent from going.
 */
function isOvertaken(kind: StatementKind['kind'], constraint: Constraint | undefined): boolean {
  return kind !== 'delete' || constraint?.columns.some((each) => each.startsWith('__parent_')) === true;
}

/** Whether two transactions met, and this one is to be begun anew. */
export function isConflict(thrown: unknown): boolean {
  return conflicts.has(codeOf(thrown) ?? '');
}

/** Whether the connection is of no use any more. */
export function isLost(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (code !== undefined) return gone.has(code) || code.startsWith('08') || systemCodes.has(code);
  return thrown instanceof Error && /^(Connection terminated|Client (was closed|has encountered)|timeout expired)/.test(thrown.message);
}

/** Whether waiting may help: the server is not there, not yet ready, or has no connection to spare. */
export function isAbsent(thrown: unknown): boolean {
  return isLost(thrown) || isCrowded(thrown);
}

/** Whether the server has no connection to spare. */
export function isCrowded(thrown: unknown): boolean {
  return codeOf(thrown) === '53300';
}

/** In words for the operator, without the password. */
export function reasonOf(thrown: unknown): string {
  const [first] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  const message = first instanceof Error ? first.message : String(first);
  return message.replace(/[.\s]+$/, '');
}

export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

function constraintName(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'constraint' in thrown ? String(thrown.constraint) : '';
}

/** The server repeats values in its sentences and details; a log gets the code and the sentence without them. */
export function withoutValues(thrown: unknown): unknown {
  const code = codeOf(thrown);
  if (code === undefined || !(thrown instanceof Error)) return thrown;
  return Object.assign(new Error(thrown.message.replace(/: ".*"$/s, '')), { code });
}

function duplicateDetails(constraint: Constraint | undefined): ErrorDetails {
  const columns = (constraint?.columns ?? []).filter((each) => !each.startsWith('__'));
  const name = columns.length === 0 ? 'identifier' : columns.join(' and ');
  return { detail: `There is already an instance with this ${name}.` };
}
