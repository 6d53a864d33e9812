// What was tried in vain: after a few failures the next try has to wait, longer each time, and never for good. Counted in the store, for all instances.

import type { Clock } from '../clock.ts';
import type { OwnTable } from '../engine/own-table.ts';
import { error } from '../errors.ts';
import type { Writer } from '../store/store.ts';

export type CodePurpose = 'confirm' | 'reset';

interface Allowance {
  /** So many failures cost nothing. */
  readonly free: number;
  /** Milliseconds after which they are forgotten. */
  readonly window: number;
}

const perAccount: Allowance = { free: 5, window: 15 * 60_000 };
const perAddress: Allowance = { free: 20, window: 60_000 };
const perMailbox: Allowance = { free: 5, window: 60 * 60_000 };
/** Milliseconds: the wait doubles from the first to the last. */
const wait = { first: 1000, last: 60_000 } as const;

export class Failures {
  readonly #table: OwnTable;
  readonly #clock: Clock;

  constructor(table: OwnTable, clock: Clock) {
    [this.#table, this.#clock] = [table, clock];
  }

  /**
   * Counts a try as a failure before it is made, so that many at once are no way around it; throws where it has to wait.
   * Known and unknown accounts are counted alike.
   */
  async begin(email: string, remote: string | undefined, tx: Writer): Promise<void> {
    if (remote !== undefined) await this.#count(addressScope(remote), perAddress, tx);
    await this.#count(accountScope(email), perAccount, tx);
  }

  /** It was none. */
  async forgive(email: string, remote: string | undefined, tx: Writer): Promise<void> {
    // In the order in which they are counted.
    const found = remote === undefined ? undefined : await this.#table.find(tx, { scope: addressScope(remote) }, 'lock');
    if (found !== undefined && remote !== undefined)
      await this.#table.update(tx, { scope: addressScope(remote) }, { count: Math.max(0, Number(found['count']) - 1), until: 0 });
    await this.#table.remove(tx, { scope: accountScope(email) });
  }

  /** Counts a try of a code, for every address alike, and says how many there were; to be committed whatever becomes of it. */
  async tryCode(purpose: CodePurpose, email: string, tx: Writer): Promise<number> {
    const scope = codeScope(purpose, email);
    await this.#table.alone(tx, `failures ${scope}`);
    const found = await this.#table.find(tx, { scope });
    const [count, since] = [Number(found?.['count'] ?? 0) + 1, this.#now()];
    if (found !== undefined) await this.#table.update(tx, { scope }, { count, since });
    else {
      await this.#removeOld(tx);
      await this.#table.insert(tx, { scope, count, since, until: 0 });
    }
    return count;
  }

  /** How many there were before a new code: they are not forgotten while it can be used. */
  async triesOfCodes(purpose: CodePurpose, email: string, tx: Writer): Promise<number> {
    const scope = codeScope(purpose, email);
    await this.#table.alone(tx, `failures ${scope}`);
    await this.#table.update(tx, { scope }, { since: this.#now() });
    return Number((await this.#table.find(tx, { scope }))?.['count'] ?? 0);
  }

  /** Whether one more mail may go to this address now. */
  async maySend(email: string, tx: Writer): Promise<boolean> {
    return (await this.#counted(`mail ${email}`, perMailbox, tx)) === undefined;
  }

  async #count(scope: string, allowance: Allowance, tx: Writer): Promise<void> {
    const until = await this.#counted(scope, allowance, tx);
    if (until !== undefined) throw error('too-many-requests', { retryAfter: (until - this.#now()) / 1000 });
  }

  /** Until when it has to wait, where it has to. */
  async #counted(scope: string, { free, window }: Allowance, tx: Writer): Promise<number | undefined> {
    await this.#table.alone(tx, `failures ${scope}`);
    const now = this.#now();
    const found = await this.#table.find(tx, { scope });
    if (found === undefined) {
      await this.#removeOld(tx);
      await this.#table.insert(tx, { scope, count: 1, since: now, until: 0 });
      return undefined;
    }
    if (Number(found['until']) > now) return Number(found['until']);
    const isOver = Number(found['since']) + window <= now;
    const count = isOver ? 1 : Number(found['count']) + 1;
    const until = count < free ? 0 : now + Math.min(wait.first * 2 ** (count - free), wait.last);
    await this.#table.update(tx, { scope }, { count, since: isOver ? now : Number(found['since']), until });
    return undefined;
  }

  async #removeOld(tx: Writer): Promise<void> {
    for (const { scope = null, since = null } of await this.#table.upTo(tx, 'since', this.#now() - perMailbox.window, 5))
      await this.#table.removeFree(tx, { scope, since });
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

function accountScope(email: string): string {
  return `account ${email}`;
}

function codeScope(purpose: CodePurpose, email: string): string {
  return `code ${purpose} ${email}`;
}

function addressScope(remote: string): string {
  return `address ${remote}`;
}
