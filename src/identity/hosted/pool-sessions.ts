// Sessions of users of a hosted pool. The pool opens them, and its tokens live until they expire: what ends one before that is kept here.

import type { Clock } from '../../clock.ts';
import type { OwnTable } from '../../engine/own-table.ts';
import type { Reader, Writer } from '../../store/store.ts';
import { hashOf } from '../sessions.ts';
import type { PoolClaims } from './pool-tokens.ts';

/** Milliseconds: longer than any refresh token of a pool lives. */
const lifetime = 3660 * 24 * 60 * 60 * 1000;

/** `mark` is none: no session of its user that was opened before it is alive, unless it is known to be. */
type Stamp = 'open' | 'ended' | 'mark';

export class PoolSessions {
  readonly #sessions: OwnTable;
  readonly #tokens: OwnTable;
  readonly #clock: Clock;

  constructor(sessions: OwnTable, tokens: OwnTable, clock: Clock) {
    [this.#sessions, this.#tokens, this.#clock] = [sessions, tokens, clock];
  }

  async stateOf(id: string, tx: Reader): Promise<{ readonly email: string; readonly isOpen: boolean } | undefined> {
    const found = await this.#sessions.find(tx, { id });
    return found === undefined ? undefined : { email: String(found['email']), isOpen: found['stamp'] === 'open' };
  }

  /** Of the session that a refresh token was given out for, where that happened here. */
  async stateOfToken(token: string, tx: Reader): Promise<{ readonly isOpen: boolean } | undefined> {
    const found = await this.#tokens.find(tx, { hash: hashOf(token) });
    return found === undefined ? undefined : this.stateOf(String(found['session']), tx);
  }

  /** Whether it is alive, which is found out when it is first seen; `isNew`: the pool has just opened it or gone on with it, for whoever asked here. */
  async admit({ session: id, loggedInAt }: PoolClaims, email: string, isNew: boolean, tx: Writer): Promise<boolean> {
    const found = await this.stateOf(id, tx);
    if (found !== undefined) return found.isOpen && found.email === email;
    const mark = await this.#sessions.find(tx, { id: markOf(email) });
    if (!isNew && mark !== undefined && loggedInAt * 1000 <= Number(mark['created'])) return false;
    await this.#put(id, email, 'open', tx);
    return true;
  }

  async remember(token: string, { session }: PoolClaims, tx: Writer): Promise<void> {
    const hash = hashOf(token);
    if ((await this.#tokens.update(tx, { hash }, { session })) === 0) await this.#tokens.insert(tx, { hash, session });
  }

  /** It stays known, as one that is over. */
  async end(id: string, tx: Writer): Promise<void> {
    const stamp: Stamp = 'ended';
    await this.#sessions.update(tx, { id }, { stamp });
  }

  async endAll(email: string, tx: Writer): Promise<void> {
    const stamp: Stamp = 'ended';
    await this.#sessions.update(tx, { email }, { stamp });
    await this.#sessions.remove(tx, { id: markOf(email) });
    await this.#put(markOf(email), email, 'mark', tx);
  }

  async #put(id: string, email: string, stamp: Stamp, tx: Writer): Promise<void> {
    const created = this.#clock.now().getTime();
    await this.#sessions.insert(tx, { id, email, stamp, created, expires: created + lifetime });
  }
}

function markOf(email: string): string {
  return `all ${email}`;
}
