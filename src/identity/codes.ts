// Codes that are sent by mail: for one purpose and one user, used once, and gone after a few wrong tries or a few minutes.

import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { OwnTable } from '../engine/own-table.ts';
import type { Writer } from '../store/store.ts';
import type { KeyRing } from './keys.ts';

export type Purpose = 'confirm' | 'reset';

/** Milliseconds. */
const lifetime = 10 * 60_000;
const mostTries = 5;

export interface UsedCode {
  /** The hash of the password that becomes valid with it. */
  readonly password: string | undefined;
}

export class Codes {
  readonly #table: OwnTable;
  readonly #keys: KeyRing;
  readonly #clock: Clock;

  constructor(table: OwnTable, keys: KeyRing, clock: Clock) {
    [this.#table, this.#keys, this.#clock] = [table, keys, clock];
  }

  /** A new one in place of any before; without a password, that of the one before. */
  async make(email: string, purpose: Purpose, password: string | undefined, tx: Writer): Promise<string> {
    const code = String(randomInt(10 ** 8)).padStart(8, '0');
    const before = await this.#table.find(tx, { email, purpose }, 'lock');
    await this.#table.remove(tx, { email, purpose });
    await this.#table.insert(tx, {
      email,
      purpose,
      hash: this.#hash(email, purpose, code),
      password: password ?? before?.['password'] ?? null,
      tries: 0,
      expires: this.#clock.now().getTime() + lifetime,
    });
    return code;
  }

  /** Uses it up; a wrong one is counted, so the transaction is to be committed either way. */
  async use(email: string, purpose: Purpose, code: string, tx: Writer): Promise<UsedCode | undefined> {
    const found = await this.#table.find(tx, { email, purpose }, 'lock');
    const isRight = isSame(this.#hash(email, purpose, code), String(found?.['hash'] ?? ''));
    if (found === undefined || Number(found['tries']) >= mostTries || Number(found['expires']) <= this.#clock.now().getTime())
      return undefined;
    if (!isRight) {
      await this.#table.update(tx, { email, purpose }, { tries: Number(found['tries']) + 1 });
      return undefined;
    }
    await this.#table.remove(tx, { email, purpose });
    return { password: found['password'] === null ? undefined : String(found['password']) };
  }

  /** Whatever would become of it: nobody uses it any more. */
  async drop(email: string, purpose: Purpose, tx: Writer): Promise<void> {
    await this.#table.remove(tx, { email, purpose });
  }

  /** Codes are short: without the key of the service nobody finds them from what is stored. */
  #hash(email: string, purpose: Purpose, code: string): string {
    return this.#keys.derive(`code ${purpose} ${email} ${code}`);
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
