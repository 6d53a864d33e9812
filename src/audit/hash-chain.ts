// What the keys are used for: the hash of an entry, the signature of a block, and a name by which a key itself is known.

import { createHash, createHmac } from 'node:crypto';
import type { Keys } from './files.ts';

export interface Signer {
  /** The name of the key in use, then those of the keys that it has replaced. A name says nothing of its key, and differs for every other one. */
  readonly keyNames: readonly string[];
  /** With the key in use, or with the one at this place. */
  hash(text: string, key?: number): string;
  sign(block: SignedPart): string;
  /** The place of the key that a block is signed with; nothing where it is none of them. */
  keyOf(block: Block): number | undefined;
}

/** What a signature is about: everything in a block but the signature itself. */
export interface SignedPart {
  /** `block`; or `pruned`, for all blocks up to this number, whose entries were removed when their time was over. As it stands there: another word was not signed. */
  readonly kind: string;
  readonly number: number;
  /** Milliseconds since 1970: when it was sealed, or up to when what it stands for was. */
  readonly time: number;
  readonly count: number;
  readonly entries: string;
  /** The signature of the block before it; of what was pruned, that of the last block. */
  readonly previous: string;
}

export interface Block extends SignedPart {
  readonly signature: string;
}

export function signerWith(keys: Keys): Signer {
  return {
    keyNames: keys.map((key) => keyedHash(key, 'name of the key').slice(0, 16)),
    // Nothing that is hashed for one purpose is of use for another.
    hash: (text, at = 0) => keyedHash(keys[at], `entry ${text}`),
    sign: (block) => keyedHash(keys[0], signedText(block)),
    keyOf(block) {
      const text = signedText(block);
      const found = keys.findIndex((key) => keyedHash(key, text) === block.signature);
      return found === -1 ? undefined : found;
    },
  };
}

/** No key, no hash: nothing is signed with the empty text. */
function keyedHash(key: Buffer | undefined, text: string): string {
  return key === undefined ? '' : createHmac('sha256', key).update(text).digest('base64url');
}

function signedText({ kind, number, time, count, entries, previous }: SignedPart): string {
  return `${kind} ${JSON.stringify([number, time, count, digestOf(entries), previous])}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** What the next block names as the one before it. */
export function chainEnd(last: Pick<Block, 'kind' | 'previous' | 'signature'> | undefined): string {
  if (last === undefined) return '';
  return last.kind === 'pruned' ? last.previous : last.signature;
}
