// Sign-ups that wait for their code. Anybody can sign up with the address of another: each code makes valid the password of its own sign-up alone,
// and where it cannot be known whose sign-up a code is for, it proves the address and makes no password valid.

import type { Clock } from '../clock.ts';
import type { Columns, OwnTable } from '../engine/own-table.ts';
import type { Writer } from '../store/store.ts';
import { codeLifetime, hashOfCode, isSame, mostTries, newCode } from './codes.ts';
import type { KeyRing } from './keys.ts';

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
  readonly #clock: Clock;

  constructor(table: OwnTable, keys: KeyRing, clock: Clock) {
    [this.#table, this.#keys, this.#clock] = [table, keys, clock];
  }

  /** Codes of sign-ups before it stay what they are: whoever asks last takes none away. */
  async add(email: string, password: string, tx: Writer): Promise<SentCode> {
    const before = await this.#all(email, tx);
    // Whose code never came would take that of another for theirs.
    const isMailed = before.every(({ hash }) => hash !== notMailed);
    for (const { hash, expires } of before)
      if (hash !== notMailed && Number(expires) <= this.#now()) await this.#table.remove(tx, { email, hash: hash ?? null });
    return this.#insert(email, isMailed ? password : undefined, before.length > 0, tx);
  }

  /** No mail may be sent for it. Its owner takes any other code for theirs, so none of them brings a password from now on. */
  async addWithoutMail(email: string, tx: Writer): Promise<void> {
    const before = await this.#all(email, tx);
    await this.#table.update(tx, { email }, { password: null });
    if (before.some(({ hash }) => hash === notMailed)) return;
    await this.#table.insert(tx, { email, hash: notMailed, password: null, shared: 1, tries: mostTries, expires: 0 });
  }

  /** One code in place of all others. Which sign-up is meant is known only where there was one. */
  async renew(email: string, tx: Writer): Promise<SentCode> {
    const before = await this.#all(email, tx);
    const [only] = before;
    const isKnown = before.length === 1 && only?.['shared'] === 0;
    for (const { hash } of before) if (hash !== notMailed) await this.#table.remove(tx, { email, hash: hash ?? null });
    return this.#insert(email, isKnown ? textOf(only?.['password']) : undefined, !isKnown, tx);
  }

  /** Uses all of them up; a wrong try counts for each, so the transaction is to be committed either way. */
  async use(email: string, code: string, tx: Writer): Promise<ConfirmedSignUp | undefined> {
    const hash = hashOfCode(this.#keys, 'confirm', email, code);
    const open = (await this.#all(email, tx)).filter(({ tries, expires }) => Number(tries) < mostTries && Number(expires) > this.#now());
    const right = open.filter((each) => isSame(String(each['hash']), hash));
    if (right[0] !== undefined) {
      await this.drop(email, tx);
      return { password: textOf(right[0]['password']) };
    }
    // Where there is none, a statement that changes nothing: it takes about as long.
    for (const each of open.length === 0 ? [{ hash: noHash, tries: 0 }] : open)
      await this.#table.update(tx, { email, hash: each['hash'] ?? null }, { tries: Number(each['tries']) + 1 });
    return undefined;
  }

  /** The address is proven, or the password was set otherwise. */
  async drop(email: string, tx: Writer): Promise<void> {
    await this.#table.remove(tx, { email });
  }

  async #insert(email: string, password: string | undefined, isShared: boolean, tx: Writer): Promise<SentCode> {
    const code = newCode();
    const hash = hashOfCode(this.#keys, 'confirm', email, code);
    const expires = this.#now() + codeLifetime;
    await this.#table.insert(tx, { email, hash, password: password ?? null, shared: isShared ? 1 : 0, tries: 0, expires });
    return { code, signUps: isShared ? 'shared' : 'one', hasPassword: password !== undefined };
  }

  /** Nobody else changes them until the transaction ends. */
  async #all(email: string, tx: Writer): Promise<readonly Columns[]> {
    await tx.alone(`sign-ups ${email}`);
    return this.#table.all(tx, { email });
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

/** In place of the hash of a code: of one that was never sent, and of one that there is not. */
const notMailed = '';
const noHash = '-';

function textOf(value: Columns[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
