// Cursors of streams: a place in the log of changes, and what it was a place of.

import { createHash } from 'node:crypto';
import { type Caller, rolesOf, userOf } from '../engine/caller.ts';
import type { Watch } from '../engine/watch/watch.ts';
import type { Place } from '../store/changes/changes.ts';

/** What a cursor holds for: who may see what changes with it, and no place in one log is one in another. */
export function digestOf({ plan }: Watch, generation: string, caller: Caller): string {
  const facts = [plan.type, generation, userOf(caller) ?? '', ...[...rolesOf(caller)].sort()];
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 12);
}

export function cursorOf({ tx, seq }: Place, digest: string): string {
  return `${tx.toString(36)}.${seq.toString(36)}.${digest}`;
}

/** Nothing where it is no place of such a stream. */
export function placeIn(cursor: string, digest: string): Place | undefined {
  const [tx = '', seq = '', of, ...more] = cursor.split('.');
  if (of !== digest || more.length > 0 || !number.test(tx) || !number.test(seq)) return undefined;
  return { tx: Number.parseInt(tx, 36), seq: Number.parseInt(seq, 36) };
}

const number = /^[0-9a-z]{1,10}$/;
