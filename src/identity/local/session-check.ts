// Whose a bearer token is: its signature is looked at once, its session and the roles of its user once a second.

import type { Awaitable, Store } from '../../store/store.ts';
import type { Accounts } from '../accounts.ts';
import type { Identified } from '../provider.ts';
import type { Claims } from '../tokens/tokens.ts';

/** Milliseconds after which a session that was ended by another instance is noticed. */
const freshness = 1000;
const mostKnown = 10_000;

export interface SessionCheck {
  verify(token: string): Awaitable<Identified | undefined>;
  /** The e-mail of the user of a session that is alive. */
  ownerOf(session: string, store: Store): Promise<string | undefined>;
  /** Something was ended here. */
  forgetAll(): void;
}

interface Known {
  readonly identified: Identified | undefined;
  readonly at: number;
}

export function openSessionCheck({ store, clock, tokens, sessions, users, sessionOwner }: Accounts): SessionCheck {
  const known = new Map<string, Known>();

  const look = async (session: string): Promise<Identified | undefined> =>
    store.read(async (tx) => {
      const email = await sessionOwner(session, tx);
      const user = email === undefined ? undefined : await users.find(email, tx);
      if (email === undefined || user === undefined || (await users.isDisabled(email, tx))) return undefined;
      if (!(await sessions.isAlive(session, user, tx))) return undefined;
      return { email, id: user.id, roles: await users.rolesOf(email, tx), session };
    });

  const alive = (claims: Claims, now: number): Awaitable<Identified | undefined> => {
    const found = known.get(claims.session);
    if (found !== undefined && now - found.at < freshness) return found.identified;
    return look(claims.session).then((identified) => {
      if (known.size >= mostKnown) known.clear();
      known.set(claims.session, { identified, at: now });
      return identified;
    });
  };

  return {
    verify(token) {
      const now = clock.now().getTime();
      const claims = tokens.known(token, now);
      if (claims !== undefined) return alive(claims, now);
      return tokens.verify(token, 'id').then((found) => (found === undefined ? undefined : alive(found, now)));
    },
    ownerOf: async (session) => (await look(session))?.email,
    forgetAll: () => known.clear(),
  };
}
