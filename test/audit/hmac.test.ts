// The hash of an entry is HMAC with SHA-256, whatever the text is and however long.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacWith } from '../../src/audit/hmac.ts';

test('the keyed hash is that of RFC 2104', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ maxLength: 40 }),
    fc.integer({ min: 0, max: 7000 }).map((length) => 'é'.repeat(length)),
  );
  const key = fc.uint8Array({ minLength: 1, maxLength: 64 });
  fc.assert(
    fc.property(key, fc.array(text, { maxLength: 5 }), (bytes, texts) => {
      const keyed = hmacWith(Buffer.from(bytes));
      for (const each of texts) expect(keyed(each)).toBe(createHmac('sha256', bytes).update(each).digest('base64url'));
    }),
    { numRuns: 30 },
  );
});
