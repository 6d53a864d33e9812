// What all providers work with: the service's own tables about users, keys and tokens, and what is sent to them.

import type { Clock } from '../clock.ts';
import { OwnTable } from '../engine/own-table.ts';
import type { Plan } from '../plan/plan.ts';
import type { HashCost } from '../secrets.ts';
import type { Reader, Store } from '../store/store.ts';
import { Failures } from './failed-attempts.ts';
import { KeyRing } from './keys.ts';
import { Outbox, type OutboxWork } from './outbox.ts';
import { Passwords } from './passwords/passwords.ts';
import { Codes } from './reset-codes.ts';
import { Sessions } from './sessions.ts';
import { SignUps } from './sign-ups.ts';
import { type TokenNames, Tokens } from './tokens/tokens.ts';
import { Users } from './users.ts';

export interface Accounts {
  readonly store: Store;
  readonly clock: Clock;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly codes: Codes;
  readonly signUps: SignUps;
  readonly failures: Failures;
  readonly passwords: Passwords;
  readonly keys: KeyRing;
  readonly tokens: Tokens;
  readonly outbox: Outbox;
  readonly tables: Readonly<Record<'sessions' | 'refreshTokens' | 'apiKeys' | 'apiKeyRows' | 'subjects' | 'exchanges', OwnTable>>;
  sessionOwner(session: string, tx: Reader): Promise<string | undefined>;
  /** What the templates of mails are filled with. */
  mailValues(email: string, code?: string, purpose?: string): Readonly<Record<string, string>>;
}

export interface AccountsParts {
  readonly plan: Plan;
  readonly store: Store;
  readonly clock: Clock;
  readonly names: TokenNames;
  /** Of the application, in mails. */
  readonly application: string;
  /** The public address of the service. */
  readonly url: string | undefined;
  readonly work: ReadonlyMap<string, OutboxWork>;
  /** Of passwords, where it is not the usual one. */
  readonly hashCost?: HashCost | undefined;
  failed(thrown: unknown, what: string): void;
}

export function openAccounts({ plan, store, clock, names, application, url, work, hashCost, failed }: AccountsParts): Accounts {
  const { identity } = plan;
  const apiKeys = plan.entities.get('platform.auth/ApiKey');
  if (identity === undefined || apiKeys === undefined) throw new Error('the model was linked without users');
  const [sessionRows, refreshTokens] = [new OwnTable(identity.sessions), new OwnTable(identity.refreshTokens)];
  const keys = new KeyRing(store, new OwnTable(identity.keys), clock);
  const failures = new Failures(new OwnTable(identity.failures), clock);
  return {
    store,
    clock,
    keys,
    users: new Users(plan, new OwnTable(identity.unconfirmed)),
    sessions: new Sessions(sessionRows, refreshTokens, keys, clock),
    codes: new Codes(new OwnTable(identity.codes), keys, failures, clock),
    signUps: new SignUps(new OwnTable(identity.signUps), keys, failures, clock),
    failures,
    passwords: new Passwords(hashCost),
    tokens: new Tokens(keys, names, clock),
    outbox: new Outbox({ store, table: new OwnTable(identity.outbox), clock, work, failed }),
    tables: {
      sessions: sessionRows,
      refreshTokens,
      apiKeys: new OwnTable(identity.apiKeys),
      apiKeyRows: new OwnTable(apiKeys.table),
      subjects: new OwnTable(identity.subjects),
      exchanges: new OwnTable(identity.exchanges),
    },
    async sessionOwner(id, tx) {
      const found = await sessionRows.find(tx, { id });
      return found === undefined ? undefined : String(found['email']);
    },
    mailValues(email, code, purpose) {
      const link =
        url === undefined || purpose !== 'confirm'
          ? ''
          : `\n\nOr open this page: ${url}/platform.auth/confirm#${encodeURIComponent(email)},${code}`;
      return { application, email, link, ...(code === undefined ? {} : { code }) };
    },
  };
}
