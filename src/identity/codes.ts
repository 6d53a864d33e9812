// Codes that are sent by mail for a new password: for one user, used once, and gone after a few wrong tries or a few minutes.

import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { OwnTable } from '../engine/own-table.ts';
import type { Writer } from '../store/store.ts';
import type { KeyRing } from './keys.ts';

/** Milliseconds. */
export const codeLifetime = 10 * 60_000;
export const mostTries = 5;

const purpose = 'reset';
/** Of no code: a statement more, which changes nothing, so that it takes as long where there is none. */
const nothings = 'none';

export class Codes {
  readonly #table: OwnTable;
  readonly #keys: KeyRing;
  readonly #clock: Clock;

  constructor(table: OwnTable, keys: KeyRing, clock: Clock) {
    [this.#table, this.#keys, this.#clock] = [table, keys, clock];
  }

  /** A new one in place of any before. */
  async make(email: string, tx: Writer): Promise<string> {
    const code = newCode();
    await this.#table.find(tx, { email, purpose }, 'lock');
    await this.#table.remove(tx, { email, purpose });
    await this.#table.insert(tx, {
      email,
      purpose,
      hash: hashOfCode(this.#keys, purpose, email, code),
      password: null,
      tries: 0,
      expires: this.#clock.now().getTime() + codeLifetime,
    });
    return code;
  }

  /** Whether it was right, and is used up; a wrong one is counted, so the transaction is to be committed either way. */
  async use(email: string, code: string, tx: Writer): Promise<boolean> {
    const found = await this.#table.find(tx, { email, purpose }, 'lock');
    const isRight = isSame(hashOfCode(this.#keys, purpose, email, code), String(found?.['hash'] ?? ''));
    if (found === undefined || Number(found['tries']) >= mostTries || Number(found['expires']) <= this.#clock.now().getTime()) {
      await this.#table.update(tx, { email, purpose: nothings }, { tries: 0 });
      return false;
    }
    if (isRight) await this.#table.remove(tx, { email, purpose });
    else await this.#table.update(tx, { email, purpose }, { tries: Number(found['tries']) + 1 });
    return isRight;
  }

  /** Nobody uses it any more. */
  async drop(email: string, tx: Writer): Promise<void> {
    await this.#table.remove(tx, { email, purpose });
  }
}

export function newCode(): string {
  return String(randomInt(10 ** 8)).padStart(8, '0');
}

/** Codes are short: without the key of the service nobody finds them from what is stored. */
export function hashOfCode(keys: KeyRing, purpose: 'confirm' | 'reset', email: string, code: string): string {
  return keys.derive(`code ${purpose} ${email} ${code}`);
}

export function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
