// What was hashed and signed stays so: trails that are stored verify with every later build.

import { expect, test } from 'vitest';
import { signerWith } from '../../src/audit/hash-chain.ts';

const signer = signerWith([Buffer.alloc(32, 7), Buffer.from('an older key')]);
const block = { kind: 'block', number: 1, time: 1_700_000_000_000, count: 2, entries: '[["a","b"]]', previous: '' };
const pruned = { kind: 'pruned', number: 9, time: 1_700_000_000_001, count: 200, entries: '', previous: 'abc' };

test.each([
  ['the name of the key in use', signer.keyNames[0], 'dfvwI4Xnqw8vRh5a'],
  ['the name of an older key', signer.keyNames[1], 'gkzeW7bTe_2Ht--E'],
  ['an entry', signer.hash('{"a":1}'), 'AQ-oIQ0AUKMayx2RaxYTYMdVR75rF5IWVqAZO3i3ir0'],
  ['an entry with half of a character', signer.hash('é😀\ud800'), 'GcWIEKoLPew0yWothNd3VlSLUb1LnAUMOY65H3QHm7Q'],
  ['a long entry', signer.hash('x'.repeat(20_000)), 'I1ADu2CJG4lfDow3Ie84xKGun5XkT5QGHUCKqCZLksw'],
  ['an entry of an older key', signer.hash('{"a":1}', 1), 'AiIa33Fge8CHZYUa55fq8k2c3l_Soo9je_Zl-65VouI'],
  ['a block', signer.sign(block), 'cv1BgArOnxvv_MfQrXF86Agdwu49h1B4du5JPkg4OGI'],
  ['the end of what was pruned', signer.sign(pruned), 'VdwDyjqgtLExXkMpeCNr4nkOk_n8oIjG-cSRioAW9Y4'],
])('the keyed hash of %s is the same in every build', (_, hash, expected) => {
  expect(hash).toBe(expected);
});

test('a block is of the key that signed it', () => {
  const older = signerWith([Buffer.from('an older key')]).sign(block);
  expect(signer.keyOf({ ...block, signature: signer.sign(block) })).toBe(0);
  expect(signer.keyOf({ ...block, signature: older })).toBe(1);
  expect(signer.keyOf({ ...block, count: 3, signature: older })).toBeUndefined();
});
