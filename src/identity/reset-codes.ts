// Codes that are sent by mail for a new password: for one user, used once, and gone after a few wrong tries or a few minutes.

import { randomInt } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Columns, OwnTable } from '../engine/own-table.ts';
import type { Writer } from '../store/store.ts';
import type { CodePurpose, Failures } from './failed-attempts.ts';
import type { KeyRing } from './keys.ts';

/** Milliseconds. */
export const codeLifetime = 10 * 60_000;
const mostTries = 5;

const purpose: CodePurpose = 'reset';

export class Codes {
  readonly #table: OwnTable;
  readonly #keys: KeyRing;
  readonly #failures: Failures;
  readonly #clock: Clock;

  constructor(table: OwnTable, keys: KeyRing, failures: Failures, clock: Clock) {
    [this.#table, this.#keys, this.#failures, this.#clock] = [table, keys, failures, clock];
  }

  /** A new one in place of any before. */
  async make(email: string, tx: Writer): Promise<string> {
    const code = newCode();
    // Counted before the code is touched, as by who uses one.
    const tries = await this.#failures.triesOfCodes(purpose, email, tx);
    await this.#table.find(tx, { email, purpose }, 'lock');
    await this.#table.remove(tx, { email, purpose });
    await this.#table.insert(tx, {
      email,
      purpose,
      hash: hashOfCode(this.#keys, purpose, email, code),
      password: null,
      tries,
      expires: this.#clock.now().getTime() + codeLifetime,
    });
    return code;
  }

  /** Whether it was right, and is used up; `tries` of this address there were until now, with this one. */
  async use(email: string, code: string, tries: number, tx: Writer): Promise<boolean> {
    // Found by the code itself: a wrong one finds nothing, whether there is an account or not, and takes as long.
    const found = await this.#table.find(tx, { email, purpose, hash: hashOfCode(this.#keys, purpose, email, code) }, 'lock');
    if (found === undefined || !isOpen(found, tries, this.#clock.now().getTime())) return false;
    await this.#table.remove(tx, { email, purpose });
    return true;
  }

  /** Nobody uses it any more. */
  async drop(email: string, tx: Writer): Promise<void> {
    await this.#table.remove(tx, { email, purpose });
  }
}

export function newCode(): string {
  return String(randomInt(10 ** 8)).padStart(8, '0');
}

/**
 * Beside a code stands how many tries of its address there were before it. What is written for a wrong try is the same where there is no code, so that
 * it takes as long.
 */
export function isOpen({ tries: before, expires }: Columns, tries: number, now: number): boolean {
  return tries - Number(before) <= mostTries && Number(expires) > now;
}

/** Codes are short: without the key of the service nobody finds them from what is stored. */
export function hashOfCode(keys: KeyRing, purpose: CodePurpose, email: string, code: string): string {
  return keys.derive(`code ${purpose} ${email} ${code}`);
}
