// The type Email: an address with a dot-atom before the @ and a host name of at least two labels behind it.

import { textType } from './text.ts';

const atom = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const label = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

export const email = textType({
  name: 'Email',
  column: 'text',
  expected: 'an e-mail address',
  read: (text) => (isAddress(text) ? text : undefined),
  schema: { type: 'string', format: 'email' },
  form: 'An e-mail address.',
  example: 'user@example.com',
});

// Split first, then match short parts: no expression ever backtracks over the whole text.
function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const host = text.slice(at + 1);
  if (local.length < 1 || local.length > 64 || host.length > 253) return false;
  return local.split('.').every((part) => atom.test(part)) && isHost(host.split('.'));
}

function isHost(labels: readonly string[]): boolean {
  const last = labels.at(-1) ?? '';
  return labels.length >= 2 && !/^\d+$/.test(last) && labels.every((each) => each.length <= 63 && label.test(each));
}
