// Versions of instances as entity tags, and the conditions that requests put on them.

import type { Operation, Versions } from '../../engine/operation.ts';
import { error } from '../../errors.ts';
import type { HttpRequest } from '../exchange.ts';
import type { Asked } from './surface.ts';

export function etagOf(version: number): string {
  return `"${version}"`;
}

/** `If-Match` and `If-None-Match` of a write: the versions for which it is meant, and those for which it is not. */
export function versionsOf({ headers }: HttpRequest): Versions | undefined {
  const { 'if-match': match, 'if-none-match': none } = headers;
  if (typeof match !== 'string' && typeof none !== 'string') return undefined;
  // A weak tag never matches in the first, and like any other in the second (RFC 9110, 13.1).
  return {
    match: typeof match === 'string' ? tagsOf(match).map(versionOf) : undefined,
    noneMatch: typeof none === 'string' ? tagsOf(none).map((tag) => versionOf(tag.replace(/^W\//, ''))) : undefined,
  };
}

/** Whether a read need not be answered, because the caller has this version (304); throws where another one was asked for. */
export function isKnown({ headers }: HttpRequest, asked: Asked, version: number): boolean {
  const { 'if-match': match, 'if-none-match': none } = headers;
  if (match === undefined && none === undefined) return false;
  if (asked.kind !== 'operation' || (asked.operation.kind !== 'read' && asked.operation.kind !== 'tree')) return false;
  const own = etagOf(version);
  if (typeof match === 'string' && !tagsOf(match).some((tag) => tag === '*' || tag === own)) throw error('version-mismatch');
  return typeof none === 'string' && isAlone(asked.operation) && tagsOf(none).some((tag) => tag === '*' || tag.replace(/^W\//, '') === own);
}

/** Whether an answer holds the instance alone: what is embedded in it, and what the caller may do, changes without its version. */
function isAlone(operation: Operation): boolean {
  if (operation.kind !== 'read') return false;
  const { includes, link, asksRights = false } = operation.selection;
  return includes.length === 0 && link === undefined && !asksRights;
}

function tagsOf(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim());
}

/** A tag that this service never gave is a version that no instance has. */
function versionOf(tag: string): number | '*' {
  if (tag === '*') return '*';
  const text = /^"(\d{1,16})"$/.exec(tag)?.[1];
  return text === undefined ? -1 : Number(text);
}
