// Passwords that are tried first, because many people have them. Large: loaded with the first password that is set.

import { dictionary } from '@zxcvbn-ts/language-common';

const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** Of a password in lower case. */
export function isCommon(password: string): boolean {
  return common.has(password);
}
