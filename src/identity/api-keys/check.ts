// Whose an API key is: looked up at most once a second, so that one that was revoked anywhere is noticed. When it was used is written down now and then.

import type { Caller } from '../../engine/caller.ts';
import type { Awaitable } from '../../store/store.ts';
import type { Value } from '../../values/value.ts';
import type { Accounts } from '../accounts.ts';
import { hashOfApiKey, momentOf } from './api-keys.ts';

/** Milliseconds after which it is asked for again. */
const freshness = 1000;
/** Milliseconds from one record of its use to the next. */
const recordInterval = 60_000;
const mostKnown = 10_000;

export interface ApiKeyCheck {
  /** Whoever the key is for; `undefined` where there is none, or it has expired. */
  verify(key: string): Awaitable<Caller | undefined>;
  close(): Promise<void>;
}

interface KnownKey {
  readonly id: string;
  readonly caller: Caller;
  /** Milliseconds since 1970, as all of these. */
  readonly expires: number;
  readonly readAt: number;
  lastUsed: number;
}

export function openApiKeyCheck(accounts: Accounts, failed: (thrown: unknown, what: string) => void): ApiKeyCheck {
  const { store, clock, tables } = accounts;
  const known = new Map<string, KnownKey>();
  const recording = new Set<Promise<void>>();

  /** Not waited for: nobody's answer is late because of it. */
  const record = (key: KnownKey, now: number): void => {
    if (now - key.lastUsed < recordInterval) return;
    key.lastUsed = now;
    const lastUsed = new Date(now).toISOString();
    const written = store
      .write((tx) => tables.apiKeyRows.update(tx, { id: key.id }, { lastUsed }))
      .then(() => {})
      .catch((thrown: unknown) => failed(thrown, 'recording the use of an API key'))
      .finally(() => recording.delete(written));
    recording.add(written);
  };

  const used = (key: KnownKey, now: number): Caller | undefined => {
    if (key.expires <= now) return undefined;
    record(key, now);
    return key.caller;
  };

  return {
    verify(bearer) {
      const now = clock.now().getTime();
      const found = known.get(bearer);
      if (found !== undefined && now - found.readAt < freshness) return used(found, now);
      const hash = hashOfApiKey(bearer);
      if (hash === undefined) return undefined;
      return lookUp(hash, now, accounts).then((key) => {
        // What was made up is not remembered, so that it takes the place of no other.
        if (key === undefined) known.delete(bearer);
        else {
          if (known.size >= mostKnown) known.clear();
          known.set(bearer, { ...key, lastUsed: Math.max(key.lastUsed, found?.lastUsed ?? 0) });
        }
        const current = known.get(bearer);
        return current === undefined ? undefined : used(current, now);
      });
    },
    async close() {
      await Promise.all(recording);
    },
  };
}

async function lookUp(hash: string, readAt: number, { store, tables, users }: Accounts): Promise<KnownKey | undefined> {
  return store.read(async (tx) => {
    const id = (await tables.apiKeys.find(tx, { hash }))?.['key'];
    const row = id === undefined ? undefined : await tables.apiKeyRows.find(tx, { id });
    if (row === undefined) return undefined;
    const email = String(row['owner']);
    const user = await users.find(email, tx);
    if (user === undefined || (await users.isDisabled(email, tx))) return undefined;
    const [owned, chosen] = [await users.rolesOf(email, tx), storedRoles(row['roles'])];
    const roles = chosen === undefined ? owned : owned.filter((each) => chosen.includes(each));
    return {
      id: String(id),
      caller: { kind: 'user', email, id: user.id, roles, token: undefined, narrowed: chosen !== undefined },
      expires: momentOf(row['expires']) ?? Number.POSITIVE_INFINITY,
      readAt,
      lastUsed: momentOf(row['lastUsed']) ?? 0,
    };
  });
}

/** Absent where none were chosen, and only then: whatever else stands there, nobody gets all roles by it. */
function storedRoles(value: Value | undefined): readonly string[] | undefined {
  if (value === null || value === undefined) return undefined;
  const roles: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return Array.isArray(roles) ? roles.map(String) : [];
}
