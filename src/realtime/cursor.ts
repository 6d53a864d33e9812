// Cursors of streams: a place in the log of changes that nobody can read or make up, and only those go on from who were told it.

import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomFillSync } from 'node:crypto';
import { type Caller, rolesOf, userOf } from '../engine/caller.ts';
import type { Watch } from '../engine/watch/watch.ts';
import type { Place } from '../store/changes/change.ts';

/** Those of streams that show the same to the same caller. */
export interface Cursors {
  of(place: Place): string;
  /** Nothing where it is none of these. */
  placeIn(cursor: string): Place | undefined;
}

/** Kinds of streams whose keys are kept, and cursors of each: all streams of a kind are told of a change one after the other. */
const mostKinds = 1000;
const mostCursors = 64;

export class CursorKeys {
  readonly #known = new Map<string, Cursors>();

  /** Who may see what changes with the caller, and no place in one log is one in another: cursors of other callers, and other logs, have other keys. */
  cursorsOf({ plan }: Watch, generation: string, caller: Caller): Cursors {
    const facts = JSON.stringify([plan.type, generation, userOf(caller) ?? null, ...[...rolesOf(caller)].sort()]);
    const known = this.#known.get(facts);
    if (known !== undefined) return known;
    if (this.#known.size >= mostKinds) this.#known.clear();
    const made = cursorsWith(facts);
    this.#known.set(facts, made);
    return made;
  }
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const placeBytes = 24;
const tagBytes = 16;
const allBytes = nonceBytes + placeBytes + tagBytes;

/** The generation, which is a part of the secret, has a random value that all processes of a store share, and nobody is told. */
function cursorsWith(secret: string): Cursors {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'cursors of streams', 32)));
  const made = new Map<string, string>();
  const nextNonce = nonces();
  return {
    of(place) {
      const name = `${place.tx}.${place.seq}.${place.at ?? 0}`;
      const known = made.get(name);
      if (known !== undefined) return known;
      if (made.size >= mostCursors) made.clear();
      const nonce = nextNonce();
      const cipher = createCipheriv(algorithm, key, nonce);
      const cursor = Buffer.concat([nonce, cipher.update(bytesOf(place)), cipher.final(), cipher.getAuthTag()]).toString('base64url');
      made.set(name, cursor);
      return cursor;
    },
    placeIn(cursor) {
      const all = Buffer.from(cursor, 'base64url');
      if (all.length !== allBytes || all.toString('base64url') !== cursor) return undefined;
      const decipher = createDecipheriv(algorithm, key, all.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(all.subarray(-tagBytes));
      const place = decipher.update(all.subarray(nonceBytes, -tagBytes));
      try {
        decipher.final();
      } catch {
        // It was made with another key, or by somebody else.
        return undefined;
      }
      return { tx: place.readDoubleBE(0), seq: place.readDoubleBE(8), at: place.readDoubleBE(16) };
    },
  };
}

/** Each is used once with a key: random for each process, and counted, as random bytes for each cursor would cost as much as the rest of it. */
function nonces(): () => Buffer {
  const nonce = Buffer.alloc(nonceBytes);
  let count = 0;
  return () => {
    if (count % 2 ** 32 === 0) randomFillSync(nonce, 0, 8);
    nonce.writeUInt32BE(count % 2 ** 32, 8);
    count += 1;
    return nonce;
  };
}

function bytesOf({ tx, seq, at = 0 }: Place): Buffer {
  const place = Buffer.allocUnsafe(placeBytes);
  place.writeDoubleBE(tx, 0);
  place.writeDoubleBE(seq, 8);
  place.writeDoubleBE(at, 16);
  return place;
}
