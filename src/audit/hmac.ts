// HMAC with SHA-256 (RFC 2104) of many short texts: the same as `createHmac` gives, without an object for each of them, which took half of the time of a proof.

import { createHmac, hash } from 'node:crypto';

/** Bytes that SHA-256 takes at once, and bytes that it gives. */
const [block, digest] = [64, 32];
/** Longer texts, in bytes, are hashed without the buffer. */
const longest = 16 * 1024;

/** The key has at most 64 bytes. */
export function hmacWith(key: Buffer): (text: string) => string {
  const inner = padded(key, 0x36, longest);
  const outer = padded(key, 0x5c, digest);
  return (text) => {
    // A character takes three bytes at most.
    if (text.length * 3 > longest) return createHmac('sha256', key).update(text).digest('base64url');
    const end = block + inner.write(text, block, 'utf8');
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), block, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}

function padded(key: Buffer, pad: number, more: number): Buffer {
  const bytes = Buffer.alloc(block + more);
  for (let at = 0; at < block; at += 1) bytes[at] = (key[at] ?? 0) ^ pad;
  return bytes;
}
