// What the key is used for: the hash of an entry, the signature of a block, and a name by which the key itself is known.

import { createHash } from 'node:crypto';
import { hmacWith } from './hmac.ts';

export interface Signer {
  /** Says nothing of the key, and differs for every other one. */
  readonly keyName: string;
  hash(text: string): string;
  sign(block: SignedPart): string;
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

export function signerWith(key: Buffer): Signer {
  const keyed = hmacWith(key);
  return {
    keyName: keyed('name of the key').slice(0, 16),
    // Nothing that is hashed for one purpose is of use for another.
    hash: (text) => keyed(`entry ${text}`),
    sign: ({ kind, number, time, count, entries, previous }) =>
      keyed(`${kind} ${JSON.stringify([number, time, count, digestOf(entries), previous])}`),
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** What the next block names as the one before it. */
export function chainEnd(last: Pick<Block, 'kind' | 'previous' | 'signature'> | undefined): string {
  if (last === undefined) return '';
  return last.kind === 'pruned' ? last.previous : last.signature;
}
