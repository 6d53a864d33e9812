// The service's own tables about users: sessions, codes, keys, failures, and what is to be sent. Nobody reaches them by a path or by a workflow.

import type { Table } from '../table.ts';
import { reference, ownTable as table } from './own-table.ts';

export interface IdentityTables {
  /** Of users: logged in once, alive until they log out or change their password. `stamp` stands for the password at that time. */
  readonly sessions: Table;
  /** By their hash; `used` when another one was given for it. */
  readonly refreshTokens: Table;
  /** Sent by mail, kept as hashes; `tries` is how many of this address there were before. */
  readonly codes: Table;
  /** That wait for their code, which is kept as its hash; `password` is the hash of the one that becomes valid with it; `shared` is 1 where there were others. */
  readonly signUps: Table;
  /** Users who have not shown yet that they read their mail; `waits` is 1 where they log in only when they have. */
  readonly unconfirmed: Table;
  /** What was tried in vain, by account and by address. */
  readonly failures: Table;
  /** Hashes of API keys. */
  readonly apiKeys: Table;
  /** Keys that tokens are signed with, and the secret that others are derived from. */
  readonly keys: Table;
  /** Mails, and what else is done after an answer and must not be lost. */
  readonly outbox: Table;
  /** Who users are at other services. */
  readonly subjects: Table;
  /** Sign-ins by another service that are to be exchanged for tokens. */
  readonly exchanges: Table;
}

/** `users` is the table of users, and `keys` that of their API keys. */
export function identityTables(users: Table, apiKeys: Table): IdentityTables {
  const ofUser = reference('email', users, 'email');
  const sessions = table('sessions', { id: 'text', email: 'text', stamp: 'text', created: 'integer', expires: 'integer' }, ['id'], {
    foreignKeys: [ofUser],
    indexes: [['email'], ['expires']],
  });
  return {
    sessions,
    refreshTokens: table('refresh_tokens', { hash: 'text', session: 'text', used: ['integer', 'optional'] }, ['hash'], {
      foreignKeys: [reference('session', sessions, 'id')],
      indexes: [['session']],
    }),
    codes: table(
      'codes',
      { email: 'text', purpose: 'text', hash: 'text', password: ['text', 'optional'], tries: 'integer', expires: 'integer' },
      ['email', 'purpose'],
      { foreignKeys: [ofUser] },
    ),
    signUps: table(
      'sign_ups',
      { email: 'text', hash: 'text', password: ['text', 'optional'], shared: 'integer', tries: 'integer', expires: 'integer' },
      ['email', 'hash'],
      { foreignKeys: [ofUser] },
    ),
    unconfirmed: table('unconfirmed', { email: 'text', since: 'integer', waits: 'integer' }, ['email'], { foreignKeys: [ofUser] }),
    failures: table('failures', { scope: 'text', count: 'integer', since: 'integer', until: 'integer' }, ['scope'], {
      indexes: [['since']],
    }),
    apiKeys: table('api_keys', { hash: 'text', key: 'uuid' }, ['hash'], {
      foreignKeys: [reference('key', apiKeys, 'id')],
      indexes: [['key']],
    }),
    keys: table('keys', { id: 'text', purpose: 'text', secret: 'text', created: 'integer', retired: ['integer', 'optional'] }, ['id'], {}),
    outbox: table('outbox', { id: 'text', kind: 'text', content: 'text', due: 'integer', tries: 'integer' }, ['id'], {
      indexes: [['due']],
    }),
    subjects: table('subjects', { issuer: 'text', subject: 'text', email: 'text' }, ['issuer', 'subject'], {
      foreignKeys: [ofUser],
      indexes: [['email']],
    }),
    exchanges: table('exchanges', { hash: 'text', email: 'text', challenge: 'text', expires: 'integer' }, ['hash'], {
      foreignKeys: [ofUser],
      indexes: [['email'], ['expires']],
    }),
  };
}
