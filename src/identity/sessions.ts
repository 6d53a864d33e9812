// Sessions: opened by a login, gone on with by refresh tokens that are used once, ended by whatever makes the password another one.

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { OwnTable } from '../engine/own-table.ts';
import type { Reader, Writer } from '../store/store.ts';
import type { KeyRing } from './keys.ts';
import type { User } from './users.ts';

/** Milliseconds that a refresh token can be used. */
const lifetime = 30 * 24 * 60 * 60 * 1000;
/** Milliseconds in which the same token may be used again: by a second tab, or because the answer was lost. */
const grace = 10_000;

export interface OpenSession {
  readonly id: string;
  readonly email: string;
  readonly refreshToken: string;
}

export type Refreshed =
  | { readonly kind: 'refreshed'; readonly session: OpenSession }
  | { readonly kind: 'unknown' }
  /** It was used before: whoever has it now, nobody goes on with this session. */
  | { readonly kind: 'reused'; readonly email: string };

export class Sessions {
  readonly #sessions: OwnTable;
  readonly #tokens: OwnTable;
  readonly #keys: KeyRing;
  readonly #clock: Clock;

  constructor(sessions: OwnTable, tokens: OwnTable, keys: KeyRing, clock: Clock) {
    [this.#sessions, this.#tokens, this.#keys, this.#clock] = [sessions, tokens, keys, clock];
  }

  async open(user: User, tx: Writer): Promise<OpenSession> {
    const [id, refreshToken] = [this.#clock.uuid(), randomBytes(32).toString('base64url')];
    const created = this.#now();
    await this.#sessions.insert(tx, { id, email: user.email, stamp: stampOf(user), created, expires: created + lifetime });
    await this.#tokens.insert(tx, { hash: hashOf(refreshToken), session: id });
    await this.#removeExpired(tx);
    return { id, email: user.email, refreshToken };
  }

  /** Whether it is alive: its user is there, with the password of then. */
  async isAlive(id: string, user: User | undefined, tx: Reader): Promise<boolean> {
    const found = await this.#sessions.find(tx, { id });
    if (found === undefined || user === undefined) return false;
    return found['email'] === user.email && found['stamp'] === stampOf(user) && Number(found['expires']) > this.#now();
  }

  async refresh(token: string, userOf: (email: string) => Promise<User | undefined>, tx: Writer): Promise<Refreshed> {
    const id = String((await this.#tokens.find(tx, { hash: hashOf(token) }))?.['session'] ?? '');
    // The session before its tokens, as they go with it.
    const email = String((await this.#sessions.find(tx, { id }, 'lock'))?.['email'] ?? '');
    const found = await this.#tokens.find(tx, { hash: hashOf(token) }, 'lock');
    if (found === undefined || !(await this.isAlive(id, await userOf(email), tx))) return { kind: 'unknown' };
    // The next one follows from this one, so that whoever asks twice gets the same.
    const next = this.#keys.derive(`refresh ${token}`);
    const session = { id, email, refreshToken: next };
    const used = found['used'];
    if (used === null) {
      await this.#tokens.update(tx, { hash: hashOf(token) }, { used: this.#now() });
      await this.#tokens.insert(tx, { hash: hashOf(next), session: id });
      await this.#sessions.update(tx, { id }, { expires: this.#now() + lifetime });
      return { kind: 'refreshed', session };
    }
    const following = await this.#tokens.find(tx, { hash: hashOf(next) });
    if (Number(used) + grace >= this.#now() && following?.['used'] === null) return { kind: 'refreshed', session };
    await this.end(id, tx);
    return { kind: 'reused', email };
  }

  async end(id: string, tx: Writer): Promise<void> {
    await this.#sessions.remove(tx, { id });
  }

  async endAll(email: string, tx: Writer): Promise<void> {
    await this.#sessions.remove(tx, { email });
  }

  /** A few with each new one: all at once would hold up everybody. */
  async #removeExpired(tx: Writer): Promise<void> {
    for (const { id } of await this.#sessions.upTo(tx, 'expires', this.#now(), 20)) await this.#sessions.removeFree(tx, { id: String(id) });
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

/** Stands for the password: where that becomes another one, by whatever door, the sessions before it are over. */
function stampOf({ password }: User): string {
  return hashOf(password ?? '').slice(0, 22);
}

/** Of what has so many random bits that nobody finds it by trying. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
