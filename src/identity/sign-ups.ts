// Sign-ups that wait for their code. Anybody can sign up with the address of another: each code makes valid the password of its own sign-up alone,
// and where it cannot be known whose sign-up a code is for, it proves the address and makes no password valid.

import type { Clock } from '../clock.ts';
import type { Columns, OwnTable } from '../engine/own-table.ts';
import type { Writer } from '../store/store.ts';
import type { Failures } from './failed-attempts.ts';
import type { KeyRing } from './keys.ts';
import { codeLifetime, hashOfCode, isOpen, newCode } from './reset-codes.ts';

/** What a mail tells of a sign-up. */
export interface SentCode {
  readonly code: string;
  /** `shared`: somebody else may have signed up with this address too. */
  readonly signUps: 'one' | 'shared';
  /** Whether a password becomes valid with it. */
  readonly hasPassword: boolean;
}

export interface ConfirmedSignUp {
  /** The hash of the password that becomes valid. */
  readonly password: string | undefined;
}

export class SignUps {
  readonly #table: OwnTable;
  readonly #keys: KeyRing;
  readonly #failures: Failures;
  readonly #clock: Clock;

  constructor(table: OwnTable, keys: KeyRing, failures: Failures, clock: Clock) {
    [this.#table, this.#keys, this.#failures, this.#clock] = [table, keys, failures, clock];
  }

  /** Codes of sign-ups before it stay what they are: whoever asks last takes none away. */
  async add(email: string, password: string, tx: Writer): Promise<SentCode> {
    const tries = await this.#triesBefore(email, tx);
    const before = await this.#all(email, tx);
    // Whose code never came would take that of another for theirs.
    const isMailed = before.every(({ hash }) => hash !== notMailed);
    for (const { hash, expires } of before)
      if (hash !== notMailed && Number(expires) <= this.#now()) await this.#table.remove(tx, { email, hash: hash ?? null });
    return this.#insert(email, isMailed ? password : undefined, before.length > 0, tries, tx);
  }

  /** No mail may be sent for it. Its owner takes any other code for theirs, so none of them brings a password from now on. */
  async addWithoutMail(email: string, tx: Writer): Promise<void> {
    const before = await this.#all(email, tx);
    await this.#table.update(tx, { email }, { password: null });
    if (before.some(({ hash }) => hash === notMailed)) return;
    await this.#table.insert(tx, { email, hash: notMailed, password: null, shared: 1, tries: 0, expires: 0 });
  }

  /** One code in place of all others. Which sign-up is meant is known only where there was one. */
  async renew(email: string, tx: Writer): Promise<SentCode> {
    const tries = await this.#triesBefore(email, tx);
    const before = await this.#all(email, tx);
    const [only] = before;
    const isKnown = before.length === 1 && only?.['shared'] === 0;
    for (const { hash } of before) if (hash !== notMailed) await this.#table.remove(tx, { email, hash: hash ?? null });
    return this.#insert(email, isKnown ? textOf(only?.['password']) : undefined, !isKnown, tries, tx);
  }

  /** Uses all of them up; `tries` of this address there were until now, with this one. */
  async use(email: string, code: string, tries: number, tx: Writer): Promise<ConfirmedSignUp | undefined> {
    await this.#lock(email, tx);
    // Found by the code itself: a wrong one finds nothing, whether there is an account or not, and takes as long.
    const right = await this.#table.find(tx, { email, hash: hashOfCode(this.#keys, 'confirm', email, code) });
    if (right === undefined || !isOpen(right, tries, this.#now())) return undefined;
    await this.drop(email, tx);
    return { password: textOf(right['password']) };
  }

  /** The address is proven, or the password was set otherwise. */
  async drop(email: string, tx: Writer): Promise<void> {
    await this.#table.remove(tx, { email });
  }

  async #insert(email: string, password: string | undefined, isShared: boolean, tries: number, tx: Writer): Promise<SentCode> {
    const code = newCode();
    const hash = hashOfCode(this.#keys, 'confirm', email, code);
    const expires = this.#now() + codeLifetime;
    await this.#table.insert(tx, { email, hash, password: password ?? null, shared: isShared ? 1 : 0, tries, expires });
    return { code, signUps: isShared ? 'shared' : 'one', hasPassword: password !== undefined };
  }

  /** Counted before sign-ups are locked, as by who uses a code. */
  #triesBefore(email: string, tx: Writer): Promise<number> {
    return this.#failures.triesOfCodes('confirm', email, tx);
  }

  async #all(email: string, tx: Writer): Promise<readonly Columns[]> {
    await this.#lock(email, tx);
    return this.#table.all(tx, { email });
  }

  /** Nobody else changes them until the transaction ends. */
  async #lock(email: string, tx: Writer): Promise<void> {
    await this.#table.alone(tx, `sign-ups ${email}`);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

/** In place of the hash of a code that was never sent. */
const notMailed = '';

function textOf(value: Columns[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
