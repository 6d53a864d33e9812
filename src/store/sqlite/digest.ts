// A whole number that stands for a text: what an instance goes by for who does not see all of it.

import { hash } from 'node:crypto';

/** As many bits as a double tells apart, less one. */
const hexDigits = 13;

export function digestOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, hexDigits), 16);
}
