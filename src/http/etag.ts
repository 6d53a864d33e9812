// Versions of instances as entity tags, and the conditions that requests put on them.

import type { Versions } from '../engine/operation.ts';
import type { HttpRequest } from './exchange.ts';

export function etagOf(version: number): string {
  return `"${version.toString(36)}"`;
}

/** `If-Match`: the versions for which a write is meant. A weak tag never matches here. */
export function matchVersions(request: HttpRequest): Versions | undefined {
  const header = request.headers['if-match'];
  return typeof header === 'string' ? tagsOf(header).map(versionOf) : undefined;
}

/** `If-None-Match`: whether the caller already has this version. */
export function hasVersion(request: HttpRequest, version: number): boolean {
  const header = request.headers['if-none-match'];
  if (typeof header !== 'string') return false;
  const own = etagOf(version);
  return header === own || tagsOf(header).some((tag) => tag === '*' || tag === own || tag === `W/${own}`);
}

function tagsOf(header: string): readonly string[] {
  return header.split(',').map((tag) => tag.trim());
}

/** A tag that this service never gave is a version that no instance has. */
function versionOf(tag: string): number | '*' {
  if (tag === '*') return '*';
  const text = /^"([0-9a-z]{1,12})"$/.exec(tag)?.[1];
  return text === undefined ? -1 : Number.parseInt(text, 36);
}
